// The tuner chooses what is fastest and right, says why the others lost, and keeps to its time.
// Differences are twofold or more where real kernels are timed, and a search is made again when
// it gives something else than it should: on a busy machine a race may be disturbed, but not
// ATTEMPTS times.
#define _POSIX_C_SOURCE 200809L // setenv
#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "tune/tune.h"
#include "tune_case.h"

#include <stdlib.h>

enum { ATTEMPTS = 40 }; // one is enough where nothing disturbs

static sedge_device *device;

// No time is too short on a busy machine.
static const sedge_tune_options ample = {.level = SEDGE_TUNE_FAST, .budget = 60.0, .forget = true};

static sedge_cache *open_cache(const char *name)
{
    char folder[512];
    sedge_cache *cache = NULL;

    tune_case_folder(folder, sizeof folder, name);
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK(sedge_cache_problem(cache) == NULL);
    return cache;
}

static const char *reason_of(const sedge_tune_result *result, int candidate)
{
    return result != NULL ? result->records[candidate].reason : "";
}

static bool has_reason(const sedge_tune_result *result, int candidate, const char *words)
{
    const char *const reason = reason_of(result, candidate);

    if (strstr(reason, words) != NULL) return true;
    (void)fprintf(stderr, "candidate %d: '%s' and not '%s'\n", candidate, reason, words);
    return false;
}

static int choice_of(const sedge_tune_result *result)
{
    return result != NULL ? result->choice : -1;
}

// What is to be said of a candidate.
typedef struct test_reason {
    int candidate;
    const char *words; // NULL: this one ends the list
} test_reason;

// Is it what it should be? A disturbed race may have the right winner and drop others early.
static bool is_right(const sedge_tune_result *result, int wanted, const test_reason *reasons)
{
    for (const test_reason *one = reasons; one != NULL && one->words != NULL; one++)
        if (strstr(reason_of(result, one->candidate), one->words) == NULL) return false;
    return choice_of(result) == wanted;
}

// Tune until the choice is `wanted`, for these reasons (NULL: any); counts are
// those of the last search. NULL: it failed, which is said.
static sedge_tune_result *tune_for(tune_case *c, sedge_cache *cache,
                                   const sedge_tune_options *options, int wanted,
                                   const test_reason *reasons)
{
    sedge_tune_result *result = NULL;

    for (int i = 0; i < ATTEMPTS && !is_right(result, wanted, reasons); i++) {
        sedge_tune_result_free(result);
        tune_case_clear(c);
        CHECK_OK(sedge_tune(&result, NULL, device, cache, &c->task, options));
        if (result == NULL) return NULL;
    }
    CHECK(choice_of(result) == wanted);
    for (const test_reason *one = reasons; one != NULL && one->words != NULL; one++)
        CHECK(has_reason(result, one->candidate, one->words));
    return result;
}

static sedge_tune_result *tune(tune_case *c, sedge_cache *cache, const sedge_tune_options *options,
                               int wanted)
{
    return tune_for(c, cache, options, wanted, NULL);
}

// ---- one layout --------------------------------------------------------------------------------

// The kernel that does its work once wins against those that do it 3 and 9 times.
static void test_fastest_wins(sedge_cache *cache)
{
    static const int repeats[3] = {1, 3, 9};

    for (int place = 0; place < 3; place++) {
        tune_case c;
        tune_case_candidate candidates[3] = {
            {.name = "first"}, {.name = "second"}, {.name = "third"}};
        for (int i = 0; i < 3; i++) candidates[i].repeat = repeats[(i + 3 - place) % 3];
        CHECK_OK(tune_case_init(&c, device));
        tune_case_set(&c, "work", candidates, 3);
        const test_reason reasons[] = {
            {place, "winner"}, {(place + 1) % 3, "slower"}, {(place + 2) % 3, "slower"}, {0, NULL}};
        sedge_tune_result *const result = tune_for(&c, cache, &ample, place, reasons);
        if (result == NULL) return;
        CHECK(result->source == SEDGE_TUNE_BY_MEASUREMENT && result->layout == 0);
        const sedge_tune_record *const won = &result->records[place];
        CHECK(won->seconds > 0.0 && won->median >= won->seconds && won->rounds >= 15);
        CHECK(c.counts[place].verified == 1);
        CHECK(result->scores[0] == won->seconds);
        sedge_tune_result_free(result);
        tune_case_free(&c);
    }
}

