"""quietway ledger: what each dataset may spend, and has spent."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from quietway.cli.screen import say, table
from quietway.errors import LedgerError, QuietwayError

if TYPE_CHECKING:
    from quietway.budget import Claim

app = typer.Typer(
    help="What each dataset has spent, on whom, when.", no_args_is_help=True, rich_markup_mode=None
)

LEDGER = typer.Option(Path("ledger.sqlite"), "--ledger", help="The ledger's file.")


@app.command()
def show(
    dataset: str | None = typer.Argument(None, help="One dataset; default: all of them."),
    ledger: Path = LEDGER,
) -> None:
    """Accounts, and every entry."""
    from quietway.budget import Ledger
    from quietway.budget.account import limit_command
    from quietway.publish.wording import exact

    book = Ledger.open(ledger, create=False)
    accounts = [book.account(dataset)] if dataset else book.accounts()
    if not accounts:
        say(f"the ledger is empty; `{limit_command('DATASET', ledger)}` begins an account")
        return
    say(
        table(
            ("dataset", "protects", "limit", "spent", "left"),
            [
                (
                    account.dataset,
                    "(not yet used)"
                    if account.unit is None
                    else f"{account.unit.protects}, {account.unit.neighbours}",
                    exact(account.limit),
                    exact(account.spent),
                    exact(account.left),
                )
                for account in accounts
            ],
            words=2,
        )
    )
    say("")
    say(
        table(
            ("entry", "time", "dataset", "kind", "epsilon", "purpose"),
            [
                (
                    str(entry.id),
                    entry.time,
                    entry.dataset,
                    str(entry.kind),
                    "" if entry.epsilon is None else exact(entry.epsilon),
                    entry.purpose or "",
                )
                for entry in book.entries(dataset)
            ],
            words=6,
        )
    )


@app.command(context_settings={"ignore_unknown_options": True})  # so that -1 is a number, and refused as one
def limit(
    dataset: str = typer.Argument(..., help="The dataset's name, as release files give it."),
    epsilon: str = typer.Argument(..., help="The most it may ever spend, such as 1, 0.5 or 1/3."),
    ledger: Path = LEDGER,
) -> None:
    """Set, raise or lower what a dataset may spend in total."""
    from quietway.budget import Ledger, parse_epsilon
    from quietway.publish.wording import exact

    wanted = parse_epsilon(epsilon)
    account = Ledger.open(ledger).limit(dataset, wanted)
    limit, spent, left = map(exact, (account.limit, account.spent, account.left))
    say(f"dataset '{dataset}' may spend {limit}; {spent} is spent, {left} left")


@app.command()
def verify(
    releases: list[Path] = typer.Argument(
        None, metavar="[RELEASE]...", help="Published folders to check against it."
    ),
    ledger: Path = LEDGER,
) -> None:
    """Look for tampering: the chain of entries, the sums, and the entries that releases name."""
    from quietway.budget import Ledger

    book = Ledger.open(ledger, create=False)
    claims, unreadable = _claims(releases or ())
    problems, disputes = book.verify(), [*unreadable, *book.disputed(claims)]
    if problems:
        raise LedgerError(f"ledger {ledger} cannot be trusted:" + _listed([*problems, *disputes]))
    if disputes:
        raise LedgerError(
            f"ledger {ledger} is intact, but not all that was named agrees with it:" + _listed(disputes)
        )
    agreed = "its release" if len(claims) == 1 else f"its {len(claims)} releases"
    say(f"ledger {ledger} is intact" + (f", and agrees with {agreed}" if claims else ""))


def _claims(releases: Iterable[Path]) -> tuple[list[Claim], list[str]]:
    """What each folder says of its payment, and what is wrong with those that do not say it."""
    claims: list[Claim] = []
    unreadable: list[str] = []
    for folder in {folder.resolve(): folder for folder in releases}.values():
        try:
            claims.append(_claim(folder))
        except QuietwayError as error:
            unreadable.append(error.message)
    return claims, unreadable


def _claim(folder: Path) -> Claim:
    from quietway.budget import Claim
    from quietway.publish.kept import load_manifest

    manifest = load_manifest(folder)
    return Claim(
        source=str(folder),
        dataset=manifest.dataset,
        epsilon=manifest.epsilon,
        unit=manifest.unit,
        spec_hash=manifest.spec_hash,
        private=manifest.private,
        rehearsal=manifest.rehearsal,
        entry=manifest.ledger_entry,
        hash=manifest.ledger_hash,
    )


def _listed(problems: Iterable[str]) -> str:
    return "".join(f"\n  {problem}" for problem in problems)
