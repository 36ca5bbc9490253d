#!/usr/bin/env python3
"""Does the energy grow in a long run? benchmarks/growth.yaml with each scheme: slivers, a dispersive medium,
absorbing layers; the dipole is silent after a time of 5.5.

    growth.py run PROGRAM FOLDER [STEPS [DEVICE]]    all schemes, orders 2 to 4, both precisions
    growth.py short PROGRAM FOLDER                   one run of order 1, for CI
    growth.py check FOLDER ...                       results of such runs

From then on each energy may be above the least one before it by rounding alone: by 1e-5 of itself in fp32, where a
field at rest that remains is added up from 3072 elements with 6e-8 each, and 1e-6 in fp64 (measured: 2e-6 and 3e-7,
beyond the twelfth digit of the peak). Needs h5py.
"""

import json
import pathlib
import subprocess
import sys

import h5py

DECK = pathlib.Path(__file__).parent / "growth.yaml"
SILENT = 5.5
SCHEMES = [("lsrk45", "1"), ("ndblsrk144", "1"), ("ader", "1"), ("ader", "auto")]
ROUNDING = {"fp32": 1e-5, "fp64": 1e-6}


def run(program, folder, device, scheme, levels, order, precision, steps):
    output = pathlib.Path(folder) / f"{scheme}-{levels}-{order}-{precision}"
    settings = {"time.integrator": scheme, "time.levels": levels, "order": order, "precision": precision,
                "time.steps": steps}
    words = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
    subprocess.run([program, "run", DECK, "--device", device, *words, "--output", output], check=True,
                   stdout=subprocess.DEVNULL)
    return check(output)


def check(output):
    """Whether no energy is above what was there before."""
    report = json.loads((output / "report.json").read_text(encoding="utf-8"))
    with h5py.File(output / "energy.h5") as file:
        times, energies = file["time"][:], file["energy"][:]
    allowed = ROUNDING[report["precision"]]
    least, most, worst, at = None, energies.max(), -1.0, 0.0
    for time, energy in zip(times, energies):
        if time < SILENT:
            continue
        if least is not None and not energy <= least * (1 + worst):  # not a number, too
            worst, at = energy / least - 1, time
        least = energy if least is None else min(least, energy)
    good = least is not None and worst <= allowed
    print(f"{output.name}: {report['steps']} steps to {times[-1]:.1f}, energy of the peak {most:.2e}, at the end "
          f"{energies[-1]:.2e}; above the least one before it at most {worst:+.1e} (at {at:.1f})"
          f"{'' if good else ': IT GROWS'}", flush=True)
    return good


def main():
    words = sys.argv[1:]
    if len(words) >= 3 and words[0] == "run":
        steps, device = words[3:4] or ["100000"], words[4:5] or ["auto"]
        results = [run(words[1], words[2], device[0], scheme, levels, order, precision, steps[0])
                   for order in (2, 3, 4) for precision in ROUNDING for scheme, levels in SCHEMES]
    elif len(words) == 3 and words[0] == "short":
        results = [run(words[1], words[2], "host", "ader", "auto", 1, "fp32", 5500)]
    elif len(words) >= 2 and words[0] == "check":
        results = [check(pathlib.Path(folder)) for folder in words[1:]]
    else:
        sys.exit(__doc__)
    sys.exit(not all(results))


main()
