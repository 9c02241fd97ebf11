"""Domain primitives without I/O: identifiers, canonical form, Sources, references, errors."""
