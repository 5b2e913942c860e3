"""What privacy costs, how it is divided, and the ledger that is charged before any noise is drawn."""

from quietway.budget.account import Account
from quietway.budget.claim import Claim
from quietway.budget.cost import Cost, parse_epsilon
from quietway.budget.entry import Entry, Kind
from quietway.budget.ledger import Charge, Ledger
from quietway.budget.split import cube_root, custom, geometric, uniform

__all__ = [
    "Account",
    "Charge",
    "Claim",
    "Cost",
    "Entry",
    "Kind",
    "Ledger",
    "cube_root",
    "custom",
    "geometric",
    "parse_epsilon",
    "uniform",
]
