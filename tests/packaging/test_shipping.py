"""What we ship to others: pinned packages, an image and its composition."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
import yaml

from service.config import Settings, read_dotenv
from service.guides.guides import BACKGROUND, GUIDES, START

ROOT = Path(__file__).parents[2]
TOOLS = Path(sys.executable).parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCKS = ["requirements.lock", "requirements-mcp.lock", "requirements-dev.lock"]


def tool(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([TOOLS / name, *arguments], cwd=ROOT, capture_output=True, text=True)


def test_the_dockerfile_has_no_fault_the_linter_knows() -> None:
    found = tool("hadolint", "Dockerfile")
    assert (found.returncode, found.stdout) == (0, "")


def test_the_image_does_not_run_as_root() -> None:
    final_stage = (ROOT / "Dockerfile").read_text("utf-8").rpartition("\nFROM ")[2]
    assert re.search(r"^USER 10001:10001$", final_stage, re.MULTILINE)


COMPOSITIONS = sorted((ROOT / "deploy").glob("*.yaml"))
by_composition = pytest.mark.parametrize("path", COMPOSITIONS, ids=lambda path: path.stem)
PARTS = {"api", "projector", "reconciler", "worker"}
# What a server must be told, whether by its command line or by a file that its command writes.
WANTED = ("appendonly yes", "appendfsync always", "maxmemory-policy noeviction")


def read_composition(path: Path) -> dict[str, Any]:
    """A composition, with what others are merged from."""
    composition: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))
    return composition


@pytest.mark.parametrize("path", [ROOT / "compose.yaml", *COMPOSITIONS], ids=lambda path: path.stem)
def test_a_composition_fits_the_compose_schema(path: Path) -> None:
    found = tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", str(path))
    assert found.returncode == 0, found.stdout


def test_docker_compose_up_starts_the_smallest_composition() -> None:
    assert read_composition(ROOT / "compose.yaml") == {"include": ["deploy/single.yaml"]}


@by_composition
def test_composed_servers_keep_every_acknowledged_write(path: Path) -> None:
    services = read_composition(path)["services"]
    servers = [service for service in services.values() if "/data" in str(service.get("volumes", ""))]
    servers = [service for service in servers if re.search("(redis|valkey)-server", str(service["command"]))]
    assert servers
    for server in servers:
        command = "\n".join(server["command"])
        assert [setting for setting in WANTED if setting not in command] == []
        assert len(server["volumes"]) == 1
    volumes = [volume for server in servers for volume in server["volumes"]]
    assert len(set(volumes)) == len(volumes)


@by_composition
def test_each_part_of_a_composed_service_can_be_scaled(path: Path) -> None:
    services = read_composition(path)["services"]
    assert services.keys() >= PARTS
    for name in PARTS:
        # Two of a kind could have neither the same port nor the same name.
        assert services[name].keys().isdisjoint(("ports", "container_name"))
        assert services[name]["volumes"] == ["archive:/data/archive"]
    assert services["proxy"]["ports"] == ["127.0.0.1:${PORT:-8000}:8000"]


@by_composition
def test_the_settings_of_a_composition_are_understood(path: Path) -> None:
    services = read_composition(path)["services"]
    environments = [services[name]["environment"] for name in PARTS]
    assert environments == [environments[0]] * len(PARTS)
    assert environments[0].keys() <= Settings(redis_url="x", queue_url="y").environment().keys() | {
        "ARCHIVE_URL",
        "TRUSTED_PROXIES",
    }
    settings = Settings.from_env(environments[0], ROOT / "absent")
    assert settings.archive_place == "file:///data/archive"
    # Whoever is named in an address is a part of the composition.
    hosts = re.findall(r"[/,@]([a-z][a-z0-9-]*):\d+", " ".join(environments[0].values()))
    assert hosts
    assert set(hosts) <= services.keys()


@by_composition
def test_only_the_proxy_of_a_composition_can_be_reached_from_outside(path: Path) -> None:
    composition = read_composition(path)
    assert composition["networks"]["backroom"]["internal"] is True
    for name, service in composition["services"].items():
        # Webhooks go out to servers elsewhere; nobody comes in there.
        assert ("front" in service["networks"]) == (name in ("proxy", "webhooks"))
        assert ("ports" in service) == (name == "proxy")


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_pins_every_package_by_hash_and_names_no_index(lock: str) -> None:
    text = (ROOT / lock).read_text("utf-8").replace("\\\n", " ")
    for requirement in text.splitlines():
        assert re.match(r"[a-z0-9-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", requirement)
    assert "://" not in text


def test_all_locks_pin_the_same_versions() -> None:
    run, models, dev = (
        set(re.findall(r"^[a-z0-9-]+==\S+", (ROOT / lock).read_text("utf-8"), re.M)) for lock in LOCKS
    )
    assert run < models < dev


def test_the_newest_release_in_the_changelog_is_the_version_of_package_and_contract() -> None:
    released = re.findall(r"^## \[(\d\S*)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    contract = yaml.load((ROOT / "openapi.yaml").read_text("utf-8"), yaml.CSafeLoader)
    assert version("croupier") == contract["info"]["version"] == released[0]


def test_every_setting_stands_in_the_example_and_in_the_operating_guide() -> None:
    told = Settings(
        redis_url="redis://x",
        queue_url="redis://y",
        redis_server="redis-server",
        redis_maxmemory=1,
        archive_url="file:///a",
        trusted_proxies="1",
        security_contact="mailto:a@example.org",
    ).environment()
    assert read_dotenv(ROOT / ".env.example").keys() == told.keys()
    guide = (ROOT / "docs" / "operating.md").read_text("utf-8")
    assert [name for name in told if f"`{name}`" not in guide] == []


def test_the_example_settings_are_the_defaults() -> None:
    assert Settings.from_env(read_dotenv(ROOT / ".env.example"), ROOT / "absent") == Settings()


PACKAGES = ("events", "rules", "service", "workers")


def test_a_wheel_has_every_file_of_the_page_the_guides_the_types_and_the_licence(tmp_path: Path) -> None:
    """The image installs what a wheel is made of."""
    made = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert made.returncode == 0, made.stderr
    (wheel,) = tmp_path.glob("*.whl")
    page = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "service/page").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    shipped = set(ZipFile(wheel).namelist())
    assert set(page) <= shipped
    assert {f"service/guides/docs/{guide.source}" for guide in (START, *GUIDES, *BACKGROUND)} <= shipped
    assert {f"{package}/py.typed" for package in (*PACKAGES, "croupier_client")} <= shipped
    assert any(name.endswith("/licenses/LICENSE") for name in shipped)


def test_the_image_is_built_from_all_that_the_package_names() -> None:
    """A build reads the README and the licence."""
    sent = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    project = PROJECT["project"]
    assert {f"!{name}" for name in (project["readme"], *project["license-files"], *PACKAGES, "docs")} <= set(
        sent
    )


def test_the_workflow_fits_the_schema_and_tries_every_python_that_is_named() -> None:
    found = tool(
        "check-jsonschema", "--builtin-schema", "vendor.github-workflows", ".github/workflows/ci.yaml"
    )
    assert found.returncode == 0, found.stdout
    job = yaml.safe_load((ROOT / ".github/workflows/ci.yaml").read_text("utf-8"))["jobs"]["test"]
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
    assert job["strategy"]["matrix"]["python"] == named
    commands = [step["run"] for step in job["steps"] if "run" in step]
    local = (ROOT / ".ci/run").read_text("utf-8").splitlines()
    assert commands == [line for line in local if line.startswith("make ")]


def test_the_hooks_run_the_linters_of_make_test() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"][0]["hooks"]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for hook in hooks:
        command = hook["entry"].removeprefix(".venv/bin/").removesuffix(" --fix")
        assert f"$(BIN)/{command}" in makefile


@pytest.mark.parametrize("script", [".ci/run", "bin/venv"])
def test_the_scripts_can_be_run(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)
