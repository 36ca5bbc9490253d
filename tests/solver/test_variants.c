// Every way to cut the stage that the tuner may try on a GPU compiles, for chips that need not be
// here. The table variants-*.txt in the build folder shows what each takes: a spill shows there.
//
// Without arguments: for each chip and precision a selection that has each structure, tile and
// layout at least once; for sm_90 and Maxwell's equations each block and limit of registers, too,
// and the rule's choice of each order. With "accepted": every one of all three chips goes through
// the compiler's front end and comes out as unoptimised code, many in one program. With "all
// ORDER": every one of this order compiled, for sm_90, into variants-all-ORDER.txt. Advection, with
// its one field, for sm_90 at orders 1, 5 and 9. And the program of all other kernels, with those
// of curved elements, of orders 1, 4 and 10, and for coefficients of the Bernstein-Bezier basis, of
// orders 1 and 10.
#include "check.h"
#include "codegen/combine.h"
#include "device/nvrtc.h"
#include "dg/operator_internal.h"

#include <pthread.h>
#include <stdlib.h>

#define MOST_TEXTS 256
#define MOST_SEEN  128

// A problem of unit materials; only what programs depend on.
static sedge_status make_problem(sedge_problem *problem, const char *equation, int order,
                                 sedge_precision precision)
{
    const sedge_equation *const which = sedge_equation_find(equation);
    double keys[SEDGE_MAX_VALUES];
    double deck[SEDGE_MAX_VALUES];

    SEDGE_TRY(sedge_problem_init(problem, which, 1, 1, 0));
    problem->order = order;
    problem->precision = precision;
    for (int i = 0; i < SEDGE_MAX_VALUES; i++) {
        keys[i] = 1.0;
        deck[i] = 1.0;
    }
    if (which->derive != NULL) which->derive(deck, problem->materials[0]);
    which->constants(keys, NULL, problem->constants);
    problem->boundaries[0].kind = which->boundary_count > 0 ? &which->boundaries[0] : NULL;
    return SEDGE_OK;
}

// ---- selection ---------------------------------------------------------------------------------

// The values of cuts seen so far, of one chip, equation and precision.
typedef struct seen_list {
    int values[MOST_SEEN];
    int count;
    bool blocks; // they count, and limits of registers
} seen_list;

static bool note(seen_list *seen, int value)
{
    for (int i = 0; i < seen->count; i++)
        if (seen->values[i] == value) return false;
    CHECK(seen->count < MOST_SEEN);
    if (seen->count < MOST_SEEN) seen->values[seen->count++] = value;
    return true;
}

// Whether a candidate has something new: marks what it has.
static bool is_new(seen_list *seen, const operator_candidate *candidate)
{
    const operator_cut *const cut = &candidate->cut;
    const int form =
        10000 * (cut->fused + 2 * cut->tensor + 4 * cut->curls + 8 * cut->three +
                 16 * (cut->form == FORM_SPARSE) + 32 * cut->tangential + 64 * cut->blas);

    if (cut->tangential || cut->blas) // as curls in all but the lift; the same for all cuts
        return note(seen, 5000 + form + cut->groups);
    bool new = note(seen, 1000 + form + cut->item_nodes);

    new = note(seen, 2000 + form + cut->lift_nodes) || new;
    new = note(seen, 5000 + form + cut->groups) || new;
    if (seen->blocks) {
        new = note(seen, 3000 + cut->block) || new;
        new = note(seen, 4000 + cut->resident) || new;
    }
    return note(seen, candidate->layout) || new;
}

// ---- compilation -------------------------------------------------------------------------------

typedef struct variant_batch {
    sedge_text *texts[MOST_TEXTS];
    char names[MOST_TEXTS][SEDGE_OPERATOR_NAME + SEDGE_CUT_NAME];
    int count;
} variant_batch;

