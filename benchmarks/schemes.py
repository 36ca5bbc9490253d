#!/usr/bin/env python3
"""Time-stepping schemes of Maxwell's equations with upwind fluxes at equal error.

    schemes.py limits FROM TO     the largest stable steps of ADER and of lsrk45
    schemes.py errors FROM TO     a JSON line for each order, resolution and direction
    schemes.py table FILE ...     the first table of MEASUREMENTS.md from such lines
    schemes.py waves FROM TO      such lines with loss and phase, of steps as decks take them
    schemes.py lengths FILE ...   the tables of "After 10 and 100 wavelengths" from these, and the penalties of
                                  src/time/pass_cost.c
    schemes.py shapes FROM TO     the largest stable cfl in flat and needle-like cells

A periodic mesh of Kuhn cells (six tetrahedra each) has the operator L(k) of one cell for a Bloch wave
exp(i k x). A Runge-Kutta scheme with the stability polynomial R multiplies an eigenvector of L by
R(lambda dt). ADER predicts I = int exp(A s) ds u over a step with the part A of L that is local to an
element and corrects with the surface terms of I, so that its amplification is 1 + L Phi(dt) with
Phi = int_0^dt exp(A s) ds, where A is nilpotent. The eigenvalue of the plane wave beside its exact value
gives loss and phase error a wavelength, to rounding. Needs numpy and scipy; one core, minutes to an
hour at orders 7 and 8.
"""

import itertools
import json
import math
import sys

import numpy as np
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg
from numpy.polynomial.legendre import leggauss
from scipy.special import roots_jacobi

# C_N of src/dg/problem.c, and ADER's largest dt c / r_in, as `limits` prints it.
STABLE = [0, 1.055, 0.631, 0.462, 0.323, 0.256, 0.195, 0.160, 0.130]
STABLE_ADER = [0, 0.4488, 0.2604, 0.1822, 0.1274, 0.0967, 0.0742, 0.0594, 0.0485]
CELLS = {1: [4, 6, 9, 14, 20, 30, 45, 70, 110], 2: [2.5, 3.5, 5, 7, 10, 14, 20, 30, 45],
         3: [1.6, 2.2, 3, 4.2, 6, 8, 11, 16, 24], 4: [1.2, 1.7, 2.3, 3.2, 4.4, 6, 8, 12],
         5: [1, 1.35, 1.8, 2.4, 3.3, 4.4, 6, 9], 6: [0.8, 1.1, 1.5, 2, 2.7, 3.6, 5],
         7: [0.7, 0.95, 1.3, 1.7, 2.3], 8: [0.6, 0.8, 1.1, 1.5, 2]}  # an axis and wavelength
DIRECTIONS = np.array([[1, 0, 0], [1, 0.6, 0.3], [1, 1, 1]])
FRACTION = 0.9  # of the limit

# src/time/lsrk45_integrator.c, src/kinds/ndblsrk144_integrator.c
LSRK45 = ([0, -567301805773 / 1357537059087, -2404267990393 / 2016746695238, -3550918686646 / 2091501179385,
           -1275806237668 / 842570457699],
          [1432997174477 / 9575080441755, 5161836677717 / 13612068292357, 1720146321549 / 2090206949498,
           3134564353537 / 4481467310338, 2277821191437 / 14882151754819])
NDB144 = ([0, -0.7188012108672410, -0.7785331173421570, -0.0053282796654044, -0.8552979934029281,
           -3.9564138245774565, -1.5780575380587385, -2.0837094552574054, -0.7483334182761610, -0.7032861106563359,
           0.0013917096117681, -0.0932075369637460, -0.9514200470875948, -7.1151571693922548],
          [0.0367762454319673, 0.3136296607553959, 0.1531848691869027, 0.0030097086818182, 0.3326293790646110,
           0.2440251405350864, 0.3718879239592277, 0.6204126221582444, 0.1524043173028741, 0.0760894927419266,
           0.0077604214040978, 0.0024647284755382, 0.0780348340049386, 5.5059777270269628])
