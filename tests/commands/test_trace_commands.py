"""``compare``, ``capacity`` and ``generate`` say what the library says; errors are one line."""

from __future__ import annotations

import io
import json
import re

import pandas as pd
import pytest

from fairness_lib import article_scenario, capacity, compare, read_trace
from fairness_lib.__main__ import main
from fairness_lib.traffic.scenario_file import text_of


def run(capsys, *arguments: object) -> tuple[int, str, str]:
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as left:
        code = int(left.code or 0)
    said = capsys.readouterr()
    return code, said.out, said.err


TWO = ("--policies", "fifo,drr")


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "log.csv"
    rows = [f"big,{50 * b + i / 20},1" for b in range(6) for i in range(200)]
    rows += [f"small{n},{i + n / 3},0.1" for n in range(3) for i in range(300)]
    path.write_text("\n".join(["app,arrival,cost", *rows]))
    return path


def test_compare_prints_the_record_of_the_library(capsys, log) -> None:
    how = ("--workers", 4, "--objective", "1s", "--format", "json", "--policies", "fifo,drr")
    code, out, err = run(capsys, "compare", log, *how)
    record = json.loads(out)
    expected = compare(read_trace(log), workers=4, objective_s=1.0, policies=["fifo", "drr"])
    assert record.pop("command")
    assert record == expected.to_dict()
    assert (code, err) == (0, "")
    assert record["verdict"]["policy"] == "drr"


def test_compare_writes_a_report_and_prints_a_table(capsys, log, tmp_path) -> None:
    out = tmp_path / "report.html"
    code, text, err = run(
        capsys, "compare", log, *TWO, "--workers", 4, "--objective", "1s", "--out", out
    )
    assert (code, err) == (0, "")
    assert text.startswith("Choose drr.")
    assert out.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert "fairness compare" not in text


def test_options_reach_the_library(capsys, log) -> None:
    how = ("--workers", 4, "--format", "json", "--policies", "drr", "--as-is", "drr", "--load", 2)
    how += ("--cap", 9, "--quantum", "20ms", "--window", "0,100", "--deadline", "1min")
    how += ("--weight", "big=2", "--quota", "*=5/10")
    settings = json.loads(run(capsys, "compare", log, *how)[1])["settings"]
    assert settings["load"] == 2
    assert settings["cap"] == 9
    assert settings["quantum_s"] == 0.02
    assert settings["window_s"] == [0, 100]
    assert settings["deadline_s"] == 60
    assert settings["quota"] == {"*": [5, 10]}
    assert settings["as_is"] == "drr"


def test_capacity_prints_what_the_library_finds(capsys, log) -> None:
    how = ("--workers", 4, "--objective", "1s")
    code, out, err = run(capsys, "capacity", log, *how, "--format", "json")
    found = capacity(read_trace(log), workers=4, objective_s=1.0)
    assert json.loads(out)["workers"] == found.workers
    assert (code, err) == (0, "")
    assert re.search(r"drr +\d+, \d+ fewer than fifo", run(capsys, "capacity", log, *how)[1])


def test_generate_is_read_back_as_the_scenario_s_tasks(capsys) -> None:
    code, out, err = run(capsys, "generate", "article", "--seed", 3)
    w = article_scenario().workload(3)
    trace = read_trace(io.BytesIO(out.encode()))
    assert trace.workload.cost_s.tolist() == w.cost_s.tolist()
    assert sorted(trace.workload.tenants) == sorted(w.tenants)
    assert (code, err) == (0, "")
    assert run(capsys, "generate", "article", "--show")[1] == text_of("article")


def test_report_and_sweep_take_a_scenario_file(capsys, tmp_path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text_of("article").replace("rate_per_s = 400", "rate_per_s = 300"))
    code, out, _ = run(capsys, "report", path, "--seeds", "1", "--format", "csv")
    assert code == 0
    table = pd.read_csv(io.StringIO(out)).set_index("policy")
    assert set(table.index) >= {"fifo", "drr"}
    assert table.loc["drr", "kept"] > table.loc["fifo", "kept"]
    how = ("--traffic", path, "--seeds", "1", "--format", "csv", "--metrics", "kept")
    swept = pd.read_csv(io.StringIO(run(capsys, "sweep", *how)[1])).set_index("policy")
    assert swept.loc["drr", "mean"] == table.loc["drr", "kept"]


