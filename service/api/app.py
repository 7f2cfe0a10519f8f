"""Keeps `service.api.app.create_app` importable; the factory is in `service.http.app`."""

from service.http.app import create_app

__all__ = ["create_app"]
