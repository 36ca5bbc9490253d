#!/usr/bin/env python3
"""The bodies of accuracy.py by two codes of finite differences on a GPU: fdtdx 0.6.3 and gprMax 4.0.1.

    yee.py BODY fdtdx|gprmax CELLS FILE.npz     run by accuracy.py; CELLS a radius

BODY is conductor or glass: a sphere of radius 1 in a plane wave, in total fields inside a box 1.1 from its centre; far
fields from the box at 1.5, absorbing layers of 10 cells (both codes' default) from 2. Or ball: a cavity of that radius,
rung by a dipole. Or none: nothing, which checks the incident wave. Writes rcs and near as accuracy.py wants them, or
the samples of a field and their step; and seconds of building, of compiling and of the loop as far as they are apart.
$YEE_CPU set: on the processor. Neither code is needed for the other: fdtdx wants JAX, gprMax's GPU part PyCUDA.
"""

import os
import pathlib
import sys
import time

import numpy

C = 299792458.0
MICRON = 1e-6  # the radius for fdtdx, whose layers' default parameters are those for light
LAYER = 10  # cells of the absorbing layer
TOTAL, FAR, EDGE = 1.1, 1.5, 2.0  # half sides of the boxes: total field, far field, up to the layer
END = {"conductor": 30.0, "glass": 40.0, "none": 30.0, "ball": 80.0}  # times c over the radius
DIPOLE, PROBE = (0.3, 0.2, 0.1), (-0.2, 0.4, -0.3)
FREQUENCY = 0.45  # of the dipole's pulse


def corners(point, cells, middle, shift):
    """Lower corner and weights [2][2][2] that interpolate at `point`, of samples at (index + shift) / cells - middle."""
    place = (numpy.asarray(point) * cells + middle) - shift
    low = numpy.floor(place + 1e-9).astype(int)
    part = place - low
    weights = numpy.ones((2, 2, 2))
    for axis in range(3):
        along = numpy.array([1 - part[axis], part[axis]])
        weights = weights * along.reshape([2 if a == axis else 1 for a in range(3)])
    return low, weights


def scattered(near, points, waves):
    """Takes the incident wave, of amplitude 1, off points inside the box of total fields."""
    for i, point in enumerate(points):
        if max(abs(numpy.asarray(point))) < TOTAL:
            near[:, i, 0] -= numpy.exp(1j * waves * point[2])
    return near


def fdtdx_scene(fdtdx, jax, body, cells):
    """Volume, sphere, boundaries: what all bodies share. The objects, constraints and cells a side."""
    conductor = fdtdx.Material(electric_conductivity=1e10)
    cavity = body == "ball"
    side = 2 * cells + 4 if cavity else int(2 * EDGE * cells) + 2 * LAYER
    h = MICRON / cells
    config = fdtdx.SimulationConfig(time=END[body] / C * MICRON, grid=fdtdx.UniformGrid(spacing=h), dtype=jax.numpy.float32,
                                    backend="cpu" if "YEE_CPU" in os.environ else "gpu")
    volume = fdtdx.SimulationVolume(partial_grid_shape=(side, side, side),
                                    material=conductor if cavity else fdtdx.Material())
    objects, rules = [volume], []
    if body != "none":
        stuff = {"air": fdtdx.Material(), "glass": fdtdx.Material(permittivity=2.25), "conductor": conductor}
        sphere = fdtdx.Sphere(radius=MICRON, materials=stuff, material_name="air" if cavity else body,
                              subpixel_smoothing=body == "glass", subpixel_full_tensor=body == "glass")
        rules.append(sphere.place_at_center(volume))
        objects.append(sphere)
    edges, more = fdtdx.boundary_objects_from_config(fdtdx.BoundaryConfig.from_uniform_bound(
        thickness=1 if cavity else LAYER, boundary_type="pec" if cavity else "pml"), volume)
    return volume, config, objects + list(edges.values()), rules + more, side


def fdtdx_run(fdtdx, jax, config, objects, rules, seconds):
    """Places the objects, compiles and runs. States of the detectors."""
    start, key = time.perf_counter(), jax.random.PRNGKey(0)
    container, arrays, params, config, _ = fdtdx.place_objects(object_list=objects, config=config, constraints=rules, key=key)
    arrays, container, _ = fdtdx.apply_params(arrays, container, params, key)
    jax.block_until_ready(arrays.fields.E)
    placed = time.perf_counter()

    def loop(state):
        return fdtdx.run_fdtd(arrays=state, objects=container, config=config, key=key, show_progress=False)[1]

    loop = jax.jit(loop).lower(arrays).compile()
    compiled = time.perf_counter()
    arrays = jax.block_until_ready(loop(arrays))
    seconds.update(build=placed - start, compile=compiled - placed, loop=time.perf_counter() - compiled)
    return container, arrays.detector_states, config


