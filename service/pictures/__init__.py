"""Pictures of tables, drawn by the service."""
