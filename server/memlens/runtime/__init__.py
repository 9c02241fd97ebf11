"""The runtime above the Memory service: whose memory, on what evidence, again after a conflict (spec 1.5, 2)."""