static sedge_status add(variant_batch *batch, const operator_choices *choices, int c,
                        const sedge_problem *problem, const sedge_element *element)
{
    const operator_candidate *const candidate = &choices->candidate[c];
    char name[SEDGE_OPERATOR_NAME];

    SEDGE_TRY(sedge_text_create(&batch->texts[batch->count]));
    SEDGE_TRY(operator_stage_write(batch->texts[batch->count], name, SEDGE_DEVICE_CUDA,
                                   &choices->layout[candidate->layout], &candidate->cut, problem,
                                   element));
    (void)snprintf(batch->names[batch->count], sizeof batch->names[0], "%s %s", name,
                   candidate->name);
    batch->count++;
    return SEDGE_OK;
}

static void compile(variant_batch *batch, sedge_device *device, sedge_cache *cache, FILE *table)
{
    sedge_program_text texts[MOST_TEXTS];
    sedge_program_record records[MOST_TEXTS];
    int compiled = 0;

    for (int i = 0; i < batch->count; i++) {
        texts[i].name = batch->names[i];
        texts[i].text = sedge_text_get(batch->texts[i]);
    }
    CHECK_OK(sedge_programs_build(&compiled, records, NULL, device, cache, texts, batch->count));
    for (int i = 0; i < batch->count && check_failures == 0; i++) {
        const sedge_program_resources *const takes = &records[i].resources;
        CHECK(takes->registers > 0 && takes->registers <= 255);
        (void)fprintf(table, "%-8s %-64s %9d %8d %7d\n", sedge_device_get_info(device)->arch,
                      batch->names[i], takes->registers, takes->spilled, takes->shared);
    }
    for (int i = 0; i < batch->count; i++) sedge_text_free(batch->texts[i]);
    batch->count = 0;
}

// The kernels that are not tuned, by the rule: with those of curved elements, or for coefficients
// of the other basis.
static void add_others(variant_batch *batch, sedge_device *device, int order,
                       sedge_precision precision, sedge_basis basis)
{
    const sedge_operator_options options = {.variant = basis == SEDGE_NODAL ? "auto" : "bernstein"};
    char name[SEDGE_OPERATOR_PROGRAMS][SEDGE_OPERATOR_NAME];
    sedge_text *text[SEDGE_OPERATOR_PROGRAMS] = {NULL, NULL};
    sedge_element *element = NULL;
    sedge_problem problem = {0};

    CHECK_OK(sedge_element_create(&element, order));
    CHECK_OK(make_problem(&problem, "maxwell", order, precision));
    problem.curved = basis == SEDGE_NODAL;
    for (int i = 0; i < problem.equation->source_count && basis != SEDGE_NODAL; i++) {
        if (problem.equation->sources[i].type == SEDGE_SOURCE_INCIDENT)
            problem.incident = &problem.equation->sources[i]; // faces are converted then
    }
    for (int i = 0; i < SEDGE_OPERATOR_PROGRAMS; i++) CHECK_OK(sedge_text_create(&text[i]));
    CHECK_OK(sedge_operator_texts(text, name, sedge_device_get_info(device), element, &problem,
                                  &options));
    CHECK(strstr(sedge_text_get(text[1]),
                 basis == SEDGE_NODAL ? "sedge_curved_energy" : "define SEDGE_CONVERT_FACES 1") !=
          NULL);
    (void)snprintf(batch->names[batch->count], sizeof batch->names[0], "%s %s", name[1],
                   basis == SEDGE_NODAL ? "curved" : "bernstein");
    batch->texts[batch->count++] = text[1];
    sedge_text_free(text[0]);
    sedge_problem_clear(&problem);
    sedge_element_free(element);
}

// ---- the front end -----------------------------------------------------------------------------

#define ACCEPTED_MOST 16384
#define TOGETHER      24 // variants of a program: more gain nothing

// The texts of all variants, each once; threads take them by groups.
typedef struct accepted_list {
    sedge_text *texts[ACCEPTED_MOST];
    sedge_hash hashes[ACCEPTED_MOST];
    int count, taken;
    pthread_mutex_t lock;
    int failures;
} accepted_list;

