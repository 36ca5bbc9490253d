#!/usr/bin/env python3
"""Does any wave grow with ADER steps? All eigenvalues of Bloch waves on Kuhn cells, as the program steps.

    waves.py ORDER:SHAPES:PHASES:CFL:PART ...

for each order to 8, shapes by number (0 cubes, 1 plates 4:1, 2 plates 10:1, 3 needles 10:1:1, 4 bricks 10:3:1),
phases a shape, a step (1 is the limit, decks take 0.85 at most) and a part of the damping (src/dg/predictor.h) to
begin with: the largest growth a step before the part was raised, by a twentieth at a time, to one that is enough for
the phases so far. Such as 5:014:6:0.85:0.6.

The step's matrix I + L Phi is squared until a wave that grows by 1e-11 a step shows in its norm. Inversion maps the
cell to itself, so that a basis of fields that are their own mirror images makes the matrix real. With cupy on a GPU,
else with numpy: seconds a phase at order 4, an hour at order 8.
"""

import itertools
import math
import sys

import numpy as np

from schemes import STABLE, Cell, damping, modes, volume_rule

try:
    import cupy as xp
except ImportError:
    xp = np

SHAPES = {"cubes": (1, 1, 1), "plates 4:1": (1, 1, 0.25), "plates 10:1": (1, 1, 0.1), "needles 10:1:1": (1, 1, 10),
          "bricks 10:3:1": (1, 0.3, 0.1)}
DIRECTIONS = np.array([[1, 0, 0], [1, 0.6, 0.3], [1, 1, 1], [1, 1, 0], [0.2, 0.3, 1]])
SQUARINGS = 36


def longest_step(cell):
    """As sedge_problem_rate and sedge_integrator_ader have it."""
    order = cell.order
    number = STABLE[order] if order < len(STABLE) else 8.4 * 1.5 / ((order + 1) * (order + 3))
    return 0.37 * number * min(cell.inradius, 0.36 * cell.height)


class Waves:
    def __init__(self, cell, cfl):
        self.cell, self.dt = cell, cfl * longest_step(cell)
        self.local = [xp.asarray(a) for a in cell.local]
        self.diagonal = [xp.asarray(a + b) for a, b in zip(cell.local, cell.own)]
        self.others = [(e, e2, shift, xp.asarray(m)) for e, e2, shift, m in cell.others]
        self.basis = xp.asarray(self.mirrored())

    def mirror(self, e):
        """The opposite tetrahedron, and what maps coefficients on e to those of the inverted field there."""
        cell, orders = self.cell, list(itertools.permutations(range(3)))
        e2 = orders.index(orders[e][::-1])
        r, s, t, w = volume_rule(cell.order + 2)
        corners = cell.tets[e2]
        x = corners[0] + np.stack([1 + r, 1 + s, 1 + t], 1) / 2 @ (corners[1:] - corners[0])
        matrix = modes(cell.order, r, s, t).T * w @ modes(cell.order, *cell.reference(e, cell.edges - x))
        matrix *= math.sqrt(len(matrix)) / np.linalg.norm(matrix)
        return e2, np.kron(np.diag([-1, -1, -1, 1, 1, 1]), matrix)  # E changes its sign, H does not

    def mirrored(self):
        n = self.cell.size
        basis = np.zeros((6 * n, 6 * n), complex)
        for e in range(6):
            e2, matrix = self.mirror(e)
            if e2 > e:
                a, b = slice(e * n, (e + 1) * n), slice(e2 * n, (e2 + 1) * n)
                basis[a, a], basis[a, b] = np.eye(n), 1j * np.eye(n)
                basis[b, a], basis[b, b] = matrix, -1j * matrix
        return basis / math.sqrt(2)

    def means(self, part):
        """Phi of each tetrahedron: sedge_predictor_terms, sedge_predictor_damping."""
        damped = xp.asarray(np.tile(part * self.dt * damping(self.cell.order), 6))[:, None]
        out = []
        for local in self.local:
            mean, term = xp.eye(len(local)) + damped * local, xp.eye(len(local))
            for k in range(1, min(self.cell.order, 2 if self.cell.order <= 2 else 3) + 1):
                term = local @ term * (self.dt / (k + 1))
                mean = mean + term
            out.append(mean * self.dt)
        return out

    def step(self, k, means):
        n = self.cell.size
        out = xp.eye(6 * n, dtype=complex)
        for e in range(6):
            out[e * n:(e + 1) * n, e * n:(e + 1) * n] += self.diagonal[e] @ means[e]
        for e, e2, shift, matrix in self.others:
            out[e * n:(e + 1) * n, e2 * n:(e2 + 1) * n] += matrix @ means[e2] * complex(np.exp(1j * float(k @ shift)))
        return (self.basis.conj().T @ out @ self.basis).real.copy()

    def phases(self, count):
        generator = np.random.default_rng(10 * self.cell.order)
        for i in range(count):
            d = DIRECTIONS[i // 4 % len(DIRECTIONS)]
            along = generator.uniform(0.1, 1) * math.pi * d / np.abs(d).max()
            yield (along if i % 4 == 3 else generator.uniform(-math.pi, math.pi, 3)) / self.cell.edges


def find_growth(matrix):
    """The logarithm of the largest magnitude of an eigenvalue."""
    scale = last = now = 0.0  # the matrix is exp(scale) times what is stored; logarithms of norms
    for _ in range(SQUARINGS):
        matrix = matrix @ matrix
        norm = float(xp.linalg.norm(matrix))
        scale, last, now = 2 * scale, now, 2 * scale + math.log(norm)
        if not 1e-3 < norm < 1e6:
            matrix /= norm
            scale += math.log(norm)
    return (now - last) / 2.0 ** (SQUARINGS - 1)


def main():
    for word in sys.argv[1:]:
        order, shapes, count, cfl, part = word.split(":")
        for shape in (list(SHAPES)[int(i)] for i in shapes):
            waves, enough, most = Waves(Cell(int(order), SHAPES[shape]), float(cfl)), float(part), -math.inf
            for k in waves.phases(int(count)):
                growth = find_growth(waves.step(k, waves.means(enough)))
                most = max(most, growth)
                while growth > 1e-11 and enough < 3:
                    enough += 0.05
                    growth = find_growth(waves.step(k, waves.means(enough)))
            print(f"order {order}, {shape}, cfl {cfl}: {most:+.1e} a step with {part} of the damping, "
                  f"enough {enough:.2f}", flush=True)
    if len(sys.argv) == 1:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
