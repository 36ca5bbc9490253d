// What the tuner remembers: used without measuring where all is the same, timed again where the
// compiler or the source is new, an order to try things in where more is.
#define _POSIX_C_SOURCE 200809L // setenv
#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "tune/tune.h"
#include "tune/wisdom.h"
#include "tune_case.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COUNT = 7, ATTEMPTS = 40 }; // one is enough where nothing disturbs

static sedge_device *device;
static char folder[512];
static const sedge_tune_options fast = {.level = SEDGE_TUNE_FAST, .budget = 60.0};
static const sedge_tune_options patient = {.level = SEDGE_TUNE_PATIENT, .budget = 60.0};
static const sedge_tune_options off = {.level = SEDGE_TUNE_OFF};

// From slow to fast, the rule's choice in the middle; one is fastest and wrong.
static void make_case(tune_case *c)
{
    static const tune_case_candidate candidates[COUNT] = {
        {.name = "rule", .microseconds = 300.0},
        {.name = "600", .microseconds = 600.0},
        {.name = "240", .microseconds = 240.0},
        {.name = "120", .microseconds = 120.0},
        {.name = "60", .microseconds = 60.0},
        {.name = "30", .microseconds = 30.0},
        {.name = "wrong", .microseconds = 10.0, .is_wrong = true},
    };

    CHECK_OK(tune_case_init(c, device));
    tune_case_set(c, "wait", candidates, COUNT);
}

// Tune in the folder's cache; counts are those of this call.
static sedge_tune_result *tune(tune_case *c, const sedge_tune_options *options)
{
    sedge_cache *cache = NULL;
    sedge_tune_result *result = NULL;

    tune_case_clear(c);
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK_OK(sedge_tune(&result, NULL, device, cache, &c->task, options));
    CHECK(sedge_cache_problem(cache) == NULL);
    sedge_cache_free(cache);
    return result;
}

static void keep_file(char **text, size_t *length)
{
    char path[600];

    (void)snprintf(path, sizeof path, "%s/%s", folder, SEDGE_WISDOM_FILE);
    *text = NULL;
    if (access(path, F_OK) == 0) CHECK_OK(sedge_file_read(text, length, path, SEDGE_ERR_DATA));
}

// Write the file's text; NULL: there is none.
static void write_file(const char *text, size_t length)
{
    char path[600];

    (void)snprintf(path, sizeof path, "%s/%s", folder, SEDGE_WISDOM_FILE);
    if (text == NULL) {
        CHECK(remove(path) == 0);
        return;
    }
    CHECK_OK(sedge_file_write(path, text, length));
    CHECK(chmod(path, 0600) == 0);
}

// The same, with what must come of it: a source, the choice, and how many candidates had a text. On
// a busy machine a race may be disturbed: it is run again from the same file, but not often.
static void expect(tune_case *c, const sedge_tune_options *options, sedge_tune_source source,
                   const char *choice, int texts)
{
    char *before = NULL;
    size_t length = 0;
    sedge_tune_result *result = NULL;
    const char *name = "nothing";

    keep_file(&before, &length);
    for (int i = 0; i < ATTEMPTS && strcmp(name, choice) != 0; i++) {
        if (i > 0 && source == SEDGE_TUNE_BY_MEASUREMENT) write_file(before, length);
        sedge_tune_result_free(result);
        result = tune(c, options);
        if (result != NULL) name = c->candidate[result->choice].name;
    }
    if (result == NULL || result->source != source || strcmp(name, choice) != 0 ||
        tune_case_sum(c).texts != texts) {
        (void)fprintf(stderr, "source %d, choice '%s', %d texts\n",
                      result != NULL ? (int)result->source : -1, name, tune_case_sum(c).texts);
        CHECK(false);
    }
    sedge_release(before);
    sedge_tune_result_free(result);
}

static void start(tune_case *c, const char *name)
{
    tune_case_folder(folder, sizeof folder, name);
    make_case(c);
}

// ---- the file ----------------------------------------------------------------------------------

