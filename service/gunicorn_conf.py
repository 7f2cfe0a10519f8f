"""How gunicorn serves the API. Imports nothing that loads `ssl`, which gevent must patch first."""

import os
from pathlib import Path
from typing import Any

from service.config import Settings
from service.processes import die_with_parent

_settings = Settings.from_env(os.environ)

wsgi_app = "service.wsgi:app"
bind = _settings.authority
workers = _settings.api_workers
worker_class = "gevent"
# One connection is one open stream; the default of 1000 would shut out the next caller.
worker_connections = 4000
graceful_timeout = 3
timeout = 60
keepalive = 15
control_socket_disable = True
loglevel = "warning"
# A heartbeat file on a slow disk would let the master kill a healthy worker.
worker_tmp_dir = "/dev/shm" if Path("/dev/shm").is_dir() else None


def post_fork(server: Any, worker: Any) -> None:
    """A worker left behind by a killed master would keep the port."""
    die_with_parent(server.pid)
