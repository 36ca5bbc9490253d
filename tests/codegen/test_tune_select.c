// Which candidates are tried on a GPU: none that cannot run, or that would leave most of it idle.
// No GPU is needed: the device is only described.
#include "base/memory.h"
#include "check.h"
#include "tune/tune_race.h"
#include "tune/tune_select.h"
#include "tune/tune_wisdom.h"

enum { COUNT = 9 };

static const sedge_device_info gpu = {.kind = SEDGE_DEVICE_CUDA,
                                      .kind_name = "cuda",
                                      .name = "as large as an H200",
                                      .arch = "sm_90",
                                      .multiprocessors = 132,
                                      .shared_bytes_block = 232448};

static const sedge_tune_candidate candidates[COUNT] = {
    {.name = "rule", .threads = 64, .shared_bytes = 200000, .registers = 32},
    {.name = "good", .threads = 256, .shared_bytes = 0, .registers = 32},
    {.name = "half", .threads = 256, .shared_bytes = 50000, .registers = 32},
    {.name = "threads", .threads = 1056, .registers = 32},
    {.name = "shared", .threads = 128, .shared_bytes = 232449, .registers = 32},
    {.name = "alone", .threads = 256, .shared_bytes = 120000, .registers = 32},
    {.name = "registers", .threads = 256, .registers = 168},
    {.name = "other layout", .layout = 1, .threads = 256, .registers = 32},
    {.name = "refused", .threads = 256, .registers = 32, .refused = "not for this order"},
};

typedef struct test_select {
    sedge_tune_task task;
    sedge_tune_options options;
    sedge_tune_advice advice;
    sedge_tune_result result;
    sedge_tune_candidate candidates[COUNT];
    int order[COUNT];
    int count;
} test_select;

static void setup(test_select *s, sedge_tune_level level)
{
    memset(s, 0, sizeof *s);
    memcpy(s->candidates, candidates, sizeof candidates);
    s->task = (sedge_tune_task){
        .layouts = 2, .operation = "stage", .count = COUNT, .candidates = s->candidates};
    s->options = (sedge_tune_options){.level = level};
    CHECK_OK(sedge_allocate(&s->advice.hints, COUNT, sizeof *s->advice.hints));
    CHECK_OK(sedge_allocate(&s->result.records, COUNT, sizeof *s->result.records));
    for (int i = 0; i < COUNT; i++) s->advice.hints[i].distance = SEDGE_TUNE_UNKNOWN;
}

static void clean(test_select *s)
{
    sedge_release(s->advice.hints);
    sedge_release(s->result.records);
}

static void run_select(test_select *s, const sedge_device_info *info)
{
    const sedge_tune_run run = {.info = info,
                                .task = &s->task,
                                .options = &s->options,
                                .advice = &s->advice,
                                .result = &s->result};

    CHECK_OK(sedge_tune_select(&run, 0, s->order, &s->count));
}

static bool is_tried(const test_select *s, int candidate)
{
    for (int i = 0; i < s->count; i++)
        if (s->order[i] == candidate) return true;
    return false;
}

static void check_reason(const test_select *s, int candidate, const char *wanted)
{
    const char *const reason = s->result.records[candidate].reason;

    CHECK(!is_tried(s, candidate));
    if (strcmp(reason, wanted) == 0) return;
    (void)fprintf(stderr, "'%s' and not '%s'\n", reason, wanted);
    CHECK(false);
}

static void test_gpu(void)
{
    test_select s;

    setup(&s, SEDGE_TUNE_FAST);
    run_select(&s, &gpu);
    CHECK(s.count == 3 && s.order[0] == 0 && is_tried(&s, 1) && is_tried(&s, 2));
    check_reason(&s, 3, "needs 1056 threads, a block has at most 1024");
    check_reason(&s, 4, "needs 232449 bytes of shared memory, a block has at most 232448");
    // One block of 256 threads in 2048; the registers leave room for one of 43008, 65536 in all.
    check_reason(&s, 5, "estimated occupancy 0.12, the best has 1.00");
    check_reason(&s, 6, "estimated occupancy 0.12, the best has 1.00");
    check_reason(&s, 8, "not for this order");
    CHECK(!is_tried(&s, 7) && s.result.records[7].reason[0] == '\0');
    clean(&s);
}

