"""Mechanisms for paths with stops."""
