"""What each surface shows: an immutable snapshot in, a plain value out (spec 3.1). No protocol types, no I/O."""
