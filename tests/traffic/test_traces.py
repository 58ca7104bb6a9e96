"""Traces: each format comes out right, and says as what; a bad file gives one clear line."""

from __future__ import annotations

import gzip
import io
import json
import sys
import zlib
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fairness_lib import TraceError, Workload, read_trace
from fairness_lib.traffic.traces import CostExpression, rows, source

TASKS = [("shop", 0.5, 0.02), ("blog", 0.0, 0.03), ("shop", 2.25, 0.01)]


packed = partial(gzip.compress, mtime=0)  # the same bytes, and test ids, at any time


def read(text: str | bytes, **how):
    return read_trace(io.BytesIO(text.encode() if isinstance(text, str) else text), **how)


def same(trace, *, costs=(0.03, 0.02, 0.01)) -> None:
    w = trace.workload
    assert w.tenants == ("blog", "shop")
    assert w.tenant.tolist() == [0, 1, 1]
    np.testing.assert_allclose(w.arrival_s, [0, 0.5, 2.25], atol=1e-9)
    np.testing.assert_allclose(w.cost_s, costs)
    assert w.horizon_s == pytest.approx(2.26)


def csv_of(tasks=TASKS, sep=",", end="\n", head=("tenant", "arrival_s", "cost_s")) -> str:
    return end.join([sep.join(head), *(sep.join(map(str, task)) for task in tasks), ""])


def parquet_of(frame: pd.DataFrame) -> bytes:
    pytest.importorskip("pyarrow")
    out = io.BytesIO()
    frame.to_parquet(out)
    return out.getvalue()


JSONL = "".join(
    json.dumps({"tenant": t, "arrival_s": a, "meta": {"cost_s": c}}) + "\n" for t, a, c in TASKS
)
SWF = "; UnixStartTime: 0\n" + "".join(
    f"{i} {a} 1 {c} 1 -1 -1 -1 -1 -1 1 {u} -1 -1 -1 -1 -1 -1\n"
    for i, (u, a, c) in enumerate([("2", 0.5, 0.02), ("1", 0, 0.03), ("2", 2.25, 0.01)])
)


@pytest.mark.parametrize(
    "text",
    [
        csv_of(),
        csv_of(end="\r\n"),
        csv_of(end="\r"),
        csv_of(sep="\t"),
        csv_of(sep=";"),
        csv_of(sep="|"),
        "\ufeff" + csv_of(),
        csv_of().replace("\n", "\n\n"),
        csv_of().rstrip("\n"),
        csv_of(sep=" , ").replace(" , ", ",", 0).replace("shop ", "shop").replace("blog ", "blog"),
        JSONL,
        "\n" + JSONL,
        packed(csv_of().encode()),
        packed(JSONL.encode()),
        csv_of([(t, f"{1.7e12 + 1e3 * a:.0f}", c) for t, a, c in TASKS]).replace(
            "arrival_s", "timestamp"
        ),
        csv_of(
            [(t, f"2026-01-31T12:00:{a + 1:09.6f}Z", 1e3 * c) for t, a, c in TASKS],
            head=("tenant", "ts", "latencyMs"),
        ),
        csv_of(
            [(t, f"2026-01-31 12:00:{a + 1:010.7f}", f"{1e3 * c}ms") for t, a, c in TASKS],
            head=("tenant", "ts", "took"),
        ),
        csv_of([(t, a + c, c) for t, a, c in TASKS], head=("tenant", "end_s", "duration_s")),
        csv_of([(t, a, a + c) for t, a, c in TASKS], head=("tenant", "start_s", "end_s")),
        csv_of(
            [(t, a, a + 1, a + 1 + c) for t, a, c in TASKS],
            head=("tenant", "submit_s", "start_s", "end_s"),
        ),
    ],
    ids=lambda text: repr(text[:40]),
)
def test_formats_and_their_usual_variants_come_out_the_same(text) -> None:
    trace = read(text) if b"submit_s" not in _bytes(text) else None
    if trace is not None:
        return same(trace)
    trace = read(text)
    np.testing.assert_allclose(trace.workload.cost_s, [0.03, 0.02, 0.01])
    assert trace.wait_s.tolist() == [1, 1, 1]
    return None


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def test_parquet_comes_out_the_same_also_with_typed_times() -> None:
    frame = pd.DataFrame(TASKS, columns=["tenant", "arrival_s", "cost_s"])
    same(read(parquet_of(frame)))
    stamps = pd.to_datetime(1.7e9 + frame["arrival_s"], unit="s").dt.tz_localize("Europe/Berlin")
    typed = frame.assign(ts=stamps, cost=pd.to_timedelta(frame["cost_s"], unit="s"))
    same(read(parquet_of(typed[["tenant", "ts", "cost"]])))


