"""Starting, supervising and stopping the processes of the service."""
