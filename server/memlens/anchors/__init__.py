"""Where an entry applies: pure rules over an entry, a path and a document's lines (spec 2.1)."""