def test_parquet_with_text_that_is_no_utf8_is_damaged() -> None:
    good = parquet_of(pd.DataFrame(TASKS, columns=["tenant", "arrival_s", "cost_s"]))
    with pytest.raises(TraceError, match="Parquet file is damaged"):
        read(good.replace(b"blog", b"bl\xffg"))


def test_swf_has_unnamed_columns_and_the_log_s_own_waits() -> None:
    trace = read(SWF)
    assert trace.workload.tenants == ("1", "2")
    assert trace.workload.cost_s.tolist() == [0.03, 0.02, 0.01]
    assert trace.wait_s.tolist() == [1, 1, 1]


def test_a_path_and_standard_input(tmp_path, monkeypatch) -> None:
    path = tmp_path / "log.csv"
    path.write_text(csv_of())
    same(read_trace(path))
    stdin = SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(csv_of().encode())))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert read_trace("-").source == "standard input"


def test_a_frame_is_read_as_a_file_is() -> None:
    frame = pd.DataFrame(TASKS, columns=["tenant", "arrival_s", "cost_s"], index=[7, 7, 9])
    w = Workload.from_frame(frame)
    assert w.cost_s.tolist() == [0.03, 0.02, 0.01]
    typed = frame.assign(
        tenant=frame["tenant"].astype("category"),
        arrival_s=lambda f: pd.Timestamp("2026-01-01") + pd.to_timedelta(f["arrival_s"], unit="s"),
    )
    assert Workload.from_frame(typed).arrival_s.tolist() == [0.0, 0.5, 2.25]
    numbered = frame.assign(tenant=[2, 1, 2])
    assert Workload.from_frame(numbered).tenants == ("1", "2")
    with pytest.raises(TraceError, match=r"row 1, column 'cost_s': '-1\.0' is negative"):
        Workload.from_frame(frame.assign(cost_s=[1, -1.0, 1]))
    with pytest.raises(TypeError, match="no argument 'tennant'"):
        Workload.from_frame(frame, tennant="tenant")


def test_what_was_recognised_is_said() -> None:
    said = read("app,func,end_timestamp,duration\na,f,10,1\nb,f,11,1\n").said
    assert said == (
        "csv: 2 rows",
        "tenant: column 'app', 2 tenants",
        "arrival: end, column 'end_timestamp', in s (nothing says otherwise), less the cost",
        "cost: column 'duration', in s (nothing says otherwise)",
        "not used: 'func'",
    )


def test_units_and_columns_can_be_given() -> None:
    text = "who,func,t,d\nblog,x,0,30\nshop,x,500,20\nshop,x,2250,10\n"
    how = {"tenant": "who", "arrival": "t", "cost": "d"}
    same(read(text, **how, units={"t": "ms", "d": "ms"}))
    same(read(text, **how, units={"t": "ms"}, cost_per_s=1000))


def test_a_cost_of_several_columns_in_seconds_where_they_carry_a_unit() -> None:
    text = "tenant,arrival,total_ms,first_s\nblog,0,40,0.01\nshop,0.5,30,0.01\nshop,2.25,20,0.01\n"
    same(read(text, cost="total_ms - first_s"))
    tokens = "tenant,arrival,in,out\nblog,0,10,10\nshop,0.5,20,0\nshop,2.25,4,3\n"
    trace = read(tokens, cost="in + 2*out", cost_per_s=1000)
    np.testing.assert_allclose(trace.workload.cost_s, [0.03, 0.02, 0.01])
    assert "cost: in + 2*out, of which a worker does 1000 per second" in trace.said


