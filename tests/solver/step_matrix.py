#!/usr/bin/env python3
"""Nothing grows: the eigenvalues of a whole time step, local time steps included, by step_matrix.c.

    step_matrix.py PROGRAM FOLDER CASE:ORDER:INTEGRATOR ...

for each of these at SEDGE_CFL_STABLE: no eigenvalue is above 1 in magnitude by more than 1e-10, which in 10^5
steps would be 1e-5. Rounding leaves 1e-14: static fields have the eigenvalue 1. As a control the first one must
grow with steps that are too long.
"""

import pathlib
import subprocess
import sys

import numpy as np

STABLE, TOO_LONG = "0.85", "2"


def find_growth(program, folder, case, cfl):
    path = folder / f"{case.replace(':', '-')}-{cfl}.bin"
    words = subprocess.run([program, *case.split(":"), cfl, str(path)], check=True, stdout=subprocess.PIPE,
                           text=True).stdout.split()
    unknowns, levels, steps = map(int, words)
    matrix = np.fromfile(path).reshape(unknowns, unknowns).T
    path.unlink()
    growth = np.abs(np.linalg.eigvals(matrix)).max() - 1
    print(f"{case}, cfl {cfl}: {unknowns} unknowns, {levels} levels, {steps} steps of the finest: "
          f"largest magnitude 1 {growth:+.1e}", flush=True)
    return growth, levels


def main():
    program, folder, cases = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for case in cases:
        growth, levels = find_growth(program, folder, case, STABLE)
        has_levels = case.endswith(":ader") and not case.startswith("curved")
        if growth > 1e-10 or (levels == 1) == has_levels:
            print(f"failed: {case}", file=sys.stderr)
            failed += 1
    if find_growth(program, folder, cases[0], TOO_LONG)[0] < 0.01:
        print("failed: the control is stable", file=sys.stderr)
        failed += 1
    sys.exit(failed > 0)


main()
