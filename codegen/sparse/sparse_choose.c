// Layouts and kernels that a matrix may have on a device, by a model of the bytes that a call
// moves.
#include "base/memory.h"
#include "sparse/sparse_internal.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define PADDING_MOST 3.0  // stored values / entries, beyond which slices are not tried
#define FILL_MOST    1.6  // the same of blocks
#define UNEVEN       0.1  // deviation of the rows' lengths, of their mean: they are sorted
#define SAMPLE       2000 // slices, or rows of blocks, that are looked at
#define L2_FASTER    3.0  // than memory: for pieces of x
#define GATHERED     0.4  // of these pieces that are left in a good order
#define SCATTERED    0.35 // pieces for each number of x, from which on an order is looked for

typedef struct chooser {
    sedge_sparse_choices *out;
    const sedge_sparse_matrix *matrix;
    const sedge_device_info *info;
    bool is_host;
    double mean;    // entries a row
    double scatter; // pieces of 32 bytes of x for each number read of it, at most 1
    bool is_far;    // these lie anywhere in x
} chooser;

static double vector_bytes(const chooser *c)
{
    return ((double)c->matrix->csr.columns + (double)c->matrix->rows) * c->matrix->real_bytes;
}

// Rows are written through a list.
static double list_bytes(const chooser *c, bool ordered)
{
    return ordered || c->matrix->listed != NULL ? 4.0 * (double)c->matrix->rows : 0.0;
}

// What a GPU could move while the items of the longest row go through it, about 5 ns an entry.
static double serial_bytes(const chooser *c, sedge_sparse_kind kind)
{
    const double longest = (double)c->matrix->longest;

    if (c->is_host || kind == SEDGE_SPARSE_ADAPTIVE || kind == SEDGE_SPARSE_MERGE ||
        kind == SEDGE_SPARSE_HYBRID || kind == SEDGE_SPARSE_HUB || kind == SEDGE_SPARSE_CUSPARSE)
        return 0.0;
    return 2e4 * (kind == SEDGE_SPARSE_CSR ? longest / 32.0 : longest);
}

// ---- adding ------------------------------------------------------------------------------------

__attribute__((format(printf, 3, 4))) static sedge_sparse_layout *
add_layout(chooser *c, sedge_sparse_kind kind, const char *format, ...)
{
    sedge_sparse_layout *const layout = &c->out->layout[c->out->layouts++];
    va_list arguments;

    memset(layout, 0, sizeof *layout);
    layout->kind = kind;
    layout->window = 1;
    va_start(arguments, format);
    (void)vsnprintf(layout->name, sizeof layout->name, format, arguments);
    va_end(arguments);
    return layout;
}

// The model: bytes, and how much slower a kernel of this kind is than its bytes say.
static void set_bytes(const chooser *c, sedge_sparse_layout *layout, double matrix_bytes,
                      bool ordered, double slower)
{
    const bool gathers = layout->order != SEDGE_SPARSE_AS_THEY_COME;
    const double pieces = (layout->kind == SEDGE_SPARSE_PACKET && !c->is_far) || c->is_host
                              ? 0.0
                              : 32.0 * c->scatter * (double)c->matrix->entries / L2_FASTER;

    layout->bytes = matrix_bytes + vector_bytes(c) + list_bytes(c, ordered);
    if (gathers) layout->bytes += (double)c->matrix->csr.columns * (4 + 2 * c->matrix->real_bytes);
    layout->prior = fmax(layout->bytes * slower, serial_bytes(c, layout->kind)) +
                    pieces * (gathers || layout->kind == SEDGE_SPARSE_HUB ? GATHERED : 1.0);
}

