#!/usr/bin/env python3
"""Whether runs of one deck on different numbers of ranks have the same fields.

    same.py FIRST OTHER...

FIRST and OTHER: output folders. Compares the samples of probes.h5 and the last field file, element
by element of the mesh file, and prints a line for each other folder: whether all bits are equal, else
the largest difference beside the largest value. Exit status 1 if something is missing.
"""

import os
import sys

import h5py
import numpy


def read_probes(folder):
    """Name of a series -> its samples."""
    series = {}

    def keep(name, item):
        if isinstance(item, h5py.Dataset):
            series[f"probes {name}"] = item[()]

    with h5py.File(os.path.join(folder, "probes.h5")) as file:
        file.visititems(keep)
    return series


def read_fields(folder):
    """Name of a field in the last file -> its values at nodes, in the order of element numbers."""
    with h5py.File(os.path.join(folder, "mesh.hdf")) as file:
        order = numpy.argsort(file["VTKHDF/CellData/element"][()], kind="stable")
    fields = {}
    last = max(name for name in os.listdir(folder) if name.startswith("fields_"))
    with h5py.File(os.path.join(folder, last)) as file:
        for field, data in file["VTKHDF/PointData"].items():
            fields[f"{last} {field}"] = data[()].reshape(len(order), -1)[order]
    return fields


def read(folder):
    return {**read_probes(folder), **read_fields(folder)}


def compare(first, other):
    """The number of unequal series, the largest difference and the largest value."""
    unequal, difference, largest = 0, 0.0, 0.0
    for name, values in first.items():
        largest = max(largest, float(numpy.max(numpy.abs(values), initial=0.0)))
        if other[name].shape != values.shape:
            return len(first), float("inf"), largest
        if values.tobytes() != other[name].tobytes():
            unequal += 1
            difference = max(difference, float(numpy.max(numpy.abs(values - other[name]))))
    return unequal, difference, largest


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    first = read(sys.argv[1])
    missing = False
    for folder in sys.argv[2:]:
        other = read(folder)
        if other.keys() != first.keys():
            print(f"{folder}: not the same files as {sys.argv[1]}")
            missing = True
            continue
        unequal, difference, largest = compare(first, other)
        if unequal == 0:
            print(f"{folder}: all bits of {len(first)} series are equal")
        else:
            print(f"{folder}: {unequal} of {len(first)} series differ, by {difference:.3g} at most "
                  f"(values to {largest:.3g})")
    sys.exit(1 if missing else 0)


main()
