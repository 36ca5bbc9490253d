"""Writes head.h5: labels of the voxels of a head, an ellipsoid of skin, bone and brain.

    python3 head.py
"""

import h5py
import numpy

SIZE, SPACING = numpy.array([0.09, 0.075, 0.115]), 0.005  # half axes; metres

x, y, z = numpy.meshgrid(*(numpy.arange(-size + SPACING / 2, size, SPACING) for size in SIZE), indexing="ij")
depth = 1 - ((x / SIZE[0])**2 + (y / SIZE[1])**2 + (z / SIZE[2])**2)**0.5  # by the half axes
labels = numpy.select([depth < 0, depth < 0.06, depth < 0.14], [0, 1, 2], 3).astype("u1")
with h5py.File("head.h5", "w") as file:
    tissue = file.create_dataset("tissue", data=labels, compression="gzip", compression_opts=9)
    tissue.attrs["origin"] = SPACING / 2 - SIZE
    tissue.attrs["spacing"] = [SPACING] * 3
