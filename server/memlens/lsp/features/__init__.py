"""One module for each method of the protocol: a thin handler over a pure query."""
