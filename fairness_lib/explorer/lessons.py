"""What a reader may write in the page: from what, for which traffic, and what decides it.

A lesson's classes are files in ``reader/``; tests run each of them in MicroPython and by
`simulate`, which must give the same bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module

from ..article.scenario import article_scenario
from ..policies.policy import Policy
from ..traffic.scenario import Burst, Scenario, Tenant

STARTS = {
    "fifo": "First in, first out",
    "round_robin": "Round robin by count",
    "drr_broken": "Deficit round robin, one line missing",
    "empty": "An empty class",
}
"""Classes to start from, by file."""

SETUP = "workload = {}.workload(seed=1)"
ARTICLE = "article_scenario()"
BY_WEIGHT = (
    "Scenario(\n"
    '    [Tenant("gold", 600, 4), Tenant("silver", 600, 2), Tenant("bronze", 600, 1)],\n'
    "    workers=8, horizon_s=30, window_s=(5, 30),\n"
    ")"
)
SPLIT = (
    "Scenario(\n"
    '    [Tenant(f"heavy/{i}", 40, bursts=(Burst(20, 40, 5),)) for i in range(10)]\n'
    '    + [Tenant(f"mid{i}", 60) for i in range(4)]\n'
    '    + [Tenant(f"small{i:02}", 5) for i in range(20)],\n'
    "    workers=8, window_s=(20, 40),\n"
    ")"
)


@dataclass(frozen=True)
class Lesson:
    """A place to write a policy in.

    Attributes
    ----------
    title : str
        What is to be done.
    starts : mapping of str to str
        Files to start from, and what they are called.
    solution : str
        The file of a solution; empty where there is nothing to solve.
    goals : tuple of str
        What has to hold: keys of ``judge.js``.
    hints : tuple of str
        Given one at a time.
    setup : str
        The scenario, as code for a notebook.
    policies : tuple of str
        Which of the library's policies are drawn beside it.
    """

    title: str
    starts: Mapping[str, str]
    solution: str = ""
    goals: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    setup: str = ARTICLE
    policies: tuple[str, ...] = ("drr",)

    def scenario(self) -> Scenario:
        """Return the scenario that its setup writes down."""
        names = (Burst, Scenario, Tenant, article_scenario)
        made: Scenario = eval(self.setup, {name.__name__: name for name in names})
        return made


SOUND = ("once", "conserving")
FAIR = ("kept", "F1", "F2", "F3")
LESSONS = {
    "own": Lesson("Your own policy", STARTS, policies=("fifo", "quota", "drr", "drr_quota")),
    "drr": Lesson(
        "Mend the broken round",
        {"drr_broken": "Deficit round robin, one line missing"},
        "drr",
        (*SOUND, *FAIR, "bound"),
        (
            "Whose turn is it, and when does it end?",
            "A tenant is served while its deficit covers its head. What makes a deficit smaller?",
            "A task has to be paid for when it is taken.",
        ),
        policies=("fifo", "drr"),
    ),
    "weights": Lesson(
        "Serve by weight",
        {"drr": "Deficit round robin"},
        "weights",
        (*SOUND, "weights"),
        (
            "begin() is told the weights: tasks.weight[tenant].",
            "A tenant of weight 4 should get four times as much in each round.",
            "Which line says how much a turn is worth?",
        ),
        BY_WEIGHT,
        ("fifo", "drr"),
    ),
    "six": Lesson(
        "At most six workers for heavy",
        {"drr": "Deficit round robin"},
        "six",
        ("once", "others", "six", *FAIR),
        (
            "Count the tasks of heavy that are being served.",
            "take() begins one; finished(self, task, cost_s, now) says that one is over.",
            "While six are, pass heavy's turn on, and see that the loop ends if nobody else waits.",
        ),
    ),
    "behind": Lesson(
        "Less behind than DRR",
        {"drr": "Deficit round robin"},
        "earliest",
        (*SOUND, *FAIR, "behind"),
        (
            "Under DRR a task waits for the round to come by. Who should not have to?",
            "Give each task a tag when it comes, and always serve the smallest tag.",
            "A task's tag: where its tenant's last one ended, and not before the tag served last.",
        ),
    ),
    "split": Lesson(
        "Ten names, one tenant",
        {"drr": "Deficit round robin"},
        "accounts",
        (*SOUND, "split"),
        (
            "Ten names have ten turns in a round. Whose turns should there be?",
            'The account is what stands before the slash: name.split("/")[0].',
            "One queue and one deficit for each account.",
        ),
        SPLIT,
    ),
}
"""What `your_policy` knows, by name."""


def own_class(file: str) -> type:
    """Return the class of a file in ``reader/``."""
    module = import_module(f"{__package__}.reader.{file}")
    return next(
        item
        for item in vars(module).values()
        if isinstance(item, type) and item.__module__ == module.__name__
    )


def own_policy(file: str) -> Policy:
    """Return a file's class as a policy.

    >>> own_policy("drr").name
    'drr'
    """
    return Policy(file, own_class(file)())
