"""Compile the engine to WebAssembly: ``fairness_lib/engine/kernel/`` to ``explorer/kernel.wasm``.

    python tools/build_wasm.py [OUT.wasm]

numba compiles the entry points as it does natively; LLVM then drops what cannot be reached
(exceptions, calls of CPython) and makes WebAssembly of the rest; ``wasm-ld`` from PyPI's ziglang
joins the parts. Run it after every change of the kernel: a test compares what it makes with what
is shipped, byte for byte.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

# Before numba is imported: the same code on every machine.
os.environ.update(NUMBA_CPU_NAME="generic", NUMBA_CPU_FEATURES="")

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ROOT / "fairness_lib" / "explorer" / "kernel.wasm"
OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "_nrt": False,
}  # no ZeroDivisionError, no reference counts
TARGET = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+bulk-memory-opt,+sign-ext,+mutable-globals,+nontrapping-fptoint"


def entry_points() -> dict[str, FunctionType]:
    """Return the entry points, on top of a kernel that numba can call."""
    from numba import njit

    from fairness_lib.engine import compiled
    from fairness_lib.engine import kernel as plain
    from fairness_lib.explorer import entry

    kernel = ModuleType("kernel")
    kernel.__dict__.update(vars(plain) | compiled.build(njit(**OPTIONS)))
    names = {**vars(entry), "kernel": kernel}
    return {f.__name__: FunctionType(f.__code__, names, f.__name__) for f in entry.FUNCTIONS}


def compile_one(function: Any, arguments: list[list[str]]) -> bytes:
    """Compile one entry point to a WebAssembly object."""
    import llvmlite.binding as llvm  # type: ignore[import-untyped]
    from numba import cfunc, types

    numbers = {"Int": types.int32, "Real": types.float64, "Word": types.uint64}
    items = {
        "Ints": types.int64,
        "Reals": types.float64,
        "Words": types.uint64,
        "Bytes": types.int8,
    }
    pointer: Any = types.CPointer
    typed = [numbers[t] if t in numbers else pointer(items[t]) for _, t in arguments]
    ir = cfunc(types.int32(*typed), **OPTIONS)(function).inspect_llvm()

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TARGET).create_target_machine(
        cpu="mvp", features=FEATURES, opt=3, reloc="static", codemodel="default"
    )
    module = llvm.parse_assembly(ir)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    for part in module.functions:  # only the entry is seen from outside: all else can be dropped
        if part.name.startswith("cfunc."):
            part.name = function.__name__
        elif not part.is_declaration:
            part.linkage = "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=3))
    passes.getModulePassManager().run(module, passes)
    module.verify()
    missing = [
        part.name
        for part in module.functions
        if part.is_declaration and not part.name.startswith("llvm.")
    ]
    if missing:
        raise SystemExit(f"{function.__name__} needs what a page does not have: {missing}")
    return bytes(machine.emit_object(module))


def build(target: Path) -> None:
    """Compile and link all entry points into `target`."""
    from fairness_lib.explorer import entry

    functions, arguments = entry_points(), entry.arguments()
    with tempfile.TemporaryDirectory() as folder:
        objects = []
        for name, types in arguments.items():
            objects.append(Path(folder, f"{name}.o"))
            objects[-1].write_bytes(compile_one(functions[name], types))
        subprocess.run(
            [
                *(sys.executable, "-m", "ziglang", "wasm-ld", "--no-entry", "--strip-all"),
                *(f"--export={name}" for name in arguments),
                *("--export=__heap_base", "--import-memory"),
                *map(str, objects),
                *("-o", str(target)),
            ],
            check=True,
        )


if __name__ == "__main__":
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else SHIPPED
    build(out)
    print(f"{out.name}: {out.stat().st_size:,} bytes")
