"""MemLens: a repository's durable memory, shown where you edit."""

__version__ = "0.1.0"
