#!/usr/bin/env python3
"""Ways to damp waves that ADER lets grow: loss, phase error and form of a wave that the mesh resolves.

    waves_damping.py ORDER CELLS ...      orders 4 to 8; cells a wavelength, along (1, 0.6, 0.3)
    waves_damping.py grow ORDER CELLS ... the largest growth a step over all eigenvalues instead, at these phases
    waves_damping.py parts ORDER CELLS ... what a small part of each of some terms changes, for a factor of 1

in Kuhn cells at the default cfl (`grow`: cubes and plates of 10:1 at 0.85). With z = dt A, A the part of L that is
local to an element, and Q the damping of src/dg/predictor.h, the mean of a step or what else is done is

    none       m = 1 + z/2 + z^2/6 + z^3/24, without damping
    now        m + Q z
    goes on    v = (1/2 + Q) z in place of z/2 and in the powers above: 1 + v + z v/3 + z^2 v/12
    all        m (1 + Q z)
    traces     m in elements, m - 0.035 z + 0.07 z^2 for the jumps between them (order 4 only)
    kick M     without damping, but u becomes (1 + M Q z^2) u before every M-th step

and terms of `parts`, with the jumps' part S of L times dt and polynomials of degree d, are those of a step: S z and
the like act on jumps of the state, lift d is the degree d of the lifted jumps. `off` is the relative distance of the
eigenvectors from the projected plane waves, right behind a kick. Needs numpy and scipy; one core, seconds a wave at
order 4.
"""

import math
import sys

import numpy as np
import scipy.linalg

from schemes import ADER, DIRECTIONS, Cell, damping, step
from waves import SHAPES, Waves, find_growth, longest_step

TRACES = {4: (-0.035, 0.07)}


def means(local, dt, order, name):
    """The means of an element for its derivatives and for jumps."""
    z, one = local * dt, np.eye(len(local))
    damped = np.tile(damping(order), 6)[:, None] * z
    mean = one + z / 2 + z @ z / 6 + z @ z @ z / 24
    if name == "now":
        mean = mean + damped
    elif name == "goes on":
        v = z / 2 + damped
        mean = one + v + z @ v / 3 + z @ z @ v / 12
    elif name == "all":
        mean = mean + mean @ damped
    if name != "traces":
        return mean, mean
    return mean, mean + TRACES[order][0] * z + TRACES[order][1] * z @ z


def kick(local, dt, order, times):
    z = local * dt
    return np.eye(len(local)) + times * np.tile(damping(order), 6)[:, None] * (z @ z)


def matrix(cell, k, dt, name):
    """The matrix of a step, or of as many as a kick is for."""
    n = cell.size
    out = np.eye(6 * n, dtype=complex)
    pairs = [means(local, dt, cell.order, name) for local in cell.local]
    for e in range(6):
        out[e * n:(e + 1) * n, e * n:(e + 1) * n] += dt * (cell.local[e] @ pairs[e][0] + cell.own[e] @ pairs[e][1])
    for e, e2, shift, surface in cell.others:
        phase = dt * complex(np.exp(1j * (k @ shift)))
        out[e * n:(e + 1) * n, e2 * n:(e2 + 1) * n] += phase * (surface @ pairs[e2][1])
    if name.startswith("kick"):
        times = int(name.split()[1])
        out = np.linalg.matrix_power(out, times)
        for e in range(6):
            out[:, e * n:(e + 1) * n] = out[:, e * n:(e + 1) * n] @ kick(cell.local[e], dt, cell.order, times)
    return out


def list_names(order):
    return ["none", "now", "goes on", "all"] + ["traces"] * (order in TRACES) + ["kick 1", "kick 8"]


def count_steps(name):
    return int(name.split()[1]) if name.startswith("kick") else 1


def find_wave(change, shift, start):
    """The two eigenvalues of `change` next to `shift` and an orthonormal basis of their eigenvectors."""
    factors = scipy.linalg.lu_factor(change - shift * np.eye(len(change)), overwrite_a=True, check_finite=False)
    basis = np.linalg.qr(start)[0]
    for _ in range(5):
        basis = np.linalg.qr(scipy.linalg.lu_solve(factors, basis, check_finite=False))[0]
    small = basis.conj().T @ scipy.linalg.lu_solve(factors, basis, check_finite=False)
    return shift + 1 / np.linalg.eigvals(small), basis


