"""The HTTP interface: the only room that knows Flask and marshmallow."""
