import subprocess
import sys
from pathlib import Path

import pytest
from limits import parse_many

from service.config import Misconfigured, Settings, read_dotenv


def settings(tmp_path: Path, text: str = "", **environ: str) -> Settings:
    (tmp_path / ".env").write_text(text, "utf-8")
    return Settings.from_env(environ, tmp_path / ".env")


def test_nothing_given_means_loopback_port_8000_and_an_own_redis(tmp_path: Path) -> None:
    assert Settings.from_env({}, tmp_path / "absent") == Settings()
    assert (Settings().host, Settings().port, Settings().redis_url) == ("127.0.0.1", 8000, None)


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    found = settings(tmp_path, "PORT=9000\nWORKERS=5\n", PORT="9001")
    assert (found.port, found.workers) == (9001, 5)


def test_the_file_may_hold_comments_quotes_and_exports(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("# A=1\n\nexport B = 'two words'\nC=\"x=y\"\nD=\nnot a pair\n", "utf-8")
    assert read_dotenv(tmp_path / ".env") == {"B": "two words", "C": "x=y", "D": ""}


def test_an_empty_value_counts_as_not_given(tmp_path: Path) -> None:
    assert settings(tmp_path, PORT="", REDIS_URL="", DATA_DIR="") == Settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("PORT", text) for text in ("0", "65536", "http", "-1", "٣")),
        *(("WORKERS", text) for text in ("1.5", "-1")),
        *(("API_WORKERS", "0"), ("REQUEST_SECONDS", "0"), ("REQUEST_SECONDS", "601")),
    ],
)
def test_a_number_out_of_range_is_refused_by_name(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(Misconfigured, match=f"{name} must be a whole number"):
        settings(tmp_path, **{name: value})


@pytest.mark.parametrize(
    ("text", "taken"),
    [("", ""), ("2", "2"), ("10.0.0.1/8, ::1", "10.0.0.0/8,::1/128"), ("127.0.0.1", "127.0.0.1/32")],
)
def test_proxies_are_counted_or_named(tmp_path: Path, text: str, taken: str) -> None:
    assert settings(tmp_path, TRUSTED_PROXIES=text).trusted_proxies == taken


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("RATE_LIMITS", "no"),
        ("LIMIT_PLAYING", "many"),
        ("LIMIT_CREATING", "10 per minute;"),
        ("LIMIT_TOKEN", "1/s"),
        ("LIMIT_READING", "٣ per minute"),
        ("LIMIT_READING", "5 per 0 seconds"),
        ("LIMIT_CREATING", "5 per minute; 9 per 00 hours"),
        ("LIMIT_SITTING", "-5 per minute"),
        ("OPEN_GAMES", "-1"),
        ("OPEN_STREAMS", "some"),
        ("LOG_LEVEL", "loud"),
        ("LOBBY_HOURS", "-1"),
        ("ABANDON_HOURS", "nan"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(tmp_path: Path, name: str, text: str) -> None:
    with pytest.raises(Misconfigured, match=f"^{name} must be "):
        settings(tmp_path, **{name: text})


@pytest.mark.parametrize(
    "text",
    ["1 per second", "120 per minute; 600 per 10 minutes", "5 per hour", "9 per 2 days", "0 per 1 minute"],
)
def test_a_rate_is_taken_as_the_library_reads_it(tmp_path: Path, text: str) -> None:
    taken = settings(tmp_path, LIMIT_CREATING=f" {text} ").limits.creating
    assert taken == text
    assert len(parse_many(taken)) == text.count(";") + 1


@pytest.mark.parametrize("text", ["-1", "123", "10.0.0.0/33", "proxy.example", "1,2,", "٣"])
def test_what_is_no_proxy_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(Misconfigured, match="TRUSTED_PROXIES must be a number of proxies, or networks"):
        settings(tmp_path, TRUSTED_PROXIES=text)


@pytest.mark.parametrize(
    "url",
    [
        "foo",
        "http://x",
        "redis://",
        "redis://x:port",
        "redis://x:0",
        "redis://x/games",
        "unix://",
        "//x",
        "redis+sentinel://x",
        "redis+sentinel://x,/m",
        "redis+sentinel:///m",
        "redis+sentinel://x/m/games",
        "redis+cluster://",
        "redis+cluster://x/1",
    ],
)
def test_an_address_of_no_redis_is_refused_without_repeating_it(tmp_path: Path, url: str) -> None:
    with pytest.raises(Misconfigured, match=r"^REDIS_URL must be redis://HOST:PORT/DB, .* or redis\+"):
        settings(tmp_path, REDIS_URL=url)


@pytest.mark.parametrize(
    "url",
    [
        "redis://x",
        "redis://:pw@[::1]:6379/3",
        "rediss://u:pw@x:1/?ssl_cert_reqs=none",
        "unix:///s?db=0",
        "redis+sentinel://u:p%2Cw@x,[::1]:5,y:6/main",
        "rediss+sentinel://x/main/3?sentinel_password=a",
    ],
)
def test_every_kind_of_redis_address_is_taken(tmp_path: Path, url: str) -> None:
    assert settings(tmp_path, REDIS_URL=url).redis_url == url


@pytest.mark.parametrize("url", ["http://x", "redis://", "redis+cluster://x:1", "rediss+cluster://x:1"])
def test_an_address_where_no_queue_can_be_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(Misconfigured, match=r"^QUEUE_URL must be redis://HOST:PORT/DB, .*, unix:///PATH or "):
        settings(tmp_path, QUEUE_URL=url)


def test_a_child_reads_the_same_settings_from_what_it_is_handed(tmp_path: Path) -> None:
    ours = settings(
        tmp_path,
        HOST="::1",
        PORT="8123",
        REDIS_URL="redis://127.0.0.1:6379/0",
        WORKERS="0",
        TRUSTED_PROXIES="2",
    )
    assert Settings.from_env(ours.environment(), tmp_path / "absent") == ours


def test_an_ipv6_host_is_bracketed() -> None:
    assert Settings(host="::1").authority == "[::1]:8000"


@pytest.mark.parametrize(
    ("text", "origins"),
    [
        ("*", ("*",)),
        ("", ()),
        (
            "https://Play.example.org, http://localhost:5173",
            ("https://play.example.org", "http://localhost:5173"),
        ),
        ("http://[::1]:3000", ("http://[::1]:3000",)),
    ],
)
def test_origins_are_everybody_a_list_or_none_for_children_too(
    tmp_path: Path, text: str, origins: tuple[str, ...]
) -> None:
    found = settings(tmp_path, CORS_ORIGINS=text)
    assert found.cors_origins == origins
    assert Settings.from_env(found.environment(), tmp_path / "absent") == found


@pytest.mark.parametrize(
    "text", ["play.example.org", "https://play.example.org/", "ftp://x", "null", "https://*"]
)
def test_what_is_no_origin_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(Misconfigured, match=r"CORS_ORIGINS must be \*, or origins such as"):
        settings(tmp_path, CORS_ORIGINS=text)


@pytest.mark.parametrize("text", ["", "local", "replicated:1", "replicated:9"])
def test_durability_says_how_many_replicas_confirm(tmp_path: Path, text: str) -> None:
    found = settings(tmp_path, REDIS_URL="redis://x", DURABILITY=text)
    assert found.durable_replicas == int(text.partition(":")[2] or 0)
    assert found.environment()["DURABILITY"] == (text or "local")


@pytest.mark.parametrize("text", ["replicated", "replicated:0", "replicated:10", "replicated:-1", "all"])
def test_an_unknown_durability_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(Misconfigured, match="DURABILITY must be local, or replicated:N"):
        settings(tmp_path, REDIS_URL="redis://x", DURABILITY=text)


def test_the_embedded_redis_has_no_replicas(tmp_path: Path) -> None:
    with pytest.raises(Misconfigured, match="needs a REDIS_URL"):
        settings(tmp_path, DURABILITY="replicated:1")


def test_redis_may_be_trusted_by_its_name_only(tmp_path: Path) -> None:
    assert settings(tmp_path, REDIS_SETTINGS="trusted").trust_redis
    assert not settings(tmp_path, REDIS_SETTINGS="checked").trust_redis
    with pytest.raises(Misconfigured, match="REDIS_SETTINGS must be one of checked, trusted"):
        settings(tmp_path, REDIS_SETTINGS="yes")


@pytest.mark.parametrize("url", ["redis+cluster://x:1,y:2", "rediss+cluster://u:pw@x"])
def test_a_cluster_needs_another_redis_for_the_queue(tmp_path: Path, url: str) -> None:
    with pytest.raises(Misconfigured, match="QUEUE_URL is not set"):
        settings(tmp_path, REDIS_URL=url)
    assert settings(tmp_path, REDIS_URL=url, QUEUE_URL="redis://x").redis_url == url


@pytest.mark.parametrize("url", ["file:///var/archive", "file:///a%20b", "s3://bucket", "s3://bucket/a/b"])
def test_the_archive_may_be_a_folder_or_a_bucket(url: str) -> None:
    assert Settings.from_env({"ARCHIVE_URL": url}).archive_place == url


@pytest.mark.parametrize(
    "url", ["archive", "/a", "file://", "file:///", "file://a/b", "http://a/b", "s3://", "s3:///a"]
)
def test_an_archive_elsewhere_is_refused(url: str) -> None:
    with pytest.raises(Misconfigured, match="ARCHIVE_URL must be file:///FOLDER or s3://BUCKET/PREFIX"):
        Settings.from_env({"ARCHIVE_URL": url})


def test_the_archive_is_in_the_data_folder_unless_another_is_named(tmp_path: Path) -> None:
    settings = Settings.from_env({"DATA_DIR": str(tmp_path / "a b")})
    assert settings.archive_place == f"file://{tmp_path}/a%20b/archive"


def test_a_bucket_without_the_extra_is_refused_with_its_name() -> None:
    program = (
        "import sys; sys.modules['obstore'] = None\n"
        "from service.config import Settings, exit_if_misconfigured\n"
        "with exit_if_misconfigured(): Settings.from_env({'ARCHIVE_URL': 's3://bucket'})"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, "install croupier[s3]" in done.stderr) == (1, True)
