"""Restricts the jobs of RQ to an allow-list of functions: `SafeJob`."""

from __future__ import annotations

from typing import Any

from rq.job import Job

ALLOWED = frozenset({"workers.jobs.advance"})


class Forbidden(Exception):
    """Says that a job names a function that is not allowed."""


class SafeJob(Job):
    """Runs allowed functions only, where RQ would import and call any function that a job names."""

    @property
    def func(self) -> Any:
        """Return the function to run. Raises Forbidden if it is not allowed."""
        if self.func_name not in ALLOWED or self.instance is not None:
            raise Forbidden(f"{self.func_name} is not a job of ours")
        return super().func

    # RQ reads callbacks and webhooks from the job's record, where an attacker could name any function.

    @property
    def success_callback(self) -> None:
        """Return None: our jobs have no callbacks."""
        return None

    @property
    def failure_callback(self) -> None:
        """Return None: our jobs have no callbacks."""
        return None

    @property
    def stopped_callback(self) -> None:
        """Return None: our jobs have no callbacks."""
        return None

    def send_webhooks(self, *args: Any, **kwargs: Any) -> None:
        """Do nothing: our jobs have no webhooks."""