def test_a_task_of_several_workers_keeps_its_work() -> None:
    trace = read("user,submit,runtime,nodes\na,0,2,3\nb,1,5,1\n")
    assert trace.workload.cost_s.tolist() == [2, 2, 2, 5]
    assert trace.job.tolist() == [0, 0, 0, 1]
    assert (trace.whole.width.tolist(), trace.whole.cost_s.tolist()) == ([3, 1], [6, 5])
    assert trace.whole.duration_s.tolist() == [2, 5]
    assert read(csv_of()).whole is None
    assert any("several workers" in line for line in trace.said)


def test_weights_go_by_tenant() -> None:
    assert read(csv_of(), weights={"shop": 3}).workload.weight.tolist() == [1, 3]
    with pytest.raises(TraceError, match="'nobody'"):
        read(csv_of(), weights={"nobody": 3})


BAD_ROWS = {
    "line 3, column 'cost_s': '-1' is negative": "blog,1,-1",
    "line 3, column 'cost_s': 'x' is no number": "blog,1,x",
    "line 3, column 'cost_s': 'nan' is no number": "blog,1,nan",
    "line 3, column 'cost_s': '' is no number": "blog,1,",
    "line 3, column 'cost_s': 'inf' is no number": "blog,1,inf",
    "line 3, column 'cost_s': '1e10' is more than 1e+09 s": "blog,1,1e10",
    "line 3, column 'tenant': '' is empty": ",1,1",
    "line 3, column 'arrival_s': 'soon' is no time": "blog,soon,1",
    "line 3 has more cells than the 3 of line 1": "blog,1,1,9",
    "line 3 has 6 cells, not 3": "blog,1,1,9,9,9",
    "line 3, column 'arrival_s': '' is no time": "blog",
    "line 3, column 'tenant': 'xxxx": f"{'x' * 10_001},1,1",
}


@pytest.mark.parametrize("said", BAD_ROWS)
def test_a_bad_row_is_named_or_counted(said) -> None:
    text = f"tenant,arrival_s,cost_s\nshop,0,1\n{BAD_ROWS[said]}\nshop,2,1\nblog,2,1\n"
    with pytest.raises(TraceError) as error:
        read(text)
    assert str(error.value).startswith(said)
    trace = read(text, skip_bad_rows=True)
    assert len(trace.workload) == 3
    assert sum(trace.dropped.values()) == 1
    assert "left out: 1 rows where" in trace.said[-1]


def test_a_bad_row_s_line_counts_blank_lines_skipped_ones_and_breaks_in_quotes() -> None:
    head = 'tenant,arrival_s,cost_s\n\n"a\nb",0,1\n'
    with pytest.raises(TraceError, match=r"^line 6, column 'cost_s'"):
        read(head + "shop,1,1\nshop,1,-1\n")
    text = head + "x,1,1,2,3,4\nshop,1,1\nshop,1,bad\n"
    dropped = read(text, skip_bad_rows=True).dropped
    assert sum(dropped.values()) == 2


def test_lines_are_right_in_later_chunks(monkeypatch) -> None:
    monkeypatch.setattr(rows, "ROWS", 3)
    lines = [f"t{i % 2},{i},1" for i in range(20)]
    lines[15] = "t,15,?"
    with pytest.raises(TraceError, match=r"^line 17, "):
        read("\n".join(["tenant,arrival,cost", *lines]))
    lines[2] = '"t\n2",2,1'
    with pytest.raises(TraceError, match=r"^line 18, "):
        read("\n".join(["tenant,arrival,cost", *lines]))
    entries = [json.dumps({"tenant": "a", "arrival": i, "cost": 1}) for i in range(3000)]
    entries[2500] = "{"
    with pytest.raises(TraceError, match=r"^line 2501 is no JSON"):
        read("\n".join(entries))


def test_names_are_exact() -> None:
    odd = ["a,b", 'say ""x""', " lead", "NA", "null", "1e3", "=1+1", "<b>", "é", "01", "1"]
    text = "tenant,arrival,cost\n" + "".join(f'"{name}",{i},1\n' for i, name in enumerate(odd))
    assert set(read(text).workload.tenants) == {name.replace('""', '"') for name in odd}


