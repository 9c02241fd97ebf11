"""Read-only documents about the memory, as Markdown: what virtual documents and the command line show (spec 2.2)."""
