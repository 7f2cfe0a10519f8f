"""From a WSGI call to the view of its route, and from whatever goes wrong to a problem."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, lru_cache, partial
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask, Request, Response
from werkzeug.exceptions import NotFound
from werkzeug.routing import Map, Rule

from service.api.errors import answer_fault
from service.api.problems import Problem

MOST_ADDRESSES = 1_000
LONGEST_ADDRESS = 200
# Its path, endpoint and method.
Route = tuple[str, str, str]


@cache
def make_map(routes: tuple[Route, ...]) -> Map:
    """Once a process: to compile the rules takes longer than all the rest of an application."""
    rules = [Rule(path, endpoint=endpoint, methods=[method, "OPTIONS"]) for path, endpoint, method in routes]
    # No address ever leads to another, so that it does not matter what this server is called.
    return Map(rules, merge_slashes=False, redirect_defaults=False)


class Application(Flask):
    """Flask's routing, requests, responses and test client without its contexts, sessions, hooks and signals.

    None of those is in use here, and together they took a tenth of the processor time of a choice. Views
    take the request as their first argument; what concerns every request belongs into `Envelope`.
    """

    def __init__(self, routes: Iterable[Route]) -> None:
        super().__init__("service", static_folder=None)
        self.url_map = make_map(tuple(routes))
        self._routes = self.url_map.bind("localhost")
        # A game is asked for at the same few addresses again and again.
        self._find_route = lru_cache(MOST_ADDRESSES)(partial(self._routes.match, return_rule=True))

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        request = Request(environ)
        try:
            response = self._respond(request)
        except Exception as fault:
            response = answer_fault(request, fault)
        return response(environ, start_response)

    def _respond(self, request: Request) -> WSGIApplication:
        """Raises HTTPException where there is no such route or method, and whatever the view raises."""
        try:
            rule, path = self._find_route(request.path, request.method)
        except NotFound as fault:
            raise self._point_to_address(request.path) or fault from None
        request.url_rule, request.view_args = rule, dict(path)
        if request.method == "OPTIONS":
            return Response(headers={"Allow": ", ".join(self._routes.allowed_methods(request.path))})
        view: Callable[..., WSGIApplication] = self.view_functions[rule.endpoint]  # type: ignore[assignment]
        return view(request, **path)

    def _point_to_address(self, path: str) -> Problem | None:
        """Where a slash too many or a prefix too few was meant to lead."""
        plain = path.rstrip("/")
        for meant in (plain, f"/v1{plain}") if len(path) <= LONGEST_ADDRESS else ():
            if plain and meant != path and self._routes.allowed_methods(meant):
                return Problem("not_found", f"there is nothing at this address; the right one is {meant}")
        return None
