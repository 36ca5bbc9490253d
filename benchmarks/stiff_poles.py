#!/usr/bin/env python3
"""How exact are ADER steps beside stiff poles? In one dimension, by numbers (input/materials.md, "Stiff poles").

    stiff_poles.py ORDER:MEDIUM ...

On a periodic line of six elements with upwind flux, one wavelength long, and a medium as waves_stiff.py has it, whose rates
are over the largest stable step without poles. Printed for each way: its largest stable step, over that without poles, and
the relative error of the wave's frequency (growth and phase) at 0.9, 0.6, 0.3 and 0.15 of that step, where stable.

- split: half a step of the relaxation, a step of ADER without the stiff poles, half a step of the relaxation (Strang);
- joined: relaxation and the mean rate N of the field over the step, as constant, are integrated together exactly; in the
  prediction the field stays as it is and follows rates with the slow part of the relaxation alone;
- mean: the same, but the prediction starts from the mean over the step of the field as it relaxes alone, and follows
  rates by the mean's answer to a constant N, for all eigenvalues alike;
- own: the poles as any other terms of ADER (poles of E only).

Orders 1 to 3: above, waves grow without the damping by degrees (src/dg/predictor.h), which is left out here. One level.
Such as 3:debye,3,1 3:debye,3,6e7 3:debye,3,5+lorentz,1,0.3 3:drude,8,0.1. One core, seconds each.
"""

import sys
from functools import partial

import numpy as np
from numpy.polynomial import legendre

from waves_stiff import Blocks, read_medium

CELLS = 6
WAVE = 2 * np.pi  # one wavelength on the line
STABLE = 1 + 1e-9  # a spectral radius that is 1 but for rounding


class Line:
    """Operators on (E, H), all elements' nodes of one field after another: `whole`, and without neighbours `own`."""

    def __init__(self, order):
        points = legendre.leggauss(order + 1)[0]
        norm = np.sqrt((2 * np.arange(order + 1) + 1) / 2)
        inverse = np.linalg.inv(legendre.legvander(points, order) * norm)
        slopes = np.array([legendre.legval(points, legendre.legder(row)) for row in np.eye(order + 1)]).T * norm
        lift = np.linalg.inv(inverse.T @ inverse / (2 * CELLS))
        left, right = ((legendre.legvander(np.array([end]), order) * norm @ inverse)[0] for end in (-1.0, 1.0))
        eye = np.eye(CELLS)
        derive = np.kron(eye, slopes @ inverse * 2 * CELLS)
        jump_right = np.kron(np.roll(eye, 1, axis=1), np.outer(lift @ right, left)) - np.kron(eye, np.outer(lift @ right, right))
        jump_left = np.kron(np.roll(eye, -1, axis=1), np.outer(lift @ left, right)) - np.kron(eye, np.outer(lift @ left, left))
        central, upwind = derive + (jump_right - jump_left) / 2, (jump_right + jump_left) / 2
        none = 0 * derive
        self.size = len(derive)
        self.order = order
        self.whole = np.block([[upwind, central], [central, upwind]])
        self.own = np.block([[none, derive], [derive, none]])

    def spread(self, matrix):
        return np.kron(matrix, np.eye(self.size))

    def step(self, blocks, dt):
        """As waves_stiff.Stiff.mean and .correct."""
        fields, terms = 2 * self.size, self.spread(blocks.terms)
        start = bracket = self.spread(blocks.start)
        for k in range(max(self.order, 2), 0, -1):
            rate = terms @ bracket
            rate[:fields] += self.own @ bracket[:fields]
            bracket = start + dt / (k + 1) * np.repeat(blocks.factor, self.size)[:, None] * rate
        rate = terms @ bracket
        rate[:fields] += self.whole @ bracket[:fields]
        return self.spread(blocks.relax) + dt * self.spread(blocks.respond) @ rate


class Medium:
    """A medium of epsilon 1 for steps of which `limit` is the longest."""

    def __init__(self, line, text, limit):
        self.line, self.limit = line, limit
        self.laws, self.terms, _ = read_medium(text)
        self.memory = len(self.terms) - 1 + sum(len(a) - 1 for a in self.laws.values())

    def blocks(self, part, form):
        laws = {field: a * part for field, a in self.laws.items()}
        return Blocks(self.terms / self.limit, laws, form, self.memory)

    def exponential(self, dt, form):
        return self.line.step(self.blocks(dt / self.limit, form), dt)

    def split(self, dt):
        blocks, half = self.blocks(dt / self.limit, "mean"), self.line.spread(self.blocks(dt / self.limit / 2, "mean").relax)
        plain = Blocks(self.terms / self.limit, {}, "mean", self.memory)
        plain.relax = np.eye(len(blocks.relax))
        return half @ self.line.step(plain, dt) @ half

    def own(self, dt):
        """Only for poles of E; the plain memory becomes a part of one matrix of E and all memory."""
        plain = len(self.terms)
        terms = np.zeros((self.memory + 1,) * 2)
        terms[:plain, :plain] = self.terms
        y = [0, *range(plain, self.memory + 1)]
        terms[np.ix_(y, y)] += self.laws[0]
        return self.line.step(Blocks(terms / self.limit, {}, "mean", self.memory), dt)

    def find_wave(self):
        """The exponent of the slowest wave that oscillates like one."""
        plain, at = len(self.terms) - 1, len(self.terms) + 1
        rates = np.zeros((2 + self.memory,) * 2, complex)
        e = [0, *range(2, 2 + plain)]
        rates[np.ix_(e, e)] += self.terms / self.limit
        for field, a in self.laws.items():
            y = [field, *range(at, at + len(a) - 1)]
            rates[np.ix_(y, y)] += a / self.limit
            at += len(a) - 1
        rates[0, 1] = rates[1, 0] = 1j * WAVE
        found = np.linalg.eigvals(rates)
        return min((value for value in found if value.imag > 0.01), key=abs)


def longest(step, most):
    """The largest stable step of a scan up to `most`."""
    stable = 0.0
    for dt in np.geomspace(most / 300, most, 60):
        if abs(np.linalg.eigvals(step(dt))).max() > STABLE:
            break
        stable = dt
    return stable


def miss(step, dt, exact):
    """The distance of a step's nearest frequency from the exact one."""
    found = np.log(np.linalg.eigvals(step(dt)) + 0j) / dt
    return abs(found - exact).min() / abs(exact)


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    for word in sys.argv[1:]:
        order, text = word.split(":")
        if order not in ("1", "2", "3"):
            sys.exit(f"stiff_poles.py: {word}: the order must be 1, 2 or 3")
        line = Line(int(order))
        vacuum = Blocks(np.zeros((1, 1)), {}, "mean", 0)
        limit = longest(lambda dt: line.step(vacuum, dt), 1.0)
        medium = Medium(line, text, limit)
        exact = medium.find_wave()
        print(f"{word}: {2 * np.pi / abs(exact.imag) / limit:.1f} steps a period at the limit")
        ways = {"split": medium.split, "joined": partial(medium.exponential, form="joined"),
                "mean": partial(medium.exponential, form="mean"), "own": medium.own}
        for name, step in ways.items():
            if name == "own" and 1 in medium.laws:
                continue
            most = longest(step, 3 * limit)
            errors = [f"{miss(step, part * limit, exact):.1e}" if part * limit <= most else "-" for part in (0.9, 0.6, 0.3, 0.15)]
            print(f"  {name:6} stable to {most / limit:.2f}; error {' '.join(errors)}")


if __name__ == "__main__":
    main()
