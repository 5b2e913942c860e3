"""Published paths: boxes that answer questions about stops, and every face of them."""
