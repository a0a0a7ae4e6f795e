"""``citadel prove``."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from solver.cli.application import UNKNOWN, Command, say
from solver.cli.check import kind_line
from solver.cli.inputs import board_or_deal, deal_named
from solver.cli.options import budget, output_option, rule_set, rules_line, transpose_option
from solver.cli.progress import announce_compiling
from solver.cli.solve import STATUS, WHY
from solver.cli.work import work_alone
from solver.position import Position
from solver.rules import Rules
from solver.solving import engine_for

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from solver.certificates import Proof


@click.command(cls=Command)
@click.argument("board", metavar="BOARD|DEAL")
@output_option("The file to write.", required=True)
@click.option("--strict", is_flag=True, help="Prove a lost deal by all positions that legal moves lead to.")
@click.option("--no-check", is_flag=True, help="Write the certificate without having it checked.")
@transpose_option
@rule_set
@budget
@click.option("-q", "--quiet", is_flag=True, help="No progress and no notes.")
@click.pass_context
def prove(
    context: click.Context,
    board: str,
    output: Path,
    strict: bool,
    no_check: bool,
    transpose: bool,
    rules: Rules,
    max_nodes: int,
    max_memory: int,
    quiet: bool,
) -> None:
    """Prove a deal won or lost, and write a certificate that anyone can check.

    BOARD is a file, or - for standard input; DEAL is ms:24, or 617 for pysol:617. `citadel check` checks the file, with
    no code of the search; docs/certificates.md says what it holds. A won deal's has the moves. A lost deal's has a
    closed set: skeletons, classes on a rung, or classes of the real game, whichever makes the smallest file; or, with
    --strict, all positions, if there are at most 1,000,000. Rules that the quota search does not serve have strict ones
    alone.

    A closed set may be found even where the search is out of nodes. The certificate is checked before it is written,
    unless it has more than 100,000 records.

    The exit status is 0 for won, 1 for lost, 2 for bad input, and 130 when interrupted. It is 3, and nothing is
    written, if the verdict is unknown or no certificate fits the limits.
    """
    from solver.certificates import prove as prove_position
    from solver.files import write_whole

    position = board_or_deal(board, rules, transpose)
    deal = deal_named(board)
    if not quiet:
        announce_compiling(engine_for(rules))

    def work(position: Position, abort: "NDArray[np.uint8]") -> "Proof":
        return prove_position(
            position,
            rules,
            deal=deal,
            strict=strict,
            check=not no_check,
            max_nodes=max_nodes,
            max_memory=max_memory,
            abort=abort,
        )

    proof = work_alone(context, work, position, quiet)
    click.echo(rules_line(rules))
    why_unknown = proof.outcome.why_unknown
    verdict = f"{proof.verdict} ({WHY[why_unknown]})" if why_unknown else proof.verdict.value
    if proof.certificate is None or proof.file is None:
        click.echo(f"{verdict}, no certificate: {proof.why_none}")
        context.exit(UNKNOWN)
    write_whole(output, proof.file)
    click.echo(f"{verdict}: certificate of kind {kind_line(proof.certificate)}, {len(proof.file)} bytes")
    if not quiet:
        checked = "checked" if proof.is_checked else "not checked yet"
        say(f"{output} is written, {checked}; anyone can check it: citadel check {output}")
    context.exit(STATUS[proof.verdict])
