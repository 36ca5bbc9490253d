// A distributed matrix as an operator on the device, and its diagonal or diagonal blocks as
// preconditioners. Each row is split into a part for this rank's unknowns and a part for the halo,
// which is exchanged while the first part is multiplied.
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

// z = M r with M = 1 / a_ii or the inverses of the diagonal blocks of size `block` (1..64; row i is
// in block i / block of this rank, the last block may be smaller).
typedef struct sedge_jacobi sedge_jacobi;

// Collective. SEDGE_ERR_COMPUTE names the first row, counted as in the file, whose diagonal entry
// is not positive, or the block that is not positive definite.
SEDGE_MUST_USE
sedge_status sedge_jacobi_create(sedge_jacobi **out, sedge_context *context, const sedge_comm *comm,
                                 const sedge_matrix *matrix, int real_bytes, int block);
void sedge_jacobi_free(sedge_jacobi *jacobi);
sedge_krylov_preconditioner sedge_jacobi_preconditioner(sedge_jacobi *jacobi);

// Find a block size for a whole matrix: the largest one, at most 64, that divides the number of
// rows and whose diagonal blocks have at least nine tenths of their entries; 1: there is none.
int sedge_matrix_find_block(const sedge_matrix *whole);
