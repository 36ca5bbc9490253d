"""sedge-plot on the folders of test_series: pictures that are not blank, one clear line on misuse."""

import os
import subprocess
import sys

import matplotlib.image

PLOT, FOLDER = sys.argv[1:3]
HOLE = os.path.join(FOLDER, "slices-hole-np2")  # one slice of a field, a hole, no probes
PROBES = os.path.join(FOLDER, "probes-np2")  # probes only
GREY = 0xB8 / 255


def run(*arguments):
    return subprocess.run(
        [sys.executable, PLOT, *arguments], capture_output=True, text=True, check=False
    )


def check_picture(folder, *options):
    path = os.path.join(FOLDER, "plot.png")
    if os.path.exists(path):
        os.unlink(path)
    done = run(folder, "-o", path, *options)
    assert done.returncode == 0, done.stderr
    pixels = matplotlib.image.imread(path)[:, :, :3]
    colours = {tuple(colour) for colour in pixels.reshape(-1, 3).round(2)}
    assert len(colours) > 30, "only %d colours" % len(colours)
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
assert "--component" in run("--help").stdout
