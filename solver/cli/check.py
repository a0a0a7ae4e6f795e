"""``citadel check``."""

import click

from solver.cli.application import REFUSED, Command
from solver.cli.inputs import open_file
from solver.cli.options import rules_line
from solver.cli.progress import Counting
from solver.errors import InputError
from solver.referee import Certificate, check_certificate
from solver.referee.certificate import LARGEST_FILE


@click.command(cls=Command)
@click.argument("file")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@click.pass_context
def check(context: click.Context, file: str, quiet: bool) -> None:
    """Check a certificate: a file that proves a deal or a board won or lost.

    FILE is what `citadel prove` writes; - is standard input. The checker uses nothing of the search: it makes every
    step itself, in plain Python. docs/certificates.md has the format, and what each kind of proof rests on.

    The exit status is 0 if the certificate proves its verdict, 1 if it does not, 2 if it cannot be read.
    """
    with open_file(file) as stream:
        data = stream.read(LARGEST_FILE + 1)
    name = "standard input" if file == "-" else file
    if len(data) > LARGEST_FILE:
        raise InputError(f"{name}: more than {LARGEST_FILE} bytes are no certificate")
    progress = Counting(quiet)
    try:
        result = check_certificate(data, progress.show)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    finally:
        progress.end()
    certificate = result.certificate
    click.echo(rules_line(certificate.rules))
    click.echo(f"deal: {certificate.deal or 'none, a board of its own'}")
    click.echo(f"kind: {kind_line(certificate)}")
    if result.holds:
        click.echo(f"this proof assumes, besides the rules: {result.beliefs}")
        click.echo(f"checked: {certificate.verdict()}")
        return
    click.echo(f"refused: {result.problem}")
    if result.board is not None:
        click.echo(result.board, nl=False)
    context.exit(REFUSED)


def kind_line(certificate: Certificate) -> str:
    """A certificate's kind, with what it holds."""
    counts = ", ".join(f"{count} {name}" for name, count in certificate.counts().items() if count)
    rung = f", rung {certificate.rung}" if certificate.rung else ""
    return f"{certificate.kind} ({counts or 'no moves'}{rung})"
