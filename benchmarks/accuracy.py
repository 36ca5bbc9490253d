#!/usr/bin/env python3
"""Time to accuracy: a plane wave on a conducting or a glass sphere, a cavity, by several codes beside exact solutions.

    accuracy.py BODY sedge ORDER [NEAR [FAR]]   on a mesh by Gmsh with these element sizes, or on the file $MESH
    accuracy.py BODY meep RESOLUTION [LAYER]    Meep (Debian's python3-meep-openmpi): cells a radius, thickness of its PML
    accuracy.py BODY fdtdx|gprmax CELLS         by yee.py, on a GPU: cells a radius
    accuracy.py table ROWS                      the rows of a file, in order of time
    accuracy.py plot ROWS FILE.png              error against time

BODY is conductor (input/sphere.yaml) or glass (epsilon 2.25, input/dielectric-sphere.yaml), of radius 1 in an open box
from -2 to 2, or ball, a cavity of that radius in a conductor, rung by a dipole (not by Meep). Each run appends a line of
JSON to accuracy.jsonl (or $ACCURACY): seconds of the whole run, by the clock and of the processor; the error of the
radar cross-section at k a = 1, 2, 3, 4 (rms in dB over the angles within 20 dB of the peak, in the planes of E and H);
the error of the scattered E at five points near the sphere (the largest, relative to the exact one there); of the ball
the relative errors of its two lowest frequencies. Sedge and Meep run on $RANKS (2) processes; Sedge is $SEDGE
("sedge") with $SEDGE_OPTIONS, $SEDGE_SETTINGS; $DEVICE ("H200"), where it is set, is named in the row; $SHARED set
marks times that are upper bounds, since other runs shared the machine.
"""

import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

import numpy
from scipy import special

SIZES = numpy.array([1.0, 2.0, 3.0, 4.0])  # k a
FREQUENCIES = SIZES / (2 * numpy.pi)
POINTS = numpy.array([[0.05, 0, -1.3], [0, 0.05, 1.3], [1.2, 0.1, 0.1], [0.1, 1.3, 0.2], [0.9, 0.8, -0.9]])
THETAS = numpy.arange(0, 181, 5.0)
PHIS = numpy.array([0.0, 90.0])
ROOT = pathlib.Path(__file__).resolve().parent.parent


BODIES = {  # refractive index, deck, mesh, sizes of elements, surface of the far field
    "conductor": (None, "sphere.yaml", "sphere-in-box.geo", (0.42, 0.55), "sphere"),
    "glass": (1.5, "dielectric-sphere.yaml", "solid-sphere.geo", (0.38, 0.55), "around"),
    "ball": (None, None, "ball.geo", (0.42,), None),
}
MODES = numpy.array([2.743707269992265, 3.8702385802])  # k a of the ball's two lowest: zeros of (x j_n)', n = 1, 2
BALL = """
equation: maxwell
precision: fp32
time: {end: 80}
materials: {inside: {}}
boundaries: {wall: {type: pec}}
sources:
  - {type: dipole, position: [0.3, 0.2, 0.1], direction: [0, 0, 1], signal: {type: ricker, frequency: 0.45}}
monitors: {probes: {every: 1, points: {probe: [-0.2, 0.4, -0.3]}}}
output: {snapshots: 0}
"""