static void read_file(char **text, size_t *length)
{
    char path[600];

    (void)snprintf(path, sizeof path, "%s/%s", folder, SEDGE_WISDOM_FILE);
    CHECK_OK(sedge_file_read(text, length, path, SEDGE_ERR_DATA));
}

// Put `to` in the place of the first character of the value of "field", in every line.
static void edit(const char *field, char to)
{
    char *text = NULL;
    size_t length;
    char start_of[64];
    int edits = 0;

    read_file(&text, &length);
    (void)snprintf(start_of, sizeof start_of, "\"%s\":\"", field);
    for (char *at = text != NULL ? strstr(text, start_of) : NULL; at != NULL;
         at = strstr(at + 1, start_of)) {
        at[strlen(start_of)] = to;
        edits++;
    }
    CHECK(edits > 0);
    write_file(text, length);
    sedge_release(text);
}

static int count_lines(void)
{
    char *text = NULL;
    size_t length;
    int lines = 0;

    read_file(&text, &length);
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\n') lines++;
    sedge_release(text);
    return lines;
}

// ---- what is used ------------------------------------------------------------------------------

static bool said_wrong(const sedge_tune_result *result)
{
    return result != NULL && result->records != NULL &&
           strstr(result->records[6].reason, "is wrong: it only waits") != NULL;
}

static void test_exact(void)
{
    tune_case c;
    sedge_tune_result *again = NULL;

    // A disturbed race may drop the wrong one for its time.
    for (int i = 0; i < ATTEMPTS && !said_wrong(again); i++) {
        if (i > 0) tune_case_free(&c);
        sedge_tune_result_free(again);
        start(&c, "exact");
        expect(&c, &off, SEDGE_TUNE_BY_RULE, "rule", 0);
        expect(&c, &fast, SEDGE_TUNE_BY_MEASUREMENT, "30", COUNT);
        CHECK(count_lines() == 1);
        again = tune(&c, &fast);
    }
    const tune_case_counts counts = tune_case_sum(&c);
    CHECK(again != NULL);
    if (again == NULL) return;
    CHECK(again->source == SEDGE_TUNE_BY_WISDOM && again->choice == 5);
    CHECK(counts.texts == 0 && counts.launches == 0 && counts.verified == 0);
    CHECK(c.layout_uses[0] == 0 && again->compiled == 0);
    // The table of then.
    CHECK(again->records[5].seconds > 30e-6 && again->records[5].rounds >= 15);
    CHECK(strcmp(again->records[5].reason, "winner") == 0);
    CHECK(said_wrong(again));
    CHECK(again->scores[0] > 30e-6);
    sedge_tune_result_free(again);
    expect(&c, &off, SEDGE_TUNE_BY_WISDOM, "30", 0);
    // Another size or task is another thing; for the size, the others' best come first.
    c.task.size = "2^9 values";
    expect(&c, &off, SEDGE_TUNE_BY_RULE, "rule", 0);
    c.task.size = "2^8 values";
    c.task.name = "another";
    expect(&c, &off, SEDGE_TUNE_BY_RULE, "rule", 0);
    tune_case_free(&c);
}

// Wisdom serves levels up to its own.
static void test_rigor(void)
{
    tune_case c;

    start(&c, "rigor");
    expect(&c, &fast, SEDGE_TUNE_BY_MEASUREMENT, "30", COUNT);
    expect(&c, &patient, SEDGE_TUNE_BY_MEASUREMENT, "30", COUNT);
    CHECK(count_lines() == 1); // it took the other's place
    expect(&c, &patient, SEDGE_TUNE_BY_WISDOM, "30", 0);
    expect(&c, &fast, SEDGE_TUNE_BY_WISDOM, "30", 0);
    // Forgetting measures all, and a lower level then takes the place of a higher one.
    const sedge_tune_options forget = {.level = SEDGE_TUNE_FAST, .budget = 60.0, .forget = true};
    expect(&c, &forget, SEDGE_TUNE_BY_MEASUREMENT, "30", COUNT);
    expect(&c, &patient, SEDGE_TUNE_BY_MEASUREMENT, "30", COUNT);
    tune_case_free(&c);
}

