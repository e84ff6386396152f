"""Scenebook: a static site generator for explainer pages whose every number and picture is computed."""

__version__ = "0.1.0"