static accepted_list accepted = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_known(const sedge_hash *hash)
{
    for (int i = accepted.count - 1; i >= 0; i--)
        if (memcmp(&accepted.hashes[i], hash, sizeof *hash) == 0) return true;
    return false;
}

// Take the texts of a batch.
static void keep_texts(variant_batch *batch)
{
    for (int i = 0; i < batch->count; i++) {
        const sedge_hash hash =
            sedge_hash_bytes(sedge_text_get(batch->texts[i]), sedge_text_length(batch->texts[i]));
        if (is_known(&hash) || accepted.count == ACCEPTED_MOST) {
            CHECK(accepted.count < ACCEPTED_MOST);
            sedge_text_free(batch->texts[i]);
            continue;
        }
        accepted.texts[accepted.count] = batch->texts[i];
        accepted.hashes[accepted.count++] = hash;
    }
    batch->count = 0;
}

static sedge_status check_group(const char *const *texts, int count)
{
    sedge_text *whole = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&whole));
    SEDGE_TRY_GOTO(status, sedge_combine_write(whole, texts, count));
    SEDGE_TRY_GOTO(status, sedge_nvrtc_check(sedge_text_get(whole), "compute_90"));
done:
    sedge_text_free(whole);
    return status;
}

static void *check_groups(void *unused)
{
    const char *texts[TOGETHER];

    (void)unused;
    for (;;) {
        (void)pthread_mutex_lock(&accepted.lock);
        const int first = accepted.taken;
        accepted.taken += TOGETHER;
        (void)pthread_mutex_unlock(&accepted.lock);
        int count = 0;
        for (; count < TOGETHER && first + count < accepted.count; count++)
            texts[count] = sedge_text_get(accepted.texts[first + count]);
        if (count == 0) return NULL;
        if (check_group(texts, count) == SEDGE_OK) continue;
        (void)fprintf(stderr, "variants %d..%d: %s\n", first, first + count - 1,
                      sedge_error_message());
        (void)pthread_mutex_lock(&accepted.lock);
        accepted.failures++;
        (void)pthread_mutex_unlock(&accepted.lock);
    }
}