// Are 30, 60 and 120 the first three of what the file remembers?
static bool has_best_three(tune_case *c)
{
    sedge_tune_result *const result = tune(c, &patient);
    const sedge_tune_record *const of = result != NULL ? result->records : NULL;
    bool has = of != NULL && of[5].seconds > 0.0 && of[5].seconds < of[4].seconds &&
               of[4].seconds < of[3].seconds;

    for (int i = 0; i < 3 && has; i++) has = of[i].seconds == 0.0 || of[3].seconds < of[i].seconds;
    sedge_tune_result_free(result);
    return has;
}

// Another compiler or source: the best three and the rule's choice; the wrong one is not among
// them, though it was fastest. A disturbed race may remember another one of the best: it is run
// again.
static void test_timed_again(void)
{
    static const char *const fields[] = {"toolchain", "source"};

    for (int i = 0; i < 2; i++) {
        tune_case c;
        start(&c, "again");
        expect(&c, &patient, SEDGE_TUNE_BY_MEASUREMENT, "30", COUNT);
        for (int j = 1; j < ATTEMPTS && !has_best_three(&c); j++) {
            tune_case_free(&c);
            start(&c, "again");
            expect(&c, &patient, SEDGE_TUNE_BY_MEASUREMENT, "30", COUNT);
        }
        edit(fields[i], '#');
        c.wanted[3].microseconds = 10.0; // the new compiler's work
        expect(&c, &fast, SEDGE_TUNE_BY_MEASUREMENT, "120", 4);
        CHECK(c.counts[0].texts == 1 && c.counts[3].texts == 1 && c.counts[4].texts == 1 &&
              c.counts[5].texts == 1);
        CHECK(count_lines() == 2);
        expect(&c, &patient, SEDGE_TUNE_BY_WISDOM, "120", 0); // a patient search stands behind it
        tune_case_free(&c);
    }
}

// Another device or size: an order, and nothing more.
static void test_other_device(void)
{
    static const char *const fields[] = {"device", "arch", "size"};

    for (int i = 0; i < 3; i++) {
        tune_case c;
        start(&c, "device");
        expect(&c, &fast, SEDGE_TUNE_BY_MEASUREMENT, "30", COUNT);
        edit(fields[i], '#');
        expect(&c, &off, SEDGE_TUNE_BY_RULE, "rule", 0);
        expect(&c, &fast, SEDGE_TUNE_BY_MEASUREMENT, "30", COUNT);
        tune_case_free(&c);
    }
    // With more candidates than are tried, the best of the other device are among them.
    tune_case_candidate candidates[60];
    char names[60][24];
    tune_case c;
    tune_case_folder(folder, sizeof folder, "order");
    CHECK_OK(tune_case_init(&c, device));
    for (int i = 0; i < 60; i++) {
        (void)snprintf(names[i], sizeof names[i], "candidate %d", i);
        candidates[i] = (tune_case_candidate){
            .name = names[i], .microseconds = i == 40 ? 20.0 : 100.0, .prior = 1.0 + i};
    }
    tune_case_set(&c, "wait", candidates, 60);
    expect(&c, &patient, SEDGE_TUNE_BY_MEASUREMENT, "candidate 40", 60);
    edit("device", '#');
    expect(&c, &fast, SEDGE_TUNE_BY_MEASUREMENT, "candidate 40", 24);
    tune_case_free(&c);
}

// ---- what is not -------------------------------------------------------------------------------

