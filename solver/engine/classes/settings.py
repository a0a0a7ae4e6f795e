"""What a search of classes is set to: the weights of its heuristic, and its schedule."""

from typing import Any

import numpy as np

from solver.engine.classes.board import new_record

SETTINGS = {
    # The heuristic's weights in hundredths, lower is better; tuned by benchmarks/tune.py
    "weight_live": 600,  # a card not founded
    "weight_bad": 476,  # a bad bond
    "weight_over_lower": 120,  # a card with a lower one somewhere below it
    "weight_on_next": 97,  # a card on the next one of a foundation
    "weight_on_second": 100,  # a card on the next but one
    "weight_spare": 554,  # a spare space, taken off
    "weight_king": 148,  # a pile with a King at the bottom, taken off
    # The schedule of docs/search.md, section 5
    "first_budget": 400,  # classes of the first exact search
    "budget_growth": 8,
    "rung_share": 50,  # hundredths of the exact search's budget that each rung gets
    "rung_quota": 64,
    "quota_growth": 4,
    "highest_rung": 11,
    "lowest_rung": 8,
    "children_base": 4,  # results of one step that are looked at, as they share a skeleton: a base,
    "children_a_quota": 1,  # and so many a quota
    "prune_from": 2,  # an exact search passes over classes lost on a rung from this round on, if spaces take any card,
    "prune_from_else": 3,  # and if they do not: there the unpruned searches end with it,
    "plain_rounds": 4,  # elsewhere after so many rounds
    "prune_share": 50,  # hundredths of the plain search's budget that the pruned one gets beside it
    "prune_highest": 8,  # the rung of the first pruned search where spaces do not take any card; one lower each round,
    "prune_lowest": 6,  # down to this, which it is everywhere else
    "prune_cap": 2000,  # classes of the rung that are opened for one verdict
    "light_from": 4,  # the round from which the search that was not pruned goes on, pruned lightly: by a high rung,
    "light_rung": 10,  # this one,
    "light_share": 12,  # with so many hundredths of the budget
}
"""What a search is set to, by name: the fields of ``Workspace.settings``."""

SETTINGS_LAYOUT = np.dtype([(name, np.int64) for name in SETTINGS], align=True)


def new_settings() -> Any:
    """A record of SETTINGS_LAYOUT with the values of SETTINGS."""
    settings = new_record(SETTINGS_LAYOUT)
    for name, value in SETTINGS.items():
        settings[name] = value
    return settings
