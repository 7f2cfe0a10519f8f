"""The WSGI application that gunicorn serves."""

from __future__ import annotations

import os

from service import logs
from service.config import Settings, exit_if_misconfigured
from service.http.app import create_app

# The code by which gunicorn knows that another worker would fare no better.
APP_LOAD_ERROR = 4

with exit_if_misconfigured(APP_LOAD_ERROR):
    settings = Settings.from_env(os.environ)
    logs.configure(settings.log_level)
    app = create_app(settings)
