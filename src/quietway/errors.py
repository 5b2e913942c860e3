"""Every error Quietway raises on purpose.

    QuietwayError
    ├── InputError            something the user gave must change
    │   ├── ConfigError       a key of release.toml
    │   ├── DataError         a file of records: path, column, values
    │   ├── UniverseError     axes, partitions, ranges
    │   └── OutputError       the folder to publish into
    ├── BudgetError
    │   ├── BudgetExceeded    the ledger refused a charge
    │   └── LedgerError       the ledger is locked, corrupt, or from a newer version
    │       └── Unsettled     it failed while writing: a charge may or may not stand
    ├── PrivacyError          something would have broken the promise, and was stopped
    └── FitError              a fit did not reach its optimum

The message of an error never holds a raw value or a raw count, so it may be
logged or mailed. What the steward alone may see stands in `sensitive`.
"""

from __future__ import annotations


class QuietwayError(Exception):
    """A failure with a sentence that says what to change.

    `sensitive` holds details drawn from the raw records. It is kept out of
    `str()`, `repr()`, pickles and tracebacks; the command line shows it only
    with `--verbose`, marked as sensitive.
    """

    def __init__(self, message: str, *, sensitive: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.sensitive = sensitive

    def __reduce__(self) -> tuple[type[QuietwayError], tuple[str]]:
        return type(self), (self.message,)


class InputError(QuietwayError):
    """Something the user gave must change."""


class ConfigError(InputError):
    """A key of the release file is missing, unknown or wrong."""


class DataError(InputError):
    """The records cannot be read as described."""


class UniverseError(InputError):
    """Axes, partitions or ranges that do not fit together."""


class OutputError(InputError):
    """The place to publish into cannot be used."""


class BudgetError(QuietwayError):
    """The ledger stood in the way; nothing was spent, unless it is `Unsettled`."""


class BudgetExceeded(BudgetError):
    """The charge asked for is more than what is left."""


class LedgerError(BudgetError):
    """The ledger file cannot be trusted or used."""


class Unsettled(LedgerError):
    """The disk failed under the ledger, so a charge under way may or may not stand."""


class PrivacyError(QuietwayError):
    """An operation that would have broken the promise was stopped."""


class FitError(QuietwayError):
    """An estimator did not reach its optimum."""
