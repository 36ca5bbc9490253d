// Sums over columns as they are tuned: every candidate gives the rule's bits, one that does not is
// refused, what was found is used again, by the kernels that the wisdom names, and without tuning
// the rule is. All other reductions and scans ask no tuner.
#include "array/strided.h"
#include "base/memory.h"
#include "reduce_kit.h"
#include "tune_case.h"

#include "base/file.h"
#include "reduce/reduce_call.h"
#include "tune/wisdom.h"

#include <unistd.h>

// ---- every candidate ---------------------------------------------------------------------------

// Numbers of which no sum is exact, for products near 1; small integers.
static void *make_numbers(sedge_type type, int64_t count, bool product)
{
    const bool wide = type == SEDGE_FLOAT64 || type == SEDGE_COMPLEX128;
    const bool real = type >= SEDGE_FLOAT32;
    const int64_t words = count * sedge_type_bytes(type) / (wide ? 8 : real ? 4 : 1);
    char *const values = room(count, sedge_type_bytes(type));

    for (int64_t i = 0; i < words; i++) {
        const double some = some_number(i) / 3.0;
        const double number = product ? 1.0 + 0x1p-12 * some : some;
        if (wide) {
            memcpy(values + 8 * i, &number, 8);
        } else if (real) {
            memcpy(values + 4 * i, &(float){(float)number}, 4);
        } else {
            values[i] = (char)(scramble((uint64_t)i) & 127);
        }
    }
    return values;
}

typedef struct test_case {
    int formula;
    sedge_type type;
    int dimensions;
    int64_t shape[2];
    int axis;
} test_case;

// Result of a reduction by a tuning.
static void *reduce_by(const sedge_array *array, const test_case *c,
                       const sedge_reduce_tuning *tuning, int64_t *bytes)
{
    sedge_array *out = NULL;

    if (c->formula == SEDGE_FORMULA_DOT) {
        CHECK_OK(sedge_array_reduce_as(
            &out, c->formula, sedge_multiply(sedge_use(array), sedge_use(array)), c->axis, tuning));
    } else {
        CHECK_OK(sedge_array_reduce_as(&out, c->formula, sedge_use(array), c->axis, tuning));
    }
    *bytes = sedge_array_size(out) * sedge_type_bytes(sedge_array_type(out));
    void *const values = room(*bytes, 1);
    CHECK_OK(sedge_array_get(out, values));
    sedge_array_free(out);
    return values;
}

static int list_tunings(sedge_reduce_tuning *tunings, sedge_context *context,
                        const sedge_array *array, const test_case *c)
{
    const sedge_device_info *const info = sedge_device_get_info(sedge_context_device(context));
    sedge_analysis analysis;
    sedge_formula formula;
    sedge_reduce_plan plan;

    CHECK_OK(sedge_expression_prepare(&analysis, sedge_use(array)));
    if (c->formula == SEDGE_FORMULA_DOT) {
        sedge_formula_dot(&formula, c->type);
    } else {
        sedge_formula_make(&formula, (sedge_reduction)c->formula, c->type);
    }
    sedge_reduce_plan_make(&plan, &analysis, sedge_reduce_rule(info->kind), info, c->axis,
                           formula.state_bytes);
    const sedge_reduce_call call = {&analysis, &formula, c->axis};
    const int count = sedge_reduce_tunings(tunings, info->kind, &plan, &call);
    sedge_analysis_free(&analysis);
    return count;
}

// As the wisdom calls it.
static void name_tuning(char name[SEDGE_TUNED_NAME], const sedge_reduce_tuning *tuning)
{
    (void)snprintf(name, SEDGE_TUNED_NAME, "a%d m%d r%d", tuning->ahead, tuning->more,
                   tuning->resident);
}

static void check_reduction(sedge_context *context, const test_case *c, int first)
{
    sedge_array *array = NULL;
    void *const numbers = make_numbers(c->type, sedge_shape_count(c->dimensions, c->shape),
                                       c->formula == SEDGE_PRODUCT);
    sedge_reduce_tuning tunings[SEDGE_REDUCE_TUNINGS];
    int64_t bytes = 0, again = 0;
    char name[SEDGE_TUNED_NAME];

    CHECK_OK(sedge_array_from(&array, context, c->type, c->dimensions, c->shape, numbers));
    const int count = list_tunings(tunings, context, array, c);
    CHECK(count >= 3 && count <= SEDGE_REDUCE_TUNINGS);
    void *const wanted = reduce_by(array, c, NULL, &bytes);
    for (int k = first; k < count; k++) {
        void *const got = reduce_by(array, c, &tunings[k], &again);
        const bool same = bytes == again && memcmp(wanted, got, (size_t)bytes) == 0;
        CHECK(same);
        name_tuning(name, &tunings[k]);
        if (!same) {
            (void)fprintf(stderr, "  formula %d of %s, %lld x %lld, axis %d: '%s'\n", c->formula,
                          sedge_type_name(c->type), (long long)c->shape[0], (long long)c->shape[1],
                          c->axis, name);
        }
        free(got);
    }
    free(wanted);
    free(numbers);
    sedge_array_free(array);
}

