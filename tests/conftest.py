"""Shared by all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Machines are shared and noisy: no example is judged by the clock.
settings.register_profile("memlens", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("memlens")