def run_fdtdx(body, cells, waves, points, angles, seconds):
    import fdtdx
    import jax

    jax.config.update("jax_default_matmul_precision", "highest")
    volume, config, objects, rules, side = fdtdx_scene(fdtdx, jax, body, cells)
    if body == "ball":
        pulse = fdtdx.GaussianPulseProfile(center_wave=fdtdx.WaveCharacter(frequency=FREQUENCY * C / MICRON),
                                           spectral_width=fdtdx.WaveCharacter(frequency=0.3 * FREQUENCY * C / MICRON))
        source = fdtdx.PointDipoleSource(partial_grid_shape=(1, 1, 1), polarization=2, temporal_profile=pulse,
                                         wave_character=fdtdx.WaveCharacter(frequency=FREQUENCY * C / MICRON))
        probe = fdtdx.FieldDetector(name="probe", partial_grid_shape=(1, 1, 1), components=("Ez",), plot=False)
        for item, place in ((source, DIPOLE), (probe, PROBE)):
            index = tuple(int(x * cells + side / 2) for x in place)
            rules.append(item.set_grid_coordinates(axes=(0, 1, 2), sides=("-",) * 3, coordinates=index))
        _, states, config = fdtdx_run(fdtdx, jax, config, [*objects, source, probe], rules, seconds)
        return {"samples": numpy.asarray(states["probe"]["fields"]).reshape(-1).astype(float),
                "step": config.time_step_duration * C / MICRON}
    lines = [fdtdx.WaveCharacter(frequency=k * C / MICRON / (2 * numpy.pi)) for k in waves]
    middle = 0.5 * (waves[0] + waves[-1]) * C / MICRON / (2 * numpy.pi)
    pulse = fdtdx.GaussianPulseProfile(center_wave=fdtdx.WaveCharacter(frequency=middle),
                                       spectral_width=fdtdx.WaveCharacter(frequency=0.4 * middle))
    inside = 2 * round(TOTAL * cells)
    source = fdtdx.TFSFPlaneSourceRegion(name="wave", partial_grid_shape=(inside,) * 3, propagation_axis=2, direction="+",
                                         wave_character=fdtdx.WaveCharacter(frequency=middle), temporal_profile=pulse,
                                         fixed_E_polarization_vector=(1, 0, 0))
    far = fdtdx.FieldProjectionAngleDetector(name="far", partial_grid_shape=(2 * round(FAR * cells),) * 3,
                                             wave_characters=lines, scaling_mode="pulse", dft_subsample="auto")
    rules += [source.place_at_center(volume), far.place_at_center(volume)]
    probes, weights = [], []
    for i, point in enumerate(points):
        low, weight = corners(point, cells, side / 2, numpy.array([0, 0, 0.5]))  # where detectors see all components
        probe = fdtdx.PhasorDetector(name=f"p{i}", partial_grid_shape=(2, 2, 2), wave_characters=lines, plot=False,
                                     components=("Ex", "Ey", "Ez"), scaling_mode="pulse", dft_subsample="auto")
        rules.append(probe.set_grid_coordinates(axes=(0, 1, 2), sides=("-",) * 3, coordinates=tuple(map(int, low))))
        probes.append(probe)
        weights.append(weight)
    container, states, config = fdtdx_run(fdtdx, jax, config, [*objects, source, far, *probes], rules, seconds)
    start = time.perf_counter()
    times = numpy.arange(config.time_steps_total) * config.time_step_duration
    signal = numpy.asarray(pulse.get_amplitude(jax.numpy.asarray(times), 1 / middle), float)
    omega = waves * C / MICRON
    incident = (numpy.exp(1j * omega[:, None] * times) * signal).sum(1)  # where the wave enters the box
    # At the centre; what is recorded as a step's field is that of half a step later.
    incident = incident * numpy.exp(1j * waves * (inside / 2 / cells - 0.5 * config.time_step_duration * C / MICRON))
    near = numpy.stack([(numpy.asarray(states[f"p{i}"]["phasor"])[0] * weights[i]).sum((-3, -2, -1))
                        for i in range(len(points))], 1) / incident[:, None, None]
    detector = next(item for item in container.detectors if item.name == "far")
    found = detector.project_all(states["far"], numpy.radians(angles[0]), numpy.radians(angles[1]))
    # Projected fields are in SI units, the incident amplitude in E over the impedance of vacuum.
    power = sum(abs(numpy.asarray(found[name])) ** 2 for name in ("Etheta", "Ephi")) / (fdtdx.constants.eta0 * MICRON) ** 2
    rcs = 4 * numpy.pi * power.reshape(len(waves), len(angles[0]), len(angles[1])) / abs(incident[:, None, None]) ** 2
    seconds["far"] = time.perf_counter() - start
    return {"near": scattered(near, points, waves), "rcs": rcs}