static void test_reductions(sedge_context *context, bool few)
{
    static const test_case cases[] = {
        {SEDGE_SUM, SEDGE_FLOAT32, 2, {4099, 130}, 0},
        {SEDGE_MIN, SEDGE_INT8, 2, {4099, 70}, 0},
        {SEDGE_SUM, SEDGE_FLOAT64, 2, {4099, 130}, 0},
        {SEDGE_SUM, SEDGE_INT8, 2, {3001, 130}, 0},
        {SEDGE_SUM, SEDGE_COMPLEX64, 2, {701, 100}, 0},
        {SEDGE_PRODUCT, SEDGE_FLOAT64, 2, {701, 99}, 0},
        {SEDGE_NORM_2, SEDGE_FLOAT32, 2, {3001, 70}, 0},
        {SEDGE_ARGMAX, SEDGE_FLOAT32, 2, {3001, 99}, 0},
        {SEDGE_MAX, SEDGE_FLOAT64, 2, {5, 3001}, 0},
        {SEDGE_COUNT, SEDGE_INT8, 2, {300, 1001}, 0},
    };
    static const int64_t sizes[] = {0, 1, 255};
    const int count = few ? 2 : sizeof cases / sizeof cases[0];

    for (int k = 0; k < count; k++) check_reduction(context, &cases[k], 1);
    // The same kernels, other lengths.
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        test_case c = cases[0];
        c.shape[0] = sizes[s];
        check_reduction(context, &c, 0);
    }
}

// What the above would find: other lanes are another order, and give a sum other bits.
static void test_order_shows(sedge_context *context)
{
    const test_case c = {SEDGE_SUM, SEDGE_FLOAT32, 1, {300001}, SEDGE_ALL_AXES};
    const sedge_device_info *const info = sedge_device_get_info(sedge_context_device(context));
    sedge_reduce_tuning other = *sedge_reduce_rule(info->kind);
    void *const numbers = make_numbers(c.type, c.shape[0], false);
    sedge_array *const array = vector_of(context, c.type, c.shape[0], numbers);
    int64_t bytes;

    other.items = other.items == 64 ? 16 : 64;
    void *const wanted = reduce_by(array, &c, NULL, &bytes);
    void *const got = reduce_by(array, &c, &other, &bytes);
    CHECK(memcmp(wanted, got, (size_t)bytes) != 0);
    free(got);
    free(wanted);
    free(numbers);
    sedge_array_free(array);
}

// ---- the tuner ---------------------------------------------------------------------------------

// The text of a cache's wisdom; NULL: there is none. The caller frees it.
static char *read_wisdom(const char *folder)
{
    char path[600];
    char *text = NULL;
    size_t length;

    (void)snprintf(path, sizeof path, "%s/%s", folder, SEDGE_WISDOM_FILE);
    if (access(path, F_OK) != 0) return NULL;
    CHECK_OK(sedge_file_read(&text, &length, path, SEDGE_ERR_DATA));
    return text;
}

// A context of its own with a cache in the folder; all are freed with close_own.
typedef struct own_context {
    sedge_cache *cache;
    sedge_context *context;
} own_context;

static own_context open_own(sedge_context *device_of, const char *folder, sedge_tune_level level)
{
    own_context own = {NULL, NULL};

    CHECK_OK(sedge_cache_create(&own.cache, folder));
    CHECK_OK(sedge_context_create(&own.context, sedge_context_device(device_of), own.cache));
    sedge_context_set_tuning(own.context, level);
    return own;
}

static void close_own(own_context *own)
{
    CHECK(sedge_context_pool(own->context).active_bytes == 0);
    sedge_context_free(own->context);
    sedge_cache_free(own->cache);
}