# coefficients, stability, radius and height of the integrators' tables
SCHEMES = {"lsrk45": (LSRK45, 1.0, 1.0, 0.36), "ndblsrk144": (NDB144, 3.977, 0.905, 0.29)}
ADER = (None, 0.37, 1.0, 0.36)  # src/kinds/ader_integrator.c
# q_1 to q_D of src/dg/predictor.c
DAMPING = {4: [2e-4, 0.03, -0.2], 5: [0, 7e-4, 0.065, -0.1], 6: [0, 0, 7e-3], 7: [0, 0, 6e-4], 8: [0, 0, 1e-4]}
CFL = 0.8  # of a deck that gives none


def amplification(coefficients, z):
    y, residual = np.ones_like(z), 0 * z
    for a, b in zip(*coefficients):
        residual = a * residual + z * y
        y = y + b * residual
    return y


def jacobi(x, a, b, n):
    """The orthonormal Jacobi polynomial of degree n."""
    g0 = 2.0 ** (a + b + 1) / (a + b + 1) * math.gamma(a + 1) * math.gamma(b + 1) / math.gamma(a + b + 1)
    p0 = np.ones_like(x) / math.sqrt(g0)
    if n == 0:
        return p0
    p1 = ((a + b + 2) * x / 2 + (a - b) / 2) / math.sqrt((a + 1) * (b + 1) / (a + b + 3) * g0)
    left = 2 / (2 + a + b) * math.sqrt((a + 1) * (b + 1) / (a + b + 3))
    for i in range(1, n):
        h = 2 * i + a + b
        right = 2 / (h + 2) * math.sqrt((i + 1) * (i + 1 + a + b) * (i + 1 + a) * (i + 1 + b) / (h + 1) / (h + 3))
        p0, p1 = p1, (-left * p0 + (x + (a * a - b * b) / h / (h + 2)) * p1) / right
        left = right
    return p1


def modes(order, r, s, t):
    """Orthonormal modes of the tetrahedron (-1,-1,-1), (1,-1,-1), (-1,1,-1), (-1,-1,1) at points inside."""
    a, b, c = 2 * (1 + r) / (-s - t) - 1, 2 * (1 + s) / (1 - t) - 1, t
    return np.array([math.sqrt(8) * jacobi(a, 0, 0, i) * jacobi(b, 2 * i + 1, 0, j) * (1 - b) ** i
                     * jacobi(c, 2 * (i + j) + 2, 0, k) * (1 - c) ** (i + j)
                     for i in range(order + 1) for j in range(order + 1 - i) for k in range(order + 1 - i - j)]).T


def damping(order):
    """q of each mode: a polynomial in d (d + 3) of its degree d; sedge_predictor_damping, to order 8."""
    x = np.array([d * (d + 3.0) for d in range(order + 1)])
    given = [0.0] + DAMPING.get(order, [])
    q = np.zeros(order + 1)
    for i, value in enumerate(given):
        q += value * np.prod([(x - x[j]) / (x[i] - x[j]) for j in range(len(given)) if j != i] + [np.ones_like(x)], 0)
    return np.array([q[i + j + k] for i in range(order + 1) for j in range(order + 1 - i)
                     for k in range(order + 1 - i - j)])


def volume_rule(n):
    (x, wx), (y, wy), (z, wz) = leggauss(n), roots_jacobi(n, 1, 0), roots_jacobi(n, 2, 0)
    a, b, t = (v.ravel() for v in np.meshgrid(x, y, z, indexing="ij"))
    s = (1 + b) * (1 - t) / 2 - 1
    return (1 + a) * (-s - t) / 2 - 1, s, t, np.einsum("i,j,k->ijk", wx, wy, wz).ravel() / 8


def face_rule(n):
    """Two barycentric coordinates, and weights that sum to 1."""
    (x, wx), (y, wy) = leggauss(n), roots_jacobi(n, 1, 0)
    a, s = (v.ravel() for v in np.meshgrid(x, y, indexing="ij"))
    return (1 + a) * (1 - s) / 4, (1 + s) / 2, np.outer(wx, wy).ravel() / 4


def cross_matrix(d):
    return np.array([[0, -d[2], d[1]], [d[2], 0, -d[0]], [-d[1], d[0], 0]])


