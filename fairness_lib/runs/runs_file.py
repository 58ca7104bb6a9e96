"""Finished runs on disk: nothing lost or counted twice, whenever the process is killed.

While a sweep goes on, each finished run is one line of JSON in a journal beside the file, in the
hands of the operating system as soon as it is there. In the end, and when the sweep is
interrupted, the journal becomes part of the Parquet file, which is replaced at once and as a
whole. A process killed in between leaves a journal, perhaps with half a line at its end; the next
one reads what is whole and goes on. Runs go by a key made of all that determines them.
"""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any

Rows = list[dict[str, Any]]
KEY = "run"


class RunsFile:
    """The rows of finished runs, by key, in a Parquet file and its journal.

    Parameters
    ----------
    path : str or path
        The Parquet file; it need not exist yet. The journal is ``<path>.journal``.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        if find_spec("pyarrow") is None:
            raise ImportError("out= needs pyarrow (pip install pyarrow)")
        self.path = Path(path)
        if not self.path.parent.is_dir():
            raise ValueError(f"out must be in a directory that exists; got {str(path)!r}")
        self.journal = self.path.with_name(self.path.name + ".journal")
        self.rows: dict[str, Rows] = {}

    def __enter__(self) -> RunsFile:
        """Read what is there, and open the journal."""
        if self.path.exists():
            self._read()
        self._recover()
        self._file = open(self.journal, "a", encoding="utf-8")
        return self

    def add(self, key: str, rows: Rows) -> None:
        """Keep the rows of one finished run."""
        self._file.write(json.dumps([key, rows]) + "\n")
        self._file.flush()
        self.rows[key] = rows

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Make the journal part of the file, after an error too."""
        self._file.close()
        if self.journal.stat().st_size:
            self._write()
        self.journal.unlink()

    def _read(self) -> None:
        import pandas as pd

        frame = pd.read_parquet(self.path)
        if KEY not in frame:
            raise ValueError(f"out must be a file of runs or a new one; {self.path} holds others")
        for row in frame.to_dict("records"):
            self.rows.setdefault(row[KEY], []).append({str(k): v for k, v in row.items()})

    def _recover(self) -> None:
        """Read the journal of a process that was killed, and cut off a line that is not whole."""
        if not self.journal.exists():
            return
        lines = self.journal.read_bytes().split(b"\n")
        for line in lines[:-1]:
            key, rows = json.loads(line)
            self.rows[key] = rows
        os.truncate(self.journal, sum(len(line) + 1 for line in lines[:-1]))

    def _write(self) -> None:
        import pandas as pd

        frame = pd.DataFrame({**row, KEY: key} for key, rows in self.rows.items() for row in rows)
        for name in [
            n for n in frame if frame[n].dtype.kind == "O"
        ]:  # a Parquet column has one type
            frame[name] = frame[name].map(str, na_action="ignore")
        new = self.path.with_name(self.path.name + ".new")
        frame.to_parquet(new)
        os.replace(new, self.path)