static void test_bad_lines(void)
{
    static const char junk[] = "nonsense\n{\"key\": 3}\n\n[1]\n{\"key\":{\"what\":\"tune\"}}\n"
                               "{\"key\":{\"what\":\"tune\"},\"key\":{}}\n\xff\xfe\n";
    static const char cut[] = "{\"key\":{\"what\":\"tu";
    tune_case c;
    char *text = NULL;
    size_t length;

    start(&c, "bad");
    expect(&c, &fast, SEDGE_TUNE_BY_MEASUREMENT, "30", COUNT);
    read_file(&text, &length);
    char *const both = malloc(length + sizeof junk + sizeof cut);
    CHECK(both != NULL);
    if (both != NULL) {
        memcpy(both, junk, sizeof junk - 1);
        memcpy(both + sizeof junk - 1, text, length);
        memcpy(both + sizeof junk - 1 + length, cut, sizeof cut - 1);
        write_file(both, sizeof junk - 1 + length + sizeof cut - 1);
        expect(&c, &fast, SEDGE_TUNE_BY_WISDOM, "30", 0);
        // With nothing but a beginning it is measured again.
        write_file(text, length / 2);
        expect(&c, &fast, SEDGE_TUNE_BY_MEASUREMENT, "30", COUNT);
        CHECK(count_lines() == 1);
        // What looks like a line about something else stays, nothing else does.
        write_file(junk, sizeof junk - 1);
        expect(&c, &fast, SEDGE_TUNE_BY_MEASUREMENT, "30", COUNT);
        CHECK(count_lines() == 4);
    }
    free(both);
    sedge_release(text);
    tune_case_free(&c);
}

// Names that no candidate has any more, or one that is refused now.
static void test_stale(void)
{
    tune_case c;

    start(&c, "stale");
    expect(&c, &fast, SEDGE_TUNE_BY_MEASUREMENT, "30", COUNT);
    c.candidate[5].name = "new";
    expect(&c, &fast, SEDGE_TUNE_BY_MEASUREMENT, "new", COUNT);
    expect(&c, &fast, SEDGE_TUNE_BY_WISDOM, "new", 0);
    c.candidate[5].refused = "not any more";
    expect(&c, &fast, SEDGE_TUNE_BY_MEASUREMENT, "60", COUNT - 1);
    tune_case_free(&c);
}

// How many names are remembered for the case's task and source; all must be "30".
static int count_remembered(const tune_case *c)
{
    sedge_cache *cache = NULL;
    char(*names)[SEDGE_TUNE_NAME] = NULL;
    int count = -1;

    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK_OK(
        sedge_tune_remembered(&names, &count, device, cache, c->task.name, c->task.source_hash));
    for (int i = 0; i < count; i++) CHECK(strcmp(names[i], "30") == 0);
    sedge_release(names);
    sedge_cache_free(cache);
    return count;
}

// Choices for all sizes, each once, but not those of another compiler or source.
static void test_remembered(void)
{
    static const char *const fields[] = {"toolchain", "source", "kind", "arch"};
    tune_case c;
    char *text = NULL;
    size_t length;

    start(&c, "remembered");
    CHECK(count_remembered(&c) == 0);
    expect(&c, &fast, SEDGE_TUNE_BY_MEASUREMENT, "30", COUNT);
    c.task.size = "2^9 values";
    expect(&c, &fast, SEDGE_TUNE_BY_MEASUREMENT, "30", COUNT);
    CHECK(count_lines() == 2 && count_remembered(&c) == 1);
    keep_file(&text, &length);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        edit(fields[i], '#');
        CHECK(count_remembered(&c) == 0);
        write_file(text, length);
    }
    sedge_release(text);
    tune_case_free(&c);
}

// A folder that cannot be used: nothing is kept, the cache says so, and the choice is right.
static void test_no_folder(void)
{
    tune_case c;
    sedge_cache *cache = NULL;
    sedge_tune_result *result = NULL;

    start(&c, "none");
    CHECK_OK(sedge_folder_make(folder));
    CHECK(chmod(folder, 0777) == 0);
    // Twice the right choice, each time by measuring: nothing is remembered.
    for (int i = 0, right = 0; i < ATTEMPTS && right < 2; i++) {
        CHECK_OK(sedge_cache_create(&cache, folder));
        CHECK_OK(sedge_tune(&result, NULL, device, cache, &c.task, &fast));
        CHECK(result != NULL && result->source == SEDGE_TUNE_BY_MEASUREMENT);
        CHECK(sedge_cache_problem(cache) != NULL &&
              strstr(sedge_cache_problem(cache), "others may write to it") != NULL);
        right += result != NULL && result->choice == 5;
        CHECK(right == 2 || i < ATTEMPTS - 1);
        sedge_tune_result_free(result);
        sedge_cache_free(cache);
    }
    tune_case_free(&c);
}

