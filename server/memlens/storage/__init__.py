"""The storage SPI: what every database adapter shares, and the adapters below it (spec 1.2, 1.10)."""
