// Low-storage Runge-Kutta methods as tables (2N storage): for each stage s,
//   residual = a[s] residual + dt f(u, t + c[s] dt),   u = u + b[s] residual.
#pragma once

typedef struct sedge_lsrk {
    const char *name;
    int stages;
    int order;
    const double *a;
    const double *b;
    const double *c;
} sedge_lsrk;

// Carpenter & Kennedy, NASA TM 109112 (1994): five stages, order four; a[0] = 0.
extern const sedge_lsrk sedge_lsrk45;
