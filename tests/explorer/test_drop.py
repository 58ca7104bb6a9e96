"""The reader's file on the table of tenants: taken or refused in words, and it stays there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from fairness_lib.explorer.front import module

pytestmark = pytest.mark.browser

ROOM = """
const values = { tenants: [], burst: 5, horizon_s: 60, window: [20, 40] };
const model = {
  get: (name) => values[name],
  set: (name, value) => { values[name] = value; },
  save_changes: () => table.fill(),
};
const table = tenantTable(model);
document.body.append(table.root);
table.root.open = true;
window.values = values;
window.rowsFrom = rowsFrom;
"""
SAID = """document.querySelector('.fl-drop').textContent.match(/Lost:|Not taken|tasks.s must/)"""
LOG = "app,arrival_s,cost_ms\nshop,0,20\nblog,1,10\nshop,5,40\nshop,10,30\n"


@pytest.fixture(scope="module")
def page(browser: Any) -> Iterator[Any]:
    tab = browser.new_page()
    tab.asked, tab.faults = [], []
    tab.on("request", lambda request: tab.asked.append(request.url))
    tab.on("pageerror", lambda error: tab.faults.append(str(error)))
    code = module("dom.js", "setting.js", "drop.js", "tenants.js")
    tab.set_content("<body></body>")
    tab.add_script_tag(content=f"{{{code}\n{ROOM}}}")
    yield tab
    assert (tab.asked, tab.faults) == ([], [])
    tab.close()


def choose(page: Any, text: str, name: str = "mine.csv") -> str:
    file = {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
    page.evaluate("document.querySelector('.fl-drop [role=status]').textContent = ''")
    page.get_by_label("A log or table of your tenants, CSV").set_input_files(file)
    page.wait_for_function(SAID, timeout=5000)
    return page.locator(".fl-drop [role=status]").text_content()


def rows(page: Any) -> list[dict[str, Any]]:
    return page.evaluate("values.tenants")


@pytest.mark.parametrize(
    "text",
    [
        LOG,
        "\ufeff" + LOG.replace("\n", "\r\n"),
        LOG.replace(",", ";").replace("shop", '"shop"'),
        (
            "app,timestamp,duration_s\nshop,2026-01-01T00:00:00Z,0.02\nblog,2026-01-01T00:00:01Z,.01\n"
            "shop,2026-01-01T00:00:05Z,0.04\nshop,2026-01-01T00:00:10Z,0.03"
        ),
        "tenant,rate,mean_cost_ms\nblog,0.1,10\nshop,0.3,30\n",
    ],
    ids=["log", "bom", "semicolons", "stamps", "rates"],
)
def test_rates_and_mean_costs_come_from_the_file_and_what_is_lost_is_said(page, text) -> None:
    assert "Lost: when each task came" in choose(page, text)
    found = [(row["name"], row["rate_per_s"], row["cost"]["mean_s"]) for row in rows(page)]
    assert found == [
        ("shop", pytest.approx(0.3), pytest.approx(0.03)),
        ("blog", pytest.approx(0.1), pytest.approx(0.01)),
    ]
    names = page.locator("[data-key=name]").evaluate_all("all => all.map((one) => one.value)")
    assert names == ["shop", "blog"]


def test_names_of_strangers_are_text(page) -> None:
    hostile = ["<img src=x onerror=alert(1)>", "__proto__", "constructor", 'a ""b""', "=1+1", "‮x"]
    text = "tenant,rate,cost\n" + "".join(f'"{name}",1,0.1\n' for name in hostile)
    choose(page, text)
    assert {row["name"] for row in rows(page)} == {name.replace('""', '"') for name in hostile}
    assert page.locator("img").count() == 0


def test_of_many_tenants_the_lightest_share_a_row(page) -> None:
    text = "tenant,rate,cost\n" + "".join(f"t{i},{(i + 1) / 10},0.01\n" for i in range(200))
    assert "The 171 with least work share one row" in choose(page, text)
    assert (len(rows(page)), rows(page)[-1]["count"]) == (30, 171)
    assert sum(row["count"] * row["rate_per_s"] for row in rows(page)) == pytest.approx(2_010)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "No column for the tenant"),
        ("a,b\n1,2\n", "It names a, b"),
        ("tenant,arrival,cost\n", "no row below"),
        ("tenant,arrival,cost\na,0,1\nb,1,x\n", "Row 3, cost: “x”"),
        ("tenant,arrival,cost\na,0,-1\n", "Row 2, cost: “-1”"),
        ("tenant,arrival,cost\na,soon,1\n", "“soon” is no time"),
        ("tenant,arrival,cost\na,0,1\nb,0,1\n", "arrive at one time"),
        ("tenant,arrival,cost\na,0\n", "Row 2 has 2 cells, the first line 3"),
        ('tenant,arrival,cost\n"a,0,1\n', "never closed"),
        ("tenant,rate,cost\na,1,0\n", "All costs are 0"),
        ("tenant,rate,cost\na,1,1\na,1,1\n", "has a rate already"),
        ("x" * 5_000_001, "at most 5 MB"),
    ],
    ids=lambda value: value[:20],
)
def test_what_cannot_be_read_is_said_and_the_table_stays(page, text: str, words: str) -> None:
    choose(page, LOG)
    assert words in choose(page, text)
    assert [row["name"] for row in rows(page)] == ["shop", "blog"]


def test_a_table_that_is_too_much_for_a_page_is_refused_in_its_words(page) -> None:
    choose(page, LOG)
    choose(page, "tenant,rate,cost\na,200000,0.01\n")
    assert "tasks/s must be from 0 to 100,000" in page.get_by_role("alert").text_content()
    assert [row["name"] for row in rows(page)] == ["shop", "blog"]


DROP = """(text) => {
  const carried = new DataTransfer();
  carried.items.add(new File([text], "mine.csv"));
  const dropped = new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true });
  return document.querySelector("details").dispatchEvent(dropped); // false: the page is not left
}"""


def test_a_file_can_be_dropped_and_the_page_stays(page) -> None:
    choose(page, "tenant,rate,cost\na,1,0.01\n")
    assert page.evaluate(DROP, LOG) is False
    page.wait_for_function("values.tenants.length === 2", timeout=5000)
