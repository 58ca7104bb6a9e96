"""The explorer's page, open in one tab for all tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from browsing import DESK, HTML

if TYPE_CHECKING:
    from explorer_tab import Tab


@pytest.fixture(scope="module")
def tab(browser: Any, origins: dict[str, str]) -> Iterator[Tab]:
    from explorer_tab import EXPLORER, Tab

    if not (HTML / EXPLORER).is_file():
        pytest.fail(f"no {EXPLORER} in {HTML}: run `make book`")
    opened = Tab(browser, origins["http"])
    yield opened
    opened.context.close()


@pytest.fixture
def page(tab: Tab) -> Iterator[Tab]:
    """The explorer as it starts."""
    tab.faults.clear()
    tab.outside.clear()
    tab.resize(DESK)
    yield tab.open()
    tab.check_quiet()


@pytest.fixture(scope="module")
def shown() -> Any:
    """Tasks in motion, as the landing page has them."""
    from fairness_lib.explorer import motion

    return motion()
