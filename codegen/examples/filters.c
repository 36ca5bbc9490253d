// A filter bank: an image is convolved with many small filters at once. The kernel is a template
// that knows the filters' size and unrolls their lines; an item makes one pixel of several outputs,
// so that each number of the image it reads is used as often.
//
//     example_filters [DEVICE [SIDE]]      an image of SIDE x SIDE pixels
#include "base/memory.h"
#include "codegen/array.h"
#include "codegen/launch.h"
#include "codegen/template.h"
#include "example.h"

#include <float.h>
#include <math.h>

enum {
    SIZE = 7,     // of a filter, in pixels
    FILTERS = 16, // of the bank
    GROUP = 8,    // filters an item works on; divides FILTERS
    ROWS = 8,     // of the tile of a block
    COLUMNS = 32
};

static const char text[] =
    "$let high = rows + size - 1$\n"
    "$let wide = columns + size - 1$\n"
    "$let threads = rows * columns$\n"
    "#define FILTER_LIST(X) \\\n"
    "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, image) \\\n"
    "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, bank) \\\n"
    "    X(SEDGE_GLOBAL float *SEDGE_RESTRICT, out) \\\n"
    "    X(int, height) \\\n"
    "    X(int, width) \\\n"
    "    X(int, lines)\n"
    "\n"
    "//   image [height][width], bank [filters][$size$][$size$]\n"
    "//   out [filters][height - $size - 1$][width - $size - 1$]\n"
    "// A block has one tile of the output of $group$ filters. `lines` of a filter is $size$: an\n"
    "// argument, so that this loop is not unrolled and the taps fit into registers.\n"
    "SEDGE_KERNEL(filter, $threads$, FILTER_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (b) {\n"
    "        SEDGE_SHARED(float, part, $high * wide$); // of the image\n"
    "        SEDGE_SHARED(float, taps, $group * size * size$);\n"
    "        const int down = height - $size - 1$;\n"
    "        const int across = width - $size - 1$;\n"
    "        const int tiles = (across + $columns - 1$) / $columns$;\n"
    "        const int floors = (down + $rows - 1$) / $rows$;\n"
    "        const int left = (int)(b % tiles) * $columns$;\n"
    "        const int top = (int)(b / tiles % floors) * $rows$;\n"
    "        const int first = (int)(b / tiles / floors) * $group$;\n"
    "\n"
    "        SEDGE_ITEMS (y, $high$, x, $wide$, $threads$) {\n"
    "            const int inside = top + y < height && left + x < width;\n"
    "            part[y * $wide$ + x] =\n"
    "                inside ? image[(sedge_int64)(top + y) * width + left + x] : 0.0f;\n"
    "        }\n"
    "        SEDGE_ITEMS (k, $group$, t, $size * size$, $threads$)\n"
    "            taps[k * $size * size$ + t] = bank[(first + k) * $size * size$ + t];\n"
    "        SEDGE_BARRIER();\n"
    "        SEDGE_ITEMS (y, $rows$, x, $columns$, $threads$) {\n"
    "$for k in 0..group$\n"
    "            float sum$k$ = 0.0f;\n"
    "$end$\n"
    "            float value;\n"
    "            for (int p = 0; p < lines; p++) {\n"
    "$for q in 0..size$\n"
    "                value = part[(y + p) * $wide$ + x + $q$];\n"
    "$for k in 0..group$\n"
    "                sum$k$ += taps[p * $size$ + $k * size * size + q$] * value;\n"
    "$end$\n"
    "$end$\n"
    "            }\n"
    "            const sedge_int64 pixels = (sedge_int64)down * across;\n"
    "            const sedge_int64 pixel = (sedge_int64)(top + y) * across + left + x;\n"
    "            if (top + y < down && left + x < across) {\n"
    "$for k in 0..group$\n"
    "                out[(first + $k$) * pixels + pixel] = sum$k$;\n"
    "$end$\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "}\n";

typedef struct filters {
    const sedge_kernel *kernel;
    sedge_array *image, *bank, *out;
    float *host_image, *host_bank, *host_out;
    int side, left; // pixels of image and output
} filters;

static sedge_status make_kernel(filters *f, sedge_context *context)
{
    const sedge_binding values[] = {
        SEDGE_BIND_INTEGER("size", SIZE), SEDGE_BIND_INTEGER("group", GROUP),
        SEDGE_BIND_INTEGER("rows", ROWS), SEDGE_BIND_INTEGER("columns", COLUMNS)};
    const sedge_pattern pattern = {
        .name = "filter.c", .text = text, .bindings = values, .count = 4};
    sedge_status status;
    sedge_text *made = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&made));
    SEDGE_TRY_GOTO(status, sedge_template_write(made, &pattern));
    SEDGE_TRY_GOTO(status, sedge_context_kernel(context, &f->kernel, "filter", pattern.name,
                                                sedge_text_get(made)));
