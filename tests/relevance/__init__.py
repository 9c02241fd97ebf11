"""How well each rule does on labelled projects, which are not part of this repository (docs/relevance.md)."""
