"""Scenario files: what they say is what the classes say, and an error names the field."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairness_lib import Burst, Pareto, Scenario, Tenant, article_scenario, read_scenario
from fairness_lib.traffic.scenario_file import scenario_of, text_of


def test_the_example_is_the_article_s_scenario_task_for_task() -> None:
    assert read_scenario("article") == article_scenario()


def test_all_fields() -> None:
    text = """
    workers = 3
    horizon_s = 9.5
    window_s = [1, 2]
    [[tenant]]
    name = "a{n}"
    count = 2
    rate_per_s = 2
    weight = 0.5
    bursts = [{from_s = 1, to_s = 2, factor = 0}]
    service_time = {kind = "pareto", mean_s = 1.0, alpha = 3}
    [[tenant]]
    name = "{n}"
    rate_per_s = 1.5
    """
    how = {"weight": 0.5, "bursts": (Burst(1, 2, 0),), "service_time": Pareto(1.0, 3)}
    tenants = (Tenant("a0", 2, **how), Tenant("a1", 2, **how), Tenant("{n}", 1.5))
    assert scenario_of(text) == Scenario(tenants, 3, 9.5, (1, 2))


ONE = '[[tenant]]\nname = "a"\nrate_per_s = 1\n'
BAD = {
    "the scenario is no TOML": "tenant = [",
    "the scenario must have a field 'tenant'": "workers = 1",
    "the scenario has no field 'wokers'; it may have tenant, workers": "wokers = 1\n" + ONE,
    "tenant must be tables": "tenant = 3",
    "tenant must be tables, each": "tenant = [3]",
    "tenants must hold at least one": "tenant = []",
    "workers must be a whole number": "workers = 0\n" + ONE,
    "horizon_s must be": "horizon_s = -1\n" + ONE,
    "window_s must be": "window_s = 3\n" + ONE,
    "tenant 1 must have a field 'rate_per_s'; it has name": '[[tenant]]\nname = "a"\n',
    "tenant 1: name must be non-empty": '[[tenant]]\nname = ""\nrate_per_s = 1\n',
    "tenant 1 has no field 'rate'": '[[tenant]]\nname = "a"\nrate = 1\n',
    "tenant 2 ('a'): rate_per_s must be": ONE + '[[tenant]]\nname = "a"\nrate_per_s = -1\n',
    "tenant 1 ('a'): rate_per_s must be a number": '[[tenant]]\nname = "a"\nrate_per_s = "x"\n',
    "tenant 1: count must be a whole": ONE + "count = 0\n",
    "tenant 1: count must be at most": ONE + "count = 1000000\n",
    "tenant 1: name must have {n} in it": ONE + "count = 2\n",
    "tenants must be distinct": ONE + ONE,
    "tenant 1 ('a'): bursts must be a list": "tenant = [{name='a', rate_per_s=1, bursts=1}]",
    "tenant 1 ('a'): burst 1 must have a field 'factor'": ONE + "bursts = [{from_s=1, to_s=2}]\n",
    "tenant 1 ('a'): burst 1 must be a table": ONE + "bursts = [1]\n",
    "tenant 1 ('a'): to_s must be": ONE + "bursts = [{from_s=2, to_s=1, factor=1}]\n",
    "must end by horizon_s": ONE + "bursts = [{from_s=2, to_s=100, factor=1}]\n",
    "service_time.kind must be one of exponential": ONE + "service_time = {mean_s = 1}\n",
    "service_time must be a table": ONE + "service_time = 1\n",
    "service_time has no field 'sigma'": ONE + "service_time = {kind='pareto', sigma=1}\n",
    "mean_s must be": ONE + "service_time = {kind='pareto', mean_s=0}\n",
}


@pytest.mark.parametrize("said", BAD)
def test_an_error_names_the_field_and_what_is_allowed(said) -> None:
    with pytest.raises(ValueError) as error:
        scenario_of(BAD[said])
    assert said in str(error.value)


def test_files_that_cannot_be_read(tmp_path) -> None:
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        read_scenario(tmp_path / "none.toml")
    with pytest.raises(ValueError, match="cannot be read"):
        read_scenario("a\0b")
    path = tmp_path / "x.toml"
    path.write_bytes(b"\xff")
    with pytest.raises(ValueError, match="UTF-8"):
        read_scenario(path)
    path.write_text("\ufeff" + text_of("article"), encoding="utf-8")
    assert read_scenario(path) == article_scenario()


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2000), st.text(max_size=3)), max_size=4))
def test_a_mutated_file_is_a_scenario_or_one_clear_error(cuts) -> None:
    text = text_of("article")
    for at, new in cuts:
        at %= len(text)
        text = text[:at] + new + text[at + len(new) :]
    refused = ""
    try:
        scenario = scenario_of(text)
    except ValueError as error:
        refused = str(error)
    assert refused or isinstance(scenario, Scenario)


def test_the_example_is_toml_that_others_read() -> None:
    assert len(tomllib.loads(text_of("article"))["tenant"]) == 3
