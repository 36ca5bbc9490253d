"""A long run of a small cavity: memory, handles, energy and error as they must be.

    long_run.py STEPS

One process on SEDGE_TEST_DEVICE (host). With central fluxes space loses no energy, so that all that
is lost is the time scheme's own, which is known; the error is one of phase and grows with time.
Prints a table.
"""

import math
import os
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))

from kit import FOLDER, PROGRAM, read_json  # noqa: E402

try:
    import h5py
except ImportError:
    print("SKIPPED: Python has no h5py")
    sys.exit(77)

DECK = """\
equation: maxwell
order: 8
precision: fp64
mesh:
  box: {{cells: [1, 1, 1]}}
flux: {{upwind: 0}}
time:
  steps: {steps}
  cfl: 0.5                # small enough for the theory of what the time scheme loses
materials:
  domain: {{epsilon: 1}}
boundaries:
  xmin: {{type: pec}}
  xmax: {{type: pec}}
  ymin: {{type: pec}}
  ymax: {{type: pec}}
  zmin: {{type: pec}}
  zmax: {{type: pec}}
initial: {{type: cavity-mode}}
monitors:
  energy: {{every: 10}}
  probes: {{every: 10, points: {{inside: [0.3, 0.4, 0.2]}}}}
output: {{snapshots: 20, checkpoint: {{steps: {checkpoint}}}}}
"""

WINDOWS = 10
TRIES = 5
OMEGA = math.sqrt(3.0) * math.pi
# What may come after the first tenth: a page here and there, also one large page (2 MiB) of a device's
# driver. A leak of 40 bytes a step is more in 10^5 steps.
MEMORY_KIB = 3072


def resources(process):
    """KiB of resident memory and the open files of a process; None if it has ended."""
    folder = pathlib.Path(f"/proc/{process}")
    try:
        lines = (folder / "status").read_text().splitlines()
        memory = [int(line.split()[1]) for line in lines if line.startswith("VmRSS")]
        return memory[0], len(list((folder / "fd").iterdir()))
    except (OSError, IndexError):
        return None


def run(steps, folder):
    """Run the deck; what it held over time, but for its end, where it measures the device for the
    report: (clock, KiB, files)."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(folder / "long-results", ignore_errors=True)
    (folder / "long.yaml").write_text(DECK.format(steps=steps, checkpoint=steps // 10))
    device = os.environ.get("SEDGE_TEST_DEVICE", "host")
    seen = []
    with open(folder / "long.out", "wb") as out:
        process = subprocess.Popen([PROGRAM, "run", "long.yaml", "--device", device], cwd=folder,
                                   stdout=out, stderr=out, stdin=subprocess.DEVNULL)
        while process.poll() is None:
            now = resources(process.pid)
            if now is not None and (folder / "long-results/energy.h5").exists():
                seen.append((time.monotonic(), *now))
            time.sleep(0.02)
    if process.returncode != 0:
        sys.exit((folder / "long.out").read_text())
    loop = read_json(folder / "long-results/report.json")["wall_seconds"]["loop"]
    return [row for row in seen if row[0] < seen[0][0] + loop]


def run_watched(steps, folder):
    """The same in tenths, all of which were seen: on a busy machine this process may be kept from
    looking."""
    for _ in range(TRIES):
        held = tenths(run(steps, folder))
        if len(held) == WINDOWS:
            break
    return held


def step_loss(y):
    """Energy that LSRK4(5) leaves of an oscillation in a step of phase y: its R(iy), squared."""
    real = 1.0 - y**2 / 2 + y**4 / 24
    imaginary = y - y**3 / 6 + y**5 / 200
    return real**2 + imaginary**2


def tenths(seen):
    """Most memory and fewest files (none is open for long) in each tenth of the run's time."""
    if len(seen) < WINDOWS:
        return []
    start, end = seen[0][0], seen[-1][0]
    rows = [[] for _ in range(WINDOWS)]
    for clock, memory, files in seen:
        rows[min(WINDOWS - 1, int(WINDOWS * (clock - start) / (end - start)))].append((memory, files))
    return [(max(m for m, _ in row), min(f for _, f in row)) for row in rows if row]


def phase_errors(results):
    """The largest difference to the exact solution at the probe in each tenth, of its amplitude."""
    with h5py.File(results / "probes.h5") as file:
        times, field = file["time"][()], file["probes/inside/E"][:, 0]
    errors = [0.0] * WINDOWS
    for i, t in enumerate(times):
        window = min(WINDOWS - 1, WINDOWS * i // len(times))
        errors[window] = max(errors[window], abs(field[i] / field[0] - math.cos(OMEGA * t)))
    return errors


def main(steps):
    folder = FOLDER / f"long-{os.environ.get('SEDGE_TEST_DEVICE', 'host')}-{steps}"
    held = run_watched(steps, folder)
    results = folder / "long-results"
    report = read_json(results / "report.json")
    with h5py.File(results / "energy.h5") as file:
        energy = file["energy"][()]
    errors = phase_errors(results)
    kept = step_loss(OMEGA * report["dt"]) ** steps
    lost, lost_theory = 1.0 - energy[-1] / energy[0], 1.0 - kept

    print(f"{steps} steps of dt = {report['dt']:.5g}, {report['wall_seconds']['loop']:.1f} s in the "
          f"loop, {report['device']['kind']}")
    print("tenth  resident KiB  files   energy / first - 1   error at the probe")
    for i, (memory, files) in enumerate(held):
        last = energy[(i + 1) * (len(energy) - 1) // WINDOWS]
        print(f"{i + 1:5d}  {memory:12d}  {files:5d}  {last / energy[0] - 1.0:19.3e}  "
              f"{errors[i]:18.3e}")
    print(f"energy lost {lost:.4e}, by theory {lost_theory:.4e}")

    faults = []
    if len(energy) != steps // 10 + 1:
        faults.append(f"{len(energy)} samples of the energy")
    if len(held) != WINDOWS:
        sys.exit("too short to see anything")
    if held[-1][0] > held[1][0] + MEMORY_KIB:
        faults.append(f"memory grew from {held[1][0]} to {held[-1][0]} KiB")
    # Halves: of a tenth all that was seen may be while a file is written to a slow disk.
    before, after = (min(files for _, files in part) for part in (held[1:5], held[5:]))
    if after > before:
        faults.append(f"open files grew from {before} to {after}")
    # Rounding: each step's sum is right to some 1e-16, and they add up at worst.
    if max(energy[1:] / energy[:-1]) > 1.0 + 1e-13 * 10:
        faults.append(f"the energy grows: a factor of 1 + {max(energy[1:] / energy[:-1]) - 1.0:.3e}")
    # What the initial interpolation put into other modes (its error, squared) may be lost beside.
    if not 0.9 * lost_theory - 1e-9 <= lost <= 1.1 * lost_theory + 1e-5:
        faults.append(f"energy lost {lost:.4e}, theory says {lost_theory:.4e}")
    # Linear in time: the last tenth's is at most (but for the error at the start) ten times the
    # first's, and with it all between.
    first = errors[0]
    for i, error in enumerate(errors):
        if error > 1.2 * (i + 1) * first:
            faults.append(f"error {error:.3e} in tenth {i + 1} after {first:.3e} in the first")
    if report["l2_error_relative"] > 2.0 * errors[-1] + 1e-3:
        faults.append(f"error of the whole field {report['l2_error_relative']:.3e}")
    for fault in faults:
        print(f"FAILED: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