class Cell:
    """One Kuhn cell of the given edges: `local` is A, `own` and `others` the surface terms."""

    def __init__(self, order, edges=(1.0, 1.0, 1.0)):
        self.order, self.edges = order, np.array(edges)
        r, s, t, w = volume_rule(order + 2)
        v = modes(order, r, s, t)
        derivatives = []
        for d in range(3):  # by a complex step, which is exact
            x = [np.array(q, complex) for q in (r, s, t)]
            x[d] += 1e-30j
            derivatives.append(v.T * w @ (modes(order, *x).imag / 1e-30))
        self.size = 6 * v.shape[1]
        self.tets = [self.tet(p) for p in itertools.permutations(range(3))]
        self.local = np.zeros((6, self.size, self.size))
        self.own = np.zeros_like(self.local)
        self.others = []  # element, neighbour, shift of its cell, matrix
        self.inner = []  # of `others` each, what `own` has of the same face
        faces = {}
        for e, f in itertools.product(range(6), range(4)):
            faces.setdefault(self.key(e, f), []).append((e, f))
        self.inradius = self.height = math.inf
        for e in range(6):
            self.fill(e, derivatives, faces)

    def tet(self, permutation):
        corners = [np.zeros(3)]
        for a in permutation:
            corners.append(corners[-1] + np.eye(3)[a])
        corners = np.array(corners)
        if np.linalg.det(corners[1:] - corners[0]) < 0:
            corners = corners[[1, 0, 2, 3]]
        return corners * self.edges

    def key(self, e, f):
        centre = np.delete(self.tets[e], f, 0).mean(0) / self.edges
        return tuple(np.round((centre - np.floor(centre + 1e-9)) * 6).astype(int) % 6)

    def reference(self, e, x):
        corners = self.tets[e]
        return np.linalg.solve((corners[1:] - corners[0]).T / 2, (x - corners[0]).T) - 1

    def fill(self, e, derivatives, faces):
        corners = self.tets[e]
        metric = (corners[1:] - corners[0]).T / 2
        jacobian, inverse = np.linalg.det(metric), np.linalg.inv(metric)
        zero = np.zeros((3, 3))
        for d in range(3):
            curl = cross_matrix(np.eye(3)[d])
            self.local[e] += np.kron(np.block([[zero, curl], [-curl, zero]]),
                                     sum(inverse[j, d] * derivatives[j] for j in range(3)))
        l1, l2, w = face_rule(self.order + 2)
        areas = []
        for f in range(4):
            face = np.delete(corners, f, 0)
            normal = np.cross(face[1] - face[0], face[2] - face[0])
            areas.append(np.linalg.norm(normal) / 2)
            normal /= 2 * areas[-1] * np.sign(normal @ (face[0] - corners[f]))
            (e2, f2), = (q for q in faces[self.key(e, f)] if q != (e, f))
            shift = face.mean(0) - np.delete(self.tets[e2], f2, 0).mean(0)
            x = face[0] + np.outer(l1, face[1] - face[0]) + np.outer(l2, face[2] - face[0])
            mine, theirs = modes(self.order, *self.reference(e, x)), modes(self.order, *self.reference(e2, x - shift))
            n = cross_matrix(normal)
            flux = np.block([[n @ n / 2, -n / 2], [n / 2, n @ n / 2]])  # of the jump, upwind
            w_face = w * areas[-1] / jacobian
            self.inner.append(np.kron(flux, mine.T * w_face @ mine))
            self.own[e] += self.inner[-1]
            self.others.append((e, e2, shift, np.kron(-flux, mine.T * w_face @ theirs)))
        self.inradius = min(self.inradius, 4 * jacobian / sum(areas))
        self.height = min(self.height, 4 * jacobian / max(areas))

    def operator(self, k):
        n = self.size
        out = np.zeros((6 * n, 6 * n), complex)
        for e in range(6):
            out[e * n:(e + 1) * n, e * n:(e + 1) * n] = self.local[e] + self.own[e]
        for e, e2, shift, matrix in self.others:
            out[e * n:(e + 1) * n, e2 * n:(e2 + 1) * n] += matrix * np.exp(1j * (k @ shift))
        return out

    def ader(self, operator, dt, terms=None):
        """L Phi(dt); the amplification is 1 + that. `terms`: K with the program's damping; without it all that are not
        0 and no damping."""
        n, out = self.size, operator.copy()
        for e in range(6):
            phi, term = np.eye(n), np.eye(n)
            if terms:
                phi += np.tile(damping(self.order) * dt, 6)[:, None] * self.local[e]
            for k in range(1, (terms or self.order + 1) + 1):
                term = self.local[e] @ term * (dt / (k + 1))
                phi = phi + term
            out[:, e * n:(e + 1) * n] = out[:, e * n:(e + 1) * n] @ (phi * dt)
        return out

    def waves(self, k):
        """The two plane waves exp(i k x), projected."""
        d = k / np.linalg.norm(k)
        a = np.cross(d, [0.3, 0.5, 0.8])
        a /= np.linalg.norm(a)
        r, s, t, w = volume_rule(self.order + 6)
        v, out = modes(self.order, r, s, t), []
        for electric in (a, np.cross(d, a)):
            parts = []
            for corners in self.tets:
                x = corners[0] + np.stack([1 + r, 1 + s, 1 + t], 1) / 2 @ (corners[1:] - corners[0])
                parts.append(np.kron(np.concatenate([electric, np.cross(d, electric)]), v.T @ (w * np.exp(1j * x @ k))))
            out.append(np.concatenate(parts))
        return np.array(out).T


