"""How the numbers of a release of paths are to be read: sentences shared by the statement and the report."""

from __future__ import annotations

WHOLE_PATHS = (
    "A path is one trip with all its stops. Whatever is said here of a trip holds for the whole of a "
    "path: where it starts, where it ends, every stop between them, and that they belong together."
)
BOXES = (
    "A box is a rectangle at every stop, and its number is how many paths have all their stops inside. Boxes do not "
    "overlap and leave nothing out. Their published numbers are whole, never negative, and add up to the published "
    "total. Where in a box its paths lie was not measured; answers spread them as the boxes next to each other suggest."
)
INTERVALS = (
    "The interval of an answer covers the noise, and how unevenly paths may lie in boxes that the question cuts. "
    "The first part has a known law; the second is a model, since nothing was measured inside of a box. The finer "
    "a question is than the boxes, the more its interval rests on that model."
)
