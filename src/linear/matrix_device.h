// A spread matrix as an operator on the device: the part of each row that meets this rank's
// unknowns, and the part that meets the halo, which is exchanged meanwhile; diagonals and blocks of
// it as preconditioners.
#pragma once

#include "linear/krylov.h"
#include "linear/matrix.h"
#include "sparse/sparse.h"

typedef struct sedge_matrix_device sedge_matrix_device;

// Collective. `tune`: how the kernels of the products are chosen (sparse/sparse.h). The matrix is
// copied; context and comm must outlive the operator.
SEDGE_MUST_USE
sedge_status sedge_matrix_device_create(sedge_matrix_device **out, sedge_context *context,
                                        const sedge_comm *comm, const sedge_matrix *matrix,
                                        int real_bytes, sedge_tune_level tune);
// Collective, as sedge_halo_free, once all products that were queued are done.
void sedge_matrix_device_free(sedge_matrix_device *device);

// For sedge_krylov_create; borrowed.
sedge_krylov_operator sedge_matrix_device_operator(sedge_matrix_device *device);

typedef struct sedge_matrix_device_info {
    const sedge_sparse_info *local, *halo; // halo NULL: there is none
    int peers;
    int64_t halo_rows;      // unknowns of other ranks
    double bytes_exchanged; // sent and received in a call
    double seconds_waited;  // by the host for messages, in all calls
    const char *transport;  // "none" (one rank), "staged", "direct", "peer"
    int64_t calls;
} sedge_matrix_device_info;

sedge_matrix_device_info sedge_matrix_device_get_info(const sedge_matrix_device *device);

// ---- preconditioners ---------------------------------------------------------------------------

// 1 / a_ii, or the inverses of the diagonal blocks of `block` x `block` (1..64; row i is in block
// i / block of this rank, the last block may be smaller).
typedef struct sedge_jacobi sedge_jacobi;

// Collective. SEDGE_ERR_COMPUTE names the first row, counted as in the file, whose diagonal entry
// is not positive, or the block that is not positive definite.
SEDGE_MUST_USE
sedge_status sedge_jacobi_create(sedge_jacobi **out, sedge_context *context, const sedge_comm *comm,
                                 const sedge_matrix *matrix, int real_bytes, int block);
void sedge_jacobi_free(sedge_jacobi *jacobi);
sedge_krylov_preconditioner sedge_jacobi_preconditioner(sedge_jacobi *jacobi);

// The largest block, at most 64, that divides the rows and of whose blocks at least nine tenths of
// the entries are there; 1: none. Of a whole matrix.
int sedge_matrix_find_block(const sedge_matrix *whole);
