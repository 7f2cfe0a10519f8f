"""Where the application factory was in 0.1.0."""
