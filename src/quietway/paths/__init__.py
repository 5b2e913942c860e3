"""Releases of paths with stops: what their file says, how it is resolved, counted and rehearsed."""