def run_gprmax(body, cells, waves, points, angles, seconds):
    import gprMax
    import h5py

    cavity, h = body == "ball", 1.0 / cells
    side = 2 * cells + 4 if cavity else int(2 * EDGE * cells) + 2 * LAYER
    centre = (side // 2 * h,) * 3
    output = pathlib.Path("gprmax-output")

    def box(half):
        steps = round(half * cells)
        return {"p1": ((side // 2 - steps) * h,) * 3, "p2": ((side // 2 + steps) * h,) * 3}

    scene = gprMax.Scene()
    scene.add(gprMax.Title(name=body))
    scene.add(gprMax.Domain(p1=(side * h,) * 3))
    scene.add(gprMax.Discretisation(p1=(h,) * 3))
    scene.add(gprMax.TimeWindow(time=END[body] / C))
    scene.add(gprMax.Waveform(wave_type="ricker", amp=1, freq=(FREQUENCY if cavity else 0.35) * C, id="pulse"))
    if cavity:
        scene.add(gprMax.PMLThickness(thickness=0))
        scene.add(gprMax.Box(p1=(0, 0, 0), p2=(side * h,) * 3, material_id="pec"))
        scene.add(gprMax.Sphere(p1=centre, r=1.0, material_id="free_space"))
        at = [tuple(int(x * cells + side / 2) * h for x in place) for place in (DIPOLE, PROBE)]
        scene.add(gprMax.HertzianDipole(p1=at[0], polarisation="z", waveform_id="pulse"))
        scene.add(gprMax.Rx(p1=at[1]))
    else:
        scene.add(gprMax.PMLThickness(thickness=LAYER))
        scene.add(gprMax.Material(er=2.25, se=0, mr=1, sm=0, id="glass"))
        if body != "none":
            scene.add(gprMax.Sphere(p1=centre, r=1.0, material_id="pec" if body == "conductor" else "glass"))
        scene.add(gprMax.DiscretePlaneWaveVector(**box(TOTAL), m_vec=(0, 0, 1), psi=270, waveform_id="pulse"))
        scene.add(gprMax.NTFFSurface(**box(FAR), id="surface", origin=centre))
        scene.add(gprMax.NTFFFrequencyTransform(surface_id="surface", id="spectrum", frequencies=waves * C / (2 * numpy.pi),
                                                window="rectangular", save_surface_dft=False, plane_wave_index=0))
        theta, phi = (part.ravel() for part in numpy.meshgrid(*angles, indexing="ij"))
        scene.add(gprMax.NTFFFarField(theta=tuple(theta), phi=tuple(phi), transform_id="spectrum", id="far",
                                      outputs=("Etheta", "Ephi", "rcs")))
        for point in points:  # all values that the components' interpolation wants
            low = corners(point, cells, side / 2, 0.5)[0]
            scene.add(gprMax.RxArray(p1=tuple(low * h), p2=tuple((low + 2) * h), dl=(h,) * 3))
    options = {} if "YEE_CPU" in os.environ else {"gpu": [0], "gpu_precision": "single"}
    start = time.perf_counter()
    gprMax.run(scenes=[scene], outputfile=output, hide_progress_bars=True, **options)
    seconds["run"] = time.perf_counter() - start
    with h5py.File(output.with_suffix(".h5")) as file:
        step = float(file.attrs["dt"])
        if cavity:
            return {"samples": file["rxs/rx1/Ez"][()].astype(float), "step": step * C}
        transform = file["ntff/surface/frequency/spectrum"]
        rcs = transform["far_field/far/fields/rcs"][()].reshape(len(waves), len(angles[0]), len(angles[1]))
        near = gprmax_near(file, waves, points, cells, side, step)
    times = numpy.arange(int(END[body] / C / step) + 1) * step
    late = (numpy.pi * 0.35 * C * (times - 2**0.5 / (0.35 * C))) ** 2  # of the pulse that gprMax calls ricker
    incident = (numpy.exp(1j * waves[:, None] * C * times) * (1 - 2 * late) * numpy.exp(-late)).sum(1)
    incident = incident * numpy.exp(1j * waves * centre[2])  # at the centre: the pulse begins at the origin
    return {"near": scattered(near / incident[:, None, None], points, waves), "rcs": rcs}


def gprmax_near(file, waves, points, cells, side, step):
    values = {}
    for group in file["rxs"].values():
        place = tuple(numpy.rint(numpy.asarray(group.attrs["Position"]) * cells).astype(int))
        values[place] = [group[name][()].astype(float) for name in ("Ex", "Ey", "Ez")]
    count = len(next(iter(values.values()))[0])
    kernel = numpy.exp(1j * waves[:, None] * C * step * numpy.arange(count))
    near = numpy.zeros((len(waves), len(points), 3), complex)
    for i, point in enumerate(points):
        for axis in range(3):
            low, weights = corners(point, cells, side / 2, 0.5 * numpy.eye(3)[axis])
            for offset in numpy.ndindex(2, 2, 2):
                near[:, i, axis] += weights[offset] * (kernel @ values[tuple(low + offset)][axis])
    return near


def main():
    if len(sys.argv) != 5 or sys.argv[1] not in END or sys.argv[2] not in ("fdtdx", "gprmax"):
        sys.exit(__doc__.strip())
    import accuracy
    body, code, cells, path = sys.argv[1:]
    seconds, run = {}, run_fdtdx if code == "fdtdx" else run_gprmax
    found = run(body, int(cells), accuracy.SIZES, accuracy.POINTS, (accuracy.THETAS, accuracy.PHIS), seconds)
    numpy.savez(path, **found, **{f"seconds_{name}": value for name, value in seconds.items()})


if __name__ == "__main__":
    main()