def nearest(matrix, shift, start):
    """The two eigenvalues next to `shift`; overwrites the matrix."""
    matrix[np.diag_indices_from(matrix)] -= shift
    factors = scipy.linalg.lu_factor(matrix, overwrite_a=True, check_finite=False)
    basis = np.linalg.qr(start)[0]
    for _ in range(5):
        image = scipy.linalg.lu_solve(factors, basis, check_finite=False)
        small = basis.conj().T @ image
        basis = np.linalg.qr(image)[0]
    return shift + 1 / np.linalg.eigvals(small)


def each_wave(cell):
    """Cells a wavelength, number of the direction, frequency, the waves, the operator and its values."""
    for cells in CELLS[cell.order]:
        for i, direction in enumerate(DIRECTIONS):
            if cell.order >= 7 and i != 1:
                continue
            w = 2 * math.pi / cells
            k = direction / np.linalg.norm(direction) * w
            start, operator = cell.waves(k), cell.operator(k)
            values = nearest(operator.copy(), -1j * w * (1 + 1e-5), start)
            yield cells, i, w, start, operator, values


def print_errors(order):
    cell = Cell(order)
    for cells, i, w, start, operator, values in each_wave(cell):
        row = {"order": order, "cells": cells, "direction": i,
               "exact": float(np.abs(values * cells + 2j * math.pi).max())}
        for name, (coefficients, stability, *_) in SCHEMES.items():
            dt = FRACTION * STABLE[order] * stability * cell.inradius
            off = np.log(amplification(coefficients, values * dt) * np.exp(1j * w * dt)) / dt * cells
            row[name] = float(np.abs(off).max())
        dt = FRACTION * STABLE_ADER[order] * cell.inradius
        z = np.exp(-1j * w * dt)
        change = nearest(cell.ader(operator, dt), (z - 1) * (1 + 1e-5), start)
        row["ader"] = float(np.abs(np.log((1 + change) / z) / dt * cells).max())
        print(json.dumps(row), flush=True)


def step(cell, scheme):
    """The step of a deck with the default cfl, by sedge_problem_time_step."""
    return CFL * STABLE[cell.order] * scheme[1] * min(scheme[2] * cell.inradius, scheme[3] * cell.height)


def print_waves(order):
    cell = Cell(order)
    for cells, i, w, start, operator, values in each_wave(cell):
        row = {"order": order, "cells": cells, "direction": i}
        off = {"exact": (values + 1j * w) * cells}
        for name, scheme in SCHEMES.items():
            dt = step(cell, scheme)
            off[name] = np.log(amplification(scheme[0], values * dt) * np.exp(1j * w * dt)) / dt * cells
        dt = step(cell, ADER)
        z = np.exp(-1j * w * dt)
        change = nearest(cell.ader(operator, dt, min(order, 3)), (z - 1) * (1 + 1e-5), start)
        off["ader"] = np.log((1 + change) / z) / dt * cells
        row.update({name: [[v.real, v.imag] for v in value] for name, value in off.items()})
        print(json.dumps(row), flush=True)


