"""From what happens in editors, git and agents to evidence and proposals (spec 2.3)."""
