"""What the log and everything else is sent as."""

JSON = "application/json"
NDJSON = "application/x-ndjson"
SSE = "text/event-stream"