def passes(name, order):
    """Passes over the mesh in the time that light takes for an inscribed radius."""
    if name == "ader":
        return 1 / (FRACTION * STABLE_ADER[order])
    coefficients, stability, *_ = SCHEMES[name]
    return len(coefficients[0]) / (FRACTION * STABLE[order] * stability)


def resolution(rows, name, error):
    """Cells a wavelength for an error a wavelength, in the worst direction; straight between the points."""
    cells = sorted({row["cells"] for row in rows})
    x = [math.log(c) for c in cells]
    y = [math.log(max(row[name] for row in rows if row["cells"] == c)) for c in cells]
    t = math.log(error)
    i = next((i for i in range(len(x) - 1) if t >= y[i + 1]), len(x) - 2)
    return math.exp(x[i] + (t - y[i]) * (x[i + 1] - x[i]) / (y[i + 1] - y[i]))


def print_table(files):
    rows = []
    for path in files:
        with open(path) as file:
            rows += [json.loads(line) for line in file]
    names = ["lsrk45", "ndblsrk144", "ader"]
    print("| order | error a wavelength | cells: lsrk45 | ndblsrk144 | ADER | passes x cells^3: ndblsrk144 | ADER |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for order in sorted({row["order"] for row in rows}):
        mine = [row for row in rows if row["order"] == order]
        for error in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
            cells = {name: resolution(mine, name, error) for name in names}
            cost = {name: passes(name, order) * cells[name] ** 4 for name in names}
            print(f"| {order} | {error:.0e} |", " | ".join(f"{cells[name]:.2f}" for name in names), "|",
                  " | ".join(f"{cost[name] / cost['lsrk45']:.2f}" for name in names[1:]), "|")


# What a step of ADER costs in stages of a plain element, by order: src/time/pass_cost.c.
ADER_STEP = [0, 1.52, 1.44, 1.40, 1.40, 1.42, 1.44, 1.50, 1.78]
LENGTHS = [1, 10, 30, 100, 300]


def work(name, order):
    """Stages of a straight element in the time that light takes for the step of lsrk45 at its limit."""
    coefficients, stability, radius, _ = ADER if name == "ader" else SCHEMES[name]
    return (ADER_STEP[order] if name == "ader" else len(coefficients[0])) / (CFL * stability * radius)


def cells_for(rows, name, error, length):
    """Cells a wavelength for an error of a wave after `length` wavelengths: the last crossing; straight between
    the points and beyond them. The worst direction and polarisation."""
    def off(row):
        return max(abs(np.expm1(length * complex(*value))) for value in row[name])

    cells = sorted({row["cells"] for row in rows})
    x = [math.log(c) for c in cells]
    y = [math.log(max(off(row) for row in rows if row["cells"] == c)) for c in cells]
    t = math.log(error)
    i = max([i for i in range(len(x) - 1) if y[i] >= t > y[i + 1]], default=0 if t > y[0] else len(x) - 2)
    return math.exp(x[i] + (t - y[i]) * (x[i + 1] - x[i]) / (y[i + 1] - y[i]))


def compare(rows, error, length):
    """Cells of each scheme, the Runge-Kutta method with the least work, and the power of cells that ADER needs more."""
    cells = {name: cells_for(rows, name, error, length) for name in ("lsrk45", "ndblsrk144", "ader")}
    best = min(("lsrk45", "ndblsrk144"), key=lambda name: work(name, rows[0]["order"]) * cells[name] ** 4)
    return cells, best, (cells["ader"] / cells[best]) ** 4


def print_lengths(files):
    rows = []
    for path in files:
        with open(path) as file:
            rows += [json.loads(line) for line in file]
    orders = sorted({row["order"] for row in rows})
    mine = {order: [row for row in rows if row["order"] == order] for order in orders}
    print("| order | wavelengths | error | cells: lsrk45 | ndblsrk144 | ADER | the better | cells^4: ADER | time: ADER |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for order, length, error in itertools.product(orders, (10, 100), (1e-1, 1e-2, 1e-3)):
        cells, best, penalty = compare(mine[order], error, length)
        print(f"| {order} | {length} | {error:.0e} |", " | ".join(f"{c:.2f}" for c in cells.values()),
              f"| {best} | {penalty:.3g} | {penalty * work('ader', order) / work(best, order):.3g} |")
    print("\n| order |", " | ".join(map(str, LENGTHS)), "|")
    print("| --- |", " --- |" * len(LENGTHS))
    for order in orders:
        print(f"| {order} |", " | ".join(f"{compare(mine[order], 1e-2, length)[2]:.3g}" for length in LENGTHS), "|")


def print_limits(order):
    cell = Cell(order)
    n = 6 * cell.size
    sparse = [[scipy.sparse.csr_matrix(np.where(abs(a) > 1e-13, a, 0)) for a in part] for part in (cell.local, cell.own)]
    others = [(e, e2, shift, scipy.sparse.csr_matrix(np.where(abs(b) > 1e-13, b, 0))) for e, e2, shift, b in cell.others]
    start = np.random.default_rng(1).normal(size=n) + 0j

    def largest(k, dt):
        def apply(u):
            u = u.reshape(6, -1)
            integral, w = (u, u) if dt == 0 else (dt * u, u)
            for j in range(1, cell.order + 1 if dt else 0):
                w = np.stack([sparse[0][e] @ w[e] for e in range(6)])
                integral = integral + dt ** (j + 1) / math.factorial(j + 1) * w
            out = np.stack([(sparse[0][e] + sparse[1][e]) @ integral[e] for e in range(6)]).astype(complex)
            for e, e2, shift, b in others:
                out[e] += np.exp(1j * (k @ shift)) * (b @ integral[e2])
            return out.ravel()

        wrapped = scipy.sparse.linalg.LinearOperator((n, n), matvec=apply, dtype=complex)
        return scipy.sparse.linalg.eigs(wrapped, k=6, which="LM", tol=1e-4, v0=start, return_eigenvectors=False)

    waves = [np.zeros(3), np.full(3, math.pi)]
    radius = max(abs(largest(k, 0.0)).max() for k in waves)
    low, high = 1.0 / radius, 2.1 / radius
    for _ in range(7):
        dt = (low + high) / 2
        if max(abs(1 + largest(k, dt)).max() for k in waves) > 1 + 1e-7:
            high = dt
        else:
            low = dt
    print(f"order {order}: ADER {low / cell.inradius:.4f}, lsrk45 {4.657 / radius / cell.inradius:.4f}, "
          f"ADER's step over 2 / |largest eigenvalue| {low * radius / 2:.3f}", flush=True)


SHAPES = {"cubes": (1, 1, 1), "plates 2:1": (1, 1, 0.5), "plates 4:1": (1, 1, 0.25), "plates 10:1": (1, 1, 0.1),
          "plates 100:1": (1, 1, 0.01), "needles 10:1:1": (1, 1, 10), "bricks 10:3:1": (1, 0.3, 0.1)}


def print_shapes(order):
    generator = np.random.default_rng(3)
    for shape, edges in SHAPES.items():
        cell = Cell(order, edges)
        phases = [np.zeros(3), np.array([0, 0, math.pi]), *generator.uniform(-math.pi, math.pi, (6, 3))]
        values = np.concatenate([np.linalg.eigvals(cell.operator(p / cell.edges)) for p in phases])
        texts = []
        for name, (coefficients, stability, radius, height) in SCHEMES.items():
            step = STABLE[order] * stability * min(radius * cell.inradius, height * cell.height)
            cfl = 0.5
            while np.abs(amplification(coefficients, values * (cfl + 0.01) * step)).max() <= 1 + 1e-9:
                cfl += 0.01
            texts.append(f"{name} {cfl:.2f}")
        print(f"order {order}, {shape}:", ", ".join(texts), flush=True)


def main():
    words = sys.argv[1:]
    if len(words) >= 2 and words[0] == "table":
        print_table(words[1:])
    elif len(words) >= 2 and words[0] == "lengths":
        print_lengths(words[1:])
    elif len(words) == 3 and words[0] in ("limits", "errors", "waves", "shapes"):
        work = {"limits": print_limits, "errors": print_errors, "waves": print_waves, "shapes": print_shapes}[words[0]]
        for order in range(int(words[1]), int(words[2]) + 1):
            work(order)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