BAD_FILES = {
    "the file is empty": b"",
    "the trace holds no task": b"tenant,arrival,cost\n",
    "line 3 holds a NUL byte": b"tenant,arrival,cost\na,1,1\n\0,2,1\n",
    "line 2 holds bytes that are not UTF-8": b"tenant,arrival,cost\n\xff\xfe,1,1\n",
    "the file is UTF-16 text": "tenant,arrival".encode("utf-16"),
    "the file is a zip archive": b"PK\x03\x04rest",
    "the gzip file ends in the middle": packed(csv_of().encode() * 99)[:60],
    "the gzip file is damaged": packed(csv_of().encode())[:-8] + b"12345678",
    "Name it (--tenant COLUMN) out of: 'x', 'y'": b"x,y\n1,2\n",
    "no column says whose task it is": b"x,arrival,cost\n1,2,3\n",
    "no column says when a task came": b"tenant,x,cost\n1,2,3\n",
    "no column says how long a task takes": b"tenant,arrival,x\n1,2,3\n",
    "line 1 has one column only": b"hello world\n1\n",
    "more than one column 'tenant'": b"tenant,arrival,cost,tenant\na,1,1,b\n",
    "is never closed": b'tenant,arrival,cost\n"a,1,1\n',
    "the file is a JSON array": b'[{"tenant": "a"}]',
    "is no JSON object": b'{"tenant": 1, "arrival": 1, "cost": 1}\n[]\n',
    "is nested too deeply": b'{"tenant": 1, "arrival": 1, "cost": 1}\n' + b"[" * 200_000,
    "Parquet file is damaged": b"PAR1" + b"\0" * 40,
    "the trace must span more than 0": b"tenant,arrival,cost\na,5,0\nb,5,0\n",
    "is the unit of a time stamp right?": b"tenant,arrival,cost\na,0,1\nb,1e11,1\n",
    "'arrival' must hold times": b"tenant,arrival,cost\na,often,1\n",
    "gzip inside gzip": packed(packed(b"x")),
}


@pytest.mark.parametrize("said", BAD_FILES)
def test_a_bad_file_is_one_clear_error(said) -> None:
    with pytest.raises(TraceError) as error:
        read(BAD_FILES[said])
    assert said in str(error.value)
    assert len(str(error.value)) < 1000
    assert "\n" not in str(error.value)


def test_a_zip_bomb_and_a_line_without_end_are_stopped(monkeypatch) -> None:
    monkeypatch.setattr(source, "FREE_BYTES", 2**20)
    bomb = packed(b"tenant,arrival,cost\n" + b"a,1,1\n" * 5_000_000)
    with pytest.raises(TraceError, match="unpacks to more than 200 times its size"):
        read(bomb)
    monkeypatch.setattr(source, "MOST_LINE", 2**20)
    with pytest.raises(TraceError, match="line 2 is longer than 1 MB"):
        read(b"tenant,arrival,cost\n" + b"a" * 2**22)


def test_paths_that_cannot_be_opened(tmp_path) -> None:
    for path in (tmp_path, tmp_path / "none.csv", "a\0b", "x" * 5000):
        with pytest.raises(TraceError):
            read_trace(path)


BAD_COSTS = [
    "",
    "a +",
    "a b",
    "(a",
    "a)",
    "__import__('os')",
    "a.b",
    "a[0]",
    "a**b",
    "lambda: 1",
    "2",
    "a; b",
    "f(a)",
    "(" * 60 + "a" + ")" * 60,
    "a" * 1001,
    "`a",
    "1..2*a",
]


@pytest.mark.parametrize("text", BAD_COSTS)
def test_a_cost_is_arithmetic_of_columns_and_nothing_else(text) -> None:
    with pytest.raises(ValueError, match=r"cost must|no column"):
        read("tenant,arrival,a,b\nx,1,1,1\n", cost=text)


@st.composite
def expressions(draw, depth=3):
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from(["a", "b", "2", "0.5", "1e1"]))
    left, right = draw(expressions(depth=depth - 1)), draw(expressions(depth=depth - 1))
    shape = draw(st.sampled_from(["({} {} {})", "{} {} {}", "-{1}{0}{2}".replace("{1}", "({0})")]))
    if shape.startswith("-"):
        return f"-({left})"
    return shape.format(left, draw(st.sampled_from("+-*/")), right)