def mie(index, k, position):
    """The scattered E of a sphere of radius 1 at `position` [..][3] outside of it, for E = x exp(i k z).

    `index` is the refractive index, None that of a perfect conductor. Time runs as exp(-i w t). Bohren and Huffman,
    Absorption and Scattering of Light by Small Particles, 4.45 and 4.53."""
    radius = numpy.linalg.norm(position, axis=-1)
    theta = numpy.arccos(position[..., 2] / radius)
    phi = numpy.arctan2(position[..., 1], position[..., 0])
    mu, sine = numpy.cos(theta), numpy.maximum(numpy.sin(theta), 1e-9)
    count = int(k + 4 * k ** (1 / 3) + 12)

    def hankel(n, x):
        return special.spherical_jn(n, x) + 1j * special.spherical_yn(n, x)

    def inner(n, x):  # x j_n and its derivative
        return x * special.spherical_jn(n, x), special.spherical_jn(n, x) + x * special.spherical_jn(n, x, True)

    def slope(n, x):  # d(x h_n)/dx
        return hankel(n, x) + x * (special.spherical_jn(n, x, True) + 1j * special.spherical_yn(n, x, True))

    rho = k * radius
    field = numpy.zeros(position.shape, complex)  # along r, theta, phi
    before, pi = numpy.zeros_like(mu), numpy.ones_like(mu)
    for n in range(1, count + 1):
        tau = n * mu * pi - (n + 1) * before
        psi, d_psi = inner(n, k)
        xi, d_xi = k * hankel(n, k), slope(n, k)
        if index is None:
            a, b = d_psi / d_xi, psi / xi
        else:
            psi_in, d_psi_in = inner(n, index * k)
            a = (index * psi_in * d_psi - psi * d_psi_in) / (index * psi_in * d_xi - xi * d_psi_in)
            b = (psi_in * d_psi - index * psi * d_psi_in) / (psi_in * d_xi - index * xi * d_psi_in)
        scale = 1j ** n * (2 * n + 1) / (n * (n + 1))
        h, dh = hankel(n, rho), slope(n, rho) / rho
        field[..., 0] += scale * 1j * a * numpy.cos(phi) * n * (n + 1) * sine * pi * h / rho
        field[..., 1] += scale * numpy.cos(phi) * (1j * a * tau * dh - b * pi * h)
        field[..., 2] += scale * numpy.sin(phi) * (b * tau * h - 1j * a * pi * dh)
        before, pi = pi, ((2 * n + 1) * mu * pi - (n + 1) * before) / n
    along = numpy.stack([sine * numpy.cos(phi), sine * numpy.sin(phi), mu], -1)
    polar = numpy.stack([mu * numpy.cos(phi), mu * numpy.sin(phi), -sine], -1)
    round_ = numpy.stack([-numpy.sin(phi), numpy.cos(phi), numpy.zeros_like(phi)], -1)
    return field[..., :1] * along + field[..., 1:2] * polar + field[..., 2:] * round_


def directions():
    theta, phi = numpy.radians(numpy.meshgrid(THETAS, PHIS, indexing="ij"))
    return numpy.stack([numpy.sin(theta) * numpy.cos(phi), numpy.sin(theta) * numpy.sin(phi), numpy.cos(theta)], -1)


def mie_rcs(index, k):
    """[theta][phi]: from the field at a large distance, of which one radius in 10^7 is left."""
    far = 1e7
    return 4 * numpy.pi * far**2 * (abs(mie(index, k, far * directions())) ** 2).sum(-1)


def errors(index, rcs, near):
    """Of rcs [frequency][theta][phi] and the scattered E [frequency][point][3] as exp(-i w t) has it."""
    decibel, field = [], []
    for i, k in enumerate(SIZES):
        exact = mie_rcs(index, k)
        shown = exact > exact.max() / 100
        decibel.append(float(numpy.sqrt((10 * numpy.log10(rcs[i] / exact)[shown] ** 2).mean())))
        exact = mie(index, k, POINTS)
        field.append(float((numpy.linalg.norm(near[i] - exact, axis=-1) / numpy.linalg.norm(exact, axis=-1)).max()))
    return {"decibel": decibel, "near": field}


