"""Rows of numbers, sorted by any column, as text and as HTML."""

import difflib
import numbers
from html import escape

from functape.errors import ArgumentError

TEXT = ("name", "kind", "inputs")


class Rows(list):
    """Rows (dicts) of a table; `note` says what its numbers mean.

    >>> rows = Rows([{"name": "sin", "calls": 2}, {"name": "exp", "calls": 5}], ["name", "calls"])
    >>> print(rows.table(sort_by="calls"))
    name  calls
    ----  -----
    exp       5
    sin       2
    """

    def __init__(self, rows, columns, note=""):
        super().__init__(rows)
        self.columns, self.note = list(columns), note

    def sorted(self, by):
        """The rows, the largest first; by names, in alphabetical order."""
        if by not in self.columns:
            near = difflib.get_close_matches(str(by), self.columns, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ArgumentError(f"sort_by is one of {', '.join(self.columns)}, but is {by!r}."
                                f"{hint}")
        last = float("-inf")
        ordered = sorted(self, key=(lambda r: r[by]) if by in TEXT else
                         (lambda r: last if r[by] is None else r[by]), reverse=by not in TEXT)
        return Rows(ordered, self.columns, self.note)

    def table(self, sort_by=None, row_limit=100):
        """The rows as text.

        Args:
          sort_by: name of a column; None: as they are.
          row_limit: show at most so many rows, and say how many are left out.
        """
        rows = self if sort_by is None else self.sorted(sort_by)
        cells = [[shown(c, r[c]) for c in self.columns] for r in rows[:row_limit]]
        widths = [max(map(len, column)) for column in zip(self.columns, *cells, strict=True)]
        lines = [self.columns, ["-" * w for w in widths], *cells]
        text = ["  ".join(cell.ljust(w) if c in TEXT else cell.rjust(w)
                          for cell, w, c in zip(line, widths, self.columns, strict=True)).rstrip()
                for line in lines]
        if len(self) > row_limit:
            text.append(f"... {len(self) - row_limit} more rows")
        return "\n".join([*text, self.note] if self.note else text)

    def __str__(self):
        return self.table()

    def _repr_html_(self):
        return self.html()

    def html(self):
        """The rows as an HTML table; each cell carries its plain value, to sort by."""
        head = "".join(f"<th>{escape(c)}</th>" for c in self.columns)
        body = "".join(
            "<tr>" + "".join(
                f'<td{"" if c in TEXT else " class=n"} data-v="{escape(plain(r[c]))}">'
                f"{escape(shown(c, r[c]))}</td>" for c in self.columns) + "</tr>\n"
            for r in self)
        return f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>"


def plain(value):
    return "" if value is None else str(value)


def shown(column, value):
    """A value as people read it: seconds and bytes with units."""
    if value is None:
        return "-"
    if column.endswith("_time"):
        return seconds(value)
    if column.endswith("_bytes"):
        return amount(value)
    return f"{value:,}" if isinstance(value, numbers.Integral) else str(value)


def seconds(t):
    """A time, as people read it.

    >>> seconds(0.0000123), seconds(0.25)
    ('12.3 us', '250.0 ms')
    """
    for unit, size in (("us", 1e-6), ("ms", 1e-3)):
        if abs(t) < 999.95 * size:
            return f"{t / size:.1f} {unit}"
    return f"{t:.2f} s"


def amount(size):
    """Bytes, as people read them.

    >>> amount(12), amount(-2_500_000)
    ('12 B', '-2.5 MB')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if abs(size) < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{size:.0f} {unit}" if abs(size) >= 100 or unit == "B" else f"{size:.1f} {unit}"


# --- from events --------------------------------------------------------------------------------

AVERAGES = ["name", "kind", "calls", "self_time", "total_time", "mean_time", "saved_bytes",
            "allocated_bytes"]
NODES = ["name", "number", "inputs", "forward_time", "backward_time", "saved_bytes"]


def averages(events, by_inputs, note):
    """A row for each name (and what went in), the most own time first."""
    rows = {}
    for e in events:
        key = (e.name, e.kind, e.inputs if by_inputs else None)
        row = rows.setdefault(key, {
            "name": e.name, "kind": e.kind, "inputs": e.inputs, "calls": 0, "self_time": 0.0,
            "total_time": 0.0, "saved_bytes": 0, "allocated_bytes": 0})
        row["calls"] += 1
        row["self_time"] += e.self_time
        row["saved_bytes"] += e.saved_bytes
        if not within_same(e):  # else its time and memory are counted there
            row["total_time"] += e.time
            row["allocated_bytes"] += e.allocated_bytes
    for row in rows.values():
        row["mean_time"] = row["total_time"] / row["calls"]
    columns = [*AVERAGES[:2], "inputs", *AVERAGES[2:]] if by_inputs else AVERAGES
    return Rows(rows.values(), columns, note).sorted("self_time")


def within_same(event):
    """Whether it runs inside an event of its own name, as each level of transforms calls it."""
    outer = event.parent
    while outer is not None:
        if (outer.name, outer.kind) == (event.name, event.kind):
            return True
        outer = outer.parent
    return False


def nodes(events, note):
    """A row for each node of the tape: its time forward and backward, and what it saved."""
    rows = {}
    for e in events:
        if e.number is None:
            continue
        row = rows.setdefault(e.number, {"name": e.name, "number": e.number, "inputs": "",
                                         "forward_time": None, "backward_time": None,
                                         "saved_bytes": 0})
        if e.kind == "forward":
            row.update(name=e.name, inputs=e.inputs)
        key = f"{e.kind}_time"
        row[key] = (row[key] or 0.0) + e.time
        row["saved_bytes"] += e.saved_bytes
    return Rows(sorted(rows.values(), key=lambda r: r["number"]), NODES, note)
