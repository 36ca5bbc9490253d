"""sedge-plot on the folders of test_series: pictures that are not blank, one clear line on misuse."""

import contextlib
import gc
import io
import json
import os
import runpy
import shutil
import subprocess
import sys
import types

import h5py
import matplotlib.gridspec
import matplotlib.image
import matplotlib.pyplot
import numpy

PLOT, FOLDER = sys.argv[1:3]
HOLE = os.path.join(FOLDER, "slices-hole-np4")  # one slice of a field, a hole, no probes
PROBES = os.path.join(FOLDER, "probes-np4")  # probes only
GREY = 0xB8 / 255


def run(*arguments):
    """The script in this process, which has its packages already: starting it anew takes a second."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    sys.argv = [PLOT, *arguments]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            runpy.run_path(PLOT, run_name="__main__")
        except SystemExit as end:
            code = end.code
    matplotlib.pyplot.close("all")
    if isinstance(code, str):
        err.write(code + "\n")
    return types.SimpleNamespace(returncode=1 if isinstance(code, str) else code or 0, stdout=out.getvalue(),
                                 stderr=err.getvalue())


def check_picture(folder, *options):
    path = os.path.join(FOLDER, "plot.png")
    if os.path.exists(path):
        os.unlink(path)
    done = run(folder, "-o", path, *options)
    assert done.returncode == 0, done.stderr
    pixels = matplotlib.image.imread(path)[:, :, :3]
    colours = numpy.unique((100 * pixels).round() @ (1, 1e3, 1e6)).size  # a number for each, in hundredths
    assert colours > 30, "only %d colours" % colours
    return pixels


def check_refusal(text, *arguments):
    done = run(*arguments)
    lines = done.stderr.strip().splitlines()
    assert done.returncode == 1 and len(lines) == 1, done.stderr
    assert lines[0].startswith("sedge-plot: ") and text in lines[0], lines[0]


pixels = check_picture(HOLE, "--component", "x")
assert (abs(pixels - GREY).max(axis=2) < 0.01).sum() > 50, "the hole is not grey"
clipped = check_picture(HOLE, "--component", "x", "--limit", "1e-3")
assert (abs(clipped - pixels).max(axis=2) > 0.1).sum() > 1000, "--limit changes nothing"
check_picture(HOLE, "--field", "p", "--snapshot", "all", "--slice", "cut")
check_picture(PROBES)
check_refusal("is not a folder", os.path.join(FOLDER, "nowhere"))
check_refusal("has none of slices.h5", os.path.dirname(PLOT))
check_refusal("no slice 'side' in", HOLE, "--slice", "side")
check_refusal("no field 'Q' in", HOLE, "--field", "Q")
check_refusal("no snapshot 5 in", HOLE, "--snapshot", "5")
check_refusal("--limit takes a number above 0, not '-5'", HOLE, "--limit", "-5")
check_refusal("has no slices.h5", PROBES, "--slice", "cut")

# The far field of a short dipole at three frequencies, as its exact solution has it and 6 dB too high.
DIPOLE = os.path.join(FOLDER, "dipole-far.h5")
with h5py.File(DIPOLE, "w") as file:
    theta, phi = numpy.arange(0.0, 181.0, 5.0), numpy.arange(0.0, 360.0, 30.0)
    pattern = numpy.sin(numpy.radians(theta))[None, :, None] * numpy.ones((3, 1, len(phi)))
    for name, size in (("box", 2.0), ("box/exact", 1.0)):
        for key, values, unit in (
            ("frequency", numpy.array([1e9, 2e9, 3e9]), "Hz"), ("theta", theta, "deg"),
            ("phi", phi, "deg"), ("E_theta", 1j * size * pattern, "V"), ("E_phi", 0j * pattern, "V"),
            ("directivity", 1.5 * size**2 * pattern**2, "1"), ("gain", 0.75 * size**2 * pattern**2, "1"),
            ("axial_ratio", 1 / numpy.maximum(pattern, 1e-9), "1"),
        ):
            file[name + "/" + key] = values
            file[name + "/" + key].attrs["units"] = unit
    # A body in a plane wave: one panel more, extinction and scattering over frequency.
    for name in ("theta", "phi", "frequency", "E_theta", "E_phi"):
        file["sphere/" + name] = file["box/" + name]
    for key, values in (("rcs_theta", pattern**2), ("rcs_phi", 0 * pattern), ("extinction", numpy.array([2.0, 3.0, 1.0])),
                        ("monostatic", numpy.ones(3)), ("scattering", numpy.full(3, numpy.nan))):
        file["sphere/" + key] = values
        file["sphere/" + key].attrs["units"] = "m^2"
shown = check_picture(DIPOLE)
field = check_picture(DIPOLE, "--quantity", "field", "--frequency", "2e9", "--phi", "60")
assert (abs(field - shown).max(axis=2) > 0.1).sum() > 1000, "--quantity changes nothing"
directivity = check_picture(DIPOLE, "--quantity", "directivity")
assert (abs(directivity - shown).max(axis=2) > 0.1).sum() > 100, "the gain is drawn as the directivity"
ratio = check_picture(DIPOLE, "--quantity", "axial-ratio")
assert (abs(ratio - shown).max(axis=2) > 0.1).sum() > 1000, "the axial ratio is drawn as the directivity"
body = check_picture(DIPOLE, "--surface", "sphere")
assert body.shape[1] > 1.2 * shown.shape[1], "no panel of cross-sections"
assert ((abs(body[:, -700:] - 1.0) > 0.2).any(axis=2)).sum() > 1000, "an empty panel of cross-sections"
check_refusal("no frequency 4e+09 in", DIPOLE, "--frequency", "4e9")
with h5py.File(DIPOLE, "a") as file:  # where the signal is too weak there are no numbers
    for name in ("theta", "phi", "frequency", "E_theta", "E_phi"):
        file["weak/" + name] = file["none/" + name] = file["box/" + name]
    file["weak/directivity"] = numpy.where([[[True]], [[False]], [[False]]], numpy.nan, file["box/directivity"])
    file["none/directivity"] = numpy.full(pattern.shape, numpy.nan)
    for name, values in file["sphere"].items():  # what is known exactly are cross-sections
        file["mie/" + name] = values
        if name[:2] not in ("E_", "th", "ph", "fr"):
            file["mie/exact/" + name] = values
weak = check_picture(DIPOLE, "--surface", "weak")
same = check_picture(DIPOLE, "--surface", "weak", "--frequency", "2e9")
assert (weak == same).all(), "not the first frequency with numbers"
check_picture(DIPOLE, "--surface", "none")
for quantity in ("rcs", "field"):
    check_picture(DIPOLE, "--surface", "mie", "--quantity", quantity)
check_refusal("the axial ratio is of both", DIPOLE, "--quantity", "axial-ratio", "--polarisation", "phi")

# Polarisations, as numbers: dipoles along x and z, and one along x with a second along y a quarter of a period later.
POLARISED = os.path.join(FOLDER, "polarised-far.h5")
cosine, sine = numpy.cos(numpy.radians(theta))[None, :, None], numpy.sin(numpy.radians(theta))[None, :, None]
turn = numpy.radians(phi)[None, None, :]
dipoles = {"x": (cosine * numpy.cos(turn), -numpy.sin(turn)), "y": (cosine * numpy.sin(turn), numpy.cos(turn)),
           "z": (-sine, 0.0 * sine)}
dipoles["crossed"] = tuple(a - 1j * b for a, b in zip(dipoles["x"], dipoles["y"]))
with h5py.File(POLARISED, "w") as file:
    for name, parts in dipoles.items():
        fields = [part + numpy.zeros((1, len(theta), len(phi)), complex) for part in parts]
        for key, values, unit in (("frequency", numpy.array([1e9]), "Hz"), ("theta", theta, "deg"), ("phi", phi, "deg"),
                                  ("E_theta", fields[0], "V"), ("E_phi", fields[1], "V"),
                                  ("directivity", 1.5 * sum(abs(part) ** 2 for part in fields), "1"),
                                  ("intensity", 0.5 * sum(abs(part) ** 2 for part in fields), "W s2")):
            file[name + "/" + key] = values
            file[name + "/" + key].attrs["units"] = unit
script = runpy.run_path(PLOT, run_name="sedge_plot")
script["import_packages"]()


def decibels(name, quantity, polarisation):
    arguments = types.SimpleNamespace(surface=name, quantity=quantity, polarisation=polarisation, frequency=None, phi=None)
    with h5py.File(POLARISED) as file:
        return script["FarField"](file, arguments).values[0]


for quantity in ("directivity", "field", "intensity"):
    for name, polarisation, share in (
            ("z", "theta", 1.0), ("z", "phi", 0.0), ("z", "right", 0.5), ("z", "left", 0.5), ("x", "right", 0.5),
            ("x", "co", 1.0), ("x", "cross", 0.0), ("y", "co", 0.0), ("y", "cross", 1.0), ("crossed", "right", 1.0), ("crossed", "left", 0.0)):
        row = 9 if name == "z" else 0  # along z, or the equator of the one along z
        whole, part = (10 ** (decibels(name, quantity, which)[row] / 10) for which in ("total", polarisation))
        assert abs(part - share * whole).max() < 1e-12 * whole.max(), (name, quantity, polarisation, part / whole)
    below = 10 ** (decibels("crossed", quantity, "left")[-1] / 10) - 10 ** (decibels("crossed", quantity, "total")[-1] / 10)
    assert abs(below).max() < 1e-12, "downwards it is left-handed"
tilted = 10 ** (decibels("x", "directivity", "cross")[12] / 10) / 1.5  # of a dipole at 60 degrees it is (1 - cos)^2 / 4 sin(2 phi)^2
assert abs(tilted - 0.25 * (1 - 0.5) ** 2 * numpy.sin(2 * numpy.radians(phi)) ** 2).max() < 1e-12, tilted
check_picture(POLARISED, "--surface", "crossed", "--polarisation", "right", "--quantity", "field")


# What a picture says of an antenna: beams 90 degrees wide, as much to the back; the polarisation that it should not have, by its
# own; gains and efficiencies over frequency.
def antenna(path, name, quantity="directivity"):
    arguments = types.SimpleNamespace(surface=name, quantity=quantity, polarisation="total", frequency=None, phi=None)
    with h5py.File(path) as file:
        return script["FarField"](file, arguments, middle=True)


with h5py.File(DIPOLE, "a") as file:
    for key in file["box"]:
        if key != "exact":
            file["fed/" + key] = file["box/" + key]
    file["fed/realised_gain"] = file["box/gain"][:] / 2
    file["fed/efficiency"], file["fed/total_efficiency"] = [0.5, 0.5, 0.5], [0.1, 0.2, 0.25]
fed = antenna(DIPOLE, "fed", None)
assert (fed.quantity, fed.shown, fed.cross) == ("gain", 2, None), (fed.quantity, fed.shown, fed.cross)
assert fed.beam_width(*fed.cut(fed.values, 0)) == ", 3 dB beam 89.9°", fed.beam_width(*fed.cut(fed.values, 0))
assert fed.front_to_back() == "front to back 0 dB", fed.front_to_back()
figure = matplotlib.pyplot.figure()
fed.draw_frequencies(figure.add_subplot(121))
fed.draw_efficiencies(figure.add_subplot(122))
lines = {line.get_label(): line.get_ydata() for axis in figure.axes for line in axis.lines}
numpy.testing.assert_allclose(lines["gain"] - lines["directivity"], 10 * numpy.log10(0.5))
numpy.testing.assert_allclose(lines["realised gain"] - lines["gain"], 10 * numpy.log10(0.5))
numpy.testing.assert_allclose(lines["total efficiency"], [10, 20, 25])
arguments = types.SimpleNamespace(surface="fed", quantity=None, polarisation="total", frequency=None, phi=None)
with h5py.File(DIPOLE) as file:
    assert script["draw_far_field"](file, arguments).axes[-1].get_title() == "efficiency"
for name, called in (("x", "cross-polar"), ("y", "cross-polar"), ("crossed", "left-handed")):
    text, other = antenna(POLARISED, name).cross
    part = 10 ** (other[0, 12] / 10) / 1.5  # at 60 degrees, as above, or (1 - cos)^2 / 2
    exact = 0.5 * (1 - 0.5) ** 2 if name == "crossed" else 0.25 * (1 - 0.5) ** 2 * numpy.sin(2 * numpy.radians(phi)) ** 2
    assert text == called and abs(part - exact).max() < 1e-12, (name, text, part, exact)
matplotlib.pyplot.close("all")


def titles(polarisation):
    """Of the panels of a body in a plane wave."""
    arguments = types.SimpleNamespace(surface="sphere", quantity=None, polarisation=polarisation, frequency=None, phi=None)
    with h5py.File(DIPOLE) as file:
        return [axis.get_title() for axis in script["draw_far_field"](file, arguments).axes][2:]


# Of one theta the cut is around the z axis: twice cos(phi)^2 at 90 degrees.
AROUND = os.path.join(FOLDER, "around-far.h5")
with h5py.File(AROUND, "w") as file:
    phi = numpy.arange(0.0, 361.0, 15.0)
    wave = numpy.cos(numpy.radians(phi)) + 0j
    for key, values, unit in (("frequency", [1e9], "Hz"), ("theta", [90.0], "deg"), ("phi", phi, "deg"),
                              ("E_theta", [[wave]], "V"), ("E_phi", [[0 * wave]], "V"), ("directivity", [[2 * abs(wave) ** 2]], "1")):
        file["ring/" + key] = values
        file["ring/" + key].attrs["units"] = unit
with h5py.File(AROUND) as file:
    arguments = types.SimpleNamespace(surface=None, quantity=None, polarisation="total", frequency=None, phi=None)
    polar, straight = script["draw_far_field"](file, arguments).axes[:2]
    (line,) = straight.lines
    numpy.testing.assert_allclose(line.get_xdata(), phi)
    numpy.testing.assert_allclose(10 ** (line.get_ydata() / 10), 2 * numpy.cos(numpy.radians(phi)) ** 2, atol=1e-12)
    assert (straight.get_xlabel(), line.get_label()) == ("phi (°)", "theta = 90°"), (straight.get_xlabel(), line.get_label())
    numpy.testing.assert_allclose(polar.lines[0].get_xdata(), numpy.radians(phi))
matplotlib.pyplot.close("all")

# Cross-sections of radar are over frequency, those of light over wavelength, in the unit of area that suits them.
for size, area, labels in ((1.0, 1.0, ("frequency (GHz)", "cross-section (m²)")), (1e5, 1e-14, ("wavelength (µm)", "cross-section (nm²)"))):
    arguments = types.SimpleNamespace(surface="sphere", quantity=None, polarisation="total", frequency=None, phi=None)
    with h5py.File(DIPOLE, "a") as file:
        file["sphere/frequency"][...] *= size
        file["sphere/extinction"][...] *= area
        sections = script["draw_far_field"](file, arguments).axes[-1]
        file["sphere/frequency"][...] /= size
        file["sphere/extinction"][...] /= area
    assert (sections.get_xlabel(), sections.get_ylabel()) == labels, (sections.get_xlabel(), sections.get_ylabel())
matplotlib.pyplot.close("all")

# A slice's axes, from its own numbers: of normal z the columns are x, and the rows y.
with h5py.File(os.path.join(HOLE, "slices.h5")) as file:
    arguments = types.SimpleNamespace(slice="cut", field="E", component="x", snapshot=None, limit=None)
    slices, figure = script["Slices"](file, arguments), matplotlib.pyplot.figure()
    slices.draw(figure, matplotlib.gridspec.GridSpec(1, 1)[0])
    axis, x, y = figure.axes[0], file["slices/cut/x"][:], file["slices/cut/y"][:]
    assert axis.get_xlabel().startswith("x") and axis.get_ylabel().startswith("y"), (axis.get_xlabel(), axis.get_ylabel())
    left, right, low, high = axis.images[0].get_extent()
    outer = (x[0] - (x[1] - x[0]) / 2, x[-1] + (x[1] - x[0]) / 2, y[0] - (y[1] - y[0]) / 2, y[-1] + (y[1] - y[0]) / 2)
    factor = (right - left) / (outer[1] - outer[0])
    assert abs(numpy.array((left, right, low, high)) / factor - outer).max() < 1e-12, (left, right, low, high, outer)
    # The labels of a narrow slice, such as one along a guide, have room.
    slices.extent = (0.0, 1.0, 0.0, 4.6)
    figure = matplotlib.pyplot.figure(figsize=(script["WIDTH"], slices.height()))
    slices.draw(figure, matplotlib.gridspec.GridSpec(1, 1)[0])
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in figure.axes[0].get_xticklabels() if text.get_text()]
    assert len(boxes) > 1 and all(one.x1 < other.x0 for one, other in zip(boxes, boxes[1:])), boxes
    matplotlib.pyplot.close("all")

# The nearest frequency, and where the runs of a sweep lie: at angles, at a number that is swept, in a row.
for wanted, index in ((1.0, 0), (1.4, 0), (1.6, 1), (3.5, 2), (4.0, 2)):
    assert script["nearest"](numpy.array([1.0, 2.0, 4.0]), wanted, "frequency", "here") == index, wanted
for angles, places in ((((90, 10), (90, 40), (90, 55)), (10, 40, 55)), (((30, 20), (0, 0), (60, 200)), (30, 0, -60))):
    fields = [{"backscatter": {"theta": theta, "phi": phi}} for theta, phi in angles]
    found, where = script["sweep_places"]({"keys": [], "runs": []}, fields)
    assert abs(found - places).max() < 1e-9 and where.startswith("phi" if angles[0][0] == 90 else "theta"), (found, where)
for key, values, places in (("order", (2, 4), (2, 4)), ("run", ("a", "b"), (1, 2))):
    runs = [{"values": {"order": value}} for value in values]
    found, where = script["sweep_places"]({"keys": ["order"], "runs": runs}, [{}, {}])
    assert tuple(found) == places and where == key, (found, where)

# Monostatic and total cross-sections are of both polarisations: where one was asked for, the panels say so.
assert titles("total") == ["back to the source", "cross-sections"], titles("total")
assert titles("theta") == [title + ", both polarisations" for title in titles("total")], titles("theta")

# What a slab reflects and lets through at a point before it, in it and behind it, and the exact ones.
SLAB = os.path.join(FOLDER, "slab")
os.makedirs(SLAB, exist_ok=True)
with h5py.File(os.path.join(SLAB, "spectra.h5"), "w") as file:
    for name, text in (("content", "spectra"), ("title", ""), ("deck", "slab.yaml"), ("version", "sedge"), ("equation", "maxwell")):
        file.attrs[name] = text
    file.attrs["order"] = 4
    points = file.create_group("spectra/points")
    points["frequency"] = numpy.array([1.0, 2.0, 3.0])
    points["frequency"].attrs["units"] = "1"
    points["positions"] = numpy.zeros((3, 3))
    points["positions"].attrs["names"] = ["front", "inside", "behind"]
    points["exact/reflectance"] = numpy.array([0.1, 0.4, 0.3])
    points["exact/transmittance"] = numpy.array([0.8, 0.5, 0.6])
    points["exact/power"] = numpy.array([[0.1, numpy.nan, 0.8], [0.4, numpy.nan, 0.5], [0.3, numpy.nan, 0.6]])
check_picture(SLAB)
with h5py.File(os.path.join(SLAB, "spectra.h5")) as file:
    axis = matplotlib.pyplot.figure().add_subplot()
    script["draw_slab"](axis, file["spectra/points"])
    lines = {line.get_label(): line.get_ydata() for line in axis.lines}
    for name, values in (("front", [0.1, 0.4, 0.3]), ("behind", [0.8, 0.5, 0.6]), ("exact reflectance", [0.1, 0.4, 0.3]),
                         ("exact transmittance", [0.8, 0.5, 0.6])):
        assert abs(lines.pop(name) - values).max() < 1e-12, name
    assert not lines, lines
    matplotlib.pyplot.close("all")
check_refusal("is no file of far fields", os.path.join(SLAB, "spectra.h5"))
with h5py.File(os.path.join(SLAB, "spectra.h5"), "r+") as file:
    del file["spectra/points/exact"]
check_refusal("has none of slices.h5", SLAB)

# Resonances: the record's spectrum has its peak where the table says that one is; what else may lie in the folder.
RINGS = os.path.join(FOLDER, "rings")
os.makedirs(RINGS, exist_ok=True)
with h5py.File(os.path.join(RINGS, "resonances.h5"), "w") as file:
    for name, text in (("content", "record for resonances"), ("title", ""), ("deck", "rings.yaml"), ("version", "sedge"), ("equation", "maxwell")):
        file.attrs[name] = text
    file.attrs["order"] = 4
    times = 1e-9 * numpy.arange(400) / 20
    file["time"] = times
    file["time"].attrs["units"] = "s"
    wave = numpy.cos(2e9 * 2 * numpy.pi * times) * numpy.exp(-1e7 * times)
    other = numpy.cos(2.5e9 * 2 * numpy.pi * times)
    file["record"] = numpy.stack([wave, 0 * wave, 0 * wave, 3 * other], axis=1)[:, None, :]  # H has another
    for name, value in (("fields", ["Ex", "Ey", "Ez", "H"]), ("probes", ["a"]), ("band", [1.5e9, 3e9]), ("band_units", "Hz")):
        file["record"].attrs[name] = value
for rows, lines in (("", 1), ("2e9,628,1e7,5,1,0\n", 2)):
    with open(os.path.join(RINGS, "resonances.csv"), "w") as file:
        file.write("frequency,quality,decay_rate,error,a_Ex_re,a_Ex_im\n" + rows)
    with h5py.File(os.path.join(RINGS, "resonances.h5")) as file:
        for field, peak in (("E", 2.0), ("H", 2.5)):
            axis = matplotlib.pyplot.figure().add_subplot()
            script["draw_resonances"](axis, file, types.SimpleNamespace(field=field))
            assert len(axis.lines) == lines and axis.get_xlim() == (1.5, 3.0), axis.lines
            x, y = axis.lines[0].get_data()
            assert abs(x[numpy.argmax(y)] - peak) < 0.01 and abs(y.max() - 1) < 1e-12, (field, x[numpy.argmax(y)])
            if rows:
                assert list(axis.lines[1].get_xdata()) == [2.0, 2.0] and axis.texts[0].get_text() == "Q 628", axis.texts
    matplotlib.pyplot.close("all")
check_picture(RINGS)
about = {"keys": ["epsilon"], "runs": [{"values": {"epsilon": value}, "units": "si"} for value in (1, 4)]}
every = [{"modes": [{"frequency": 2e9, "quality": 100.0}]}, {"modes": [{"frequency": 1e9, "quality": 50.0}, {"frequency": 3e9, "quality": None}]}]
figure = script["draw_swept_resonances"](about, every)
for axis, values in zip(figure.axes, ([2.0, 1.0, 3.0], [100.0, 50.0, numpy.nan])):
    numpy.testing.assert_allclose(axis.lines[0].get_data(), [[1, 4, 4], values])
matplotlib.pyplot.close("all")
with open(os.path.join(RINGS, "resonances.csv"), "w") as file:
    file.write("frequency,quality\nnone,none\n")
check_refusal("is damaged or not ours", RINGS)

# S-parameters: of a run its columns, of a sweep all entries, or a panel for each entry where other values are swept.
PORTS = os.path.join(FOLDER, "ports")
shutil.rmtree(PORTS, ignore_errors=True)
os.makedirs(os.path.join(PORTS, "sweep"))
HEAD = "frequency,port,driven,S_re,S_im,dB,degrees"


def write_ports(path, driven, values=(), keys=""):
    """Two ports at three frequencies: S_11 -10, -20, not valid; S_21 -1, -2, -3; the second column 5 dB lower."""
    with open(path, "w") as file:
        file.write(HEAD + keys + "\n")
        for value in values or ("",):
            for f, sizes in enumerate(((-10, -1), (-20, -2), (numpy.nan, -3))):
                for i, port in enumerate(("in", '"the, out"')):
                    for j in driven:
                        size = sizes[(i + j) % 2] - 5 * j
                        file.write("%de9,%s,%s,0.1,0.2,%s,12%s\n" % (8 + f, port, ("in", '"the, out"')[j], size, value))


def panels(figure):
    """The lines of each panel that is seen: {label: (x, y)}."""
    return {axis.get_title(): {line.get_label(): line.get_data() for line in axis.lines} for axis in figure.axes if axis.get_visible()}


with h5py.File(os.path.join(PORTS, "ports.h5"), "w") as file:
    for name, text in (("content", "ports"), ("title", ""), ("deck", "guide.yaml"), ("version", "sedge"), ("equation", "maxwell")):
        file.attrs[name] = text
    file.attrs["order"] = 4
    file["time"] = numpy.arange(3.0)
    file["time"].attrs["units"] = "s"
check_refusal("has none of slices.h5", PORTS)  # the run has not ended
write_ports(os.path.join(PORTS, "ports.csv"), (0,))
check_picture(PORTS)
SWEEP = os.path.join(PORTS, "sweep", "ports.csv")
write_ports(SWEEP, (0, 1))
runs = [{"values": {}, "units": "si", "monitors": {"ports": {}}}]
with open(os.path.join(PORTS, "sweep", "sweep.json"), "w") as file:
    json.dump({"keys": [], "runs": runs}, file)
check_picture(os.path.join(PORTS, "sweep"))
shown = panels(script["draw_swept_ports"](script["read_ports"](SWEEP), "Hz"))
assert list(shown) == ["S-parameters"] and len(shown["S-parameters"]) == 4, shown
for name, sizes in (("S_11  in", [-10, -20, numpy.nan]), ("S_21  the, out from in", [-1, -2, -3]),
                    ("S_12  in from the, out", [-6, -7, -8]), ("S_22  the, out", [-15, -25, numpy.nan])):
    numpy.testing.assert_allclose(shown["S-parameters"][name], [[8, 9, 10], sizes], err_msg=name)
write_ports(SWEEP, (0,), values=(',2,"[1, 1]"', ',3,"[2, 2]"'), keys=",order,cells")
shown = panels(script["draw_swept_ports"](script["read_ports"](SWEEP), "Hz"))
assert list(shown) == ["S_11  in", "S_21  the, out from in"], list(shown)
for lines in shown.values():
    assert list(lines) == ["order = 2, cells = [1, 1]", "order = 3, cells = [2, 2]"], list(lines)
check_picture(os.path.join(PORTS, "sweep"))
matplotlib.pyplot.close("all")
for text in ("", HEAD + "\n8e9,in\n", HEAD + "\n8e9,in,in,x,x,x,x\n"):
    with open(SWEEP, "w") as file:
        file.write(text)
    check_refusal("is damaged or not ours", os.path.join(PORTS, "sweep"))
os.unlink(SWEEP)
check_refusal("has no S-parameters", os.path.join(PORTS, "sweep"))

# The input impedance of the one port of an antenna: 50 (1 + S) / (1 - S).
with open(os.path.join(PORTS, "report.json"), "w") as file:
    json.dump({"monitors": {"ports": {"driven": "in", "frequency": [8e9, 9e9], "ports": [
        {"name": "in", "reference": 50.0, "real": [0.5, 0.0], "imaginary": [0.0, 1.0]}]}}}, file)
name, places, impedance = script["read_impedance"](os.path.join(PORTS, "report.json"))
assert (name, list(places)) == ("in", [8e9, 9e9])
numpy.testing.assert_allclose(impedance, [150, 50j], atol=1e-12)
assert script["read_impedance"](os.path.join(PORTS, "none.json")) is None
script["draw_impedance"](matplotlib.pyplot.figure().add_subplot(), name, places, impedance, "Hz")

# Spectra at two points and on a plane, of a source whose spectrum is known at two of three frequencies, flux, and absorption.
SPECTRA = os.path.join(FOLDER, "spectral")
os.makedirs(SPECTRA, exist_ok=True)
for left in os.listdir(SPECTRA):
    os.unlink(os.path.join(SPECTRA, left))
FREQUENCY = numpy.array([1e9, 2e9, 3e9])
INCIDENT = numpy.array([1.0, 2.0, numpy.nan])
FIELD = numpy.array([[[3.0, 4.0j, 0.0], [1.0, 0.0, 0.0]]] * 3)  # [frequencies][points][components]


def write_spectra(name, shape, parts):
    with h5py.File(os.path.join(SPECTRA, name), "w") as file:
        for key, text in (("content", shape), ("title", ""), ("deck", "open.yaml"), ("version", "sedge"), ("equation", "maxwell")):
            file.attrs[key] = text
        file.attrs["order"] = 4
        for key, (values, unit) in parts.items():
            file[key] = values
            file[key].attrs["units"] = unit
            if key.split("/")[-1].startswith("E"):
                file[key].attrs["fields"] = ["Ex", "Ey", "Ez"]


def point_parts(normalised):
    parts = {"spectra/at/frequency": (FREQUENCY, "Hz"), "spectra/at/E": (FIELD, "V/m s"), "spectra/at/positions": (numpy.zeros((2, 3)), "m")}
    if normalised:
        with numpy.errstate(invalid="ignore"):
            parts["spectra/at/E_normalised"] = (FIELD / INCIDENT[:, None, None], "")
    return parts


plane = numpy.arange(3 * 4 * 5 * 3).reshape(3, 4, 5, 3) * (1.0 + 1.0j)
write_spectra("spectra.h5", "spectra", {
    **point_parts(True), "spectra/cut/frequency": (FREQUENCY, "Hz"), "spectra/cut/E": (plane, "V/m s"),
    "spectra/cut/x": (numpy.arange(5.0), "m"), "spectra/cut/y": (numpy.arange(4.0), "m")})
with h5py.File(os.path.join(SPECTRA, "spectra.h5"), "r+") as file:
    file["spectra/at/positions"].attrs["names"] = ["near", "far"]
    file["spectra/cut"].attrs["normal"] = "z"
    file["spectra/cut"].attrs["axes"] = ["y", "x"]
three = check_picture(SPECTRA)
other = check_picture(SPECTRA, "--frequency", "3e9")
assert (abs(other - three).max(axis=2) > 0.1).sum() > 100, "--frequency changes nothing"
other = check_picture(SPECTRA, "--component", "y")
assert (abs(other - three).max(axis=2) > 0.1).sum() > 1000, "--component changes nothing"
check_refusal("no field 'Q' in", SPECTRA, "--field", "Q")
check_refusal("no frequency 4e+09 in", SPECTRA, "--frequency", "4e9")
for component, expected in (("magnitude", [5.0, 2.5]), ("x", [3.0, 1.5]), ("y", [4.0, 2.0])):
    arguments = types.SimpleNamespace(field=None, component=component, frequency=None)
    with h5py.File(os.path.join(SPECTRA, "spectra.h5")) as file:
        size, unit, name, exact = script["size_of"](file["spectra/at"], arguments, "here")
    assert exact is None and abs(size[:2, 0] - expected).max() < 1e-12 and numpy.isnan(size[2, 0]) and unit == "", (size, unit, name)
with h5py.File(os.path.join(SPECTRA, "spectra.h5"), "r+") as file:
    file["spectra/at/exact/E_normalised"] = 2.0 * file["spectra/at/E_normalised"][:]
    size, _, _, exact = script["size_of"](file["spectra/at"], arguments, "here")
    assert abs(exact[:2] - 2.0 * size[:2]).max() < 1e-12
beside = check_picture(SPECTRA)
assert (abs(beside - three).max(axis=2) > 0.1).sum() > 200, "the exact fields are not drawn"
write_spectra("spectra.h5", "spectra", point_parts(False))
with h5py.File(os.path.join(SPECTRA, "spectra.h5"), "r+") as file:
    file["spectra/at/positions"].attrs["names"] = ["near", "far"]
    assert script["size_of"](file["spectra/at"], arguments, "here")[1] == "V/m s"
write_spectra("flux.h5", "flux", {"time": (numpy.arange(4.0), "s"), "flux/out": (numpy.arange(4.0), "W")})
over_time = check_picture(SPECTRA)
write_spectra("flux_spectra.h5", "flux at frequencies", {
    "flux/out/frequency": (FREQUENCY, "Hz"), "flux/out/power": (FREQUENCY, "J s"), "flux/out/power_normalised": (1 / FREQUENCY, "")})
assert (abs(check_picture(SPECTRA) - over_time).max(axis=2) > 0.1).sum() > 1000, "flux at frequencies is drawn as over time"
by_signal = check_picture(SPECTRA)
write_spectra("flux_spectra.h5", "flux at frequencies", {
    "flux/out/frequency": (FREQUENCY, "Hz"), "flux/out/power": (FREQUENCY, "J s"), "flux/out/power_normalised": (1 / FREQUENCY, ""),
    "flux/out/part": (0.3 + 0 * FREQUENCY, "")})
assert (abs(check_picture(SPECTRA) - by_signal).max(axis=2) > 0.1).sum() > 1000, "parts of the incident power are not drawn"
before = check_picture(SPECTRA)
write_spectra("absorption.h5", "absorbed power", {
    "body/frequency": (FREQUENCY, "Hz"), "body/power": (numpy.ones((3, 3)), "W s2"),
    "body/cross_section": (1e-4 * numpy.array([[1.0, 2.0, 3.0], [2.0, 2.0, 1.0], [3.0, 4.0, 4.0]]), "m2")})
with h5py.File(os.path.join(SPECTRA, "absorption.h5"), "r+") as file:
    for name in ("power", "cross_section"):
        file["body"][name].attrs["groups"] = ["skin", "bone", "total"]
    file["body/exact"] = 1e-4 * numpy.array([3.0, 4.0, 4.0])
assert (abs(check_picture(SPECTRA) - before).max(axis=2) > 0.1).sum() > 1000, "absorbed power is not drawn"
os.unlink(os.path.join(SPECTRA, "spectra.h5"))
before = check_picture(SPECTRA)

# A map of the absorbed power: a cube of six tetrahedra, cut across each axis. Values are the coordinate along the axis: the cut has
# one value, and the area of a side.
corners = numpy.array([[i >> d & 1 for d in range(3)] for i in range(8)], dtype=float)
cube = numpy.array([[0, 1 << a, 1 << a | 1 << b, 7] for a in range(3) for b in range(3) if a != b])
for axis in range(3):
    for at in (0.3, 0.7):
        polygons, means = script["cut_cells"](corners, cube, corners[:, axis], axis, at)
        assert abs(sum(script["area_of"](part) for part in polygons) - 1.0) < 1e-12
        assert abs(numpy.concatenate(means) - at).max() < 1e-12
# A cell of higher order is cut into as many parts as lie between its nodes, corners first; they fill it.
for order in (1, 2, 3):
    lattice = [(i, j, k) for i in range(order + 1) for j in range(order + 1 - i) for k in range(order + 1 - i - j)]
    lattice.sort(key=lambda place: place not in ((0, 0, 0), (order, 0, 0), (0, order, 0), (0, 0, order)))
    lattice[:4] = [(0, 0, 0), (order, 0, 0), (0, order, 0), (0, 0, order)]
    nodes = numpy.array(lattice) @ numpy.array([[1.0, 0.2, 0.0], [0.0, 2.0, 0.3], [0.4, 0.0, 3.0]]) / order
    parts = script["parts_of"](nodes, numpy.arange(len(nodes))[None, :])
    volumes = [abs(numpy.linalg.det(nodes[part[1:]] - nodes[part[0]])) for part in parts]
    assert len(parts) == order ** 3 and max(volumes) < 1.001 * min(volumes)
    assert abs(sum(volumes) / abs(numpy.linalg.det(nodes[1:4] - nodes[0])) - 1.0) < 1e-12
with h5py.File(os.path.join(SPECTRA, "absorption_body_000001.hdf"), "w") as file:  # at 2 GHz, where most is absorbed
    file["VTKHDF/Points"] = corners
    file["VTKHDF/Connectivity"] = cube.ravel()
    file["VTKHDF/CellData/element"] = numpy.arange(6) + 10
    file["VTKHDF/PointData/absorbed_density"] = numpy.append(corners[:7].sum(axis=1), numpy.nan)
    file["VTKHDF/PointData/absorbed_density"].attrs["units"] = "W s2/m3"
with h5py.File(os.path.join(SPECTRA, "absorption.h5"), "r+") as file:
    group = file["body"]
    group["power"][-1] = [1.0, 2.0, 1.0]
    group["density"] = numpy.arange(18.0).reshape(3, 6)
    group["element"] = numpy.arange(6)[::-1] + 10
    group["place"] = corners[cube].mean(axis=1)[::-1]
    group["place"].attrs["units"] = "m"
    for power, frequency, expected in (([1.0, 2.0, 1.0], None, 1), ([numpy.nan, 2.0, 3.0], None, 2), ([1.0, 2.0, 1.0], 3e9, 2),
                                       ([1.0, 2.0, 1.0], 4e9, 1)):  # the last is beside the band
        group["power"][-1] = power
        assert script["choose_map"](group, types.SimpleNamespace(frequency=frequency)) == expected
mapped = check_picture(SPECTRA)  # all of the cube has a corner without a value
assert (abs(mapped - before).max(axis=2) > 0.1).sum() > 1000, "the map has no place"
with h5py.File(os.path.join(SPECTRA, "absorption_body_000001.hdf"), "r+") as file:
    file["VTKHDF/PointData/absorbed_density"][7] = 3.0
drawn = check_picture(SPECTRA)
assert (abs(drawn - mapped).max(axis=2) > 0.1).sum() > 1000, "the map is not drawn"
write_spectra("spectra.h5", "spectra", {  # both maps are there
    "spectra/cut/frequency": (FREQUENCY, "Hz"), "spectra/cut/E": (plane, "V/m s"),
    "spectra/cut/x": (numpy.arange(5.0), "m"), "spectra/cut/y": (numpy.arange(4.0), "m")})
with h5py.File(os.path.join(SPECTRA, "spectra.h5"), "r+") as file:
    file["spectra/cut"].attrs["normal"] = "z"
    file["spectra/cut"].attrs["axes"] = ["y", "x"]
check_picture(SPECTRA)
os.unlink(os.path.join(SPECTRA, "spectra.h5"))
gc.collect()  # what closes the files
with h5py.File(os.path.join(SPECTRA, "absorption.h5"), "r+") as file:  # of the elements, those with the last numbers have three times the mass
    file["body/sar"] = file["body/density"][:] * 1e-3 / numpy.array([3.0, 3.0, 3.0, 1.0, 1.0, 1.0])
    file["body/sar"].attrs["units"] = "W/kg"
assert (abs(check_picture(SPECTRA) - drawn).max(axis=2) > 0.1).sum() > 1000, "rates are drawn as densities"

assert "--component" in run("--help").stdout
done = subprocess.run([sys.executable, PLOT, os.path.dirname(PLOT)], capture_output=True, text=True, check=False)
assert done.returncode == 1 and done.stderr.startswith("sedge-plot: "), done.stderr