// The choice between a slow tuning and a faster one with other lanes.
static int choose_planted(sedge_context *context, sedge_type type)
{
    enum { SIZE = 1 << 20 };
    const sedge_device_info *const info = sedge_device_get_info(sedge_context_device(context));
    void *const numbers = make_numbers(type, SIZE, false);
    sedge_array *const array = vector_of(context, type, SIZE, numbers);
    sedge_reduce_tuning tunings[2] = {*sedge_reduce_rule(info->kind),
                                      *sedge_reduce_rule(info->kind)};
    sedge_analysis analysis;
    sedge_formula formula;
    int choice = -1;

    // One item a block is slow, but not with OpenCL on a processor.
    sedge_reduce_tuning *const other = &tunings[info->kind == SEDGE_DEVICE_OPENCL ? 1 : 0];
    other->items = 1;
    other->last = 0;
    tunings[1].more = 1; // a name of its own; the order does not follow from it
    CHECK_OK(sedge_expression_prepare(&analysis, sedge_use(array)));
    sedge_formula_make(&formula, SEDGE_SUM, type);
    const sedge_reduce_call call = {&analysis, &formula, SEDGE_ALL_AXES};
    CHECK_OK(sedge_reduce_tune(&choice, &call, tunings, 2, "planted"));
    sedge_analysis_free(&analysis);
    sedge_array_free(array);
    free(numbers);
    return choice;
}

// Whether the faster one is refused. It is looked at only where it is found to be faster, so a busy
// machine may need several tries.
static void test_planted(sedge_context *context, sedge_type type, bool is_refused)
{
    bool refused = !is_refused;

    for (int attempt = 0; attempt < 30 && refused != is_refused; attempt++) {
        char name[32];
        char folder[512];
        (void)snprintf(name, sizeof name, "%s-%d", is_refused ? "refused" : "right", attempt);
        tune_case_folder(folder, sizeof folder, name);
        own_context own = open_own(context, folder, SEDGE_TUNE_EXHAUSTIVE);
        const int choice = choose_planted(own.context, type);
        CHECK(choice == 0 || !is_refused);
        char *const text = read_wisdom(folder);
        CHECK(text != NULL);
        refused = text != NULL && strstr(text, "other numbers than with") != NULL;
        sedge_release(text);
        close_own(&own);
    }
    CHECK(refused == is_refused);
}

enum { ROWS = 1 << 10, COLUMNS = (1 << 10) + 1, RESULTS = 4 + 4 * COLUMNS + 4 * ROWS * COLUMNS };

// Sum, sum of columns and scan of a large array.
static void compute(sedge_array *array, unsigned char *results)
{
    sedge_array *out = NULL;

    CHECK_OK(sedge_array_reduce(&out, SEDGE_SUM, sedge_use(array), SEDGE_ALL_AXES));
    CHECK_OK(sedge_array_get(out, results));
    sedge_array_free(out);
    CHECK_OK(sedge_array_reduce(&out, SEDGE_SUM, sedge_use(array), 0));
    CHECK_OK(sedge_array_get(out, results + 4));
    sedge_array_free(out);
    CHECK_OK(sedge_array_scan(&out, array, SEDGE_SCAN_SUM, false, NULL));
    CHECK_OK(sedge_array_get(out, results + 4 + 4 * COLUMNS));
    sedge_array_free(out);
}

static sedge_array *large_array(sedge_context *context)
{
    const int64_t shape[2] = {ROWS, COLUMNS};
    void *const numbers = make_numbers(SEDGE_FLOAT32, (int64_t)ROWS * COLUMNS, false);
    sedge_array *array = NULL;

    CHECK_OK(sedge_array_from(&array, context, SEDGE_FLOAT32, 2, shape, numbers));
    free(numbers);
    return array;
}

static unsigned char *compute_in(sedge_context *device_of, const char *folder,
                                 sedge_tune_level level, sedge_cache_counts *counts)
{
    own_context own = open_own(device_of, folder, level);
    unsigned char *const results = room(RESULTS, 1);
    sedge_array *const array = large_array(own.context);

    compute(array, results);
    *counts = sedge_cache_get_counts(own.cache);
    compute(array, results); // known now
    CHECK(sedge_cache_get_counts(own.cache).misses == counts->misses);
    sedge_array_free(array);
    close_own(&own);
    return results;
}

// Let the wisdom name another choice for all tasks of an operation.
static void set_wisdom(const char *folder, const char *operation, const char *name)
{
    char path[600], mark[64];
    char *const wisdom = read_wisdom(folder);
    const char *rest = wisdom;
    sedge_text *text = NULL;

    (void)snprintf(path, sizeof path, "%s/%s", folder, SEDGE_WISDOM_FILE);
    (void)snprintf(mark, sizeof mark, "\"operation\":\"%s\",\"choice\":\"", operation);
    CHECK_OK(sedge_text_create(&text));
    for (const char *at; (at = strstr(rest, mark)) != NULL; rest = strchr(rest, '"')) {
        CHECK_OK(sedge_text_add(text, "%.*s%s%s", (int)(at - rest), rest, mark, name));
        rest = at + strlen(mark);
    }
    CHECK_OK(sedge_text_add(text, "%s", rest));
    CHECK_OK(sedge_file_write(path, sedge_text_get(text), strlen(sedge_text_get(text))));
    sedge_text_free(text);
    sedge_release(wisdom);
}

