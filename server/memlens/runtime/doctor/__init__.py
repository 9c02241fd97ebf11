"""``memlens doctor``: checks that explain themselves, with the way out of what they find (spec 2.5, 2.6)."""
