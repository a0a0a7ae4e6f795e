"""Settings of all tests: slow ones only when asked for, and no test that fails for being slow."""

import pytest
from hypothesis import HealthCheck, settings

# Kernels compile on first use and the machine may be busy, so nothing that hypothesis times says anything.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


def pytest_configure(config: pytest.Config) -> None:
    """Leave out the slow tests unless ``-m`` says otherwise."""
    if not config.option.markexpr:
        config.option.markexpr = "not slow"