done:
    sedge_text_free(made);
    return status;
}

static sedge_status make_arrays(filters *f, sedge_context *context)
{
    const int64_t image[] = {f->side, f->side};
    const int64_t bank[] = {FILTERS, SIZE, SIZE};
    const int64_t out[] = {FILTERS, f->left, f->left};

    SEDGE_TRY(sedge_allocate(&f->host_image, (int64_t)f->side * f->side, sizeof(float)));
    SEDGE_TRY(sedge_allocate(&f->host_bank, (int64_t)FILTERS * SIZE * SIZE, sizeof(float)));
    SEDGE_TRY(sedge_allocate(&f->host_out, (int64_t)FILTERS * f->left * f->left, sizeof(float)));
    for (int i = 0; i < f->side * f->side; i++)
        f->host_image[i] = (float)((unsigned)i * 2654435761U >> 16) / 65536.0f;
    for (int i = 0; i < FILTERS * SIZE * SIZE; i++)
        f->host_bank[i] = (float)cos(0.37 * (double)i) / (float)SIZE;
    SEDGE_TRY(sedge_array_from(&f->image, context, SEDGE_FLOAT32, 2, image, f->host_image));
    SEDGE_TRY(sedge_array_from(&f->bank, context, SEDGE_FLOAT32, 3, bank, f->host_bank));
    return sedge_array_create(&f->out, context, SEDGE_FLOAT32, 3, out);
}

static sedge_status launch(void *context, sedge_stream *stream)
{
    const filters *const f = context;
    const int64_t tiles = (f->left + COLUMNS - 1) / COLUMNS;
    const int64_t floors = (f->left + ROWS - 1) / ROWS;

    return SEDGE_LAUNCH(f->kernel, stream, tiles * floors * (FILTERS / GROUP),
                        sedge_address_argument(sedge_array_address(f->image)),
                        sedge_address_argument(sedge_array_address(f->bank)),
                        sedge_address_argument(sedge_array_address(f->out)),
                        sedge_int32_argument(f->side), sedge_int32_argument(f->side),
                        sedge_int32_argument(SIZE));
}

// Every 61st number against the sum in double; each of the SIZE^2 products and sums may be off by
// half an epsilon of the sum of absolute values.
static sedge_status check(const filters *f)
{
    SEDGE_TRY(sedge_array_get(f->out, f->host_out));
    for (int i = 0; i < FILTERS * f->left * f->left; i += 61) {
        const int k = i / (f->left * f->left), y = i / f->left % f->left, x = i % f->left;
        double sum = 0.0, size = 0.0;
        for (int t = 0; t < SIZE * SIZE; t++) {
            const double term = (double)f->host_bank[k * SIZE * SIZE + t] *
                                (double)f->host_image[(y + t / SIZE) * f->side + x + t % SIZE];
            sum += term;
            size += fabs(term);
        }
        const double error = fabs((double)f->host_out[i] - sum);
        if (error <= SIZE * SIZE * (double)FLT_EPSILON * size) continue;
        return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "filter %d at (%d, %d) is %g, not %g", k, y, x,
                          (double)f->host_out[i], sum);
    }
    return SEDGE_OK;
}

static sedge_status run(sedge_context *context, int64_t side)
{
    filters f = {.side = (int)side, .left = (int)side - SIZE + 1};
    sedge_status status;
    double seconds;

    if (side < SIZE || side > 16384)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "side %lld is outside %d..16384", (long long)side, SIZE);
    SEDGE_TRY_GOTO(status, make_kernel(&f, context));
    SEDGE_TRY_GOTO(status, make_arrays(&f, context));
    SEDGE_TRY_GOTO(status, sedge_time(&seconds, sedge_context_device(context), 5, launch, &f));
    SEDGE_TRY_GOTO(status, check(&f));
    printf("%d filters of %d x %d on %d x %d pixels: %.3f ms, %.1f GFLOP/s\n", FILTERS, SIZE, SIZE,
           f.side, f.side, 1e3 * seconds,
           2e-9 * SIZE * SIZE * FILTERS * (double)f.left * (double)f.left / seconds);
done:
    sedge_array_free(f.out);
    sedge_array_free(f.bank);
    sedge_array_free(f.image);
    sedge_release(f.host_out);
    sedge_release(f.host_bank);
    sedge_release(f.host_image);
    return status;
}

int main(int argc, char **argv)
{
    return example_main(argc, argv, run, 512);
}