def print_waves(order, cells):
    cell = Cell(order)
    dt, w = step(cell, ADER), 2 * math.pi / cells
    k = DIRECTIONS[1] / np.linalg.norm(DIRECTIONS[1]) * w
    start = cell.waves(k)
    exact = np.linalg.qr(start)[0]
    for name in list_names(order):
        steps = count_steps(name)
        z = np.exp(-1j * w * dt * steps)
        change = matrix(cell, k, dt, name)
        change[np.diag_indices_from(change)] -= 1
        values, basis = find_wave(change, (z - 1) * (1 + 1e-6), start)
        if name.startswith("kick"):
            for e in range(6):
                part = slice(e * cell.size, (e + 1) * cell.size)
                basis[part] = kick(cell.local[e], dt, order, steps) @ basis[part]
            basis = np.linalg.qr(basis)[0]
        off = np.log((1 + values) / z) / (dt * steps) * cells
        apart = np.linalg.norm(basis - exact @ (exact.conj().T @ basis), 2)
        print(f"order {order}, {cells} cells, {name}: a wavelength {off.real[np.abs(off.real).argmax()]:+.1e}, phase "
              f"{off.imag[np.abs(off.imag).argmax()]:+.1e}, off {apart:.2e}", flush=True)


def name_terms(cell, k, dt):
    """Name and matrix of each term; the change that a step without damping makes."""
    order, n = cell.order, cell.size
    whole, local = np.zeros((2, 6 * n, 6 * n), complex)
    for e in range(6):
        local[e * n:(e + 1) * n, e * n:(e + 1) * n] = dt * cell.local[e]
    whole += dt * cell.operator(k)
    jumps = whole - local
    degree = np.tile([i + j + l for i in range(order + 1) for j in range(order + 1 - i)
                      for l in range(order + 1 - i - j)], 36)
    mean = np.concatenate([means(a, dt, order, "none")[0] for a in cell.local])  # [elements n][n]
    change = np.concatenate([whole[:, e * n:(e + 1) * n] @ mean[e * n:(e + 1) * n] for e in range(6)], 1)
    lifted = np.concatenate([jumps[:, e * n:(e + 1) * n] @ mean[e * n:(e + 1) * n] for e in range(6)], 1)
    terms = [("S z", jumps @ local), ("S z^2", jumps @ local @ local)]
    for d in (order - 1, order - 2):
        terms.append((f"S z, degree {d} of it", jumps @ (local * (degree == d)[:, None])))
    terms += [(f"lift {d}", lifted * (degree == d)[:, None]) for d in (order, order - 1)]
    return terms, change


def print_parts(order, cells):
    cell = Cell(order)
    dt, w = step(cell, ADER), 2 * math.pi / cells
    k = DIRECTIONS[1] / np.linalg.norm(DIRECTIONS[1]) * w
    z = np.exp(-1j * w * dt)
    terms, change = name_terms(cell, k, dt)
    _, right = find_wave(change.copy(), (z - 1) * (1 + 1e-6), cell.waves(k))
    _, left = find_wave(change.conj().T.copy(), np.conj((z - 1) * (1 + 1e-6)), cell.waves(k))
    for name, term in terms:
        small = np.linalg.solve(left.conj().T @ right, left.conj().T @ (term @ right))
        off = np.trace(small) / 2 / z / dt * cells
        print(f"order {order}, {cells} cells, {name}: a wavelength {off.real:+.1e}, phase {off.imag:+.1e}", flush=True)


def print_growth(order, cells):
    for shape in ("cubes", "plates 10:1"):
        waves = Waves(Cell(order, SHAPES[shape]), 0.85)
        direction = DIRECTIONS[1] if shape == "cubes" else np.array([1, 0.6, 0])
        k = direction / np.linalg.norm(direction) * 2 * math.pi / cells
        for name in list_names(order):
            full = matrix(waves.cell, k, 0.85 * longest_step(waves.cell), name)
            growth = find_growth((waves.basis.conj().T @ full @ waves.basis).real.copy()) / count_steps(name)
            print(f"order {order}, {shape}, {cells} cells, {name}: {growth:+.1e} a step", flush=True)


def main():
    words = sys.argv[1:]
    work = {"grow": print_growth, "parts": print_parts}.get(words[0] if words else "", print_waves)
    words = words[work != print_waves:]
    if len(words) < 2:
        sys.exit(__doc__)
    for cells in words[1:]:
        work(int(words[0]), float(cells))


if __name__ == "__main__":
    main()