@given(expressions())
def test_a_cost_expression_means_what_python_s_own_parser_makes_of_it(text) -> None:
    values = {"a": np.float64(3.0), "b": np.float64(7.0)}
    with np.errstate(all="ignore"):
        try:
            expected = eval(text, {"__builtins__": {}}, values)
        except ZeroDivisionError:
            return
    got = CostExpression(text)(values)
    assert got == expected or (np.isnan(got) and np.isnan(expected))


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(
        [csv_of(), csv_of(sep="\t", end="\r\n"), JSONL, SWF, 'tenant,ts,ms\n"a",1,2\n']
    ),
    st.lists(st.tuples(st.integers(0, 200), st.binary(max_size=6)), max_size=4),
    st.booleans(),
    st.booleans(),
)
@example(csv_of(), [(0, b"{")], False, False)
def test_a_mutated_file_is_read_or_refused_never_a_traceback(text, cuts, zipped, skip) -> None:
    data = bytearray(text.encode())
    for at, new in cuts:
        data[at % len(data) : at % len(data) + len(new)] = new
    raw = packed(bytes(data)) if zipped else bytes(data)
    _read_or_refuse(raw, skip)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 255)), max_size=4))
def test_a_mutated_archive_is_read_or_refused(cuts) -> None:
    frame = pd.DataFrame(TASKS, columns=["tenant", "arrival_s", "cost_s"])
    for raw in (packed(csv_of().encode() * 20), parquet_of(frame)):
        data = bytearray(raw)
        for at, new in cuts:
            data[at % len(data)] = new
        _read_or_refuse(bytes(data), True)


def _read_or_refuse(raw: bytes, skip: bool) -> None:
    refused = ""
    try:
        trace = read_trace(io.BytesIO(raw), skip_bad_rows=skip)
    except TraceError as error:
        refused = str(error)
    if refused:
        assert len(refused) < 1500
    else:
        tasks = len(trace.workload) if trace.job is None else trace.job.max() + 1
        assert tasks + sum(trace.dropped.values()) == trace.rows
        assert skip or not trace.dropped


NAMES = st.text(min_size=1, max_size=8).filter(lambda s: "\0" not in s and _utf8(s))


def _utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(NAMES, st.integers(0, 10**6), st.integers(1, 10**6)), min_size=1, max_size=30
    ),
    st.sampled_from(["csv", "jsonl", "parquet"]),
)
def test_nothing_is_lost_or_changed_on_the_way(tasks, kind) -> None:
    frame = pd.DataFrame(tasks, columns=["tenant", "arrival_us", "cost_us"])
    if kind == "csv":
        raw = frame.to_csv(index=False, quoting=1).encode()
    elif kind == "jsonl":
        raw = "".join(json.dumps(row) + "\n" for row in frame.to_dict("records")).encode()
    else:
        raw = parquet_of(frame)
    trace = read_trace(io.BytesIO(raw))
    w, first = trace.workload, min(a for _, a, _ in tasks)
    got = sorted(zip((w.tenants[t] for t in w.tenant), w.arrival_s, w.cost_s, strict=True))
    expected = sorted((t, (a - first) / 1e6, c / 1e6) for t, a, c in tasks)
    assert [g[0] for g in got] == [e[0] for e in expected]
    np.testing.assert_allclose(sorted(w.cost_s), sorted(e[2] for e in expected))
    np.testing.assert_allclose(sorted(w.arrival_s), sorted(e[1] for e in expected), atol=1e-9)
    assert len(w.tenants) == len({t for t, _, _ in tasks})


def test_a_deflate_stream_that_lies_is_damaged() -> None:
    raw = bytearray(packed(csv_of().encode()))
    raw[12:16] = b"\xff" * 4
    with pytest.raises((TraceError, zlib.error)) as error:
        read(bytes(raw))
    assert isinstance(error.value, TraceError)


def test_the_bundled_log_is_what_its_tool_writes() -> None:
    """The costs are drawn by our own streams, so its bytes are the same on every machine."""
    import example_trace

    assert gzip.decompress(example_trace.LOG.read_bytes()).decode() == example_trace.text()
    trace = read_trace("example")
    assert len(trace.workload.tenants) == 12
    assert trace.began == "2026-03-02T08:00:03Z"
