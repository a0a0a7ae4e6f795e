"""Settings of all tests: quick and slow ones when asked for, and no test that fails for being slow."""

import pytest
from hypothesis import HealthCheck, settings

# Kernels compile on first use and the machine may be busy, so nothing that hypothesis times says anything.
settings.register_profile("steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")


QUICK = {
    "test_cards",
    "test_cli_commands",
    "test_crew",
    "test_deals",
    "test_imports",
    "test_notation",
    "test_position",
    "test_python_reference",
    "test_referee",
    "test_rules",
    "test_shuffles",
    "test_solving",
    "test_statistics",
    "test_unknown_rules",
}
"""The files of the quick tests: under a minute together on one core, kernels compiled."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of the quick files, the slow ones among them left out."""
    for item in items:
        if item.path.stem in QUICK and item.get_closest_marker("slow") is None:
            item.add_marker("quick")


def pytest_configure(config: pytest.Config) -> None:
    """Leave out the slow tests unless ``-m`` says otherwise."""
    if not config.option.markexpr:
        config.option.markexpr = "not slow"
