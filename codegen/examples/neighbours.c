// Nearest neighbours by brute force, and the entropy of image patches that follows from them.
//
// Patches of 8 x 8 pixels, with their mean subtracted, are points in 64 dimensions. The distances r
// of N of them to their nearest neighbours among M others give Kozachenko and Leonenko's estimate
// of the differential entropy, D <log r> + log V + log M + gamma, where V is the volume of the unit
// ball; D is 63, because subtracting the mean removes one dimension.
//
//     example_neighbours [DEVICE [POINTS]]      N = M = POINTS
#include "base/memory.h"
#include "elementwise/copy.h"
#include "example.h"
#include "program/launch.h"
#include "text/template.h"

#include <float.h>
#include <math.h>

enum {
    PATCH = 8,            // pixels
    SIZE = PATCH * PATCH, // numbers a point
    THREADS = 128,        // points that a block looks for neighbours of
    TILE = 32,            // points it looks at at a time
    SIDE = 1024           // of the image
};

static const char text[] =
    "#define NEIGHBOUR_LIST(X) \\\n"
    "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, points) \\\n"
    "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, others) \\\n"
    "    X(SEDGE_GLOBAL float *SEDGE_RESTRICT, squares) \\\n"
    "    X(SEDGE_GLOBAL int *SEDGE_RESTRICT, places) \\\n"
    "    X(int, count) \\\n"
    "    X(int, other_count)\n"
    "\n"
    "//   points [$size$][count], others [other_count][$size$]\n"
    "//   squares, places [count]   distance squared to the nearest of the others, and which\n"
    "SEDGE_KERNEL(nearest, $threads$, NEIGHBOUR_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (b) {\n"
    "        SEDGE_SHARED(float, tile, $tile * size$);\n"
    "        SEDGE_PRIVATE(float, point, $threads$, $size$);\n"
    "        SEDGE_PRIVATE(float, least, $threads$, 1);\n"
    "        SEDGE_PRIVATE(int, place, $threads$, 1);\n"
    "\n"
    "        SEDGE_ITEMS_1D (n, $threads$, $threads$) {\n"
    "            const sedge_int64 i = b * $threads$ + n < count ? b * $threads$ + n : 0;\n"
    "            SEDGE_EACH (d, $size$)\n"
    "                SEDGE_MINE(point, n)[d] = points[(sedge_int64)d * count + i];\n"
    "            SEDGE_MINE(least, n)[0] = $huge$;\n"
    "            SEDGE_MINE(place, n)[0] = -1;\n"
    "        }\n"
    "        for (int first = 0; first < other_count; first += $tile$) {\n"
    "            const int held = other_count - first < $tile$ ? other_count - first : $tile$;\n"
    "            SEDGE_ITEMS (r, $tile$, d, $size$, $threads$) {\n"
    "                if (r < held) {\n"
    "                    tile[r * $size$ + d] =\n"
    "                        others[(sedge_int64)(first + r) * $size$ + d];\n"
    "                }\n"
    "            }\n"
    "            SEDGE_BARRIER();\n"
    "            SEDGE_ITEMS_1D (n, $threads$, $threads$) {\n"
    "                for (int r = 0; r < held; r++) {\n"
    "                    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};\n"
    "                    float gap;\n"
    "$for d in 0..size$\n"
    "                    gap = SEDGE_MINE(point, n)[$d$] - tile[r * $size$ + $d$];\n"
    "                    sum[$d % 4$] += gap * gap;\n"
    "$end$\n"
    "                    const float square = (sum[0] + sum[1]) + (sum[2] + sum[3]);\n"
    "                    if (square < SEDGE_MINE(least, n)[0]) {\n"
    "                        SEDGE_MINE(least, n)[0] = square;\n"
    "                        SEDGE_MINE(place, n)[0] = first + r;\n"
    "                    }\n"
    "                }\n"
    "            }\n"
    "            SEDGE_BARRIER();\n"
    "        }\n"
    "        SEDGE_ITEMS_1D (n, $threads$, $threads$) {\n"
    "            if (b * $threads$ + n < count) {\n"
    "                squares[b * $threads$ + n] = SEDGE_MINE(least, n)[0];\n"
    "                places[b * $threads$ + n] = SEDGE_MINE(place, n)[0];\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "}\n";

