"""What Triton finds by its entry points, for the environment variable HEDDLE_TRITON."""
