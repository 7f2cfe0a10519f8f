"""Starting, watching and stopping the processes of the service."""