// Neither speed nor a place in front helps a candidate that is wrong, does not compile, cannot be
// launched or is refused.
static void test_failures_lose(sedge_cache *cache)
{
    const tune_case_candidate candidates[] = {
        {.name = "rule", .repeat = 8},
        {.name = "wrong", .repeat = 1, .is_wrong = true},
        {.name = "broken", .repeat = 1, .is_broken = true},
        {.name = "unlaunched", .repeat = 1, .cannot_launch = true},
        {.name = "refused", .repeat = 1, .refused = "needs a larger chip"},
        {.name = "right", .repeat = 2},
    };
    // PoCL's message is cut before the word.
    const bool opencl = sedge_device_get_info(device)->kind == SEDGE_DEVICE_OPENCL;
    const test_reason reasons[] = {{1, "is wrong: value 0 is "},
                                   {2, "does not compile: "},
                                   {2, opencl ? "undeclared" : "nonsense"},
                                   {3, "does not run: too much of everything"},
                                   {4, "needs a larger chip"},
                                   {0, NULL}};
    tune_case c;

    CHECK_OK(tune_case_init(&c, device));
    tune_case_set(&c, "work", candidates, 6);
    sedge_tune_result *const result = tune_for(&c, cache, &ample, 5, reasons);
    if (result == NULL) return;
    CHECK(c.counts[4].texts == 0);
    CHECK(result->records[1].seconds == 0.0);
    sedge_tune_result_free(result);
    tune_case_free(&c);
}

// A reason that is cut within a character of several bytes does not spoil the wisdom.
static void test_reason_cut(sedge_cache *cache)
{
    char refused[sizeof((sedge_tune_record){0}.reason) + 1];
    tune_case c;

    memset(refused, 'x', sizeof refused);
    memcpy(refused + sizeof refused - 3, "\u00e9", sizeof "\u00e9");
    const tune_case_candidate candidates[] = {{.name = "rule", .repeat = 2},
                                              {.name = "other", .repeat = 1},
                                              {.name = "refused", .refused = refused}};
    CHECK_OK(tune_case_init(&c, device));
    c.task.name = "reason";
    tune_case_set(&c, "work", candidates, 3);
    sedge_tune_result *const result = tune(&c, cache, &ample, 1);
    if (result != NULL) CHECK(has_reason(result, 2, "xxx?"));
    sedge_tune_result_free(result);
    tune_case_free(&c);
}

