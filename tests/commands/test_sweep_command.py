"""``python -m fairness_lib sweep`` says what `sweep` and `intervals` say."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pandas as pd
import pytest

from fairness_lib import article_scenario, drr, fifo, intervals, sweep
from fairness_lib.__main__ import main


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    try:
        code = main(["sweep", *arguments])
    except SystemExit as left:
        code = int(left.code or 0)
    said = capsys.readouterr()
    return code, said.out, said.err


GIVEN = ("cap=50,200", "--policies", "fifo,drr", "--seeds", "0-1")


def test_it_prints_the_intervals_of_the_sweep(capsys) -> None:
    code, out, err = run(capsys, *GIVEN, "--format", "json", "--metrics", "jain,served")
    runs = sweep(article_scenario, {"fifo": fifo, "drr": drr}, {"cap": [50, 200]}, range(2))
    expected = intervals(runs, "served", ["policy", "cap"]).reset_index()
    table = pd.DataFrame(json.loads(out)).query("metric == 'served'").drop(columns="metric")
    pd.testing.assert_frame_equal(table.reset_index(drop=True), expected, check_dtype=False)
    assert (code, err) == (0, "")


def test_processes_and_a_file_change_nothing(capsys, tmp_path) -> None:
    _, alone, _ = run(capsys, *GIVEN, "--format", "csv")
    out = str(tmp_path / "runs.parquet")
    how = ("--format", "csv", "--jobs", "2", "--out", out)
    done = subprocess.run(
        [sys.executable, "-m", "fairness_lib", "sweep", *GIVEN, *how],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == (alone, "")
    assert len(pd.read_parquet(out)) == 8
    assert run(capsys, *GIVEN, "--format", "csv", "--out", out)[1] == alone


def test_table_and_csv_hold_the_same_rows(capsys) -> None:
    table, csv = (run(capsys, *GIVEN, "--format", how)[1] for how in ("table", "csv"))
    assert len(table.splitlines()) == 1 + len(pd.read_csv(io.StringIO(csv))) == 1 + 5 * 4


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["quantum=0.1"], "'quantum'"),
        (["quantum_s=x"], "'quantum_s=x'"),
        (["quantum_s"], "'quantum_s'"),
        (["cap=1", "cap=2"], "more than once"),
        (["cap=0"], "cap must be"),
        (["--seeds", "3-2"], "'3-2'"),
        (["--seeds", "1,0-1"], "'1,0-1'"),
        (["--seeds", "-1"], "--seeds"),
        (["--policies", "fifo,lifo"], "'fifo,lifo'"),
        (["--metrics", "luck"], "'luck'"),
        (["--jobs", "0"], "'0'"),
        (["--out", "no/such/folder/r.parquet"], "no/such/folder"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(capsys, arguments, named) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert named in err
