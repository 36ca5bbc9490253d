// Gauss-Legendre quadrature.
#pragma once

// The `count` >= 1 points x in (-1, 1), ascending, and weights w of the rule that is exact for
// polynomials of degree 2 count - 1. Newton's method on the Legendre polynomial.
void sedge_gauss_legendre(int count, double *x, double *w);
