// A filter bank: an image is convolved with many small filters at once. The kernel is a template
// that knows the sizes of image, filters and bank; the tuner chooses the shape of its tiles, how
// many pixels and filters an item works on, and whether its loops are unrolled. An item uses each
// number of the image that it reads for all its filters, and each tap for all its pixels.
//
//     example_filters [DEVICE [SIDE [all]]]      an image of SIDE x SIDE pixels
#include "base/memory.h"
#include "elementwise/copy.h"
#include "filters_text.h"

#include <float.h>
#include <math.h>

enum {
    TAPS = 7,  // of a filter's side
    BANK = 16, // filters
};

typedef struct filters {
    sedge_context *context;
    sedge_array *image, *bank, *out;
    float *host_image, *host_bank, *host_out;
    int side, left; // pixels of image and output
} filters;

static sedge_status make_arrays(filters *f)
{
    const int64_t image[] = {f->side, f->side};
    const int64_t bank[] = {BANK, TAPS, TAPS};
    const int64_t out[] = {BANK, f->left, f->left};

    SEDGE_TRY(sedge_allocate(&f->host_image, (int64_t)f->side * f->side, sizeof(float)));
    SEDGE_TRY(sedge_allocate(&f->host_bank, (int64_t)BANK * TAPS * TAPS, sizeof(float)));
    SEDGE_TRY(sedge_allocate(&f->host_out, (int64_t)BANK * f->left * f->left, sizeof(float)));
    for (int i = 0; i < f->side * f->side; i++)
        f->host_image[i] = (float)((unsigned)i * 2654435761U >> 16) / 65536.0f;
    for (int i = 0; i < BANK * TAPS * TAPS; i++)
        f->host_bank[i] = (float)cos(0.37 * (double)i) / (float)TAPS;
    SEDGE_TRY(sedge_array_from(&f->image, f->context, SEDGE_FLOAT32, 2, image, f->host_image));
    SEDGE_TRY(sedge_array_from(&f->bank, f->context, SEDGE_FLOAT32, 3, bank, f->host_bank));
    return sedge_array_create(&f->out, f->context, SEDGE_FLOAT32, 3, out);
}

static const char *refuse(const void *own, const int *number)
{
    const filters *const f = own;

    if (number[COLUMNS] > f->left || number[ROWS] * number[PIXELS] > f->left)
        return "the output is smaller than its tile";
    return BANK % number[GROUP] == 0 ? NULL : "the bank is no multiple of its filters";
}

static sedge_status launch(void *own, const int *number, const sedge_kernel *kernel,
                           sedge_stream *stream)
{
    const filters *const f = own;
    const int tall = number[ROWS] * number[PIXELS];
    const int64_t tiles = (f->left + number[COLUMNS] - 1) / number[COLUMNS];
    const int64_t floors = (f->left + tall - 1) / tall;

    return SEDGE_LAUNCH(kernel, stream, tiles * floors * (BANK / number[GROUP]),
                        sedge_address_argument(sedge_array_address(f->image)),
                        sedge_address_argument(sedge_array_address(f->bank)),
                        sedge_address_argument(sedge_array_address(f->out)),
                        sedge_int32_argument(TAPS));
}

static sedge_status clear(void *own)
{
    const filters *const f = own;

    return sedge_array_fill(f->out, (double)NAN);
}

// Every 61st number against the sum in double; each of the TAPS^2 products and sums may be off by
// half an epsilon of the sum of absolute values.
static sedge_status check(void *own)
{
    const filters *const f = own;

    SEDGE_TRY(sedge_array_get(f->out, f->host_out));
    for (int i = 0; i < BANK * f->left * f->left; i += 61) {
        const int k = i / (f->left * f->left), y = i / f->left % f->left, x = i % f->left;
        double sum = 0.0, size = 0.0;
        for (int t = 0; t < TAPS * TAPS; t++) {
            const double term = (double)f->host_bank[k * TAPS * TAPS + t] *
                                (double)f->host_image[(y + t / TAPS) * f->side + x + t % TAPS];
            sum += term;
            size += fabs(term);
        }
        const double error = fabs((double)f->host_out[i] - sum);
        if (error <= TAPS * TAPS * (double)FLT_EPSILON * size) continue;
        return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "filter %d at (%d, %d) is %g, not %g", k, y, x,
                          (double)f->host_out[i], sum);
    }
    return SEDGE_OK;
}

static sedge_status solve(sedge_context *context, int64_t side,
                          sedge_status (*go)(example_problem *problem))
{
    filters f = {.context = context, .side = (int)side, .left = (int)side - TAPS + 1};
    const double pixels = (double)f.left * (double)f.left;
    char size[64];
    example_problem problem = {.of = &filters_template,
                               .context = context,
                               .size = size,
                               .bytes = 4.0 * ((double)side * (double)side + BANK * pixels),
                               .flops = 2.0 * TAPS * TAPS * BANK * pixels,
                               .own = &f,
                               .first = SIZE,
                               .number = {[SIZE] = TAPS, [FILTERS] = BANK, [SIDE] = (int)side},
                               .refuse = refuse,
                               .launch = launch,
                               .clear = clear,
                               .check = check};
    sedge_status status;

    // The output has room for a tile of the first choice; its numbers are counted in int.
    if (f.left < filters_choices[0].number[COLUMNS] || side > 8192) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "side %lld is outside %d..8192", (long long)side,
                          filters_choices[0].number[COLUMNS] + TAPS - 1);
    }
    (void)snprintf(size, sizeof size, "%d filters of %d x %d, image of %d", BANK, TAPS, TAPS,
                   f.side);
    printf("%s\n", size);
    SEDGE_TRY_GOTO(status, make_arrays(&f));
    SEDGE_TRY_GOTO(status, go(&problem));
done:
    sedge_array_free(f.out);
    sedge_array_free(f.bank);
    sedge_array_free(f.image);
    sedge_release(f.host_out);
    sedge_release(f.host_bank);
    sedge_release(f.host_image);
    return status;
}

static sedge_status run(sedge_context *context, int64_t side)
{
    return solve(context, side, example_tune);
}

static sedge_status run_all(sedge_context *context, int64_t side)
{
    return solve(context, side, example_try_all);
}

int main(int argc, char **argv)
{
    return example_main_all(argc, argv, run, run_all, 256);
}
