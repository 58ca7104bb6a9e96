"""A trace's rows, a hundred thousand at a time, and where each stands; those of CSV and its kin.

Every cell is still what the file says: text, or what JSON or Parquet make of it. Each row knows
its line, so that a bad one can be named.
"""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from io import BufferedReader
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .source import Text, TraceError

if TYPE_CHECKING:
    import pandas as pd

ROWS = 100_000
"""Rows of a chunk."""
KINDS = ("csv", "tsv", "jsonl", "swf", "parquet")
DELIMITERS = (",", "\t", ";", "|")


@dataclass
class Chunk:
    """Some rows: a frame of cells, and for each row where it stands in the file.

    `bad` holds rows that are none: their line, and what is wrong with them.
    """

    frame: pd.DataFrame
    line_of: Callable[[int], int]
    bad: list[tuple[int, str]] = field(default_factory=list)


@dataclass
class Table:
    """A file's kind and columns, and its chunks for some of the columns.

    `place` is the word for where a row stands. A table can be read once.
    """

    kind: str
    names: list[str]
    chunks: Callable[[Sequence[str]], Iterator[Chunk]]
    place: str = "line"


def separated(text: Text, delimiter: str | None) -> Table:
    """Read rows of cells with a delimiter between them; the first one names the columns."""
    head = text.peek().decode("utf-8", "ignore")
    first = re.split(r"\r\n|\n|\r", head, maxsplit=1)[0]
    if delimiter is None:
        delimiter = max(DELIMITERS, key=lambda sign: (len(cells(head, sign)), sign == ","))
    names = [name.strip() for name in cells(head, delimiter)]
    if len(names) < 2:
        raise TraceError(
            f"line 1 has one column only, {first[:60]!r}: a header names columns with a comma, a "
            "tab, a semicolon or | between"
        )
    if len(names) > 10_000:
        raise TraceError(f"line 1 has {len(names):,} columns; at most 10,000 are read")
    kind = "tsv" if delimiter == "\t" else "csv"

    def chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        return separated_rows(text, delimiter, names, wanted)

    return Table(kind, names, chunks)


def cells(text: str, delimiter: str) -> list[str]:
    """Return the cells of the first record."""
    try:
        return next(csv.reader(text.splitlines(keepends=True), delimiter=delimiter), [])
    except csv.Error as error:
        raise TraceError(f"line 1 cannot be read as a header: {error}") from None


def separated_rows(
    text: Text, delimiter: str, names: Sequence[str], wanted: Sequence[str]
) -> Iterator[Chunk]:
    """Yield chunks of cells as text; cells that a row lacks are empty, too many are an error."""
    import pandas as pd

    width, places = len(names), [names.index(name) for name in wanted]
    skipped: list[int] = []  # the records that were left out
    before = 0  # line breaks within cells so far
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            for frame in pd.read_csv(
                BufferedReader(text, 2**18),
                sep=delimiter,
                header=None,
                names=range(width + 1),  # one more, to see a row that is too long
                index_col=False,
                dtype=str,
                na_filter=False,
                skip_blank_lines=False,
                on_bad_lines="warn",
                chunksize=ROWS,
            ):
                found = [
                    (int(line), f"has {seen} cells, not {width}")
                    for warning in said
                    for line, seen in re.findall(
                        r"Skipping line (\d+): .*?saw (\d+)", str(warning.message)
                    )
                ]
                said.clear()
                skipped += [line for line, _ in found]
                quoted = text.quoted
                line_of = lines_of(skipped, frame, before, quoted)
                before += breaks(frame) if quoted else 0
                keep = np.array(frame[width] == "")
                found += [
                    (line_of(row), f"has more cells than the {width} of line 1")
                    for row in np.flatnonzero(~keep).tolist()
                ]
                empty = np.flatnonzero((frame[places[0]] == "").to_numpy())
                blank = (frame.iloc[empty] == "").all(axis=1).to_numpy()
                keep[empty[blank]] = False
                if frame.index[0] == 0:
                    keep[0] = False  # the header
                rows = np.flatnonzero(keep)
                kept = frame.iloc[rows, places].set_axis(list(wanted), axis=1)
                yield Chunk(kept, of_kept(rows, line_of), found)
        except pd.errors.EmptyDataError:
            raise TraceError("the file is empty") from None
        except pd.errors.ParserError as error:
            record = re.search(r"(?:row|line) (\d+)", str(error))
            where = f"from record {int(record[1]) + 1} on" if record else "of the file"
            if "EOF inside string" in str(error):
                said_so = f"a quote that opens in the rows {where} is never closed"
                raise TraceError(said_so) from None
            raise TraceError(f"the rows {where} cannot be told apart: {error}") from None


def lines_of(
    skipped: list[int], frame: pd.DataFrame, before: int, quoted: bool
) -> Callable[[int], int]:
    """Return a function from a row of a chunk to the line that it begins in."""
    start = int(frame.index[0])
    known = list(skipped)

    def line(row: int) -> int:
        record = start + int(row) + 1
        for left_out in known:  # in order
            if left_out <= record:
                record += 1
        within = breaks(frame.iloc[: int(row)]) if quoted else 0
        return record + before + within

    return line


def of_kept(rows: NDArray[np.int64], line_of: Callable[[int], int]) -> Callable[[int], int]:
    """Return a function from one of the rows that were kept to its line."""
    return lambda row: line_of(int(rows[row]))


def breaks(frame: pd.DataFrame) -> int:
    """Count the line breaks within cells."""
    return int(sum(column.str.count("\n").sum() for _, column in frame.items()))
