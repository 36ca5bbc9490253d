// Eigenvalues of A^-1 S M by the Lanczos method with eight vectors at once, so that it finds
// several vectors with one eigenvalue. The greatest ones are found first. All vectors are made
// orthogonal to each other, by M.
#pragma once

#include "port_matrix.h"

#define PORT_MOST_PANELS 64

enum { PORT_SPACE_MOST = PORT_MOST_PANELS * PORT_TILE };

typedef struct port_operator {
    const port_matrix *factor; // of A, with its signs S
    bool definite;             // S is 1, and A^-1 M symmetric
    int64_t rows;
    void (*multiply)(const void *of, const double *x, double *y); // y = M x, of panels
    const void *of;
} port_operator;

typedef struct port_space {
    const port_operator *of;
    int panels;
    double *panel[PORT_MOST_PANELS + 1]; // of vectors whose M products are those of the unit matrix
    double *mass;                        // M times the last of them
    double *t;                           // [PORT_SPACE_MOST][PORT_SPACE_MOST] A^-1 S M in the space
    double leaves[PORT_TILE * PORT_TILE]; // the part of it times the last panel but one that is the
                                          // last one
    int known;                            // of eigenvalues: all, or those that are real
    double *a, *theta, *z; // as `t`: its eigenvalues, descending, and vectors, [n][n] with n =
                           // panels * PORT_TILE
} port_space;

// Begin with a panel. Keeps `of`. SEDGE_ERR_MEMORY. Clear it in any case.
SEDGE_MUST_USE
sedge_status port_space_create(port_space *out, const port_operator *of);
void port_space_clear(const port_space *in);

// Take a panel more into the space. `*ended`: the operator leads no further. SEDGE_ERR_MEMORY.
SEDGE_MUST_USE
sedge_status port_space_extend(port_space *in, bool *ended);

// Eigenvalues and vectors in the space. SEDGE_ERR_MEMORY, SEDGE_ERR_COMPUTE.
SEDGE_MUST_USE
sedge_status port_space_eigen(port_space *in);

// How far vector `i` is from one of the operator.
double port_space_residual(const port_space *in, int i);
