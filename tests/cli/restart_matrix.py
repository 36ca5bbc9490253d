"""Restarts from every layout to every other: ranks x device x precision, as a table; and on the first
device from nodal values to coefficients of the Bernstein-Bezier basis and back.

    restart_matrix.py [--devices host,opencl] [--ranks 1,2,4]

Each layout runs 20 steps with a checkpoint in the middle; each layout goes on from there; the fields
at the end are compared with those of the run that was not interrupted. Needs the environment of
kit.py, SEDGE_COMPARE included; no h5py. A row of the table has all pairs of rank counts. Fails where
a difference is larger than rounding, where the same layout does not give the same bits, or where
another basis gives the same.
"""

import argparse
import itertools
import json
import os
import shutil
import subprocess
import sys

from kit import DECK, FOLDER, run

COMPARE = os.environ["SEDGE_COMPARE"]
FOLDER = FOLDER / "restart-matrix"
DECK = DECK.replace("output: {snapshots: 2}", "output: {snapshots: 0, checkpoint: {steps: 10}}")
# Relative to the largest value: 100 steps' worth of last bits for fp64, 20 for fp32.
LIMIT = {"fp64": 2e-14, "fp32": 2.5e-6}


def sedge(layout, output, *words):
    device, ranks, precision, variant = layout
    result = run("run", FOLDER / "deck.yaml", "--device", device, "--set", f"precision={precision}",
                 "--set", f"kernels.variant={variant}", "--output", output, "--quiet", *words, ranks=ranks, folder=FOLDER)
    if result.code != 0 or result.messages:
        sys.exit(f"restart_matrix: {result}")


def name_of(layout):
    return "-".join(map(str, layout))


def go_on(before, after):
    """The comparison of an uninterrupted run with one that changes its layout in the middle."""
    folder = f"{name_of(before)}-on-{name_of(after)}"
    sedge(after, folder, "--restart", f"{name_of(before)}/checkpoint-10.h5")
    done = subprocess.run([COMPARE, FOLDER / name_of(before) / "checkpoint-20.h5",
                           FOLDER / folder / "checkpoint-20.h5"], stdout=subprocess.PIPE, check=True)
    shutil.rmtree(FOLDER / folder)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", default="host,opencl")
    parser.add_argument("--ranks", default="1,2,4")
    given = parser.parse_args()
    ranks = [int(count) for count in given.ranks.split(",")]
    devices = given.devices.split(",")
    cases = list(itertools.product(devices, ("fp32", "fp64"), ("fused",)))
    pairs = list(itertools.product(cases, cases))
    for precision in ("fp32", "fp64"):
        nodal, other = ((devices[0], precision, variant) for variant in ("fused", "bernstein"))
        cases.append(other)
        pairs += [(nodal, other), (other, nodal), (other, other)]
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    (FOLDER / "deck.yaml").write_text(DECK)
    wrong = []
    for (device, precision, variant), count in itertools.product(cases, ranks):
        layout = (device, count, precision, variant)
        sedge(layout, name_of(layout))
    print("| before | after | ranks before x after | restarts | equal to the bit | largest difference "
          "|\n| --- | --- | --- | --- | --- | --- |")
    for before, after in pairs:
        found = []
        for one, other in itertools.product(ranks, ranks):
            first, second = (before[0], one, *before[1:]), (after[0], other, *after[1:])
            result = go_on(first, second)
            limit = LIMIT["fp32" if "fp32" in (before[1], after[1]) else "fp64"]
            if result["difference"] > limit * result["largest"]:
                wrong.append(f"{first} on {second}: {result}")
            if first == second and not result["equal"]:
                wrong.append(f"{first} does not go on with the same bits: {result}")
            if before[2] != after[2] and result["equal"]:
                wrong.append(f"{first} on {second}: the same bits, so no other basis was tried")
            found.append(result)
        ratio = max(result["difference"] / result["largest"] for result in found)
        equal = sum(result["equal"] for result in found)
        names = [" ".join(case).replace(" fused", "") for case in (before, after)]
        print(f"| {names[0]} | {names[1]} | {given.ranks} x {given.ranks} | "
              f"{len(found)} | {equal} | {ratio:.1e} |", flush=True)
    if wrong:
        sys.exit("restart_matrix:\n" + "\n".join(wrong))


if __name__ == "__main__":
    main()
