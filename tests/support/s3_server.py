"""A server that speaks as much S3 as an archive needs; one kind of it replaces what it should not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

BUCKET = "games"
# How many names one page of a list has.
PAGE = 2


class S3Server(ThreadingHTTPServer):
    """`objects` are by their names, `refusal` is the status of every reply while it is set."""

    def __init__(self, overwrites: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), S3Handler)
        self.overwrites = overwrites
        self.objects: dict[str, bytes] = {}
        self.refusal = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class S3Handler(BaseHTTPRequestHandler):
    server: S3Server
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def answer(self, status: int, body: bytes = b"") -> None:
        self.send_response(self.server.refusal or status)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", '"0"')
        self.send_header("Last-Modified", "Wed, 18 Nov 2026 04:00:00 GMT")
        self.end_headers()
        self.wfile.write(body)

    @property
    def key(self) -> str:
        return unquote(urlsplit(self.path).path).removeprefix(f"/{BUCKET}").removeprefix("/")

    def do_PUT(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        refused = self.headers.get("If-None-Match") == "*" and not self.server.overwrites
        if self.server.refusal or (refused and self.key in self.server.objects):
            self.answer(412)
            return
        self.server.objects[self.key] = content
        self.answer(200)

    def do_GET(self) -> None:
        query = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        if "list-type" in query:
            self.answer(200, self.list_page(query.get("prefix", ""), query.get("continuation-token", "")))
        elif self.key in self.server.objects:
            self.answer(200, self.server.objects[self.key])
        else:
            self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")

    def list_page(self, prefix: str, after: str) -> bytes:
        names = sorted(name for name in self.server.objects if name.startswith(prefix) and name > after)
        shown = names[:PAGE]
        more = len(names) > PAGE
        rows = "".join(
            f"<Contents><Key>{escape(name)}</Key><Size>{len(self.server.objects[name])}</Size>"
            f"<LastModified>2026-11-18T04:00:00.000Z</LastModified><ETag>0</ETag></Contents>"
            for name in shown
        )
        token = f"<NextContinuationToken>{escape(shown[-1])}</NextContinuationToken>" if more else ""
        truncated = f"<IsTruncated>{str(more).lower()}</IsTruncated>"
        return f"<ListBucketResult>{truncated}{token}{rows}</ListBucketResult>".encode()

    def do_DELETE(self) -> None:
        self.server.objects.pop(self.key, None)
        self.answer(204)

    def do_POST(self) -> None:
        """Delete several objects, as clients may do with one."""
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        names = [piece.partition("</Key>")[0] for piece in body.split("<Key>")[1:]]
        for name in names:
            self.server.objects.pop(name, None)
        deleted = "".join(f"<Deleted><Key>{name}</Key></Deleted>" for name in names)
        self.answer(200, f"<DeleteResult>{deleted}</DeleteResult>".encode())


@contextmanager
def open_s3(overwrites: bool = False) -> Iterator[S3Server]:
    server = S3Server(overwrites)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
