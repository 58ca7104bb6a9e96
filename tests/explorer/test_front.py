"""What the page gets of the widgets' own JavaScript and CSS: shorter, and the same."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("anywidget", reason="the widgets need the extra 'book'")

from fairness_lib.explorer import front
from fairness_lib.explorer.motion import MotionView
from fairness_lib.explorer.stepper import StepperView
from fairness_lib.explorer.view import ExplorerView
from fairness_lib.explorer.water import WaterView

QUOTED = re.compile(r'"(?:\\.|[^"\\\n])*"|`[^`]*`')
PARTS = sorted(path.name for path in front.HERE.glob("*.js"))


@pytest.mark.parametrize("name", PARTS)
def test_what_stands_in_quotes_or_templates_stays(name: str) -> None:
    code = front.IMPORT.sub("", front.SPARE.sub("", front.text(name)))
    odd = [line for line in code.splitlines() if line.count("`") % 2]
    assert odd == [], "a template over several lines would lose spaces"
    assert QUOTED.findall(front.module(name)) == QUOTED.findall(code)


def test_spaces_go_beside_signs_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front, "HERE", tmp_path)
    (tmp_path / "a.js").write_text(
        '// words\n  const a = { b: "x , y" } ; // kept\nlet c = d - -1 ;\nreturn a in c\n'
    )
    assert front.module("a.js") == (
        'const a = { b: "x , y" } ; // kept\nlet c=d - -1;\nreturn a in c\n'
    )
    (tmp_path / "a.css").write_text('/* a */\n.a :is(b, i) { content: "x; y" ; }\n')
    assert front.style("a.css") == '.a :is(b,i){content:"x; y";}'


@pytest.mark.parametrize("view", [ExplorerView, MotionView, StepperView, WaterView])
def test_joined_module_is_javascript(view: type, tmp_path: Path) -> None:
    if not (node := shutil.which("node")):
        pytest.skip("no Node.js found")
    (tmp_path / "joined.mjs").write_text(str(view._esm), encoding="utf-8")
    subprocess.run([node, "--check", str(tmp_path / "joined.mjs")], check=True)
