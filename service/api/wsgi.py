"""What gunicorn serves."""

from __future__ import annotations

import os

from service import logs
from service.api.app import create_app
from service.config import Settings
from service.ops.refusal import exit_if_misconfigured

# The code by which gunicorn knows that another worker would fare no better.
APP_LOAD_ERROR = 4

with exit_if_misconfigured(APP_LOAD_ERROR):
    settings = Settings.from_env(os.environ)
    logs.configure(settings.log_level)
    app = create_app(settings)
