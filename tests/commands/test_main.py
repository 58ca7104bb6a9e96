"""The command line: exit codes, one clear line on bad arguments, files whole or not at all."""

from __future__ import annotations

import argparse
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from cases import article_numbers

import fairness_lib
from fairness_lib.__main__ import COMMANDS, build_parser, main
from fairness_lib.commands import _cli, report


@pytest.fixture(scope="module")
def one_seed():
    results = article_numbers()
    return results[results["seed"] == 1]


@pytest.fixture(autouse=True)
def _no_second_run(monkeypatch, one_seed) -> None:
    """Let the command show results that were computed once."""
    monkeypatch.setattr(report, "article_results", lambda seeds, track: one_seed)


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    """Run the command line and return exit code, stdout and stderr."""
    try:
        code = main(arguments)
    except SystemExit as left:
        code = int(left.code or 0)
    said = capsys.readouterr()
    return code, said.out, said.err


BAD = [
    ([], "SUBCOMMAND"),
    (["reprot"], "'reprot'"),
    (["report", "--seeds", "x"], "'x'"),
    (["report", "--seeds", "1,,2"], "'1,,2'"),
    (["report", "--seeds", "1,1"], "'1,1'"),
    (["report", "--seeds", "-1"], "'-1'"),
    (["report", "--seeds", "1.5"], "'1.5'"),
    (["report", "--seeds", "²"], "'²'"),
    (["report", "--seeds", ""], "''"),
    (["report", "--seeds"], "--seeds"),
    (["report", "--format", "pdf"], "'pdf'"),
    (["report", "extra"], "extra"),
    (["report", "--bogus"], "--bogus"),
    (["report", "--out", "no/such/folder/x.md"], "no/such/folder"),
    (["report", "--out", "."], "directory"),
]


@pytest.mark.parametrize(("arguments", "named"), BAD, ids=lambda a: " ".join(a) or "nothing")
def test_bad_arguments_are_one_clear_line_and_exit_code_2(arguments, named, capsys) -> None:
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("python -m fairness_lib")
    assert "error: " in err
    assert named in err


def test_the_report_goes_to_stdout_and_nothing_to_stderr(capsys) -> None:
    code, out, err = run(capsys, "report")
    assert code == 0
    assert "Seed 1: ours (published)" in out
    assert err == ""


@pytest.mark.parametrize("style", ["table", "markdown", "csv", "json"])
def test_a_file_holds_what_stdout_would(style, capsys, tmp_path) -> None:
    _, out, _ = run(capsys, "report", "--format", style)
    code, nothing, err = run(capsys, "report", "--format", style, "--out", str(tmp_path / "r"))
    assert (code, nothing, err) == (0, "", "")
    assert (tmp_path / "r").read_text("utf-8") == out
    assert [path.name for path in tmp_path.iterdir()] == ["r"]


def test_a_new_difference_makes_exit_code_1(capsys, monkeypatch, one_seed) -> None:
    drifted = one_seed.assign(value=one_seed["value"] * 1.01)
    monkeypatch.setattr(report, "article_results", lambda seeds, track: drifted)
    assert run(capsys, "report")[0] == 1


def test_seeds_reach_the_runs(capsys, monkeypatch, one_seed) -> None:
    asked: list = []

    def results(seeds, track):
        asked.append(seeds)
        return one_seed

    monkeypatch.setattr(report, "article_results", results)
    run(capsys, "report", "--seeds", "4, 5")
    run(capsys, "report")
    assert asked == [(4, 5), (1, 2, 3)]


def test_an_out_that_cannot_be_written_is_refused_before_the_runs(capsys, monkeypatch) -> None:
    monkeypatch.setattr(report, "article_results", lambda seeds, track: pytest.fail("ran"))
    assert run(capsys, "report", "--out", "no/such/folder/x")[0] == 2


# --- files --------------------------------------------------------------------------------------


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path, monkeypatch) -> None:
    path = tmp_path / "r.md"
    path.write_text("old")

    def fails(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(_cli.UsageError, match=r"--out .*r\.md .*No space left"):
        _cli.emit("new", path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["r.md"]


def test_an_interrupted_write_leaves_nothing_half_done(tmp_path, monkeypatch) -> None:
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        _cli.emit("new", tmp_path / "r.md")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions and links")
def test_a_file_keeps_its_permissions_and_a_link_its_target(tmp_path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    _cli.emit("new", link)
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_a_new_file_can_be_read_by_whom_the_umask_lets(tmp_path) -> None:
    mask = os.umask(0o022)
    try:
        _cli.emit("new", tmp_path / "r")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "r").stat().st_mode) == 0o644


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="no /dev/null")
def test_a_device_is_written_to_and_not_replaced() -> None:
    _cli.check_out(Path("/dev/null"))
    _cli.emit("new", Path("/dev/null"))
    assert not Path("/dev/null").is_file()


# --- the frame ------------------------------------------------------------------------------------


def test_every_subcommand_explains_itself(capsys) -> None:
    actions = build_parser()._subparsers._group_actions
    (commands,) = (a for a in actions if isinstance(a, argparse._SubParsersAction))
    assert len(commands.choices) >= len(COMMANDS) >= 1
    for name in commands.choices:
        code, out, _ = run(capsys, name, "--help")
        assert code == 0
        assert f"python -m fairness_lib {name}" in " ".join(out.split())


def test_the_version_is_the_packages(capsys) -> None:
    assert run(capsys, "--version")[:2] == (0, f"fairness_lib {fairness_lib.__version__}\n")


def test_a_usage_error_of_a_subcommand_is_one_line(capsys, monkeypatch) -> None:
    def fails(arguments):
        raise _cli.UsageError("traffic.csv has no column arrival_s")

    monkeypatch.setattr(report, "command", fails)
    code, _, err = run(capsys, "report")
    assert code == 2
    assert err == "python -m fairness_lib: error: traffic.csv has no column arrival_s\n"


def test_an_interrupt_is_no_traceback(capsys, monkeypatch) -> None:
    def interrupted(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(report, "command", interrupted)
    assert run(capsys, "report")[0] == 130


def test_it_runs_as_a_module_and_shows_no_progress_bar_without_a_terminal() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fairness_lib", "report", "--seeds", "9", "--format", "json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    seeds = {
        row["seed"] for row in json.loads(done.stdout)["results"] if row["scenario"] == "burst"
    }
    assert seeds == {9}


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes")
def test_a_reader_that_stops_early_is_no_error() -> None:
    program = f"{sys.executable} -m fairness_lib report --help | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
