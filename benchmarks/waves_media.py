#!/usr/bin/env python3
"""Does any wave grow with ADER steps in a medium with terms? As waves.py, of all eigenvalues, memory included.

    waves_media.py ORDER:SHAPE:PHASES:CFL:MEDIUM:STRENGTH ...

for each order to 8, shape by number (waves.py), phases, a step (1 is the limit, decks take 0.85 at most), a medium of
the list below and its strength, a rate times the vacuum's step at the limit: the largest growth a step, as the program
damps (src/dg/predictor.h) and without damping. With "+" behind the medium two of a cell's six tetrahedra are vacuum.
Such as 4:0:5:0.85:lorentz:0.1. One core: seconds a phase of a conductor at order 4, half a minute of a Lorentz medium.
"""

import math
import sys

import numpy as np

from schemes import Cell, damping
from waves import DIRECTIONS, SHAPES, Waves, longest_step

I = np.eye(3)
ACROSS, ALONG = np.diag([1.0, 1, 0]), np.diag([0.0, 0, 1])  # of a layer's normal z


def conductor(s):
    t = np.zeros((6, 6))
    t[:3, :3] = -s * I
    return t, [], s, 0


def drude(s):  # dP/dt; without losses
    t = np.zeros((9, 9))
    t[:3, 6:], t[6:, :3] = -I, s * s * I
    return t, [-1] * 3, 0, s


def debye(s):  # P; strength 1
    t = np.zeros((9, 9))
    t[6:, :3], t[6:, 6:] = s / 2 * I, -s / 2 * I
    t[:3] = -t[6:]
    return t, [-1] * 3, s, 0


def lorentz(s):  # P, dP/dt; strength 1, without losses
    t = np.zeros((12, 12))
    t[6:9, 9:], t[9:, :3], t[9:, 6:9], t[:3, 9:] = I, s * s / 2 * I, -s * s / 2 * I, -I
    return t, [-1] * 6, 0, s


def side(s):  # a layer across z, Psi of E and H; alpha a twentieth of sigma
    t = np.zeros((12, 12))
    for f in (0, 3):
        t[6 + f:9 + f, f:f + 3] = s * (ACROSS - ALONG)
        t[6 + f:9 + f, 6 + f:9 + f] = -s * ALONG - s / 20 * I
        t[f:f + 3] = -t[6 + f:9 + f]
    return t, [-1] * 3 + [1] * 3, 1.05 * s, 0


def lossless_side(s):  # the same in lossless media, Psi along z alone; alpha a hundredth of sigma
    t = np.zeros((8, 8))
    for i, f in ((6, 2), (7, 5)):
        t[i, i], t[i, f] = -1.01 * s, -s
        t[f] = -t[i]
        t[f - 2, f - 2] = t[f - 1, f - 1] = -s
    return t, [-1, 1], 1.01 * s, 0


# A strength: the matrix of fields E, H and memory at a node, the memory's signs under inversion, decay, oscillation.
MEDIA = {"vacuum": lambda s: (np.zeros((6, 6)), [], 0, 0), "conductor": conductor, "drude": drude, "debye": debye,
         "lorentz": lorentz, "side": side, "lossless-side": lossless_side}


class Media(Waves):
    def __init__(self, cell, cfl, medium, strength):
        self.cell = cell
        step = longest_step(cell)
        self.terms, signs, decay, oscillation = MEDIA[medium.rstrip("+")](strength / step)
        self.dt = cfl / (1 / step + (decay + 1.4 * oscillation) / (4.6 * 0.37))  # sedge_problem_rate
        self.diagonal = [a + b for a, b in zip(cell.local, cell.own)]
        self.modes, self.size = cell.size // 6, len(self.terms) * cell.size // 6
        self.pairs, signs = [], np.diag([-1] * 3 + [1] * 3 + signs)
        for e in range(6):
            e2, matrix = self.mirror(e)
            if e2 > e:
                scalar = matrix[3 * self.modes:4 * self.modes, 3 * self.modes:4 * self.modes]
                self.pairs.append((e, e2, np.kron(signs, scalar)))
        self.plain = self.pairs[0][:2] if medium.endswith("+") else ()

    def laws(self, e):
        return np.zeros((self.size, self.size)) if e in self.plain else np.kron(self.terms, np.eye(self.modes))

    def means(self, part):
        """The step times the mean of fields and memory in each tetrahedron; terms: the last bracket is damped."""
        fields = self.cell.size
        out = []
        for e in range(6):
            slopes = np.zeros((self.size, self.size))
            slopes[:fields, :fields] = self.cell.local[e]
            own, bracket = slopes + self.laws(e), np.eye(self.size)
            for k in range(min(self.cell.order + 1, 3), 1, -1):
                bracket = np.eye(self.size) + self.dt / (k + 1) * own @ bracket
            mean = np.eye(self.size) + self.dt / 2 * own @ bracket
            damped = slopes if e in self.plain else slopes @ bracket
            mean[:fields] += part * self.dt * np.tile(damping(self.cell.order), 6)[:, None] * damped[:fields]
            out.append(mean * self.dt)
        return out

    def step(self, k, means):
        n, fields = self.size, self.cell.size
        out = np.eye(6 * n, dtype=complex)
        for e in range(6):
            out[e * n:(e + 1) * n, e * n:(e + 1) * n] += self.laws(e) @ means[e]
            out[e * n:e * n + fields, e * n:(e + 1) * n] += self.diagonal[e] @ means[e][:fields]
        for e, e2, shift, matrix in self.cell.others:
            out[e * n:e * n + fields, e2 * n:(e2 + 1) * n] += matrix @ means[e2][:fields] * np.exp(1j * (k @ shift))
        out = self.make_real(self.make_real(out.conj().T).conj().T)
        assert np.abs(out.imag).max() < 1e-9
        return out.real.copy()

    def make_real(self, matrix):
        """Rows in the basis of fields that are their own mirror images."""
        n, out = self.size, np.empty_like(matrix)
        for e, e2, mirror in self.pairs:
            a, b = matrix[e * n:(e + 1) * n], mirror.T @ matrix[e2 * n:(e2 + 1) * n]
            out[e * n:(e + 1) * n], out[e2 * n:(e2 + 1) * n] = (a + b) / math.sqrt(2), -1j * (a - b) / math.sqrt(2)
        return out

    def phases(self, count):
        """Waves of 1.8 to 3.5 edges, from the seventh on every other one any phases."""
        generator = np.random.default_rng(7)
        for i in range(count):
            along = DIRECTIONS[(i + 1) % 5] / np.linalg.norm(DIRECTIONS[(i + 1) % 5])
            length = [3.5, 2.4, 3.5, 2.4, 1.8, 3.0][i % 6] * max(self.cell.edges.min(), 0.25)
            any_phases = generator.uniform(-math.pi, math.pi, 3) / self.cell.edges
            yield any_phases if i >= 6 and i % 2 == 0 else along * 2 * math.pi / length


def main():
    for word in sys.argv[1:]:
        order, shape, count, cfl, medium, strength = word.split(":")
        waves = Media(Cell(int(order), SHAPES[list(SHAPES)[int(shape)]]), float(cfl), medium, float(strength))
        growth = [max(math.log(np.abs(np.linalg.eigvals(waves.step(k, waves.means(part)))).max())
                      for k in waves.phases(int(count))) for part in (0.0, 1.0)]
        print(f"{word}: {growth[0]:+.1e} a step without damping, {growth[1]:+.1e} with it", flush=True)
    if len(sys.argv) == 1:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