// ---- site --------------------------------------------------------------------------------------

// The site's wisdom is used, and what was measured here goes before it.
static void test_site(void)
{
    char site[512];
    tune_case c;

    start(&c, "site");
    (void)snprintf(site, sizeof site, "%s", folder);
    expect(&c, &patient, SEDGE_TUNE_BY_MEASUREMENT, "30", COUNT);
    tune_case_folder(folder, sizeof folder, "home");
    CHECK(setenv("SEDGE_CACHE_SITE", site, 1) == 0);
    expect(&c, &patient, SEDGE_TUNE_BY_WISDOM, "30", 0);
    c.wanted[4].microseconds = 10.0;
    const sedge_tune_options forget = {.level = SEDGE_TUNE_FAST, .budget = 60.0, .forget = true};
    expect(&c, &forget, SEDGE_TUNE_BY_MEASUREMENT, "60", COUNT);
    expect(&c, &fast, SEDGE_TUNE_BY_WISDOM, "60", 0);
    expect(&c, &patient, SEDGE_TUNE_BY_WISDOM, "30", 0); // the site searched longer
    CHECK(unsetenv("SEDGE_CACHE_SITE") == 0);
    tune_case_free(&c);
}

// ---- bound -------------------------------------------------------------------------------------

// The file stays below its bound: the oldest lines go, whole.
static void test_bounded(void)
{
    sedge_cache *cache = NULL;
    const size_t large = SEDGE_WISDOM_BYTES_MAX / 4;
    char *const filler = malloc(large + 1);
    json_t *lines = NULL;
    char *text = NULL;
    size_t length;

    tune_case_folder(folder, sizeof folder, "bounded");
    CHECK_OK(sedge_cache_create(&cache, folder));
    CHECK(filler != NULL);
    if (filler == NULL) return;
    memset(filler, 'x', large);
    filler[large] = '\0';
    for (int i = 0; i < 6; i++) {
        json_t *const line =
            json_pack("{s:{s:s, s:i}, s:i, s:s}", "key", "what", i < 5 ? "it" : "that", "number", i,
                      "rigor", 2, "text", filler);
        sedge_wisdom_write(cache, i < 5 ? "it" : "that", line, false);
        json_decref(line);
    }
    read_file(&text, &length);
    CHECK(length <= SEDGE_WISDOM_BYTES_MAX && length > SEDGE_WISDOM_BYTES_MAX / 2);
    CHECK(text != NULL && text[0] == '{' && text[length - 1] == '\n');
    CHECK_OK(sedge_wisdom_read(&lines, cache, "it"));
    CHECK(json_array_size(lines) == 2); // and one about that
    for (int i = 0; i < 6; i++) {
        json_t *const key = json_pack("{s:s, s:i}", "what", i < 5 ? "it" : "that", "number", i);
        for (int rigor = 0; rigor < 3; rigor++)
            CHECK((sedge_wisdom_find(lines, key, rigor) != NULL) == (i == 3 || i == 4));
        CHECK(sedge_wisdom_find(lines, key, 3) == NULL);
        json_decref(key);
    }
    CHECK(sedge_cache_problem(cache) == NULL);
    json_decref(lines);
    sedge_release(text);
    free(filler);
    sedge_cache_free(cache);
}

int main(void)
{
    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_device_create(&device, "host", 0, 1));
    test_exact();
    test_rigor();
    test_timed_again();
    test_other_device();
    test_bad_lines();
    test_stale();
    test_remembered();
    test_no_folder();
    test_site();
    test_bounded();
    sedge_device_free(device);
    sedge_device_stop_helper();
    return CHECK_END();
}