// What the rule chose must work: its failure is the tuner's.
static void test_rule_fails(sedge_cache *cache)
{
    static const struct {
        tune_case_candidate rule;
        sedge_status status;
        const char *message;
    } cases[] = {
        {{.name = "rule", .repeat = 1, .is_wrong = true},
         SEDGE_ERR_COMPUTE,
         "'rule' of work, the rule's choice, is wrong: value 0 is "},
        {{.name = "rule", .repeat = 1, .is_broken = true}, SEDGE_ERR_DEVICE, "nonsense"},
        {{.name = "rule", .cannot_launch = true}, SEDGE_ERR_DEVICE, "too much of everything"},
        {{.name = "rule", .refused = "needs a larger chip"},
         SEDGE_ERR_DEVICE,
         "cannot run: needs a larger chip"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tune_case c;
        sedge_tune_result *result = NULL;
        const tune_case_candidate candidates[] = {cases[i].rule, {.name = "other", .repeat = 1}};
        CHECK_OK(tune_case_init(&c, device));
        tune_case_set(&c, "work", candidates, 2);
        CHECK_FAILS(sedge_tune(&result, NULL, device, cache, &c.task, &ample), cases[i].status,
                    cases[i].message);
        CHECK(result == NULL);
        tune_case_free(&c);
    }
}

// A challenger must be 3 % faster than the rule's choice: 100 us against 98.5 us is too little,
// against 50 us is not. The launches only wait, so that their least time is exact.
static void test_small_gain(sedge_cache *cache)
{
    static const double challengers[] = {98.5, 50.0};
    static const test_reason little[] = {{0, "winner, by rule"}, {1, "too little"}, {0, NULL}};

    for (int i = 0; i < 2; i++) {
        tune_case c;
        const tune_case_candidate candidates[] = {
            {.name = "rule", .microseconds = 100.0},
            {.name = "challenger", .microseconds = challengers[i]}};
        CHECK_OK(tune_case_init(&c, device));
        tune_case_set(&c, "wait", candidates, 2);
        sedge_tune_result_free(tune_for(&c, cache, &ample, i, i == 0 ? little : NULL));
        tune_case_free(&c);
    }
}

// A candidate that is more than four times as slow as the fastest is not timed again after its
// first sample; one that is a little slower is. Where all go to the end, everybody has all the
// rounds.
static void test_early_drops(sedge_cache *cache)
{
    const tune_case_candidate candidates[] = {{.name = "rule", .microseconds = 100.0},
                                              {.name = "far", .microseconds = 800.0},
                                              {.name = "near", .microseconds = 150.0}};
    static const test_reason reasons[] = {{1, "slower after 1 round"}, {0, NULL}};
    const sedge_tune_options exhaustive = {.level = SEDGE_TUNE_EXHAUSTIVE, .forget = true};
    bool kept = false;
    tune_case c;

    // A busy machine may make one sample of the near one long: then again.
    for (int turn = 0; turn < 10 && !kept; turn++) {
        if (turn > 0) tune_case_free(&c);
        CHECK_OK(tune_case_init(&c, device));
        tune_case_set(&c, "wait", candidates, 3);
        sedge_tune_result *const result = tune_for(&c, cache, &ample, 0, reasons);
        if (result == NULL) return;
        CHECK(c.counts[1].launches <= 2 && c.counts[1].verified == 0); // one warms up
        kept = result->records[2].rounds > 1 && c.counts[2].verified == 0;
        sedge_tune_result_free(result);
    }
    CHECK(kept);
    sedge_tune_result *const all = tune(&c, cache, &exhaustive, 0);
    for (int i = 0; i < 3 && all != NULL; i++) CHECK(all->records[i].rounds == 15);
    sedge_tune_result_free(all);
    tune_case_free(&c);
}

// ---- which are tried ---------------------------------------------------------------------------

// Operations that take 100 s bound who does them all, but for what the fastest has disproved.
static void test_fewer(sedge_cache *cache, tune_case *c, int last,
                       const sedge_tune_options *options)
{
    c->task.bytes = 0.0;
    c->task.flops = 100.0 * options->flops;
    for (int way = 0; way < 3; way++) {
        sedge_tune_result *result = NULL;
        for (int i = 0; i <= last; i++) c->candidate[i].fewer = i < last ? way < 2 : way < 1;
        tune_case_clear(c);
        CHECK_OK(sedge_tune(&result, NULL, device, cache, &c->task, options));
        CHECK((c->counts[last].launches > 0) == (way != 1));
        CHECK(result->records[0].fraction > 1.0); // of the floor with all operations
        sedge_tune_result_free(result);
    }
}

// Who cannot be the fastest by its bound is not even compiled. Those before it fill the first
// batch.
static void test_bound(sedge_cache *cache)
{
    tune_case_candidate candidates[TUNE_CASE_CANDIDATES] = {{.name = NULL}};
    char names[TUNE_CASE_CANDIDATES][24];
    const int others = sedge_device_compilers(1) < 60 ? sedge_device_compilers(1) : 60;
    tune_case c;
    sedge_tune_result *result = NULL;

    for (int i = 0; i <= others; i++) {
        (void)snprintf(names[i], sizeof names[i], "candidate %d", i);
        candidates[i] = (tune_case_candidate){
            .name = names[i], .microseconds = 100.0, .prior = i == others ? 2.0 : 1.0};
    }
    candidates[others].bound = 100.0; // s: longer than others take on any machine
    CHECK_OK(tune_case_init(&c, device));
    tune_case_set(&c, "wait", candidates, others + 1);
    const sedge_tune_options patient = {
        .level = SEDGE_TUNE_PATIENT, .budget = 60.0, .forget = true};
    CHECK_OK(sedge_tune(&result, NULL, device, cache, &c.task, &patient));
    CHECK(has_reason(result, others, "needs 1e+08 us at least"));
    CHECK(c.counts[others].launches == 0);
    sedge_tune_result_free(result);
    // The task's own floor, and the fraction of it that is reached.
    c.candidate[others].bound = 0.0;
    c.task.bytes = 25e-6 * 1e9;
    c.task.flops = 1.0;
    result = NULL;
    const sedge_tune_options rates = {.level = SEDGE_TUNE_PATIENT,
                                      .budget = 60.0,
                                      .forget = true,
                                      .copy_rate = 1e9,
                                      .flops = 1e9};
    CHECK_OK(sedge_tune(&result, NULL, device, cache, &c.task, &rates));
    CHECK(c.counts[others].launches > 0);
    const double fraction = result->records[0].fraction;
    CHECK(fraction > 0.0 && fraction <= 0.5); // of 100 us, of which OpenCL's events may see half
    CHECK_BOUND(fabs(fraction * result->records[0].seconds - 25e-6), 1e-15);
    sedge_tune_result_free(result);
    test_fewer(cache, &c, others, &rates);
    tune_case_free(&c);
}

// Of 60, the fast level tries 24: the rule's, the best priors, and a quarter at random, the same
// ones each time. The patient one tries all.
static void test_limited_number(sedge_cache *cache)
{
    tune_case_candidate candidates[60];
    char names[60][24];
    int tried[2][60];
    tune_case c;

    for (int i = 0; i < 60; i++) {
        (void)snprintf(names[i], sizeof names[i], "candidate %d", i);
        candidates[i] =
            (tune_case_candidate){.name = names[i], .microseconds = 1.0, .prior = 60.0 - i};
    }
    CHECK_OK(tune_case_init(&c, device));
    c.task.name = "limited";
    tune_case_set(&c, "wait", candidates, 60);
    for (int round = 0; round < 2; round++) {
        sedge_tune_result *result = NULL;
        int count = 0;
        int unlikely = 0;
        tune_case_clear(&c);
        CHECK_OK(sedge_tune(&result, NULL, device, cache, &c.task, &ample));
        for (int i = 0; i < 60; i++) {
            tried[round][i] = c.counts[i].texts;
            count += tried[round][i];
            if (i > 0 && i < 60 - 23) unlikely += tried[round][i];
        }
        CHECK(count == 24 && tried[round][0] == 1 && tried[round][59] == 1);
        // Six of the 42 that the priors leave: not all of them among the best six.
        if (round == 0) CHECK(unlikely >= 1 && unlikely <= 6);
        sedge_tune_result_free(result);
        if (round == 0) { // the same key, no wisdom
            sedge_cache *other = open_cache("again");
            sedge_tune_result *second = NULL;
            tune_case_clear(&c);
            CHECK_OK(sedge_tune(&second, NULL, device, other, &c.task, &ample));
            for (int i = 0; i < 60; i++) CHECK(c.counts[i].texts == tried[0][i]);
            sedge_tune_result_free(second);
            sedge_cache_free(other);
        }
    }
    const sedge_tune_options patient = {
        .level = SEDGE_TUNE_PATIENT, .budget = 60.0, .forget = true};
    sedge_tune_result *all = NULL;
    tune_case_clear(&c);
    CHECK_OK(sedge_tune(&all, NULL, device, cache, &c.task, &patient));
    CHECK(tune_case_sum(&c).texts == 60);
    sedge_tune_result_free(all);
    tune_case_free(&c);
}

// ---- layouts -----------------------------------------------------------------------------------

// The layout with the fastest candidate wins.
static void test_layouts(sedge_cache *cache, int wanted)
{
    const tune_case_candidate candidates[] = {
        {.name = "rows slow", .layout = 0, .microseconds = 400.0},
        {.name = "rows fast", .layout = 0, .microseconds = 200.0},
        {.name = "columns slow", .layout = 1, .microseconds = 1200.0},
        {.name = "columns fast", .layout = 1, .microseconds = wanted == 1 ? 60.0 : 600.0},
    };
    tune_case c;

    CHECK_OK(tune_case_init(&c, device));
    tune_case_set(&c, "wait", candidates, 4);
    c.task.layouts = 2;
    const test_reason reasons[] = {{wanted == 0 ? 3 : 1, "best of its layout, which is"},
                                   {0, NULL}};
    sedge_tune_result *const result = tune_for(&c, cache, &ample, wanted == 0 ? 1 : 3, reasons);
    if (result == NULL) return;
    CHECK(result->layout == wanted);
    // Columns must win by turns, too: nine of each, of which a turn begins where the last one
    // ended.
    const int turns = wanted == 1 ? 5 : 0;
    CHECK(c.layout_uses[0] == 1 + turns && c.layout_uses[1] == 1 + turns);
    const double rows = fmin(result->records[0].seconds, result->records[1].seconds);
    CHECK(result->scores[0] >=
          100e-6); // half: events of OpenCL may not see all that the host waits
    CHECK_BOUND(fabs(result->scores[0] - rows), 1e-12);
    sedge_tune_result_free(result);
    tune_case_free(&c);
}

// A layout is left out if its bounds lose.
static void test_layout_is_abandoned(sedge_cache *cache)
{
    const tune_case_candidate candidates[] = {
        {.name = "rows", .layout = 0, .microseconds = 100.0},
        {.name = "columns", .layout = 1, .microseconds = 1000.0},
        {.name = "tiles", .layout = 2, .microseconds = 10.0, .bound = 1.0},
    };
    static const test_reason reasons[] = {{1, "best of its layout, which is"}, {0, NULL}};
    tune_case c;

    CHECK_OK(tune_case_init(&c, device));
    tune_case_set(&c, "wait", candidates, 3);
    c.task.layouts = 3;
    sedge_tune_result *const result = tune_for(&c, cache, &ample, 0, reasons);
    if (result == NULL) return;
    CHECK(result->layout == 0 && c.counts[1].texts == 1 && c.counts[2].texts == 0);
    CHECK(has_reason(result, 2, "its layout has lost already"));
    CHECK(result->scores[0] > 0.0 && result->scores[1] > 0.0 && result->scores[2] == 0.0);
    sedge_tune_result_free(result);
    tune_case_free(&c);
}

// ---- time --------------------------------------------------------------------------------------

// There is no time for anything: the rule's choice it is, and nothing is kept of it.
static void test_no_time(sedge_cache *cache)
{
    const tune_case_candidate candidates[] = {{.name = "rule", .repeat = 4},
                                              {.name = "other", .repeat = 1}};
    const sedge_tune_options options = {.level = SEDGE_TUNE_FAST, .budget = 1e-6};
    tune_case c;
    sedge_tune_result *result = NULL;

    CHECK_OK(tune_case_init(&c, device));
    c.task.name = "no time";
    tune_case_set(&c, "work", candidates, 2);
    CHECK_OK(sedge_tune(&result, NULL, device, cache, &c.task, &options));
    CHECK(choice_of(result) == 0 && result->source == SEDGE_TUNE_BY_RULE);
    CHECK(has_reason(result, 0, "winner, by rule: the time was spent"));
    CHECK(c.counts[1].texts == 0 && tune_case_sum(&c).launches == 0);
    sedge_tune_result_free(result);
    result = tune(&c, cache, &ample, 1);
    CHECK(result != NULL && result->source == SEDGE_TUNE_BY_MEASUREMENT);
    sedge_tune_result_free(result);
    tune_case_free(&c);
}

// ---- levels and the table ----------------------------------------------------------------------

static void test_levels(void)
{
    sedge_tune_level level;

    for (int i = SEDGE_TUNE_OFF; i <= SEDGE_TUNE_EXHAUSTIVE; i++) {
        CHECK_OK(sedge_tune_level_parse(&level, sedge_tune_level_name((sedge_tune_level)i)));
        CHECK((int)level == i);
    }
    CHECK_FAILS(sedge_tune_level_parse(&level, "slow"), SEDGE_ERR_USAGE,
                "'slow' is no tuning level: off, fast, patient and exhaustive are");
    CHECK(unsetenv("SEDGE_TUNE") == 0);
    CHECK_OK(sedge_tune_level_default(&level, SEDGE_TUNE_FAST));
    CHECK(level == SEDGE_TUNE_FAST);
    CHECK(setenv("SEDGE_TUNE", "patient", 1) == 0);
    CHECK_OK(sedge_tune_level_default(&level, SEDGE_TUNE_FAST));
    CHECK(level == SEDGE_TUNE_PATIENT);
    CHECK(setenv("SEDGE_TUNE", "Fast", 1) == 0);
    CHECK_FAILS(sedge_tune_level_default(&level, SEDGE_TUNE_FAST), SEDGE_ERR_USAGE,
                "SEDGE_TUNE='Fast'");
    CHECK(unsetenv("SEDGE_TUNE") == 0);
}

static void check_table(const tune_case *c, const sedge_tune_result *result,
                        const char *const *words)
{
    char *text = NULL;
    size_t length = 0;
    FILE *const file = open_memstream(&text, &length);

    CHECK(file != NULL);
    if (file == NULL) return;
    CHECK_OK(sedge_tune_print(file, &c->task, result));
    (void)fclose(file);
    for (; *words != NULL; words++) {
        const bool found = strstr(text, *words) != NULL;
        if (!found) (void)fprintf(stderr, "no '%s' in\n%s", *words, text);
        CHECK(found);
    }
    free(text);
}

static void test_table(sedge_cache *cache)
{
    static const char *const measured[] = {"case (2^8 values): chosen by measurement, ",
                                           "* layout rows: ",
                                           "  layout columns: ",
                                           "  wait\n",
                                           "  * fast ",
                                           "    slow ",
                                           "least us",
                                           "of floor",
                                           "needs luck",
                                           "best of its layout, which is",
                                           NULL};
    static const char *const by_rule[] = {"chosen by rule", "wait: slow", NULL};
    const tune_case_candidate candidates[] = {
        {.name = "slow", .microseconds = 150.0},
        {.name = "fast", .microseconds = 50.0},
        {.name = "lucky", .refused = "needs luck"},
        {.name = "other", .layout = 1, .microseconds = 100.0},
    };
    const sedge_tune_options off = {.level = SEDGE_TUNE_OFF};
    static const test_reason reasons[] = {{3, "best of its layout, which is"}, {0, NULL}};
    tune_case c;

    CHECK_OK(tune_case_init(&c, device));
    c.task.layouts = 2;
    tune_case_set(&c, "wait", candidates, 4);
    sedge_tune_result *result = tune_for(&c, cache, &ample, 1, reasons);
    check_table(&c, result, measured);
    sedge_tune_result_free(result);
    c.task.size = "another";
    tune_case_clear(&c);
    CHECK_OK(sedge_tune(&result, NULL, device, cache, &c.task, &off));
    CHECK(result->source == SEDGE_TUNE_BY_RULE && result->records == NULL);
    CHECK(choice_of(result) == 0 && tune_case_sum(&c).texts == 0 && c.layout_uses[0] == 0);
    check_table(&c, result, by_rule);
    sedge_tune_result_free(result);
    tune_case_free(&c);
}

static void test_decisions(sedge_cache *cache)
{
    test_reason_cut(cache);
    test_small_gain(cache);
    test_early_drops(cache);
    test_bound(cache);
    test_limited_number(cache);
    test_layouts(cache, 1);
    test_layouts(cache, 0);
    test_layout_is_abandoned(cache);
    test_no_time(cache);
    test_levels();
    test_table(cache);
}

int main(void)
{
    const char *const kind = getenv("SEDGE_TEST_DEVICE");

    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_device_create(&device, kind != NULL ? kind : "host", 0, 1));
    if (device == NULL) return CHECK_END();
    sedge_cache *const cache = open_cache("choose");
    // What is timed by a device's own clock. The tuner's decisions are the same on every device: on
    // PoCL, whose threads make each of them take seconds on a busy machine, only if all is asked
    // for.
    test_fastest_wins(cache);
    test_failures_lose(cache);
    test_rule_fails(cache);
    if (kind == NULL || strcmp(kind, "opencl") != 0 || getenv("SEDGE_TEST_ALL") != NULL)
        test_decisions(cache);
    sedge_cache_free(cache);
    sedge_device_free(device);
    sedge_device_stop_helper();
    return CHECK_END();
}
