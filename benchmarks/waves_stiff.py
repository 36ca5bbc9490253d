#!/usr/bin/env python3
"""Does any wave grow with ADER steps beside stiff poles? As waves_media.py, of all eigenvalues, memory included.

    waves_stiff.py ORDER:SHAPE:PHASES:CFL:MEDIUM[:PLAIN:FINE:EPSILON[:FORM]] ...

for each order to 8, shape by number (waves.py), phases, a step (1 is the limit without the poles) and a stiff medium:
the largest growth a step, of orders from 4 on without and with the damping by degrees. A medium is
  debye,STRENGTH,RATE[,STRENGTH,RATE ...]  poles of a strength over epsilon, where each relaxes alone with the RATE
  drude,FAST,SLOW                          the two rates by which field and current relax
and, behind a plus sign, what else it has:
  lorentz,STRENGTH,OSCILLATION             a pole that is not stiff, in the prediction
  conductor,RATE                           a conductivity, in the prediction
  magnetic,STRENGTH,RATE                   a stiff Debye pole of the magnetic field
all rates times the step of its elements. PLAIN and FINE say which of a cell's six tetrahedra are vacuum and which take
two steps in one of the others: none, pair, rest. EPSILON is that of the stiff medium. FORM is how the update is made:
  lazy    `mean` of stiff_poles.py; finer neighbours see a first half step with the numbers of the whole step
  mean    the same, but the first half has numbers of its own
  joined  as stiff_poles.py
Such as 3:0:3:1:debye,3,5 3:0:3:1:debye,3,50+lorentz,1,0.5:pair:rest:5. One core: seconds a phase at order 2.

    waves_stiff.py frozen:ORDER:SHAPE ...

prints the largest step, over the limit, for an endless strength: E stands still, and the flux's penalty P on jumps of H
acts as Euler's method, with the step 2 / (largest eigenvalue of P) at most.
"""

import math
import sys

import numpy as np

from schemes import Cell, damping
from waves import SHAPES, longest_step
from waves_media import Media