typedef struct neighbours {
    const sedge_kernel *kernel;
    sedge_array *points, *others, *squares, *places;
    float *host_points, *host_others, *host_squares; // points as the device has them: [SIZE][count]
    int *host_places;
    int count;
} neighbours;

static sedge_status make_kernel(neighbours *s, sedge_context *context)
{
    const sedge_binding values[] = {
        SEDGE_BIND_INTEGER("size", SIZE), SEDGE_BIND_INTEGER("threads", THREADS),
        SEDGE_BIND_INTEGER("tile", TILE), SEDGE_BIND_FLOAT("huge", FLT_MAX)};
    const sedge_pattern pattern = {
        .name = "nearest.c", .text = text, .bindings = values, .count = 4};
    sedge_status status;
    sedge_text *made = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&made));
    SEDGE_TRY_GOTO(status, sedge_template_write(made, &pattern));
    SEDGE_TRY_GOTO(status, sedge_context_kernel(context, &s->kernel, "nearest", pattern.name,
                                                sedge_text_get(made)));
done:
    sedge_text_free(made);
    return status;
}

// A number in [0, 1) that only depends on `i` (a multiplicative hash, mixed twice).
static double noise(unsigned i)
{
    i = (i ^ i >> 16) * 0x7feb352dU;
    i = (i ^ i >> 15) * 0x846ca68bU;
    return (double)(i ^ i >> 16) / 4294967296.0;
}

// Brightness of a made-up picture: waves, an edge, and grain.
static double pixel(int y, int x)
{
    const double waves = sin(0.05 * x) * cos(0.031 * y) + 0.4 * sin(0.21 * (x + y));

    return waves + (2 * x + y > 2 * SIDE ? 0.8 : 0.0) + 0.2 * noise((unsigned)(y * SIDE + x));
}

// The patch number `which` at a place that the hash chooses, its mean taken off.
static void take_patch(float *to, int stride, unsigned which)
{
    const int y = (int)(noise(2 * which) * (SIDE - PATCH));
    const int x = (int)(noise(2 * which + 1) * (SIDE - PATCH));
    double values[SIZE], mean = 0.0;

    for (int d = 0; d < SIZE; d++) {
        values[d] = pixel(y + d / PATCH, x + d % PATCH);
        mean += values[d] / SIZE;
    }
    for (int d = 0; d < SIZE; d++) to[(ptrdiff_t)d * stride] = (float)(values[d] - mean);
}

static sedge_status make_arrays(neighbours *s, sedge_context *context)
{
    const int64_t points[] = {SIZE, s->count};
    const int64_t others[] = {s->count, SIZE};

    SEDGE_TRY(sedge_allocate(&s->host_points, (int64_t)s->count * SIZE, sizeof(float)));
    SEDGE_TRY(sedge_allocate(&s->host_others, (int64_t)s->count * SIZE, sizeof(float)));
    SEDGE_TRY(sedge_allocate(&s->host_squares, s->count, sizeof(float)));
    SEDGE_TRY(sedge_allocate(&s->host_places, s->count, sizeof(int)));
    for (int i = 0; i < s->count; i++) {
        take_patch(s->host_points + i, s->count, (unsigned)i);
        take_patch(s->host_others + (int64_t)i * SIZE, 1, (unsigned)(s->count + i));
    }
    SEDGE_TRY(sedge_array_from(&s->points, context, SEDGE_FLOAT32, 2, points, s->host_points));
    SEDGE_TRY(sedge_array_from(&s->others, context, SEDGE_FLOAT32, 2, others, s->host_others));
    SEDGE_TRY(sedge_array_vector(&s->squares, context, SEDGE_FLOAT32, s->count));
    return sedge_array_vector(&s->places, context, SEDGE_INT32, s->count);
}

