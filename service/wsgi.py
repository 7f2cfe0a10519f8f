"""What gunicorn serves."""

from __future__ import annotations

import os

from service import logs
from service.bootstrap import create_app
from service.config import Settings

settings = Settings.from_env(os.environ)
logs.configure(settings.log_level)
app = create_app(settings)
