"""Levels that are not there before somebody has written to a pipe."""

import os
from pathlib import Path

from tests.support import failing_bots

# To open it waits for a writer.
Path(os.environ["CROUPIER_TEST_GATE"]).read_bytes()
BOTS = failing_bots.BOTS
