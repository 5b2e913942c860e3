"""quietway ledger: what each dataset may spend, and has spent."""

from __future__ import annotations

from pathlib import Path

import typer

from quietway.cli.screen import say, table
from quietway.errors import LedgerError

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

    book = Ledger.open(ledger, create=False)
    accounts = [book.account(dataset)] if dataset else book.accounts()
    if not accounts:
        say("the ledger is empty; `quietway ledger limit DATASET EPSILON` begins an account")
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
                    str(account.limit),
                    str(account.spent),
                    str(account.left),
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
                    "" if entry.epsilon is None else str(entry.epsilon),
                    entry.purpose or "",
                )
                for entry in book.entries(dataset)
            ],
            words=6,
        )
    )


@app.command()
def limit(
    dataset: str = typer.Argument(..., help="The dataset's name, as release files give it."),
    epsilon: str = typer.Argument(..., help="The most it may ever spend, such as 1, 0.5 or 1/3."),
    ledger: Path = LEDGER,
) -> None:
    """Set, raise or lower what a dataset may spend in total."""
    from quietway.budget import Ledger, parse_epsilon

    wanted = parse_epsilon(epsilon)
    account = Ledger.open(ledger).limit(dataset, wanted)
    say(f"dataset '{dataset}' may spend {account.limit}; {account.spent} is spent, {account.left} left")


@app.command()
def verify(
    releases: list[Path] = typer.Argument(
        None, metavar="[RELEASE]...", help="Published folders to check against it."
    ),
    ledger: Path = LEDGER,
) -> None:
    """Look for tampering: the chain of entries, the sums, and the entries that releases name."""
    from quietway.budget import Ledger
    from quietway.publish.store import load_manifest

    manifests = [load_manifest(folder) for folder in releases or ()]
    heads = [
        (m.ledger_entry, m.ledger_hash) for m in manifests if m.ledger_entry is not None and m.ledger_hash
    ]
    problems = Ledger.open(ledger, create=False).verify(heads)
    if problems:
        raise LedgerError(
            f"ledger {ledger} cannot be trusted:\n" + "\n".join(f"  {problem}" for problem in problems)
        )
    say(f"ledger {ledger} is intact" + (f", and agrees with {len(heads)} releases" if heads else ""))
