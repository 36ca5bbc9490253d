#!/usr/bin/python3
"""Array operations against numpy: all 144 promotions, all operations, edge cases and random numbers.

numpy_check.py PROGRAM FOLDER runs numpy_case.c and compares what it wrote. Integers, comparisons and
the operations that IEEE 754 rounds must be the same number; mathematical functions may err by as
many units in the last place as OpenCL allows its devices at most (OpenCL 1.2, section 7.4; CUDA and
glibc err less), against numpy in a wider type. Complex numbers: the error's absolute value, in units
of the result's.
"""
import glob
import os
import subprocess
import sys
import warnings

import numpy as np

warnings.simplefilter("ignore")

TYPES = ("int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
         "float32 float64 complex64 complex128").split()
UNITS = {"square_root": 3, "divide": 2.5, "exp": 3, "log": 3, "log10": 3, "sin": 4, "cos": 4,
         "tan": 5, "arcsin": 4, "arccos": 4, "arctan": 5, "sinh": 4, "cosh": 4, "tanh": 5,
         "power": 16, "arctan2": 6, "hypot": 4}
# Made of several of these and of products: a few times as much.
COMPLEX_UNITS = 16
# exp(b log(a)) multiplies the error of its exponent, which is at most 64 here.
POWER_UNITS = 64 * 4
failures = 0


def fail(name, text):
    global failures
    failures += 1
    print(f"{name}: {text}")


def is_integer(dtype):
    return np.dtype(dtype).kind in "iu"


def values(dtype, other):
    """Each edge with each, then random numbers; `other` gives the second operand."""
    random = np.random.default_rng(7 + other)
    kind = np.dtype(dtype).kind
    if kind in "iu":
        limits = np.iinfo(dtype)
        edges = {0, 1, 2, 3, 5, 7, 100, limits.max, limits.max - 1, limits.min, limits.min + 1}
        if kind == "i":
            edges |= {-1, -2, -3, -7}
        edges = np.array(sorted(edges), dtype)
        more = np.concatenate([
            random.integers(limits.min, limits.max, 300, dtype, endpoint=True),
            random.integers(-9 if kind == "i" else 0, 9, 300).astype(dtype),
            random.integers(0, 70, 100).astype(dtype)])
    else:
        real = np.float32 if dtype in ("float32", "complex64") else np.float64
        edges = np.array([0, -0.0, 1, -1, 0.5, -2.5, 3, 7, 1e-3, 1e4, np.inf, -np.inf, np.nan],
                         real)
        more = np.concatenate([random.standard_normal(400), 20 * random.standard_normal(200),
                               random.integers(-20, 20, 100)]).astype(real)
        if kind == "c":  # infinite parts are another matter: languages differ
            edges = edges[np.isfinite(edges)]
            edges = (edges[:, None] + 1j * edges[None, :]).ravel().astype(dtype)[::7]
            more = (more + 1j * random.permutation(more)).astype(dtype)
    count = len(edges)
    edges = np.tile(edges, count) if other else np.repeat(edges, count)
    # All arrays have one size, so that any two types can be operands.
    return np.resize(np.concatenate([edges[:400], more]), 1100)


def wide(array):
    """The same numbers in a type whose rounding does not show."""
    if array.dtype.kind == "c":
        return array.astype(np.clongdouble)
    return array.astype(np.longdouble)


def result_type(operation, a, b):
    """numpy's, with uint8 for its bool and float32 for its float16."""
    if operation in ("and", "or", "not", "is_nan") or operation in COMPARISONS:
        return np.dtype("uint8")
    if operation in ("floor", "ceil", "conjugate", "negative", "square"):
        return a.dtype
    if operation in ("real_of", "imaginary_of"):
        return a.real.dtype
    if operation in OTHER_NAMES:
        operation = OTHER_NAMES[operation]
    function = getattr(np, operation)
    small = [np.ones(1, x.dtype) for x in (a, b)[:function.nin]]
    dtype = function(*small).dtype
    return np.dtype("float32") if dtype == np.float16 else dtype


COMPARISONS = {"less": np.less, "less_equal": np.less_equal, "greater": np.greater,
               "greater_equal": np.greater_equal, "equal": np.equal, "not_equal": np.not_equal}
OTHER_NAMES = {"bit_and": "bitwise_and", "bit_or": "bitwise_or", "bit_xor": "bitwise_xor",
               "shift_left": "left_shift", "shift_right": "right_shift", "square_root": "sqrt"}
LOGIC = {"and": np.logical_and, "or": np.logical_or, "not": np.logical_not, "is_nan": np.isnan}
OTHER = {"real_of": np.real, "imaginary_of": np.imag, "floor": np.floor, "ceil": np.ceil,
         "conjugate": np.conjugate}


def compare_by_value(operation, a, b):
    if is_integer(a.dtype) and is_integer(b.dtype):  # exactly, whatever numpy's version does
        a, b = a.astype(object), b.astype(object)
    return COMPARISONS[operation](a, b).astype("uint8")


def expected(operation, a, b, dtype):
    if operation in COMPARISONS:
        return compare_by_value(operation, a, b)
    if operation in LOGIC:
        return LOGIC[operation](a, b)[...].astype("uint8") if operation in ("and", "or") else \
            LOGIC[operation](a).astype("uint8")
    if operation in ("floor", "ceil") and is_integer(a.dtype):
        return a
    if operation in OTHER:
        return OTHER[operation](a).astype(dtype)
    function = getattr(np, OTHER_NAMES.get(operation, operation))
    if operation in UNITS and dtype.kind in "fc":
        operands = [wide(x.astype(np.result_type(x.dtype, dtype) if dtype.kind == "c" else dtype)
                         if is_integer(x.dtype) else x) for x in (a, b)[:function.nin]]
        return function(*operands)
    if operation == "power":
        return function(a.astype(dtype), np.maximum(b.astype(dtype), 0) if dtype.kind == "i" else b)
    return function(*(a, b)[:function.nin])


