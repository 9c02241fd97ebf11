"""What surrounds a repository's memory: where our files live, settings, repository identity, files and ignore rules."""