def ringing(samples, step):
    """Relative errors of the modes' frequencies in `samples` of a field, `step` apart, by the matrix pencil method:
    of each the strongest oscillation within 10 %."""
    stride = max(1, int(0.25 / step))
    signal = samples[int(10 / step)::stride]  # the pulse is over
    signal = signal / abs(signal).max()
    rows = numpy.lib.stride_tricks.sliding_window_view(signal, len(signal) // 2 + 1)
    _, values, space = numpy.linalg.svd(rows, full_matrices=False)
    space = space[:(values > 1e-5 * values[0]).sum()].T
    powers = numpy.linalg.eigvals(numpy.linalg.lstsq(space[:-1], space[1:], rcond=None)[0])
    powers = powers[abs(abs(powers) - 1) < 0.05]
    strength = abs(numpy.linalg.lstsq(powers ** numpy.arange(len(signal))[:, None], signal.astype(complex), rcond=None)[0])
    found = numpy.angle(powers) / (step * stride)
    errors_ = []
    for mode in MODES:
        close = abs(found / mode - 1) < 0.1
        errors_.append(float(abs(found[close][strength[close].argmax()] / mode - 1)))
    return errors_


def make_mesh(folder, geometry, sizes, usual):
    if "MESH" in os.environ:
        return pathlib.Path(os.environ["MESH"]).resolve()
    words = ["gmsh", "-3", "-nt", "1", "-order", "2", "-format", "msh41", "-bin", "-v", "1"]
    for name, value in zip(("near", "far") if len(usual) == 2 else ("h",), (*sizes, *usual[len(sizes):])):
        words += ["-setnumber", name, str(value)]
    subprocess.run([*words, ROOT / "meshes" / geometry, "-o", folder / "mesh.msh"], stdout=subprocess.DEVNULL, check=False)
    return folder / "mesh.msh"


def sedge_row(folder, order, seconds):
    report = json.loads((folder / "out/report.json").read_text())
    device = f" on an {os.environ['DEVICE']}" if "DEVICE" in os.environ else ""
    return {"code": f"Sedge{device}, order {int(order)}", "size": f"{report['elements']} elements", **seconds,
            "setup": report["wall_seconds"]["setup"], "loop": report["wall_seconds"]["loop"]}


def sedge_words(deck, folder, settings):
    words = ["mpirun", "-n", os.environ.get("RANKS", "2"), *os.environ.get("SEDGE", "sedge").split(), "run", deck,
             "--quiet", "--output", folder / "out", *os.environ.get("SEDGE_OPTIONS", "").split()]
    for setting in [*settings, *os.environ.get("SEDGE_SETTINGS", "").split()]:
        words += ["--set", setting]
    return words


def run_ball(folder, order, *sizes):
    mesh = make_mesh(folder, "ball.geo", sizes, BODIES["ball"][3])
    (folder / "ball.yaml").write_text(BALL)
    seconds = timed(sedge_words(folder / "ball.yaml", folder, [f"order={int(order)}", f"mesh.file={mesh}"]))
    import h5py
    with h5py.File(folder / "out/probes.h5") as file:
        times, samples = file["time"][()], file["probes/probe/E"][:, 2]
    return sedge_row(folder, order, seconds), samples, times


def run_sedge(body, folder, order, *sizes):
    _, deck, geometry, usual, surface = BODIES[body]
    mesh = make_mesh(folder, geometry, sizes, usual)
    points = ", ".join(f"p{i}: {list(map(float, point))}" for i, point in enumerate(POINTS))
    values = ", ".join(f"{f:.12g}" for f in FREQUENCIES)
    settings = [f"order={int(order)}", f"mesh.file={mesh}", "output.snapshots=0", "monitors.slices={}", "monitors.probes={}",
                f"monitors.frequencies={{list: [{values}]}}", f"monitors.spectra={{near: {{points: {{{points}}}}}}}",
                f"monitors.far-field={{sphere: {{surface: {surface}, theta: {{step: 5}}, phi: {{from: 0, to: 90, step: 90}}}}}}"]
    seconds = timed(sedge_words(ROOT / "input" / deck, folder, settings))
    import h5py
    with h5py.File(folder / "out/far-field.h5") as file:
        group = file["sphere"]
        assert numpy.allclose(group["theta"][()], THETAS) and numpy.allclose(group["phi"][()], PHIS)
        rcs = group["rcs_theta"][()] + group["rcs_phi"][()]
    with h5py.File(folder / "out/spectra.h5") as file:
        near = file["spectra/near/E_normalised"][()].conj()  # its time runs as exp(+i w t)
    start = -1.0 if body == "conductor" else -1.5  # the deck's phases are about its origin on the z axis
    near *= numpy.exp(1j * SIZES * start)[:, None, None]
    if body == "glass":  # there the fields are total
        near[..., 0] -= numpy.exp(1j * numpy.outer(SIZES, POINTS[:, 2]))
    return sedge_row(folder, order, seconds), rcs, near


def run_yee(code, body, folder, cells):
    with open(folder / "log", "w") as log:
        seconds = timed([sys.executable, ROOT / "benchmarks/yee.py", body, code, int(cells), folder / "out.npz"],
                        cwd=folder, stdout=log)
    found = numpy.load(folder / "out.npz")
    parts = {name.removeprefix("seconds_"): float(found[name]) for name in found if name.startswith("seconds_")}
    if code == "gprmax":  # it prints the seconds of its loop alone
        minutes, rest = re.search(r"Time taken: (?:(\d+) minutes?\D+)?([\d.]+) second", (folder / "log").read_text()).groups()
        parts["loop"] = 60 * int(minutes or 0) + float(rest)
    name = f"{'gprMax' if code == 'gprmax' else code} on an {os.environ.get('DEVICE', 'unknown device')}"
    return {"code": name, "size": f"{int(cells)} cells a radius", **seconds, **parts}, found


def run_meep(body, folder, resolution, layer=2.0):
    seconds = timed(["mpirun", "-n", os.environ.get("RANKS", "2"), sys.executable, __file__, body, "meep-inside", resolution,
                     layer, folder / "out.npz"])
    found = numpy.load(folder / "out.npz")
    return {"code": "Meep", "size": f"{resolution:g} cells a radius, layer of {layer:g}", **seconds}, found["rcs"], found["near"]


def meep_inside(body, resolution, layer, path):
    """Two runs, with and without the sphere, in a quarter of space by the symmetry of wave and sphere."""
    import meep
    index = BODIES[body][0]
    material = meep.metal if index is None else meep.Medium(index=index)
    side = 4 + 2 * layer
    low, high = FREQUENCIES[0], FREQUENCIES[-1]
    source = [meep.Source(meep.GaussianSource(frequency=0.5 * (low + high), fwidth=1.3 * (high - low), is_integrated=True),
                          component=meep.Ex, center=meep.Vector3(0, 0, -2), size=meep.Vector3(side, side, 0))]
    fields, saved, incident = [], None, None
    for shapes in ([], [meep.Sphere(radius=1, material=material)]):
        run = meep.Simulation(cell_size=meep.Vector3(side, side, side), resolution=resolution, geometry=shapes,
                              boundary_layers=[meep.PML(layer)], sources=source, k_point=meep.Vector3(),
                              symmetries=[meep.Mirror(meep.X, phase=-1), meep.Mirror(meep.Y, phase=1)])
        box = [meep.Near2FarRegion(center=meep.Vector3(*(1.5 * sign * numpy.eye(3)[axis])), weight=sign,
                                   size=meep.Vector3(*(3 * (1 - numpy.eye(3)[axis])))) for axis in range(3) for sign in (-1, 1)]
        far = run.add_near2far(list(FREQUENCIES), *box)
        if shapes:
            run.load_minus_near2far_data(far, saved)
        sums = numpy.zeros((len(SIZES), len(POINTS) + 1, 3), complex)

        def sample(run=run, sums=sums):  # called only before the next turn
            now = numpy.array([[run.get_field_point(component, meep.Vector3(*point)).real for component in
                                (meep.Ex, meep.Ey, meep.Ez)] for point in [*POINTS, [0.1, 0.1, 0]]])
            sums += numpy.exp(2j * numpy.pi * FREQUENCIES * run.meep_time())[:, None, None] * now

        run.run(meep.at_every(0.2, lambda _: sample()),
                until_after_sources=meep.stop_when_fields_decayed(5, meep.Ex, meep.Vector3(0, 0, 1.5), 1e-4))
        sums *= 0.2 / numpy.sqrt(2 * numpy.pi)  # the factor of Meep's own transforms
        fields.append(sums[:, :-1])
        if not shapes:
            saved, incident = run.get_near2far_data(far), sums[:, -1, 0]
            continue
        distance = 1e4
        rcs = numpy.array([[numpy.array(run.get_farfield(far, meep.Vector3(*(distance * unit)))).reshape(-1, 6)[:, :3]
                            for unit in row] for row in directions()])
        rcs = 4 * numpy.pi * distance**2 * (abs(rcs) ** 2).sum(-1) / abs(incident) ** 2
    if meep.am_master():
        numpy.savez(path, rcs=rcs.transpose(2, 0, 1), near=(fields[1] - fields[0]) / incident[:, None, None])


def timed(words, **options):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(list(map(str, words)), check=True, **{"stdout": subprocess.DEVNULL, **options})
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"wall": wall, "processor": after.ru_utime - before.ru_utime}