static void add_kernel(chooser *c, int threads, int lanes, int unroll, int streamed)
{
    const int layout = c->out->layouts - 1;
    sedge_sparse_kernel *const kernel = &c->out->kernel[c->out->kernels];
    char format[sizeof c->out->layout[layout].name], more[32] = "";

    if (c->out->layout[layout].reason[0] != '\0' && c->out->kernels > 0 &&
        kernel[-1].layout == layout)
        return; // one that says why is enough
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
static int count_pieces(const chooser *c, int64_t first, int64_t k, int *columns, double *distance)
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

static void sample_columns(chooser *c)
{
    enum { PLACES = 64 };
    const sedge_sparse_matrix *const m = c->matrix;
    const int64_t slices = (m->rows + 31) / 32, step = slices / SAMPLE + 1;
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

// ---- by rows -----------------------------------------------------------------------------------

static double csr_bytes(const chooser *c)
{
    const sedge_sparse_matrix *const m = c->matrix;
    const bool wide = m->entries + m->shift > INT32_MAX;

    return (double)m->entries * (m->value_bytes + 4) + (double)m->rows * (wide ? 8 : 4);
}

static void choose_csr(chooser *c)
{
    static const int lanes[] = {1, 2, 4, 8, 16, 32};
    const double spread = c->is_host ? 1.0 : c->mean < 8.0 ? 1.5 : 1.3;

    set_bytes(c, add_layout(c, SEDGE_SPARSE_CSR, "csr"), csr_bytes(c), false, spread);
    if (c->is_host) {
        add_kernel(c, 256, c->mean < 24.0 ? 1 : 4, 0, 0);
        add_kernel(c, 256, c->mean < 24.0 ? 4 : 1, 0, 0);
        return;
    }
    // The rule's first: about as many items as the mean row has entries, at least two each.
    int best = 0;
    while (best < 5 && 4 * lanes[best] < c->mean) best++;
    add_kernel(c, 256, lanes[best], 0, 1);
    for (int l = 0; l < 6; l++) {
        if (l != best && abs(l - best) <= 2) add_kernel(c, 256, lanes[l], 0, 1);
    }
    add_kernel(c, 256, lanes[best], 0, 0);
    add_kernel(c, 128, lanes[best], 0, 1);
}

static void choose_balanced(chooser *c)
{
    static const int capacities[] = {1024, 2048};
    static const int things[] = {1024, 2048};

    for (int i = 0; i < 2; i++) {
        set_bytes(c, add_layout(c, SEDGE_SPARSE_ADAPTIVE, "adaptive %d", capacities[i]),
                  csr_bytes(c), false, (c->is_host ? 1.4 : 1.2) + 0.01 * i);
        c->out->layout[c->out->layouts - 1].capacity = capacities[i];
        add_kernel(c, 256, 0, 0, 1);
        add_kernel(c, 256, 0, 0, 0);
        if (!c->is_host) add_kernel(c, 128, 0, 0, 1);
    }
    for (int i = 0; i < 2; i++) {
        set_bytes(c, add_layout(c, SEDGE_SPARSE_MERGE, "merge %d", things[i]), csr_bytes(c), false,
                  (c->is_host ? 2.0 : 1.4) + 0.01 * i);
        c->out->layout[c->out->layouts - 1].capacity = things[i];
        add_kernel(c, 128, 0, 0, 1);
        add_kernel(c, 256, 0, 0, 1);
        add_kernel(c, 128, 0, 0, 0);
    }
}

// ---- slices ------------------------------------------------------------------------------------

// Bytes of the indices and values of packed slices, from a sample of them; with sorted rows, from
// the sorted ones.
static double sample_packed(const chooser *c, int height, const int32_t *order)
{
    const int64_t slices = (c->matrix->rows + height - 1) / height;
    const int64_t step = slices / SAMPLE + 1;
    sedge_sparse_slice slice;
    double bytes = 0.0;
    int64_t count = 0;

    for (int64_t s = 0; s < slices; s += step, count++) {
        sedge_sparse_slice_plan(&slice, c->matrix, order, s * height, height, -1);
        bytes += (double)slice.width * height * c->matrix->value_bytes + 4.0 * (double)slice.words;
    }
    return bytes / (double)count * (double)slices;
}

static void add_slice_kernels(chooser *c, int height)
{
    if (c->is_host) {
        add_kernel(c, height * (256 / height), 0, 1, 0);
        add_kernel(c, height * (1024 / height), 0, 1, 0);
        return;
    }
    add_kernel(c, 256, 0, 8, 1);
    add_kernel(c, 128, 0, 8, 1);
    add_kernel(c, 256, 0, 4, 1);
    add_kernel(c, 256, 0, 16, 1);
    add_kernel(c, 256, 0, 8, 0);
}

static void add_sell(chooser *c, int height, int64_t window, bool packed)
{
    const sedge_sparse_matrix *const m = c->matrix;
    const bool ordered = window > 1;
    char sorted[40] = "";
    int32_t *order = NULL;

    if (window >= m->rows) {
        (void)snprintf(sorted, sizeof sorted, " sorted");
    } else if (ordered) {
        (void)snprintf(sorted, sizeof sorted, " sorted %lld", (long long)window);
    }
    sedge_sparse_layout *const layout =
        add_layout(c, SEDGE_SPARSE_SELL, "sell%s %d%s", packed ? " packed" : "", height, sorted);
    layout->height = height;
    layout->window = window;
    layout->packed = packed;
    const double stored = (double)sedge_sparse_padded(m, height, window);
    const double padding = stored / (double)m->entries;
    if (padding > PADDING_MOST) {
        (void)snprintf(layout->reason, sizeof layout->reason,
                       "padding: %.1f values stored for each entry", padding);
    } else if (packed && ordered && sedge_sparse_sort(&order, m, window) != SEDGE_OK) {
        (void)snprintf(layout->reason, sizeof layout->reason, "no memory to sort the rows");
    }
    if (layout->reason[0] == '\0') {
        const double own = packed ? sample_packed(c, height, order) : stored * (m->value_bytes + 4);
        set_bytes(c, layout, own + (packed ? 16.0 : 8.0) * (double)m->rows / height, ordered,
                  (ordered ? 1.03 : 1.0) * (c->is_host && !packed ? 1.3 : 1.0));
    }
    sedge_release(order);
    add_slice_kernels(c, height);
}

static void choose_slices(chooser *c)
{
    const sedge_sparse_matrix *const m = c->matrix;
    int height = 32;

    // On the host a slice is a register or two.
    if (c->is_host)
        height = c->info->vector_bytes >= 32 ? c->info->vector_bytes / m->real_bytes : 8;
    if (height > SEDGE_SPARSE_HEIGHT) height = SEDGE_SPARSE_HEIGHT;
    if (height < 4) height = 4;
    add_sell(c, height, 1, true);
    add_sell(c, height, 1, false);
    if (c->is_host && 2 * height <= SEDGE_SPARSE_HEIGHT) add_sell(c, 2 * height, 1, true);
    if (m->deviation > UNEVEN * c->mean) {
        add_sell(c, height, 256, true);
        add_sell(c, height, 8192, true);
        add_sell(c, height, m->rows, false);
    }
}

// The width that most rows reach in good part: the largest that a third of the rows has (Bell and
// Garland 2009).
static int hybrid_width(const sedge_sparse_matrix *m)
{
    enum { MOST = 256 };
    int64_t count[MOST + 2] = {0};
    int64_t above = m->rows;
    int width = 0;

    for (int64_t r = 0; r < m->rows; r++) {
        const int64_t length = sedge_sparse_length(m, r);
        count[length > MOST ? MOST + 1 : length]++;
    }
    while (width < MOST && 3 * (above - count[width]) >= m->rows) above -= count[width++];
    return width;
}

static void choose_ell(chooser *c)
{
    const sedge_sparse_matrix *const m = c->matrix;
    const int width = hybrid_width(m);
    const int64_t slots = (m->rows + 31) / 32 * 32;
    const double padding = (double)slots * (double)m->longest / (double)m->entries;
    sedge_sparse_layout *layout = add_layout(c, SEDGE_SPARSE_ELL, "ell");

    layout->height = 32;
    layout->width = m->longest < 4096 ? (int)m->longest : 4096;
    if (padding > 1.5 || m->longest > 4096) {
        (void)snprintf(layout->reason, sizeof layout->reason,
                       "padding: %.1f values stored for each entry", padding);
    }
    set_bytes(c, layout, (double)slots * (double)m->longest * (m->value_bytes + 4), false, 1.05);
    add_slice_kernels(c, 32);
    if (width == 0 || width >= m->longest) return;
    layout = add_layout(c, SEDGE_SPARSE_HYBRID, "hybrid %d", width);
    layout->height = 32;
    layout->width = width;
    double inside = 0.0;
    for (int64_t r = 0; r < m->rows; r++)
        inside += (double)(sedge_sparse_length(m, r) < width ? sedge_sparse_length(m, r) : width);
    const double rest = (double)m->entries - inside;
    set_bytes(c, layout,
              ((double)slots * width + rest) * (m->value_bytes + 4) +
                  fmin(rest, (double)m->rows) * (8.0 + 2.0 * m->real_bytes),
              false, 1.15);
    add_slice_kernels(c, 32);
}

// ---- blocks, packets, vendor -------------------------------------------------------------------

static void add_block(chooser *c, int size, double fill)
{
    const sedge_sparse_matrix *const m = c->matrix;
    // Rows of a slice: a multiple of 32, about 128.
    static const int groups[] = {
        [2] = 64, [3] = 32, [4] = 32, [5] = 32, [6] = 16, [7] = 32, [8] = 16, [10] = 16, [20] = 8};
    sedge_sparse_layout *const layout = add_layout(c, SEDGE_SPARSE_BLOCK, "block %d", size);
    const int height = groups[size] * size;

    layout->height = groups[size];
    layout->capacity = size;
    set_bytes(c, layout, (double)m->entries * fill * (m->value_bytes + 4.0 / size / size), false,
              1.05);
    add_kernel(c, height, 0, 0, 1);
    add_kernel(c, height, 0, 0, 0);
    if (!c->is_host && 2 * height <= 512) add_kernel(c, 2 * height, 0, 0, 1);
}

static void choose_blocks(chooser *c)
{
    static const int sizes[] = {20, 10, 8, 7, 6, 5, 4, 3, 2};
    const sedge_sparse_matrix *const m = c->matrix;
    double least = HUGE_VAL, filled[9];

    if (m->listed != NULL) return;
    for (int i = 0; i < 9; i++) {
        int64_t blocks, entries, repeats;
        filled[i] = 0.0;
        if (m->rows % sizes[i] != 0 || m->csr.columns % sizes[i] != 0) continue;
        const int64_t step = m->rows / sizes[i] / SAMPLE + 1;
        if (sedge_sparse_count_blocks(&blocks, &entries, &repeats, m, sizes[i], step) != SEDGE_OK)
            continue;
        if (entries == 0 || repeats > 0) continue;
        filled[i] = (double)blocks * sizes[i] * sizes[i] / (double)entries;
        const double bytes = filled[i] * (m->value_bytes + 4.0 / sizes[i] / sizes[i]);
        if (filled[i] <= FILL_MOST && bytes < least) least = bytes;
    }
    for (int i = 0; i < 9; i++) {
        if (!(filled[i] > 0.0) || filled[i] > FILL_MOST) continue;
        const double bytes = filled[i] * (m->value_bytes + 4.0 / sizes[i] / sizes[i]);
        if (bytes <= 1.1 * least) add_block(c, sizes[i], filled[i]);
        if (c->out->layouts + 6 > SEDGE_SPARSE_LAYOUTS) return;
    }
}

static void add_packet(chooser *c, const char *more, sedge_sparse_order order, int64_t window)
{
    const sedge_sparse_matrix *const m = c->matrix;
    const int capacity = 32768 / m->real_bytes;
    const bool is_sorted = order != SEDGE_SPARSE_AS_THEY_COME || window > 1;
    sedge_sparse_layout *const layout = add_layout(c, SEDGE_SPARSE_PACKET, "packet%s", more);
    const double stored =
        is_sorted ? 1.05 * (double)m->entries : (double)sedge_sparse_padded(m, 32, 1);

    layout->capacity = capacity;
    layout->order = order;
    layout->window = window;
    // Some slice of 32 rows could overflow a tile: sorted ones, which has the longest rows
    // together, sooner than others.
    if (32 * m->longest > (is_sorted ? 1 : 16) * (int64_t)capacity ||
        stored > PADDING_MOST * (double)m->entries) {
        (void)snprintf(layout->reason, sizeof layout->reason,
                       "rows of up to %lld entries are too long for packets of %d columns",
                       (long long)m->longest, capacity);
    }
    set_bytes(c, layout, stored * (m->value_bytes + 2) + 8.0 * (double)m->rows, is_sorted, 1.3);
    add_kernel(c, 256, 0, 4, 1);
    add_kernel(c, 512, 0, 4, 1);
    add_kernel(c, 256, 0, 8, 1);
}

static void choose_packets(chooser *c)
{
    const sedge_sparse_matrix *const m = c->matrix;

    add_packet(c, "", SEDGE_SPARSE_AS_THEY_COME, 1);
    if (m->deviation > UNEVEN * c->mean)
        add_packet(c, " sorted 256", SEDGE_SPARSE_AS_THEY_COME, 256);
}

// `kib` of block memory for the columns most used, `width` entries a piece at most.
static void add_hub(chooser *c, int kib, int width)
{
    const sedge_sparse_matrix *const m = c->matrix;
    const bool is_cuda = c->info->kind == SEDGE_DEVICE_CUDA;
    const bool is_fit = c->is_far && m->deviation >= c->mean;
    sedge_sparse_layout *const layout = add_layout(c, SEDGE_SPARSE_HUB, "hub %d %d", kib, width);

    layout->capacity = kib * 1024 / m->real_bytes;
    layout->width = width;
    set_bytes(c, layout, (double)m->entries * (m->value_bytes + 4) + 4.25 * (double)m->rows, false,
              (is_fit ? 1.0 : 1.7) * (c->is_host ? 2.0 : 1.0));
    const int threads = is_cuda ? 1024 : 256;
    add_kernel(c, threads, 0, 4, 1);
    if (m->real_bytes == 4) add_kernel(c, threads, 0, 8, 1);
}

// A multiprocessor's memory is divided between blocks and the cache in a few ways (CUDA C++
// Programming Guide, compute capabilities); all for the block is 1.2 times slower than the next of
// them (benchmarks/README.md): x outside the block's memory wants the cache.
static int find_hub(int64_t shared_bytes_block)
{
    static const int kib[] = {196, 132, 64, 32};
    const int own = 16; // a dot product's, and some

    for (size_t i = 0; i < sizeof kib / sizeof *kib; i++)
        if (kib[i] < shared_bytes_block / 1024) return kib[i] - own;
    return 0;
}

static void choose_hubs(chooser *c)
{
    const int kib = find_hub(c->info->shared_bytes_block);

    if (c->info->kind != SEDGE_DEVICE_CUDA) {
        add_hub(c, 16, 64);
    } else if (kib > 0) {
        add_hub(c, kib, 64);
    }
}

// Columns far from each other, of a matrix that has an order in which they are near, or of a few
// columns that most entries are in.
static void choose_orders(chooser *c)
{
    const sedge_sparse_matrix *const m = c->matrix;
    const bool is_square = m->csr.rows == m->csr.columns && m->listed == NULL;

    if (!c->is_far) return;
    if (is_square && m->deviation < c->mean) {
        sedge_sparse_layout *const layout =
            add_layout(c, SEDGE_SPARSE_SELL, "sell packed 32 ordered");
        layout->height = 32;
        layout->packed = 1;
        layout->order = SEDGE_SPARSE_BY_BREADTH;
        set_bytes(c, layout, 1.05 * (double)m->entries * (m->value_bytes + 2.5), true, 1.0);
        add_slice_kernels(c, 32);
        add_packet(c, " ordered", SEDGE_SPARSE_BY_BREADTH, 1);
    }
    if (m->deviation >= c->mean) {
        for (int capacity = 1024; capacity <= 2048; capacity *= 2) {
            sedge_sparse_layout *const layout =
                add_layout(c, SEDGE_SPARSE_ADAPTIVE, "adaptive %d counted", capacity);
            layout->capacity = capacity;
            layout->order = SEDGE_SPARSE_BY_COUNT;
            set_bytes(c, layout, csr_bytes(c), false, 1.2);
            add_kernel(c, 256, 0, 0, 1);
            if (!c->is_host) add_kernel(c, 128, 0, 0, 1);
        }
    }
}

static void choose_vendor(chooser *c, bool has_cusparse)
{
    const sedge_sparse_matrix *const m = c->matrix;

    if (!has_cusparse || m->listed != NULL || m->shift != 0) return;
    if (m->value_bytes != m->real_bytes || m->entries > INT32_MAX) return;
    set_bytes(c, add_layout(c, SEDGE_SPARSE_CUSPARSE, "cusparse csr"), csr_bytes(c), false, 1.25);
    add_kernel(c, 256, SEDGE_CUSPARSE_CSR_2, 0, 0);
    sedge_sparse_layout *const layout = add_layout(c, SEDGE_SPARSE_CUSPARSE, "cusparse sell");
    const double stored = (double)sedge_sparse_padded(m, 32, 1);
    layout->height = 32;
    if (stored > PADDING_MOST * (double)m->entries || stored > (double)INT32_MAX) {
        (void)snprintf(layout->reason, sizeof layout->reason,
                       "padding: %.1f values stored for each entry", stored / (double)m->entries);
    }
    set_bytes(c, layout, stored * (m->value_bytes + 4), false, 1.3);
    add_kernel(c, 256, SEDGE_CUSPARSE_SELL, 0, 0);
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
    chooser c = {.out = choices,
                 .matrix = matrix,
                 .info = info,
                 .is_host = info->kind == SEDGE_DEVICE_HOST && !info->random_order};

    memset(choices, 0, sizeof *choices);
    if (matrix->rows > 0) c.mean = (double)matrix->entries / (double)matrix->rows;
    sample_columns(&c);
    choose_csr(&c);
    if (matrix->entries == 0) return; // nothing to choose by
    choose_balanced(&c);
    choose_slices(&c);
    choose_ell(&c);
    choose_packets(&c);
    choose_hubs(&c);
    choose_orders(&c);
    choose_vendor(&c, has_cusparse);
    choose_blocks(&c);
    sedge_sparse_choices_sort(choices);
}
