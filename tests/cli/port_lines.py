"""Exact S-parameters of what fills a line from end to end: sections of lines, what lies across them, and an iris.

Everything is in normalised units (c = epsilon_0 = mu_0 = 1), for exp(+i w t), at all angular frequencies `w` at once. A line is a wave
number and a wave impedance; a chain is the product of its parts' matrices, which give voltage and current before a part by those behind
it. So the same functions have coaxial lines and plates (impedances in ohms, per the line) and the modes of a guide (per square).
"""

import math

import numpy


def matrix(a, b, c, d):
    """One 2 x 2 matrix a frequency."""
    a, b, c, d = numpy.broadcast_arrays(a, b, c, d)
    return numpy.stack([numpy.stack([a, b], -1), numpy.stack([c, d], -1)], -2).astype(complex)


def line(k, impedance, length):
    """A section of a line with the wave number `k`, imaginary and negative below the cut-off."""
    angle = k * length
    return matrix(numpy.cos(angle), 1j * impedance * numpy.sin(angle), 1j * numpy.sin(angle) / impedance, numpy.cos(angle))


def shunt(admittance):
    """What lies across the line: a sheet, a load, the line that goes on behind a port."""
    return matrix(1, 0, admittance, 1)


def scattering(chain, first, second):
    """S11, S12, S21, S22 between ports with the references `first` and `second`, which may depend on the frequency."""
    a, b, c, d = (chain[..., i, j] for i in (0, 1) for j in (0, 1))
    all_waves = a * second + b + c * first * second + d * first
    through = 2 * numpy.sqrt(first * second + 0j) / all_waves
    return ((a * second + b - c * first * second - d * first) / all_waves, through * (a * d - b * c), through,
            (-a * second + b - c * first * second + d * first) / all_waves)


def coupled(w, lines, length, parts, references):
    """The matrices [w][2 n][2 n] of n coupled lines between ports of n conductors at either end, with these `references`. `lines` are the
    index and the impedance of each wave, and `parts` @ (the conductors' voltages) are the waves' voltages."""
    n = len(lines)
    both = numpy.kron(numpy.eye(2), parts)
    root = numpy.sqrt(numpy.array([*references] * 2))
    found = []
    for one in numpy.atleast_1d(w):
        admittance = numpy.zeros((2 * n, 2 * n), complex)
        for k, (index, impedance) in enumerate(lines):
            angle = one * index * length * (1 + 1e-7)  # of a half wave there is no admittance
            for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
                admittance[n * i + k, n * j + k] = (1 / math.tan(angle) if i == j else -1 / math.sin(angle)) / (1j * impedance)
        scaled = root[:, None] * (both.T @ admittance @ both) * root
        found.append((numpy.eye(2 * n) - scaled) @ numpy.linalg.inv(numpy.eye(2 * n) + scaled))
    return numpy.array(found)


def coaxial_impedance(inner, outer, epsilon=1.0):
    """Of a coaxial line, in units of the impedance of free space."""
    return math.log(outer / inner) / (2 * math.pi * math.sqrt(epsilon))


def mode(w, cut_off, kind="te", epsilon=1.0, mu=1.0):
    """Wave number and wave impedance of a mode whose fields vary across the guide with the wave number `cut_off`."""
    k = numpy.conj(numpy.sqrt(w * w * epsilon * mu - cut_off**2 + 0j))  # below the cut-off fields decay
    return k, w * mu / k if kind == "te" else k / (w * epsilon)


