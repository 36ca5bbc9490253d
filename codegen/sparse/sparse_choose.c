// The model of the bytes that a product moves, and the list of candidates by it.
#include "sparse/sparse_choose.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define L2_FASTER 3.0  // than memory: for pieces of x
#define SCATTERED 0.35 // pieces for each number of x, from which on an order is looked for

static double vector_bytes(const sedge_sparse_chooser *c)
{
    return ((double)c->matrix->csr.columns + (double)c->matrix->rows) * c->matrix->real_bytes;
}

// Rows are written through a list.
static double list_bytes(const sedge_sparse_chooser *c, bool ordered)
{
    return ordered || c->matrix->listed != NULL ? 4.0 * (double)c->matrix->rows : 0.0;
}

// What a GPU could move while the items of the longest row go through it, about 5 ns an entry.
static double serial_bytes(const sedge_sparse_chooser *c, const sedge_sparse_format *format)
{
    if (c->is_host || format->row_items == 0) return 0.0;
    return 2e4 * ((double)c->matrix->longest / format->row_items);
}

// ---- adding ------------------------------------------------------------------------------------

sedge_sparse_layout *sedge_sparse_add_layout(sedge_sparse_chooser *c,
                                             const sedge_sparse_format *format, const char *name,
                                             ...)
{
    assert(c->out->layouts < SEDGE_SPARSE_LAYOUTS);
    sedge_sparse_layout *const layout = &c->out->layout[c->out->layouts++];
    va_list arguments;

    memset(layout, 0, sizeof *layout);
    layout->format = format;
    layout->window = 1;
    va_start(arguments, name);
    (void)vsnprintf(layout->name, sizeof layout->name, name, arguments);
    va_end(arguments);
    return layout;
}

void sedge_sparse_set_bytes(const sedge_sparse_chooser *c, sedge_sparse_layout *layout,
                            double matrix_bytes, bool ordered, double slower)
{
    const sedge_sparse_format *const format = layout->format;
    const bool gathers = layout->order != SEDGE_SPARSE_AS_THEY_COME;
    double pieces = c->is_host ? 0.0 : 32.0 * c->scatter * (double)c->matrix->entries / L2_FASTER;

    if (gathers) {
        pieces *= SEDGE_SPARSE_GATHERED;
    } else if (format->scattered != NULL) {
        pieces *= format->scattered(c);
    }
    layout->bytes = matrix_bytes + vector_bytes(c) + list_bytes(c, ordered);
    if (gathers) layout->bytes += (double)c->matrix->csr.columns * (4 + 2 * c->matrix->real_bytes);
    layout->prior = fmax(layout->bytes * slower, serial_bytes(c, format)) + pieces;
}

void sedge_sparse_add_kernel(sedge_sparse_chooser *c, int threads, int lanes, int unroll,
                             int streamed)
{
    const int layout = c->out->layouts - 1;
    sedge_sparse_kernel *const kernel = &c->out->kernel[c->out->kernels];
    char format[sizeof c->out->layout[layout].name], more[32] = "";

    if (c->out->layout[layout].reason[0] != '\0' && c->out->kernels > 0 &&
        kernel[-1].layout == layout)
        return; // one that says why is enough
    assert(c->out->kernels < SEDGE_SPARSE_CANDIDATES);
    c->out->kernels++;
    memcpy(format, c->out->layout[layout].name, sizeof format);
    *kernel = (sedge_sparse_kernel){layout, threads, lanes, unroll, streamed, ""};
    const char *const past = streamed ? " streamed" : "";
    if (unroll > 0) {
        (void)snprintf(more, sizeof more, " u%d%s", unroll, past);
    } else if (lanes > 0) {
        (void)snprintf(more, sizeof more, " l%d%s", lanes, past);
    } else {
        (void)snprintf(more, sizeof more, "%s", past);
    }
    (void)snprintf(kernel->name, sizeof kernel->name, "%s t%d%s", format, threads, more);
}