def test_policies_with_spaces_between_are_those_with_commas(log, capsys) -> None:
    expected = run(capsys, "compare", log, "--workers", 4, "--policies", "fifo,drr")
    assert expected[0] == 0
    for before in (["--policies", "fifo", "drr", log], [log, "--policies", "fifo,", "drr"]):
        code, out, _ = run(capsys, "compare", *before, "--workers", 4)
        assert (code, out) == expected[:2]


BAD = [
    (["compare"], "TRACE"),
    (["compare", "none.csv"], "there is no file none.csv"),
    (["compare", "LOG", "--workers", "0"], "'0'"),
    (["compare", "LOG", "--workers", "x"], "'x'"),
    (["compare", "LOG", "--policies", "lifo"], "'lifo'"),
    (["compare", "LOG", "--policies", "quota"], "contract for 'quota'"),
    (["compare", "LOG", "--objective", "50 parsecs"], "50 parsecs"),
    (["compare", "LOG", "--objective", "-1s"], "--objective"),
    (["compare", "LOG", "--window", "7"], "'7'"),
    (["compare", "LOG", "--window", "0,1e9"], "'1e9'"),
    (["compare", "LOG", "--load", "0"], "'0'"),
    (["compare", "LOG", "--unit", "cost"], "COLUMN=UNIT"),
    (["compare", "LOG", "--unit", "cost=parsec"], "'parsec'"),
    (["compare", "LOG", "--unit", "took=ms"], "'took'"),
    (["compare", "LOG", "--quota", "a=b"], "NAME=RATE/BURST"),
    (["compare", "LOG", "--weight", "big=-1"], "weights['big']"),
    (["compare", "LOG", "--weight", "huge=1"], "'huge'"),
    (["compare", "LOG", "--tenant", "customer"], "there are: 'app', 'arrival', 'cost'"),
    (["compare", "LOG", "--cost", "__import__('os')"], "cost must"),
    (["compare", "LOG", "--fit-workers"], "no measured waits"),
    (["compare", "LOG", "--out", "no/such/x.html"], "no/such"),
    (["capacity", "LOG"], "--objective"),
    (["generate", "none"], "examples are article"),
    (["generate", "article", "--seed", "1,2"], "one whole number"),
    (["report", "none.toml"], "none.toml"),
    (["sweep", "--traffic", "none.toml"], "none.toml"),
]


@pytest.mark.parametrize(("arguments", "said"), BAD, ids=lambda case: " ".join(case)[:60])
def test_what_the_user_can_mend_is_one_line(capsys, log, arguments, said) -> None:
    code, out, err = run(capsys, *(log if word == "LOG" else word for word in arguments))
    assert code == 2
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


def test_bad_rows_are_named_or_counted_and_standard_input_is_read(
    capsys, tmp_path, log, monkeypatch
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text(log.read_text() + "\nbig,7,-1\n")
    code, _, err = run(capsys, "compare", bad, "--workers", 4)
    assert code == 2
    assert re.search(r"line \d+, column 'cost': '-1' is negative", err)
    code, out, _ = run(capsys, "compare", bad, "--workers", 4, "--skip-bad-rows")
    assert code == 0
    assert "1 rows where cost is negative" in out
    stdin = type("Stdin", (), {"buffer": io.BufferedReader(io.BytesIO(log.read_bytes()))})
    monkeypatch.setattr("sys.stdin", stdin)
    assert run(capsys, "compare", "-", *TWO, "--workers", 4, "--objective", "1s")[1].startswith(
        "Choose"
    )


def test_help_says_how_to_get_there(capsys) -> None:
    overview = run(capsys, "--help")[1]
    assert "from a log of tasks to a decision" in overview
    own = run(capsys, "compare", "--help")[1]
    for word in ("--tenant COLUMN", "--cost EXPRESSION", "--workers N", "--out REPORT.html"):
        assert word in own
