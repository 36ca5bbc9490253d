// What the kernels that do whole iterations share: one block, or KRYLOV_SOLVE_CLUSTER blocks that
// run side by side. Behind krylov.h.
#pragma once

#define KRYLOV_SOLVE_ITEMS(k) \
    SEDGE_ITEMS (krylov_one, 1, k, KRYLOV_SOLVE_THREADS, KRYLOV_SOLVE_THREADS)
#define KRYLOV_SOLVE_BLOCKS SEDGE_CLUSTER_OF(KRYLOV_SOLVE_CLUSTER)

// Loads of an item that are on their way at once.
#define KRYLOV_SOLVE_BATCH 8