def table(path):
    print("| code | size | wall, s | loop, s | RCS, rms dB at k a = 1, 2, 3, 4 | E near the sphere, % |")
    print("|---|---|---|---|---|---|")

    def seconds(row):
        mark = "at most " if "shared" in row else ""
        return f"{mark}{row['wall']:.1f} | {mark}{row['loop']:.2f}" if "loop" in row else f"{mark}{row['wall']:.1f} |"

    rows = sorted(map(json.loads, open(path)), key=lambda row: row["wall"])
    for row in rows:
        if row["body"] == "ball":
            continue
        print(f"| {row['code']}, {row['body']} | {row['size']} | {seconds(row)} "
              f"| {', '.join(f'{d:.3f}' for d in row['decibel'])} | {', '.join(f'{100 * e:.2g}' for e in row['near'])} |")
    print("\n| code | size | wall, s | loop, s | the ball's frequencies, relative errors |")
    print("|---|---|---|---|---|")
    for row in rows:
        if row["body"] == "ball":
            print(f"| {row['code']} | {row['size']} | {seconds(row)} "
                  f"| {', '.join(f'{e:.1e}' for e in row['frequency'])} |")


def plot(path, picture):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    rows = sorted(map(json.loads, open(path)), key=lambda row: row["wall"])
    figure, axes = pyplot.subplots(1, 3, figsize=(17, 4.4), layout="constrained")
    labels = ("radar cross-section: rms error, dB, k a = 1 to 4", "E near the sphere: largest error, k a = 1 to 4",
              "ball: error of two lowest frequencies")
    for row in rows:
        row["name"] = re.sub(" on an H.*", " on a GPU", row["code"].split(",")[0])
    names = sorted({row["name"] for row in rows})
    for axis, key, label in zip(axes, ("decibel", "near", "frequency"), labels):
        for number, name in enumerate(names):
            for body, marker in zip(BODIES, "osD"):
                some = [row for row in rows if row["name"] == name and row["body"] == body and key in row]
                axis.loglog([row["wall"] for row in some], [max(row[key]) for row in some], color=f"C{number}", marker=marker,
                            linestyle="" if name.startswith("Sedge") else "-",
                            fillstyle="none" if body == "glass" else "full", label=f"{name}, {body}" if some else None)
                for row in some:  # the order, or the cells a radius
                    word = row["code"].split("order ")[-1] if "order" in row["code"] else row["size"].split()[0]
                    word = f"$\\leq$ {word}" if "shared" in row else word
                    axis.annotate(word, (row["wall"], max(row[key])), (4, 4), textcoords="offset points", fontsize="x-small")
        axis.set(xlabel="wall time of the whole run, s", ylabel=label)
        axis.grid(True, which="both", alpha=0.25)
    handles = {label: handle for axis in axes for handle, label in zip(*axis.get_legend_handles_labels())}
    axes[2].legend(handles.values(), handles.keys(), loc="upper left", bbox_to_anchor=(1.02, 1), fontsize="small")
    figure.savefig(picture, dpi=110)


