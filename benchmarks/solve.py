#!/usr/bin/env python3
"""Conjugate gradients by CuPy on the systems of sedge-bench-solve: its own cg, and one written by
hand from cuSPARSE's product and cuBLAS' dot and axpy with scalars on the device.

    solve.py [SIDE ...]        default: 256 100 37 22

Prints microseconds an iteration: the difference of two runs of a fixed number of iterations.
"""

import inspect
import sys
import time

import cupy
import cupyx.scipy.sparse as sparse
from cupy import cublas
from cupyx import cusparse
from cupyx.scipy.sparse import linalg


def laplacian(side, dtype):
    one = sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(side, side), dtype=dtype, format="csr")
    unit = sparse.identity(side, dtype=dtype, format="csr")
    plane = sparse.kron(unit, one, "csr") + sparse.kron(one, unit, "csr")
    return (sparse.kron(sparse.identity(side, dtype=dtype), plane, "csr")
            + sparse.kron(one, sparse.identity(side * side, dtype=dtype), "csr")).tocsr()


def by_hand(a, b, count):
    x = cupy.zeros_like(b)
    r = b.copy()
    p = b.copy()
    q = cupy.empty_like(b)
    rr = cublas.dot(r, r)
    for _ in range(count):
        cusparse.spmv(a, p, y=q)
        alpha = rr / cublas.dot(p, q)
        cublas.axpy(alpha, p, x)
        cublas.axpy(-alpha, q, r)
        new = cublas.dot(r, r)
        cublas.scal(new / rr, p)
        cublas.axpy(cupy.ones((), b.dtype), r, p)
        rr = new
    return x


# The relative tolerance is called `rtol` since CuPy 14, `tol` before.
TOLERANCE = "rtol" if "rtol" in inspect.signature(linalg.cg).parameters else "tol"


def seconds(call, count):
    best = 1e9
    for turn in range(4):
        cupy.cuda.Device().synchronize()
        began = time.perf_counter()
        call(count)
        cupy.cuda.Device().synchronize()
        if turn > 0:
            best = min(best, time.perf_counter() - began)
    return best


def main():
    sides = [int(word) for word in sys.argv[1:]] or [256, 100, 37, 22]
    for dtype in (cupy.float64, cupy.float32):
        for side in sides:
            a = laplacian(side, dtype)
            b = cupy.asarray((cupy.arange(side**3) * 7919 % 1009) / 504.5 - 1.0, dtype=dtype)
            few = 20 if side > 150 else 100
            for name, call in (
                ("cupyx cg", lambda n: linalg.cg(a, b, maxiter=n, **{TOLERANCE: 0})),
                ("cuSPARSE + cuBLAS", lambda n: by_hand(a, b, n)),
            ):
                call(few)
                time_ = (seconds(call, 3 * few) - seconds(call, few)) / (2 * few)
                print(f"{side}^3 {cupy.dtype(dtype).name} {name}: {1e6 * time_:.2f} us an iteration",
                      flush=True)


main()