def layered(w, epsilon, thickness, others, distance, along=None):
    """Wave number of the lowest mode between plates that are `distance` apart, with `thickness` of one medium on one of them and another
    one on the other: fields have a part along the line, which is of the order of (w distance)^2.

    E across the media is cos(kx x) from each plate, and what is continuous gives the sum of kx tan(kx d) / epsilon of both media. Where
    the first medium has another epsilon `along` the line, that counts there, and kx^2 is along (w^2 - k^2 / epsilon).
    """
    found = []
    along = along or epsilon
    for one in numpy.atleast_1d(w):
        low, high = one * math.sqrt(min(epsilon, others)), one * math.sqrt(max(epsilon, others))
        for _ in range(60):
            k = (low + high) / 2
            sides = ((epsilon, along, thickness), (others, others, distance - thickness))
            across = [(numpy.sqrt(e_along * (one**2 - k**2 / e) + 0j), e_along, d) for e, e_along, d in sides]
            low, high = (k, high) if sum(kx * numpy.tan(kx * d) / e for kx, e, d in across).real > 0 else (low, k)
        found.append(k)
    return numpy.array(found)


def slab(w, cut_off, thickness, epsilon, kind="te"):
    """A slab across an empty guide, seen from its faces."""
    outside = mode(w, cut_off, kind)[1]
    return scattering(line(*mode(w, cut_off, kind, epsilon), thickness), outside, outside)


def iris(w, width, window, thickness, modes=60):
    """S11 and S21 of a window in the middle of a guide's wide side, between its faces, for the mode TE10: by modes.

    The fields are even about the middle of the window and do not depend on the height. E of the guide's modes is
    sqrt(2 / width) cos(kn x), in the window likewise. On a face E is that of the window's modes, 0 beside them, and H is continuous in
    the window. Even and odd excitation about the middle of the thickness give S11 + S21 and S11 - S21.
    """
    outer = (2 * numpy.arange(modes) + 1) * math.pi / width
    inner = (2 * numpy.arange(max(1, round(modes * window / width))) + 1) * math.pi / window
    p, q = outer[:, None], inner[None, :]
    share = 2 / math.sqrt(width * window) * (overlap(p - q, window / 2) + overlap(p + q, window / 2))
    back, through = match(w, outer, inner, share, thickness, 1)
    return back[:, 0, 0], through[:, 0, 0]


def overlap(a, length):
    """sin(a length) / a, also for a = 0."""
    return length * numpy.sinc(a * length / math.pi)


def side_window(w, width, window, thickness, count, modes=60):
    """The matrices of S11 and S21, [w][count][count], of a window at one end of a guide's wide side, between its faces, for the modes
    TE10, TE20 and so on, which all become each other there."""
    outer = numpy.arange(1, modes + 1) * math.pi / width
    inner = numpy.arange(1, max(1, round(modes * window / width)) + 1) * math.pi / window
    p, q = outer[:, None], inner[None, :]
    share = (overlap(p - q, window) - overlap(p + q, window)) / math.sqrt(width * window)
    return match(w, outer, inner, share, thickness, count)


def match(w, outer, inner, share, thickness, count):
    """S11 and S21 of the first `count` modes of a guide with a window, by the wave numbers `outer` and `inner` across guide and window of
    all their modes, and the integrals `share` of the products of their profiles."""
    found = []
    for one in numpy.atleast_1d(w):
        before = numpy.conj(numpy.sqrt(one**2 - outer**2 + 0j)) / one  # the modes' admittances
        inside = numpy.conj(numpy.sqrt(one**2 - inner**2 + 0j))
        root = numpy.sqrt(before[:count])
        sums = []
        for ratio in (1j * numpy.tan(inside * thickness / 2), -1j / numpy.tan(inside * thickness / 2)):
            # Amplitudes v in the window of the wave of mode j: (share^T before share + inside ratio) v = 2 share_j before_j.
            system = share.T @ (before[:, None] * share) + numpy.diag(inside / one * ratio)
            v = numpy.linalg.solve(system, 2 * (before[:count, None] * share[:count]).T)
            sums.append(root[:, None] * (share[:count] @ v - numpy.eye(count)) / root)
        found.append([(sums[0] + sums[1]) / 2, (sums[0] - sums[1]) / 2])
    return tuple(numpy.array(found).swapaxes(0, 1))