// ---- how far columns are from each other --------------------------------------------------------

// Pieces of 32 bytes in which the columns at place k of a slice's rows lie, and how many columns.
static int count_pieces(const sedge_sparse_chooser *c, int64_t first, int64_t k, int *columns,
                        double *distance)
{
    const sedge_sparse_matrix *const m = c->matrix;
    int64_t piece[32];
    int pieces = 0;

    *columns = 0;
    for (int64_t r = first; r < first + 32 && r < m->rows; r++) {
        if (sedge_sparse_length(m, r) <= k) continue;
        const int64_t column = sedge_csr_column(&m->csr, sedge_sparse_begin(m, r) + k);
        const int64_t own = column * m->real_bytes / 32;
        int i = 0;
        *distance += fabs((double)(column - sedge_sparse_row(m, r)));
        ++*columns;
        while (i < pieces && piece[i] != own) i++;
        if (i == pieces) piece[pieces++] = own;
    }
    return pieces;
}

static void sample_columns(sedge_sparse_chooser *c)
{
    enum { PLACES = 64 };
    const sedge_sparse_matrix *const m = c->matrix;
    const int64_t slices = (m->rows + 31) / 32, step = slices / SEDGE_SPARSE_SAMPLE + 1;
    double columns = 0.0, pieces = 0.0, distance = 0.0;

    for (int64_t s = 0; s < slices; s += step) {
        for (int64_t k = 0; k < m->longest && k < PLACES; k++) {
            int some;
            pieces += count_pieces(c, 32 * s, k, &some, &distance);
            columns += some;
            if (some == 0) break;
        }
    }
    if (!(columns > 0.0)) return;
    c->scatter = pieces / columns;
    c->is_far = c->scatter > SCATTERED && 64.0 * distance > columns * (double)m->csr.columns;
}

// ---- all ---------------------------------------------------------------------------------------

// Layouts by prior, those refused last; kernels in the order of their layouts.
void sedge_sparse_choices_sort(sedge_sparse_choices *choices)
{
    sedge_sparse_choices sorted = {.layouts = choices->layouts};
    bool taken[SEDGE_SPARSE_LAYOUTS] = {false};

    for (int l = 0; l < choices->layouts; l++) {
        int best = -1;
        for (int i = 0; i < choices->layouts; i++) {
            if (taken[i]) continue;
            const bool refused = choices->layout[i].reason[0] != '\0';
            const bool best_refused = best >= 0 && choices->layout[best].reason[0] != '\0';
            if (best < 0 || (best_refused && !refused) ||
                (best_refused == refused && choices->layout[i].prior < choices->layout[best].prior))
                best = i;
        }
        taken[best] = true;
        sorted.layout[l] = choices->layout[best];
        for (int k = 0; k < choices->kernels; k++) {
            if (choices->kernel[k].layout != best) continue;
            sorted.kernel[sorted.kernels] = choices->kernel[k];
            sorted.kernel[sorted.kernels++].layout = l;
        }
    }
    *choices = sorted;
}

void sedge_sparse_choose(sedge_sparse_choices *choices, const sedge_sparse_matrix *matrix,
                         const sedge_device_info *info, bool has_cusparse)
{
    sedge_sparse_chooser c = {.out = choices,
                              .matrix = matrix,
                              .info = info,
                              .is_host =
                                  sedge_traits_of(info->kind)->in_call && !info->random_order,
                              .has_cusparse = has_cusparse};

    memset(choices, 0, sizeof *choices);
    if (matrix->rows > 0) c.mean = (double)matrix->entries / (double)matrix->rows;
    sample_columns(&c);
    for (int f = 0; sedge_sparse_formats[f] != NULL; f++) {
        sedge_sparse_formats[f]->candidates(&c);
        if (matrix->entries == 0) break; // the first one will do
    }
    sedge_sparse_choices_sort(choices);
}
