"""A server of the Model Context Protocol, with which language models play over the HTTP API."""
