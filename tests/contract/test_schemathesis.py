"""What `make contract` does at length, in short: what the contract allows and forbids, and where it leads."""

from collections.abc import Iterator
from threading import Thread

import pytest
from werkzeug.serving import make_server

from tests.support.app import capture_log, open_app, open_memory
from tests.support.finished_games import say_that_all_are_listed
from tests.support.schemathesis_run import try_contract

FEW = ("--phases", "examples,fuzzing,stateful", "--max-examples", "10", "--seed", "1")


@pytest.fixture
def base() -> Iterator[str]:
    """A service in this process that listens."""
    with capture_log(), open_memory() as memory, open_app(memory) as app:
        say_that_all_are_listed(memory)
        server = make_server("127.0.0.1", 0, app, threaded=True)
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.port}"
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.long
def test_the_service_does_what_its_contract_says(base: str) -> None:
    done = try_contract(base, *FEW)
    assert done.returncode == 0, done.stdout
    assert "Tested:" in done.stdout
