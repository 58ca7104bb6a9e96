"""Binary heaps of integers, in flat columns.

heap[:size] holds items in heap order by (key[item], item).
"""

from __future__ import annotations

from .columns import Column


def sift_down(heap: Column, size: int, at: int, key: Column) -> None:
    """Move the item at position `at` down to where it belongs."""
    item = heap[at]
    mine = key[item]
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        least = heap[child]
        if child + 1 < size:
            other = heap[child + 1]
            if key[other] < key[least] or (key[other] == key[least] and other < least):
                child, least = child + 1, other
        if mine < key[least] or (mine == key[least] and item < least):
            break
        heap[at] = least
        at = child
    heap[at] = item


def sift_up(heap: Column, at: int, key: Column) -> None:
    """Move the item at position `at` up to where it belongs."""
    item = heap[at]
    mine = key[item]
    while at > 0:
        parent = (at - 1) // 2
        above = heap[parent]
        if key[above] < mine or (key[above] == mine and above < item):
            break
        heap[at] = above
        at = parent
    heap[at] = item


def sift_down_by(heap: Column, size: int, at: int, key: Column, tie: Column) -> None:
    """Move an item down, where the heap goes by (key[item], tie[item])."""
    item = heap[at]
    mine, mine_too = key[item], tie[item]
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        least = heap[child]
        if child + 1 < size:
            other = heap[child + 1]
            if key[other] < key[least] or (key[other] == key[least] and tie[other] < tie[least]):
                child, least = child + 1, other
        if mine < key[least] or (mine == key[least] and mine_too < tie[least]):
            break
        heap[at] = least
        at = child
    heap[at] = item


def sift_up_by(heap: Column, at: int, key: Column, tie: Column) -> None:
    """Move an item up, where the heap goes by (key[item], tie[item])."""
    item = heap[at]
    mine, mine_too = key[item], tie[item]
    while at > 0:
        parent = (at - 1) // 2
        above = heap[parent]
        if key[above] < mine or (key[above] == mine and tie[above] < mine_too):
            break
        heap[at] = above
        at = parent
    heap[at] = item
