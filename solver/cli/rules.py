"""``citadel rules``."""

import json

import click

from solver.cli.application import Command
from solver.cli.options import VariantName, json_option, rules_json, switches
from solver.errors import InputError
from solver.rules import VARIANTS, Rules, rules_of


@click.command(cls=Command)
@click.argument("variant", required=False, type=VariantName(), metavar="[VARIANT]")
@switches
@json_option("Print a JSON object a variant, each on its line.")
def rules(variant: str | None, changes: dict[str, str], as_json: bool) -> None:
    """Print the rules of a variant, in words and as switches.

    Without VARIANT, all variants are listed. Switches change the rules before they are printed.
    """
    if variant is None and changes:
        raise InputError("name a variant whose rules the switches change")
    chosen = list(VARIANTS.values()) if variant is None else [rules_of(variant, changes)]
    if as_json:
        for one in chosen:
            click.echo(json.dumps({**rules_json(one), "piles": one.piles, "words": _words(one)}))
    elif variant is None:
        width = max(map(len, VARIANTS))
        for one in chosen:
            click.echo(f"{one.variant:{width}}  {one.piles:2} piles  {one.text()}")
    else:
        click.echo(f"{chosen[0].variant}: {chosen[0].text()}")
        for sentence in _words(chosen[0]):
            click.echo(sentence)


def _words(one: Rules) -> list[str]:
    return one.describe().splitlines()