// Registers that are not known of all do not count; an exhaustive search tries what can run.
static void test_exceptions(void)
{
    test_select s;

    setup(&s, SEDGE_TUNE_FAST);
    s.candidates[1].registers = 0;
    run_select(&s, &gpu);
    CHECK(s.count == 4 && is_tried(&s, 6) && !is_tried(&s, 5));
    clean(&s);
    setup(&s, SEDGE_TUNE_EXHAUSTIVE);
    run_select(&s, &gpu);
    CHECK(s.count == 5 && is_tried(&s, 5) && is_tried(&s, 6));
    CHECK(!is_tried(&s, 3) && !is_tried(&s, 4) && !is_tried(&s, 8));
    clean(&s);
    // The host has neither blocks nor occupancy.
    const sedge_device_info host = {.kind = SEDGE_DEVICE_HOST, .kind_name = "host"};
    setup(&s, SEDGE_TUNE_FAST);
    run_select(&s, &host);
    CHECK(s.count == 7 && !is_tried(&s, 7) && !is_tried(&s, 8));
    clean(&s);
}

// First the rule's, then wisdom by distance, then priors.
static void test_order(void)
{
    static const int wanted[7] = {0, 5, 3, 6, 2, 1, 4};
    const sedge_device_info host = {.kind = SEDGE_DEVICE_HOST, .kind_name = "host"};
    test_select s;

    setup(&s, SEDGE_TUNE_PATIENT);
    s.advice.hints[3] = (sedge_tune_hint){SEDGE_TUNE_OTHER_SIZE, 2.0};
    s.advice.hints[6] = (sedge_tune_hint){SEDGE_TUNE_OTHER_DEVICE, 0.1};
    s.advice.hints[5] = (sedge_tune_hint){SEDGE_TUNE_OTHER_SIZE, 1.0};
    s.candidates[2].prior = 1.0;
    s.candidates[1].prior = 2.0;
    run_select(&s, &host);
    CHECK(s.count == 7);
    for (int i = 0; i < 7; i++) CHECK(s.order[i] == wanted[i]);
    clean(&s);
}

// Earlier times start the search, unless they are to be forgotten.
static void test_forget(void)
{
    const sedge_tune_options forget = {.level = SEDGE_TUNE_FAST, .forget = true};
    json_t *const key = json_pack("{s:s, s:s, s:s}", "what", "tune", "task", "t", "kind", "host");
    json_t *const lines =
        json_pack("[{s:O, s:i, s:s, s:[{s:s, s:f}]}]", "key", key, "rigor", 1, "choice", "good",
                  "candidates", "name", "good", "seconds", 1e-3);
    sedge_tune_advice advice;
    test_select s;

    setup(&s, SEDGE_TUNE_FAST);
    CHECK_OK(sedge_tune_advise(&advice, &s.task, lines, key, &s.options));
    CHECK(advice.hints[1].distance == SEDGE_TUNE_SAME);
    sedge_tune_advice_free(&advice);
    CHECK_OK(sedge_tune_advise(&advice, &s.task, lines, key, &forget));
    CHECK(advice.hints[1].distance == SEDGE_TUNE_UNKNOWN);
    sedge_tune_advice_free(&advice);
    clean(&s);
    json_decref(lines);
    json_decref(key);
}

// Those are compiled next that differ from the fastest in the fewest numbers, and by the least;
// those that have been compiled keep their place.
static void test_next(void)
{
    static const int numbers[8][2] = {{256, 4},  {256, 1}, {512, 4}, {512, 8},
                                      {256, 16}, {64, 4},  {64, 1},  {256, 8}};
    static const int wanted[] = {6, 7, 4, 3, 5}; // (256, 1) is the fastest
    sedge_tune_candidate tried[8];
    race_entry entries[8];
    const sedge_tune_task task = {.operation = "stage", .count = 8, .candidates = tried};
    tune_race race = {.task = &task, .entries = entries, .count = 8, .compiled = 3};

    for (int i = 0; i < 8; i++) {
        tried[i] = (sedge_tune_candidate){.number = {numbers[i][0], numbers[i][1]}};
        entries[i] = (race_entry){.candidate = i};
    }
    sedge_race_reorder(&race, &entries[1]);
    for (int i = 0; i < 8; i++) CHECK(entries[i].candidate == (i < 3 ? i : wanted[i - 3]));
}

int main(void)
{
    test_forget();
    test_next();
    test_gpu();
    test_exceptions();
    test_order();
    return CHECK_END();
}
