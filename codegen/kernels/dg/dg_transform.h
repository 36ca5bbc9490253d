// Running Fourier transforms of recorded samples: a product of two matrices, phases^T samples, is
// added to sums. Constants of the program: a pack is a vector of SEDGE_TRANSFORM_PACK doubles on
// the host, one double elsewhere. A work item has the sums of SEDGE_TRANSFORM_VALUES values and
// SEDGE_TRANSFORM_PACKS packs in registers, adds all samples to them one by one, and writes them
// back. So a sum does not depend on how samples are batched.
#pragma once

#define SEDGE_TRANSFORM_THREADS 128

#if SEDGE_TRANSFORM_PACK == 1
typedef double sedge_pack;
#else
typedef double sedge_pack __attribute__((vector_size(SEDGE_TRANSFORM_PACK * sizeof(double))));
#endif

// Item `chunk` of a row's `chunks` has pack SEDGE_TRANSFORM_AT(chunk, k): neighbours in memory are
// those of one item on the host, those of neighbouring items on a GPU.
#if SEDGE_TRANSFORM_PACK == 1
#define SEDGE_TRANSFORM_AT(chunk, k) ((k)*chunks + (chunk))
#else
#define SEDGE_TRANSFORM_AT(chunk, k) ((chunk)*SEDGE_TRANSFORM_PACKS + (k))
#endif

//   sums       [values][row], row = chunks * SEDGE_TRANSFORM_PACKS packs
//   phases     [count][row]
//   samples    [count][stride], from those of the first point on: [points][fields]
//   component  [components] the fields that are transformed; value = point * components + c
#define SEDGE_TRANSFORM_LIST(X)                              \
    X(SEDGE_GLOBAL sedge_pack *SEDGE_RESTRICT, sums)         \
    X(const SEDGE_GLOBAL sedge_pack *SEDGE_RESTRICT, phases) \
    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, samples)    \
    X(const SEDGE_GLOBAL int *SEDGE_RESTRICT, component)     \
    X(sedge_int64, values)                                   \
    X(sedge_int64, stride)                                   \
    X(int, count)                                            \
    X(int, components)                                       \
    X(int, fields)                                           \
    X(int, chunks)

SEDGE_KERNEL(sedge_transform, SEDGE_TRANSFORM_THREADS, SEDGE_TRANSFORM_LIST)
{
    SEDGE_OUTER (b) {
        SEDGE_ITEMS_1D (i, SEDGE_TRANSFORM_THREADS, SEDGE_TRANSFORM_THREADS) {
            const sedge_int64 item = b * SEDGE_TRANSFORM_THREADS + i;
            const sedge_int64 first = item / chunks * SEDGE_TRANSFORM_VALUES;
            const int chunk = (int)(item % chunks);
            const int row = chunks * SEDGE_TRANSFORM_PACKS;

            if (first < values) {
                sedge_pack sum[SEDGE_TRANSFORM_VALUES][SEDGE_TRANSFORM_PACKS];
                sedge_int64 place[SEDGE_TRANSFORM_VALUES];

                SEDGE_EACH (v, SEDGE_TRANSFORM_VALUES) { // beyond the last: the last once more
                    const sedge_int64 value = first + v < values ? first + v : values - 1;
                    place[v] = value / components * fields + component[value % components];
                    SEDGE_EACH (k, SEDGE_TRANSFORM_PACKS)
                        sum[v][k] = sums[value * row + SEDGE_TRANSFORM_AT(chunk, k)];
                }
                for (int s = 0; s < count; s++) {
                    const SEDGE_GLOBAL sedge_pack *const phase = phases + (sedge_int64)s * row;
                    const SEDGE_GLOBAL double *const sample = samples + s * stride;

                    SEDGE_EACH (k, SEDGE_TRANSFORM_PACKS) {
                        const sedge_pack factor = phase[SEDGE_TRANSFORM_AT(chunk, k)];
                        SEDGE_EACH (v, SEDGE_TRANSFORM_VALUES)
                            sum[v][k] += factor * sample[place[v]];
                    }
                }
                SEDGE_EACH (v, SEDGE_TRANSFORM_VALUES) {
                    if (first + v < values) {
                        SEDGE_EACH (k, SEDGE_TRANSFORM_PACKS)
                            sums[(first + v) * row + SEDGE_TRANSFORM_AT(chunk, k)] = sum[v][k];
                    }
                }
            }
        }
    }
}