// With number `k` of the tunings in the wisdom, a sum runs that tuning's kernel: a call that asks
// for the tuning needs no other program. Returns how many tunings there are.
static int check_obeyed_sum(sedge_context *device_of, const char *folder, int k)
{
    const test_case c = {SEDGE_SUM, SEDGE_FLOAT32, 2, {ROWS, COLUMNS}, 0};
    own_context own = open_own(device_of, folder, SEDGE_TUNE_OFF);
    sedge_array *const array = large_array(own.context);
    sedge_reduce_tuning tunings[SEDGE_REDUCE_TUNINGS];
    const int count = list_tunings(tunings, own.context, array, &c);
    char name[SEDGE_TUNED_NAME];
    int64_t bytes;

    name_tuning(name, &tunings[k]);
    set_wisdom(folder, "reduction", name);
    free(reduce_by(array, &c, NULL, &bytes));
    CHECK(strcmp(sedge_context_choice(own.context), name) == 0);
    const sedge_cache_counts before = sedge_cache_get_counts(own.cache);
    free(reduce_by(array, &c, &tunings[k], &bytes));
    const sedge_cache_counts after = sedge_cache_get_counts(own.cache);
    CHECK(before.hits + before.misses == 1 && after.hits + after.misses == 1);
    sedge_array_free(array);
    close_own(&own);
    return count;
}

static int count_lines(const char *text, const char *word)
{
    int count = 0;

    for (; text != NULL && (text = strstr(text, word)) != NULL; text += strlen(word)) count++;
    return count;
}

// The same bits with the rule, by measuring and from wisdom, which measures and compiles nothing.
static void test_remembered(sedge_context *context)
{
    char folder[512];
    sedge_cache_counts counts;

    tune_case_folder(folder, sizeof folder, "remembered");
    unsigned char *const rule = compute_in(context, folder, SEDGE_TUNE_OFF, &counts);
    CHECK(read_wisdom(folder) == NULL);
    CHECK(counts.misses == 3);
    unsigned char *const tuned = compute_in(context, folder, SEDGE_TUNE_PATIENT, &counts);
    CHECK(memcmp(rule, tuned, RESULTS) == 0);
    CHECK(counts.misses > 3);
    char *const wisdom = read_wisdom(folder);
    CHECK(count_lines(wisdom, "\"reduction-") == 1); // of columns: the others have the rule
    CHECK(count_lines(wisdom, "\"scan-") == 0);
    for (int level = SEDGE_TUNE_OFF; level <= SEDGE_TUNE_PATIENT; level++) {
        unsigned char *const again = compute_in(context, folder, (sedge_tune_level)level, &counts);
        char *const later = read_wisdom(folder);
        CHECK(memcmp(rule, again, RESULTS) == 0);
        CHECK(counts.misses == 0);
        CHECK(later != NULL && wisdom != NULL && strcmp(later, wisdom) == 0);
        sedge_release(later);
        free(again);
    }
    for (int k = 0, count = 1; k < count; k++) count = check_obeyed_sum(context, folder, k);
    sedge_release(wisdom);
    free(tuned);
    free(rule);
}

// Formulas whose products the compiler may fuse in several ways are not tuned.
static void test_may_fuse(void)
{
    sedge_formula formula;

    for (int type = 0; type < SEDGE_TYPES; type++) {
        sedge_formula_dot(&formula, (sedge_type)type);
        CHECK(sedge_formula_may_fuse(&formula) == (type >= SEDGE_COMPLEX64));
        sedge_formula_make(&formula, SEDGE_SUM, (sedge_type)type);
        CHECK(!sedge_formula_may_fuse(&formula));
        sedge_formula_make(&formula, SEDGE_PRODUCT, (sedge_type)type);
        CHECK(sedge_formula_may_fuse(&formula) == (type >= SEDGE_COMPLEX64));
    }
}

// The selection "few" has two reductions, "kernels" the same without what is timed.
int main(int argc, char **argv)
{
    const bool untimed = argc > 1 && strcmp(argv[1], "kernels") == 0;
    const bool few = is_few(argc, argv) || untimed || !with_all_types();
    sedge_context *const context = open_context();

    if (context == NULL) return 1;
    test_may_fuse();
    test_order_shows(context);
    test_reductions(context, few);
    if (!in_random_order() && !untimed) { // timings there say nothing
        test_planted(context, SEDGE_FLOAT32, true);
        test_planted(context, SEDGE_INT32, false); // of integers both are right
        test_remembered(context);
    }
    sedge_context_free(context);
    return CHECK_END();
}
