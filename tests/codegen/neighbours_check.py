"""The entropy that the example of nearest neighbours prints, computed again without it.

    neighbours_check.py EXAMPLE

Kozachenko and Leonenko's estimate is checked first where the entropy is known: of normal points in three
dimensions. Then it is applied to the example's patches, which are made here once more in double.
Python's standard library only.
"""

import math
import random
import re
import subprocess
import sys

POINTS = 200
PATCH = 8
SIDE = 1024
EULER = 0.57721566490153286


def estimate(points, others, dimensions):
    """In nats: the mean of the logarithm of what a ball with one neighbour in it tells of the density."""
    total = 0.0
    for point in points:
        nearest = min(math.dist(point, other) for other in others)
        ball = (math.pi ** (dimensions / 2) / math.gamma(dimensions / 2 + 1)) * nearest ** dimensions
        total += math.log(len(others) * ball)
    return total / len(points) + EULER


def check_normal():
    """Of a standard normal distribution, 0.5 log(2 pi e) a dimension. For one point the logarithm's
    standard deviation is that of an exponential variable's and of the density's logarithm, pi^2 / 6 +
    3 / 2, so the mean of 1000 has 0.056; four of these, and as much for the ball's size."""
    chance = random.Random(1)
    points, others = ([[chance.gauss(0.0, 1.0) for _ in range(3)] for _ in range(1000)]
                      for _ in range(2))
    found, known = estimate(points, others, 3), 1.5 * math.log(2.0 * math.pi * math.e)
    if abs(found - known) > 8 * 0.056:
        sys.exit(f"entropy of normal points: {found:.3f}, known: {known:.3f}")


def noise(i):
    i &= 0xffffffff
    i = (i ^ i >> 16) * 0x7feb352d & 0xffffffff
    i = (i ^ i >> 15) * 0x846ca68b & 0xffffffff
    return (i ^ i >> 16) / 4294967296.0


def pixel(y, x):
    waves = math.sin(0.05 * x) * math.cos(0.031 * y) + 0.4 * math.sin(0.21 * (x + y))
    return waves + (0.8 if 2 * x + y > 2 * SIDE else 0.0) + 0.2 * noise(y * SIDE + x)


def patch(which):
    y, x = (int(noise(2 * which + part) * (SIDE - PATCH)) for part in (0, 1))
    values = [pixel(y + d // PATCH, x + d % PATCH) for d in range(PATCH * PATCH)]
    mean = sum(values) / len(values)
    return [value - mean for value in values]


def main():
    check_normal()
    text = subprocess.run([sys.argv[1], "host", str(POINTS)], check=True, capture_output=True,
                          text=True).stdout
    printed = float(re.search(r"entropy (-?[\d.]+) bits a pixel", text).group(1))
    points, others = ([patch(first + i) for i in range(POINTS)] for first in (0, POINTS))
    dimensions = PATCH * PATCH - 1
    wanted = estimate(points, others, dimensions) / dimensions / math.log(2.0)
    # Two decimals are printed; the example's numbers are floats.
    if abs(printed - wanted) > 0.006:
        sys.exit(f"the example says {printed} bits a pixel, not {wanted:.4f}")
    print(f"{printed} bits a pixel, here {wanted:.4f}")


if __name__ == "__main__":
    main()
