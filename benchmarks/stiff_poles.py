#!/usr/bin/env python3
"""ADER steps beside a stiff Debye pole: two ways, by numbers; the program has neither (input/materials.md, "Stiff poles").

    stiff_poles.py ORDER:EPSILON:STRENGTH:RATE ...

In one dimension, on a periodic line of six elements with upwind flux: epsilon E' = H_x - P', H' = E_x and, of the pole,
P' = (STRENGTH E - P) / tau. Field and polarisation at a point relax together with the rate (1 + STRENGTH / epsilon) / tau,
which is RATE over the largest stable step without the pole. Printed for each way: its largest stable step, over that without
the pole, and the relative error of the wave's frequency (growth and phase) at 0.6, 0.3 and 0.15 of that step.

- split: half a step of the relaxation, a step of ADER with epsilon alone, half a step of the relaxation (Strang);
- joined: in the prediction E follows with the slow part of the relaxation alone; then relaxation and the mean rate of fields,
  taken as constant over the step, are integrated together exactly, as the program's exponential update does in stages;
- medium: ADER without the pole in a medium of epsilon + STRENGTH, which the pole becomes for RATE to infinity.

Orders 1 to 3: above, waves grow without the damping by degrees (src/dg/predictor.h), which is left out here. One level.
Such as 3:1:3:6e7 3:1:3:10 3:5:75:6e8. One core, seconds each.
"""

import sys

import numpy as np
from numpy.polynomial import legendre

CELLS = 6
WAVE = 2 * np.pi  # one wavelength on the line
STABLE = 1 + 1e-9  # a spectral radius that is 1 but for rounding


class Line:
    """Operators on (E, H), all elements' nodes of one field after another: `whole`, and without neighbours `own`."""

    def __init__(self, order, epsilon):
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
        self.whole = np.block([[upwind / epsilon**0.5, central / epsilon], [central, upwind / epsilon**0.5]])
        self.own = np.block([[none, derive / epsilon], [derive, none]])

    def rates(self, dt, slow=1.0):
        """dt times the mean of the fields' rates over a step; `slow` of E's own rates are in the prediction."""
        own = self.own.copy()
        own[:self.size] *= slow
        term = mean = np.eye(len(own))
        for k in range(1, self.order + 1):
            term = term @ own * dt / (k + 1)
            mean = mean + term
        return dt * self.whole @ mean

    def plain(self, dt):
        return np.eye(2 * self.size) + self.rates(dt)


class Pole:
    """(E, P) relax by `fast` exp(-rate t) + `slow`."""

    def __init__(self, epsilon, strength, rate):
        self.rate, self.tau = rate, (1 + strength / epsilon) / rate
        self.matrix = np.array([[-strength / epsilon, 1 / epsilon], [strength, -1.0]]) / self.tau
        self.fast = -self.matrix / rate
        self.slow = np.eye(2) - self.fast

    def relax(self, dt):
        return self.slow + np.exp(-self.rate * dt) * self.fast

    def respond(self, dt):
        """The mean over a step of what is left at its end of a rate."""
        return self.slow + -np.expm1(-self.rate * dt) / (self.rate * dt) * self.fast


def spread(pair, size):
    """Of (E, P) at a point, on (E, H, P) at all."""
    every = np.kron(np.insert(np.insert(pair, 1, 0, axis=0), 1, 0, axis=1), np.eye(size))
    every[size:2 * size, size:2 * size] = np.eye(size)
    return every


def split(line, pole, dt):
    half = spread(pole.relax(dt / 2), line.size)
    step = np.eye(3 * line.size)
    step[:2 * line.size, :2 * line.size] = line.plain(dt)
    return half @ step @ half


def joined(line, pole, dt):
    size = line.size
    rates = line.rates(dt, pole.slow[0, 0])
    to_field, to_pole = pole.respond(dt)[:, 0]
    step = spread(pole.relax(dt), size)
    step[:2 * size, :2 * size] += np.concatenate([to_field * rates[:size], rates[size:]])
    step[2 * size:, :2 * size] += to_pole * rates[:size]
    return step


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


def find_wave(epsilon, pole):
    """The slow wave's exponent; of an infinitely fast pole that of epsilon + strength."""
    rates = np.zeros((3, 3), complex)
    rates[np.ix_([0, 2], [0, 2])] = pole.matrix
    rates[0, 1], rates[1, 0] = 1j * WAVE / epsilon, 1j * WAVE
    found = np.linalg.eigvals(rates)
    return found[np.argmax(found.imag)]


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    for word in sys.argv[1:]:
        order, epsilon, strength, rate = (float(part) for part in word.split(":"))
        if order not in (1, 2, 3):
            sys.exit(f"stiff_poles.py: {word}: the order must be 1, 2 or 3")
        line, dense = Line(int(order), epsilon), Line(int(order), epsilon + strength)
        limit = longest(line.plain, epsilon**0.5)
        pole = Pole(epsilon, strength, rate / limit)
        exact = find_wave(epsilon, pole)
        print(f"{word}: {2 * np.pi / abs(exact.imag) / limit:.1f} steps a period at the limit")
        for name, step, wave in (("split", lambda dt: split(line, pole, dt), exact), ("joined", lambda dt: joined(line, pole, dt), exact),
                                 ("medium", dense.plain, 1j * WAVE / (epsilon + strength)**0.5)):
            errors = " ".join(f"{miss(step, part * limit, wave):.1e}" for part in (0.6, 0.3, 0.15))
            print(f"  {name:6} stable to {longest(step, 3 * limit) / limit:.2f}; error {errors}")


if __name__ == "__main__":
    main()
