"""The kinds of panels. This list is the only place that names all of them.

The storyboard's schema, its rules and messages, and the reference are derived from it. To add a kind, write a file with
its options, data and layout, and add its options here.
"""

from scenebook.figure._kind import Kind
from scenebook.figure.kinds.bars import Bars
from scenebook.figure.kinds.heatmap import Heatmap
from scenebook.figure.kinds.lines import Lines
from scenebook.figure.kinds.scatter import Scatter

KINDS: tuple[type[Kind], ...] = (Heatmap, Bars, Lines, Scatter)