static sedge_status launch(void *context, sedge_stream *stream)
{
    const neighbours *const s = context;

    return SEDGE_LAUNCH(s->kernel, stream, (s->count + THREADS - 1) / THREADS,
                        sedge_address_argument(sedge_array_address(s->points)),
                        sedge_address_argument(sedge_array_address(s->others)),
                        sedge_address_argument(sedge_array_address(s->squares)),
                        sedge_address_argument(sedge_array_address(s->places)),
                        sedge_int32_argument(s->count), sedge_int32_argument(s->count));
}

static double square_between(const neighbours *s, int i, int j)
{
    double sum = 0.0;

    for (int d = 0; d < SIZE; d++) {
        const double gap =
            (double)s->host_points[d * s->count + i] - (double)s->host_others[j * SIZE + d];
        sum += gap * gap;
    }
    return sum;
}

// Some points again in double: none of the others is nearer than the one that was found, and its
// distance is right. All terms are positive, and each goes through at most SIZE / 4 + 5 roundings.
static sedge_status check(neighbours *s)
{
    const int roundings = SIZE / 4 + 5;
    const double relative = roundings * (double)FLT_EPSILON;

    SEDGE_TRY(sedge_array_get(s->squares, s->host_squares));
    SEDGE_TRY(sedge_array_get(s->places, s->host_places));
    for (int i = 0; i < s->count; i += 1 + s->count / 50) {
        const int place = s->host_places[i];
        if (place < 0 || place >= s->count)
            return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "point %d has the neighbour %d", i, place);
        const double found = square_between(s, i, place);
        double least = found;
        for (int j = 0; j < s->count; j++) least = fmin(least, square_between(s, i, j));
        if (fabs((double)s->host_squares[i] - found) <= relative * found &&
            found <= least * (1.0 + 2.0 * relative))
            continue;
        return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "point %d: neighbour %d at %g (squared), not %g at %g",
                          i, place, (double)s->host_squares[i], least, found);
    }
    return SEDGE_OK;
}

// In bits a dimension.
static double entropy(const neighbours *s)
{
    const double dimensions = SIZE - 1, gamma = 0.57721566490153286, pi = 3.14159265358979324;
    const double log_ball = 0.5 * dimensions * log(pi) - lgamma(0.5 * dimensions + 1.0);
    double mean = 0.0;

    for (int i = 0; i < s->count; i++)
        mean += 0.5 * log(fmax((double)s->host_squares[i], (double)FLT_MIN)) / s->count;
    return (dimensions * mean + log_ball + log((double)s->count) + gamma) / dimensions / log(2.0);
}

static sedge_status run(sedge_context *context, int64_t count)
{
    neighbours s = {.count = (int)count};
    sedge_status status;
    double seconds;

    if (count > 1 << 20)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "%lld points are more than 2^20", (long long)count);
    SEDGE_TRY_GOTO(status, make_kernel(&s, context));
    SEDGE_TRY_GOTO(status, make_arrays(&s, context));
    SEDGE_TRY_GOTO(status, sedge_time(&seconds, sedge_context_device(context), 3, launch, &s));
    SEDGE_TRY_GOTO(status, check(&s));
    printf("%d points of %d numbers among %d: %.3f ms, %.1f GFLOP/s; entropy %.2f bits a pixel\n",
           s.count, SIZE, s.count, 1e3 * seconds,
           3e-9 * SIZE * (double)s.count * (double)s.count / seconds, entropy(&s));
done:
    sedge_array_free(s.places);
    sedge_array_free(s.squares);
    sedge_array_free(s.others);
    sedge_array_free(s.points);
    sedge_release(s.host_places);
    sedge_release(s.host_squares);
    sedge_release(s.host_others);
    sedge_release(s.host_points);
    return status;
}

int main(int argc, char **argv)
{
    return example_main(argc, argv, run, 2048);
}