static void check_accepted(void)
{
    enum { THREADS_MOST = 16 };
    pthread_t threads[THREADS_MOST];
    int started = 0;
    int wanted = sedge_device_compilers(1);

    if (wanted > THREADS_MOST) wanted = THREADS_MOST;
    while (started < wanted && pthread_create(&threads[started], NULL, check_groups, NULL) == 0)
        started++;
    if (started == 0) (void)check_groups(NULL);
    for (int i = 0; i < started; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(accepted.failures == 0);
    CHECK(accepted.count > 1000);
    (void)printf("%d variants accepted\n", accepted.count);
    for (int i = 0; i < accepted.count; i++) sedge_text_free(accepted.texts[i]);
}

// ---- one order ---------------------------------------------------------------------------------

static void add_order(variant_batch *batch, seen_list *seen, sedge_device *device,
                      sedge_cache *cache, FILE *table, const char *equation, int order,
                      sedge_precision precision)
{
    const sedge_device_info *const info = sedge_device_get_info(device);
    sedge_element *element = NULL;
    sedge_problem problem = {0};
    operator_choices choices = {0};

    CHECK_OK(sedge_element_create(&element, order));
    CHECK_OK(make_problem(&problem, equation, order, precision));
    CHECK_OK(operator_choices_list(&choices, info, &problem, element));
    CHECK(choices.count > 1 && choices.count <= choices.layouts * SEDGE_CANDIDATES);
    for (int c = 0; c < choices.searched; c++) { // the others have the same texts
        CHECK(choices.candidate[c].cut.scratch_bytes <= info->shared_bytes_block);
        const bool is_rule = seen != NULL && seen->blocks && c == 0;
        if (seen != NULL && !is_new(seen, &choices.candidate[c]) && !is_rule) continue;
        CHECK_OK(add(batch, &choices, c, &problem, element));
        if (table == NULL) keep_texts(batch);
        if (seen == NULL && batch->count == MOST_TEXTS) compile(batch, device, cache, table);
    }
    operator_choices_clear(&choices);
    sedge_problem_clear(&problem);
    sedge_element_free(element);
}

// `table` NULL: the texts are kept for the front end. `only` is an order, 0: all of them.
static void test_chip(const char *arch, bool all, int only, FILE *table)
{
    static const char *const equations[] = {"maxwell", "advection"};
    static variant_batch batch;
    sedge_device *device = NULL;
    sedge_cache *cache = NULL;

    CHECK_OK(sedge_device_create_target(&device, "cuda", arch));
    CHECK_OK(sedge_cache_create(&cache, SEDGE_TEST_DIR "/variants-cache"));
    if (check_failures > 0) return;
    for (int p = 0; p < 2; p++) {
        for (int order = 1; order <= 10; order += order == 1 ? 3 : 6) {
            const sedge_precision precision = p == 0 ? SEDGE_FP32 : SEDGE_FP64;
            if (only != 0 && only != order) continue;
            add_others(&batch, device, order, precision, SEDGE_NODAL);
            if (order != 4) add_others(&batch, device, order, precision, SEDGE_BERNSTEIN);
        }
    }
    if (table == NULL) {
        keep_texts(&batch);
    } else {
        compile(&batch, device, cache, table);
    }
    for (int e = 0; e < (strcmp(arch, "sm_90") == 0 ? 2 : 1); e++) {
        for (int p = 0; p < 2; p++) {
            seen_list seen = {.blocks = e == 0 && strcmp(arch, "sm_90") == 0};
            for (int order = 1; order <= SEDGE_ORDER_MAX; order++) {
                if ((e == 1 && order % 4 != 1) || (only != 0 && only != order)) continue;
                add_order(&batch, all ? NULL : &seen, device, cache, table, equations[e], order,
                          p == 0 ? SEDGE_FP32 : SEDGE_FP64);
            }
            if (table != NULL) compile(&batch, device, cache, table);
        }
    }
    sedge_cache_free(cache);
    sedge_device_free(device);
}

// The newest chip that this NVRTC compiles for.
static const char *find_newest(void)
{
    static const char *const chips[] = {"sm_121", "sm_120", "sm_110", "sm_103", "sm_100"};

    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++) {
        void *binary = NULL;
        size_t length = 0;
        const sedge_status status = sedge_nvrtc_compile(
            "extern \"C\" __global__ void nothing() {}\n", chips[i], &binary, &length, NULL);
        sedge_release(binary);
        if (status == SEDGE_OK) return chips[i];
        sedge_error_clear();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const bool all = argc > 2 && strcmp(argv[1], "all") == 0;
    const int order = all ? (int)strtol(argv[2], NULL, 10) : 0;
    const char *const newest = find_newest();
    char path[sizeof SEDGE_TEST_DIR + 32];

    if (argc > 1 && strcmp(argv[1], "accepted") == 0) {
        test_chip("sm_80", true, 0, NULL);
        test_chip("sm_90", true, 0, NULL);
        if (newest != NULL) test_chip(newest, true, 0, NULL);
        check_accepted();
        return CHECK_END();
    }
    CHECK(argc == 1 || (all && order >= 1 && order <= SEDGE_ORDER_MAX));
    (void)snprintf(path, sizeof path, all ? "%s/variants-all-%d.txt" : "%s/variants.txt",
                   SEDGE_TEST_DIR, order);
    FILE *const table = fopen(path, "w");

    CHECK(table != NULL);
    if (table == NULL) return CHECK_END();
    (void)fprintf(table, "%-8s %-64s %9s %8s %7s\n", "chip", "variant", "registers", "spilled",
                  "shared");
    if (!all) test_chip("sm_80", false, 0, table);
    test_chip("sm_90", all, order, table);
    if (!all && newest != NULL) test_chip(newest, false, 0, table);
    CHECK(fclose(table) == 0);
    return CHECK_END();
}