def debye(*numbers):
    """A of (E, P, ...) of the poles."""
    a = np.zeros((len(numbers) // 2 + 1,) * 2)
    for i in range(1, len(a)):
        strength, rate = numbers[2 * i - 2:2 * i]
        a[i, 0], a[i, i] = strength * rate / (1 + strength), -rate / (1 + strength)
        a[0] -= a[i]
    return a


def drude(fast, slow):
    """A of (E, current)."""
    return np.array([[0.0, -1.0], [fast * slow, -(fast + slow)]])


def lorentz(strength, oscillation):
    """Of (E, P, dP/dt), with the rate of a lossless oscillation together with the field."""
    w = oscillation**2 / (1 + strength)
    return np.array([[0, 0, -1.0], [0, 0, 1.0], [w * strength, -w, 0]])


def phi(k, x):
    """phi_0 = exp, phi_k(x) = (phi_(k-1)(x) - 1 / (k - 1)!) / x."""
    if abs(x) < 2:
        return sum(x**i / math.factorial(i + k) for i in range(30))
    value = math.exp(x)
    for i in range(k):
        value = (value - 1 / math.factorial(i)) / x
    return value


class Law:
    """The exponential update of y = (field, memory), y' = A y + N e_0, over a step; A is times the step."""

    def __init__(self, a, form):
        values, v = np.linalg.eig(a)
        assert np.abs(np.imag(values)).max() == 0
        values, v = values.real, v.real
        self.values, self.size = np.where(np.abs(values) < 1e-13 * np.abs(values).max(), 0, values), len(a)
        self.projectors = [np.outer(v[:, j], row) for j, row in enumerate(np.linalg.inv(v))]
        self.relax = self.sum(math.exp)
        self.respond = self.sum(lambda x: phi(1, x))[:, 0]
        if form == "joined":
            self.start, self.factor = np.eye(self.size)[0], self.sum(lambda x: x > -0.5)[0, 0]
        else:
            self.start, self.factor = self.sum(lambda x: phi(1, x))[0], 2 * self.sum(lambda x: phi(2, x))[0, 0]

    def sum(self, f):
        return sum(f(x) * p for x, p in zip(self.values, self.projectors))


def read_medium(text):
    """The laws of E (0) and H (1), the plain terms of E, and what they add to the rate of the step; all times a step."""
    laws, terms, slower = {}, np.zeros((1, 1)), 0.0
    for part in text.split("+"):
        name, *numbers = part.split(",")
        numbers = [float(number) for number in numbers]
        if name == "lorentz":
            pole = lorentz(*numbers)
            pole[0, 0] = terms[0, 0]
            terms, slower = pole, slower + 1.4 * numbers[1] / (4.6 * 0.37)  # sedge_problem_rate
        elif name == "conductor":
            terms[0, 0] -= numbers[0]
            slower += numbers[0] / (4.6 * 0.37)
        else:
            laws[int(name == "magnetic")] = {"debye": debye, "magnetic": debye, "drude": drude}[name](*numbers)
    return laws, terms, slower


class Blocks:
    """What a medium does at a node in a step, by matrices of the numbers E, H, plain memory, memory of E's law, of H's."""

    def __init__(self, terms, laws, form, memory):
        plain, at = len(terms) - 1, len(terms) + 1
        self.terms = np.insert(np.insert(terms, 1, 0, axis=0), 1, 0, axis=1)  # of E, H, plain memory
        self.start = np.eye(2 + plain, 2 + memory)
        self.factor = np.ones(2 + plain)
        self.relax = np.eye(2 + memory)
        self.relax[at:, at:] = 0
        self.respond = np.eye(2 + memory, 2 + plain)
        for field, a in laws.items():
            law = Law(a, form)
            y = [field, *range(at, at + law.size - 1)]
            self.start[field, y], self.factor[field] = law.start, law.factor
            self.relax[np.ix_(y, y)] = law.relax
            self.respond[y, field] = law.respond
            at += law.size - 1


class Stiff(Media):
    def __init__(self, cell, cfl, medium, plain="none", fine="none", epsilon=1.0, form="lazy"):
        self.cell, self.modes = cell, cell.size // 6
        laws, terms, slower = read_medium(medium)
        memory = len(terms) - 1 + sum(len(a) - 1 for a in laws.values())
        at_h = len(laws[1]) - 1 if 1 in laws else 0
        self.size = (2 + memory) * 3 * self.modes
        signs = np.diag(np.repeat([-1, 1] + [-1] * (memory - at_h) + [1] * at_h, 3))
        self.pairs = []
        for e in range(6):
            e2, matrix = self.mirror(e)
            if e2 > e:
                scalar = matrix[3 * self.modes:4 * self.modes, 3 * self.modes:4 * self.modes]
                self.pairs.append((e, e2, np.kron(signs, scalar)))
        sets = {"none": (), "pair": self.pairs[0][:2], "rest": self.pairs[1][:2] + self.pairs[2][:2]}
        self.plain, self.fine = sets[plain], sets[fine]
        self.coarse = [e for e in range(6) if e not in self.fine]
        self.epsilon = [1.0 if e in self.plain else epsilon for e in range(6)]
        longest = [longest_step(cell) * eps**0.5 for eps in self.epsilon]
        stiff = [e for e in range(6) if e not in self.plain]
        self.dt = cfl * min(s * (2 if e in self.fine else 1) / (1 + slower * (e in stiff)) for e, s in enumerate(longest))
        own = 2.0 if all(e in self.fine for e in stiff) else 1.0  # rates are times the step of the stiff elements
        self.vacuum = Blocks(0 * terms, {}, form, memory)
        self.blocks = {part: Blocks(terms * own / self.dt, {f: a * own * part for f, a in laws.items()}, form, memory)
                       for part in (1.0, 0.5)}
        self.lazy = form == "lazy"
        self.fill()

    def fill(self):
        """Derivatives and fluxes between media; the energy flux's impedances are those of epsilon."""
        cell, half = self.cell, 3 * self.modes
        scales = [np.repeat([1 / eps, 1.0], half)[:, None] for eps in self.epsilon]
        self.local = [cell.local[e] * scales[e] for e in range(6)]
        self.own, self.others = [np.zeros_like(a) for a in self.local], []
        for (e, e2, shift, other), inner in zip(cell.others, cell.inner):
            z, z2 = self.epsilon[e]**-0.5, self.epsilon[e2]**-0.5
            weights = 2 / (z + z2) * np.array([[1, z2], [z, z * z2]]) * [[1 / self.epsilon[e]], [1]]
            weights = np.kron(weights, np.ones((half, half)))
            self.own[e] += weights * inner
            self.others.append((e, e2, shift, weights * other))

    def law(self, e, part):
        return self.vacuum if e in self.plain else self.blocks[part]

    def spread(self, matrix):
        return np.kron(matrix, np.eye(3 * self.modes))

    def mean(self, e, part, damped, lazy=False):
        """The mean of fields and plain memory over part of the step, of the state."""
        law, dt = self.law(e, 1.0 if lazy else part), part * self.dt
        fields = 6 * self.modes
        start, terms = self.spread(law.start), self.spread(law.terms)
        factor = np.repeat(law.factor, 3 * self.modes)[:, None]
        bracket = start
        for k in range(2 if self.cell.order <= 2 else 3, 0, -1):
            slopes = self.local[e] @ bracket[:fields]
            rate = terms @ bracket
            rate[:fields] += slopes
            bracket = start + dt / (k + 1) * factor * rate
        if e in self.plain:
            slopes = self.local[e] @ start[:fields]
        bracket[:fields] += damped * dt * factor[:fields] * np.tile(damping(self.cell.order), 6)[:, None] * slopes
        return bracket

    def correct(self, state, e, part, seen, k):
        law, dt = self.law(e, part), part * self.dt
        fields = 6 * self.modes
        rate = self.spread(law.terms) @ seen[e]
        rate[:fields] += (self.local[e] + self.own[e]) @ seen[e][:fields]
        for e1, e2, shift, matrix in self.others:
            if e1 == e:
                rate[:fields] += matrix @ seen[e2][:fields] * np.exp(1j * (k @ shift))
        return self.spread(law.relax) @ state[e] + dt * self.spread(law.respond) @ rate

    def step(self, k, damped):
        """Of the coarse elements, with two steps of the fine ones in it (src/dg/predictor.h)."""
        state = np.eye(6 * self.size, dtype=complex).reshape(6, self.size, -1)
        for e in self.plain:
            state[e, 6 * self.modes:] = 0
        seen, later, pair = {}, {}, dict.fromkeys(self.fine, 0.0)
        mean = {e: self.mean(e, 1.0, damped) @ state[e] for e in self.coarse}
        for second in (False, True) if self.fine else ():
            for e in self.coarse:
                if not second:
                    seen[e] = self.mean(e, 0.5, damped, self.lazy) @ state[e]
                    later[e] = 2 * mean[e] - seen[e]
                else:
                    seen[e] = later[e]
            for e in self.fine:
                seen[e] = self.mean(e, 0.5, damped) @ state[e]
                pair[e] = pair[e] + seen[e] / 2
            for e, new in [(e, self.correct(state, e, 0.5, seen, k)) for e in self.fine]:
                state[e] = new
        seen = {**mean, **pair}
        for e, new in [(e, self.correct(state, e, 1.0, seen, k)) for e in self.coarse]:
            state[e] = new
        out = state.reshape(6 * self.size, -1)
        out = self.make_real(self.make_real(out.conj().T).conj().T)
        assert np.abs(out.imag).max() < 1e-9
        return out.real.copy()


def find_growth(word):
    order, shape, count, cfl, medium, *rest = word.split(":")
    if len(rest) > 2:
        rest[2] = float(rest[2])
    waves = Stiff(Cell(int(order), SHAPES[list(SHAPES)[int(shape)]]), float(cfl), medium, *rest)
    return [max(math.log(np.abs(np.linalg.eigvals(waves.step(k, damped))).max()) for k in waves.phases(int(count)))
            for damped in ((0.0, 1.0) if int(order) >= 4 else (1.0,))]


def find_frozen(order, shape):
    """The largest stable step of H alone, over the limit, for phases of 0 and pi."""
    cell, largest = Cell(order, SHAPES[list(SHAPES)[shape]]), 0.0
    half = cell.size // 2
    for phase in ((0, 0, 0), (1, 1, 1), (0, 0, 1), (1, 0, 0)):
        penalty = np.zeros((6, half, 6, half))
        for (e, e2, shift, other), inner in zip(cell.others, cell.inner):
            penalty[e, :, e] -= inner[half:, half:]
            penalty[e, :, e2] -= other[half:, half:] * np.real(np.exp(1j * math.pi * (np.array(phase) / cell.edges @ shift)))
        largest = max(largest, np.linalg.eigvalsh(penalty.reshape(6 * half, 6 * half)).max())
    return 2 / (largest * longest_step(cell))


def main():
    for word in sys.argv[1:]:
        if word.startswith("frozen:"):
            print(f"{word}: {find_frozen(*(int(number) for number in word.split(':')[1:])):.3f}", flush=True)
            continue
        print(f"{word}: {', '.join(f'{growth:+.1e}' for growth in find_growth(word))}", flush=True)
    if len(sys.argv) == 1:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
