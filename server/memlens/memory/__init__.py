"""The Memory family: models, service, analyzer, admission and the ports that a backend implements (spec 1)."""
