"""The report in Chromium, from a file: nothing asked for, nothing run, nothing that axe minds."""

from __future__ import annotations

from typing import Any

import pytest
from browsing import AXE, DESK, PHONE
from test_page import HOSTILE, record_of

from fairness_lib.decide.page import page

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "a <b> & 'c'.html"
    path.write_text(page(record_of(HOSTILE)), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_a_report_of_hostile_names_is_quiet_and_fits(browser: Any, report, size, scheme) -> None:
    tab = browser.new_page(viewport=size, color_scheme=scheme)
    asked, said = [], []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("dialog", lambda dialog: said.append(dialog.message))
    tab.goto(report)
    assert asked == [report]
    assert said == []
    assert "owned" not in tab.title()
    assert tab.locator("script, img, iframe, object").count() == 0
    assert tab.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert tab.get_by_text("<script>").first.is_visible()
    with tab.expect_download() as download:
        tab.get_by_role("link", name="All tenants as CSV").click()
    assert download.value.suggested_filename == "tenants.csv"
    tab.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_has_nothing_against_a_report(browser: Any, report, scheme) -> None:
    context = browser.new_context(viewport=PHONE, color_scheme=scheme, bypass_csp=True)
    tab = context.new_page()
    tab.goto(report)
    tab.evaluate(AXE.read_text(encoding="utf-8"))
    result = tab.evaluate("axe.run(document, {resultTypes: ['violations']})")
    assert [found["id"] for found in result["violations"]] == []
    context.close()