CODES = ("sedge", "meep", "meep-inside", "fdtdx", "gprmax")


def measure(body, code, folder, *numbers):
    """A run's seconds and errors."""
    if code in ("fdtdx", "gprmax"):
        row, found = run_yee(code, body, folder, *numbers)
        if body == "ball":
            return {**row, "frequency": ringing(found["samples"], float(found["step"]))}
        return {**row, **errors(BODIES[body][0], found["rcs"], found["near"])}
    if body == "ball":
        row, samples, times = run_ball(folder, *numbers)
        return {**row, "frequency": ringing(samples, (times[-1] - times[0]) / (len(times) - 1))}
    row, rcs, near = (run_sedge if code == "sedge" else run_meep)(body, folder, *numbers)
    return {**row, **errors(BODIES[body][0], rcs, near)}


def main():
    words = sys.argv[1:]
    if words[:1] == ["table"] and len(words) == 2:
        return table(words[1])
    if words[:1] == ["plot"] and len(words) == 3:
        return plot(words[1], words[2])
    if len(words) < 3 or words[0] not in BODIES or words[1] not in CODES:
        sys.exit(__doc__.strip())
    if words[1] == "meep-inside":
        return meep_inside(words[0], float(words[2]), float(words[3]), words[4])
    with tempfile.TemporaryDirectory() as name:
        row = measure(words[0], words[1], pathlib.Path(name), *map(float, words[2:]))
    row = {"body": words[0], **row, **({"shared": True} if "SHARED" in os.environ else {})}
    print(json.dumps(row))
    with open(os.environ.get("ACCURACY", "accuracy.jsonl"), "a") as file:
        file.write(json.dumps(row) + "\n")
    return None


if __name__ == "__main__":
    main()
