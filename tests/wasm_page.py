"""The page's engine, run by wasmtime in place of a browser: what worker.js does, in Python."""

from __future__ import annotations

import ctypes
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import wasmtime

from fairness_lib.engine import compiled, kernel
from fairness_lib.explorer import Explorer, entry, front
from fairness_lib.explorer.rows import names_of
from fairness_lib.explorer.widget import tidy
from fairness_lib.policies.in_flight import InFlight
from fairness_lib.policies.policy import Policy
from fairness_lib.traffic.scenario import Burst, Tenant
from fairness_lib.traffic.streams import tenant_key

FRUITLESS = kernel.drr.FRUITLESS
KINDS = {"Ints": "i8", "Reals": "f8", "Words": "u8", "Bytes": "i1"}
WASM = Path(front.HERE, "kernel.wasm")


class Page:
    """A module and its memory."""

    def __init__(self, wasm: bytes | None = None) -> None:
        self.store = wasmtime.Store()
        module = wasmtime.Module(self.store.engine, wasm or WASM.read_bytes())
        self.imports = [(i.module, i.name) for i in module.imports]
        limits = wasmtime.Limits(2, None)
        self.memory = wasmtime.Memory(self.store, wasmtime.MemoryType(limits))
        self.exports = wasmtime.Instance(self.store, module, [self.memory]).exports(self.store)

    def lay(self, **dims: int) -> None:
        """Give each column its place above the module's own stack and constants."""
        end, self.places = -(-self.exports["__heap_base"].value(self.store) // 8) * 8, {}
        for arguments in entry.arguments().values():
            for name, kind in arguments:
                if kind in KINDS and name not in self.places:
                    times, dimension, plus = entry.SIZES[name]
                    length = times * dims[dimension] + plus
                    self.places[name] = (end, KINDS[kind], length)
                    end += -(-length * np.dtype(KINDS[kind]).itemsize // 8) * 8
        pages = -(-end // 65536) - self.memory.size(self.store)
        if pages > 0:
            self.memory.grow(self.store, pages)

    def column(self, name: str) -> Any:
        """Return a column as an array over the module's memory."""
        at, kind, length = self.places[name]
        start = ctypes.addressof(self.memory.data_ptr(self.store).contents)
        size = self.memory.data_len(self.store)
        buffer = (ctypes.c_char * size).from_address(start)
        return np.frombuffer(buffer, kind, length, at)

    def call(self, name: str, into: str = "", **numbers: float) -> int:
        """Call an entry point; where there are columns named with `into`, with those."""
        arguments = [
            self.places.get(into + argument, self.places[argument])[0]
            if kind in KINDS
            else numbers[argument]
            for argument, kind in entry.arguments()[name]
        ]
        return int(self.exports[name](self.store, *arguments))

    def draw(self, explorer: Explorer, room: int) -> int:
        """Draw the traffic of an explorer's setting; return how many tasks came."""
        rows = [(name, row) for row in explorer.view.tenants for name in names_of(row)]
        horizon_s, factor = explorer.view.horizon_s, tidy(explorer.burst.value)
        pieces = [
            Tenant(
                name, row["rate_per_s"], bursts=[Burst(a, b, factor) for a, b in row["bursts"]]
            ).rate_pieces(horizon_s)
            for name, row in rows
        ]
        sizes = [len(rates) for _, rates in pieces]
        groups = [place for place, row in enumerate(explorer.view.tenants) for _ in names_of(row)]
        self.groups, self.steps = len(explorer.view.tenants), ceil(horizon_s)
        cells = self.groups * self.steps
        self.lay(
            tenants=len(rows), pieces=sum(sizes), tasks=room, workers=64,
            groups=self.groups, cells=cells,
        )  # fmt: skip
        self.column("group")[:] = groups
        self.column("key")[:] = [tenant_key(name) for name, _ in rows]
        self.column("first_piece")[:] = np.cumsum([0, *sizes])
        self.column("cost_kind")[:] = [row["cost"]["kind"] for _, row in rows]
        self.column("mean_cost_s")[:] = [row["cost"]["mean_s"] for _, row in rows]
        self.column("long_cost_s")[:] = [row["cost"]["long_s"] for _, row in rows]
        self.column("long_share")[:] = [row["cost"]["long_share"] for _, row in rows]
        self.column("piece_from_s")[:] = np.concatenate([edges[:-1] for edges, _ in pieces])
        self.column("piece_to_s")[:] = np.concatenate([edges[1:] for edges, _ in pieces])
        self.column("weight")[:] = [row["weight"] for _, row in rows]
        self.column("quota_per_s")[:] = [row["quota_per_s"] for _, row in rows]
        self.column("quota_burst")[:] = [row["quota_burst"] for _, row in rows]
        self.column("stated")[:] = [row["stated"] for _, row in rows]
        self.tenants, self.explorer = len(rows), explorer
        numbers = {"seed": explorer.seed.value, "tenants": self.tenants, "room": room}
        drawn = {}
        for part, bursts in (("steady", False), ("bursting", True)):  # the others' rates are 0
            among = [bool(row["bursts"]) == bursts for _, row in rows]
            self.column("piece_rate_per_s")[:] = np.concatenate(
                [rates * own for (_, rates), own in zip(pieces, among, strict=True)]
            )
            drawn[part] = self.call("generate", into=f"{part}_", **numbers)
        self.tasks = -1 if min(drawn.values()) < 0 else self.call("merge", **drawn)
        self.call("state_costs", tasks=max(self.tasks, 0))
        return self.tasks

    def run(self, policy: Policy) -> int:
        """Simulate and measure one policy on the traffic drawn."""
        quantum_s = getattr(policy.discipline, "quantum_s", 1.0)
        self.column("quantum_s")[:] = quantum_s * self.column("weight")
        from_s, to_s = self.explorer.view.window
        numbers = {
            "tasks": self.tasks,
            "tenants": self.tenants,
            "workers": self.explorer.workers.value,
            "cap": policy.discipline.cap,
            "limited": int(policy.admission is not None),
            "horizon_s": float(self.explorer.view.horizon_s),
            "from_s": float(from_s),
            "to_s": float(to_s),
            "objective_s": float(self.explorer.view.objective_s),
        }
        self.column("cut_s")[:] = from_s, to_s
        self.call("share_fairly", **numbers)
        if type(policy.discipline) is InFlight:
            loop = "in_flight"
            self.column("limit")[:] = policy.discipline.limit
            self.column("size_from_s")[:], self.column("size")[:] = 0.0, numbers["workers"]
        else:
            loop = compiled.DISCIPLINES[type(policy.discipline)].__name__.rpartition(".")[2]
        self.call(f"simulate_{loop}", **numbers)
        self.fruitless = int(self.column("ring")[FRUITLESS]) if loop == "drr" else 0
        self.call("timeline", **numbers, groups=self.groups, steps=self.steps, step_s=1.0, q=0.99)
        return self.call("measure", **numbers)