def check_close(name, got, wanted, units):
    """Errors in units in the last place of what is wanted, which has a wider type."""
    real = got.real.dtype
    both = np.isnan(got) & np.isnan(wanted)
    rounded = wanted.astype(got.dtype)
    same = both | (got == rounded)
    finite = np.isfinite(wanted) & np.isfinite(rounded)
    error = np.abs(wide(got) - wanted)
    allowed = units * np.spacing(np.abs(rounded).astype(real)).astype(np.longdouble)
    allowed = np.maximum(allowed, np.finfo(real).tiny)  # denormal numbers may be 0
    good = same | (finite & (error <= allowed))
    # The last numbers before infinity may be either.
    good |= (np.abs(wanted) > 0.99 * np.finfo(real).max) & ~np.isnan(got)
    if got.dtype.kind == "c":
        good |= ~finite  # infinite parts
    if not good.all():
        k = np.flatnonzero(~good)[0]
        fail(name, f"{(~good).sum()} wrong, the first at {k}: {got[k]} not {wanted[k]}")
        return k
    return None


def check_same(name, got, wanted):
    if got.dtype != wanted.dtype:
        fail(name, f"numpy has {wanted.dtype}")
        return None
    good = got == wanted
    if got.dtype.kind in "fc":
        good |= np.isnan(got) & np.isnan(wanted)
    if good.all():
        return None
    k = np.flatnonzero(~good)[0]
    fail(name, f"{(~good).sum()} wrong, the first at {k}: {got[k]} not {wanted[k]}")
    return k


def mask_of(operation, a, b, dtype):
    """What is compared: not where languages and machines may differ."""
    keep = np.ones(len(a), bool)
    if operation == "power" and dtype.kind == "i":
        keep &= b.astype(dtype) >= 0  # numpy refuses the others
    if operation == "power" and dtype.kind == "c":
        with np.errstate(all="ignore"):
            keep &= np.abs(wide(b) * np.log(wide(a))) < 64
    if operation in ("tan", "arctan") and dtype.kind == "c":
        keep &= np.abs(a.imag) != 1  # a pole
    if dtype.kind == "c" and operation == "divide":
        keep &= wide(b) != 0
    return keep


def check_operation(path, arrays):
    name = os.path.basename(path)
    operation, *types, kind = name.split(".")
    a = arrays["a", types[0]]
    b = arrays["b", types[-1]]
    dtype = np.dtype(kind)
    got = np.fromfile(path, dtype)
    if operation == "convert":
        check_conversion(name, a, got)
        return
    wanted_type = result_type(operation, a, b)
    if dtype != wanted_type:
        fail(name, f"numpy's type is {wanted_type}")
        return
    keep = mask_of(operation, a, b, dtype)
    wanted = expected(operation, a, b, dtype)
    units = UNITS.get(operation, 0)
    if dtype.kind == "c" and operation in ("multiply", "square"):
        units, wanted = 1, (wide(a) * wide(a if operation == "square" else b))
    if operation == "absolute" and a.dtype.kind == "c":
        units, wanted = UNITS["hypot"], np.abs(wide(a))
    if dtype.kind == "c" and units > 0:
        units = POWER_UNITS if operation == "power" else COMPLEX_UNITS
    if units > 0 and dtype.kind in "fc":
        k = check_close(name, got[keep], wanted[keep], units)
    else:
        k = check_same(name, got[keep], np.asarray(wanted)[keep])
    if k is not None:
        print(f"  of {a[keep][k]!r} and {b[keep][k]!r}")


def check_conversion(name, a, got):
    keep = np.ones(len(a), bool)
    if is_integer(got.dtype) and not is_integer(a.dtype):  # beyond it every machine differs
        real = a.real.astype(np.longdouble)
        limits = np.iinfo(got.dtype)
        keep = np.isfinite(real) & (real > np.longdouble(limits.min) - 1)
        keep &= real < np.longdouble(limits.max) + 1
    check_same(name, got[keep], a[keep].astype(got.dtype))


def main():
    program, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    for old in glob.glob(folder + "/*"):
        os.remove(old)
    arrays = {}
    for dtype in TYPES:
        for other, letter in enumerate("ab"):
            arrays[letter, dtype] = values(dtype, other)
            arrays[letter, dtype].tofile(f"{folder}/{letter}.{dtype}")
    subprocess.run([program, folder], check=True)
    lines = [line.split() for line in open(folder + "/promote")]
    if len(lines) != len(TYPES) ** 2:
        fail("promote", f"{len(lines)} lines")
    for a, b, got in lines:
        wanted = np.promote_types(a, b)
        if got != wanted:
            fail("promote", f"{a} and {b}: {got}, not {wanted}")
    paths = [path for path in glob.glob(folder + "/*.*.*") if os.path.isfile(path)]
    for path in sorted(paths):
        check_operation(path, arrays)
    print(f"{len(paths)} results of operations, {failures} failures")
    # 12 conversions, up to 49 operations each of 12 types and 10 pairs; sampled, of 6 types and 5 pairs.
    sampled = os.environ["SEDGE_TEST_DEVICE"] == "opencl" and "SEDGE_TEST_ALL" not in os.environ
    if len(paths) < (400 if sampled else 600):
        fail("numpy_case", "results are missing")
    return 1 if failures else 0


sys.exit(main())
