// report.json: the keys that scripts rely on, their types and values, null where there is no
// number.
#include "check.h"

#include "run/report.h"

#include <jansson.h>

#include <unistd.h>

static const char path[] = SEDGE_TEST_DIR "/report.json";

static const char *const field_names[2] = {"Ex", "Hy"};
static const sedge_output_group groups[] = {{.name = "E", .count = 1},
                                            {.name = "H", .first = 1, .count = 1}};

static sedge_report example(void)
{
    sedge_report report = {.version = "0.1.0",
                           .deck = "input/cavity.yaml",
                           .title = "a \"cavity\"",
                           .equation = "maxwell",
                           .precision = "fp32",
                           .units = "normalised",
                           .order = 4,
                           .ranks = 2,
                           .device_kind = "host",
                           .device_name = "a processor",
                           .threads = 3,
                           .elements = 384,
                           .dofs = 80640,
                           .steps = 1000,
                           .stages = 5,
                           .dt = 1e-3,
                           .time = 1.0,
                           .watch = {.seconds = {0.0625, 0.5, 4.0, 0.75, 0.03125, 0.25}},
                           .before_seconds = 8.0,
                           .mesh_seconds = 0.25,
                           .tune_seconds = 0.125,
                           .compile_seconds = 2.0,
                           .tuned_by = "wisdom",
                           .tuned = 23,
                           .tuning_gain = 1.25,
                           .family = {{"curved b8", "measurement", 0.5, 5, 1.5},
                                      {"prediction b4", "rule", 0.0, 0, 0.0}},
                           .kernels = SEDGE_OPERATOR_KERNELS,
                           .energy_initial = 0.125,
                           .energy_final = 0.12,
                           .energy_peak = 0.126,
                           .fields = 2,
                           .field_names = field_names,
                           .l2_error = {1e-3, 2e-3},
                           .linf_error = {1e-2, (double)NAN},
                           .l2_error_relative = 3e-3,
                           .groups = 2,
                           .group = groups,
                           .l2_error_group = {4e-3, 5e-3},
                           .transport = "direct",
                           .exchange_bytes_per_step = 4096,
                           .exchange_hidden = -1.0,
                           .cache_hits = 2,
                           .cache_misses = 1,
                           .memory_host_peak = (int64_t)1 << 40,
                           .memory_device_peak = 0,
                           .total_seconds = 6.0,
                           .outcome = "done",
                           .exit_code = 0};

    for (int k = 0; k < SEDGE_OPERATOR_KERNELS; k++)
        report.kernel[k] = (sedge_report_kernel){"stage", "fused", 3.5, 3.25, 5000, 1e6, 1e7, -1.0};
    report.kernel[1].flops = -1.0;
    return report;
}

static double number_at(const json_t *root, const char *key, const char *inner)
{
    const json_t *value = json_object_get(root, key);

    if (inner != NULL) value = json_object_get(value, inner);
    return json_is_number(value) ? json_number_value(value) : -999.0;
}

static void check_tuning(const json_t *tuning)
{
    const json_t *const curved = json_object_get(tuning, "curved");
    const json_t *const prediction = json_object_get(tuning, "prediction");

    CHECK(number_at(tuning, "timed", NULL) == 23.0 && number_at(tuning, "gain", NULL) == 1.25);
    CHECK(strcmp(json_string_value(json_object_get(tuning, "by")), "wisdom") == 0);
    CHECK(strcmp(json_string_value(json_object_get(curved, "variant")), "curved b8") == 0);
    CHECK(strcmp(json_string_value(json_object_get(curved, "by")), "measurement") == 0);
    CHECK(number_at(curved, "timed", NULL) == 5.0 && number_at(curved, "gain", NULL) == 1.5);
    CHECK(strcmp(json_string_value(json_object_get(prediction, "variant")), "prediction b4") == 0);
    CHECK(json_is_null(json_object_get(prediction, "gain")));
}

static void test_keys_and_values(void)
{
    static const char *const keys[] = {"version",      "deck",
                                       "equation",     "order",
                                       "precision",    "ranks",
                                       "device",       "elements",
                                       "dofs",         "dt",
                                       "steps",        "time",
                                       "wall_seconds", "dofs_per_second",
                                       "kernels",      "energy",
                                       "l2_error",     "linf_error",
                                       "exchange",     "cache",
                                       "memory",       "title",
                                       "units",        "outcome",
                                       "exit_code"};
    const sedge_report report = example();
    sedge_stopwatch later = report.watch;

    CHECK_OK(sedge_report_write(&report, path));
    later.seconds[SEDGE_PHASE_RELEASE] = 16.0;
    CHECK_OK(sedge_report_renew(path, &later, 8.0, 22.0));
    json_t *const renewed = json_load_file(path, 0, NULL);
    CHECK(number_at(renewed, "wall_seconds", "release") == 16.0);
    CHECK(number_at(renewed, "wall_seconds", "total") == 30.0);
    json_decref(renewed);
    CHECK_OK(sedge_report_write(&report, path));
    json_t *const root = json_load_file(path, JSON_REJECT_DUPLICATES, NULL);
    CHECK(root != NULL);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        CHECK(json_object_get(root, keys[i]) != NULL);
    CHECK(strcmp(json_string_value(json_object_get(root, "title")), "a \"cavity\"") == 0);
    const json_t *const device = json_object_get(root, "device");
    CHECK(strcmp(json_string_value(json_object_get(device, "kind")), "host") == 0);
    CHECK(strcmp(json_string_value(json_object_get(device, "name")), "a processor") == 0);
    CHECK(number_at(root, "device", "threads") == 3.0);
    CHECK(number_at(root, "order", NULL) == 4.0 && number_at(root, "ranks", NULL) == 2.0);
    CHECK(number_at(root, "elements", NULL) == 384.0 && number_at(root, "dofs", NULL) == 80640.0);
    CHECK(number_at(root, "dofs_per_second", NULL) == 80640.0 * 5 * 1000 / 4.0);
    CHECK(number_at(root, "wall_seconds", "setup") == 0.5);
    CHECK(number_at(root, "wall_seconds", "mesh") == 0.25);
    CHECK(number_at(root, "wall_seconds", "tune") == 0.125);
    CHECK(number_at(root, "wall_seconds", "compile") == 2.0);
    CHECK(number_at(root, "wall_seconds", "loop") == 4.0);
    CHECK(number_at(root, "wall_seconds", "output") == 0.75);
    CHECK(number_at(root, "wall_seconds", "start") == 0.0625);
    CHECK(number_at(root, "wall_seconds", "checkpoint") == 0.03125);
    CHECK(number_at(root, "wall_seconds", "finish") == 0.25);
    CHECK(number_at(root, "wall_seconds", "before") == 8.0);
    CHECK(number_at(root, "wall_seconds", "release") == 0.0);
    CHECK(number_at(root, "wall_seconds", "total") == 14.0);
    check_tuning(json_object_get(root, "tuning"));
    CHECK(number_at(root, "energy", "initial") == 0.125);
    CHECK(number_at(root, "energy", "final") == 0.12);
    CHECK(number_at(root, "energy", "peak") == 0.126);
    CHECK(number_at(root, "l2_error", "Ex") == 1e-3 && number_at(root, "l2_error", "Hy") == 2e-3);
    CHECK(number_at(root, "linf_error", "Ex") == 1e-2);
    CHECK(json_is_null(json_object_get(json_object_get(root, "linf_error"), "Hy")));
    CHECK(number_at(root, "l2_error_relative", NULL) == 3e-3);
    CHECK(number_at(root, "l2_error_relative_groups", "E") == 4e-3);
    CHECK(number_at(root, "l2_error_relative_groups", "H") == 5e-3);
    CHECK(number_at(root, "exchange", "bytes_per_step") == 4096.0);
    CHECK(json_is_null(json_object_get(json_object_get(root, "exchange"), "hidden")));
    CHECK(number_at(root, "cache", "hits") == 2.0 && number_at(root, "cache", "misses") == 1.0);
    CHECK(number_at(root, "memory", "host_peak") == 1099511627776.0);
    CHECK(number_at(root, "memory", "device_peak") == 0.0);
    const json_t *const kernels = json_object_get(root, "kernels");
    CHECK(json_array_size(kernels) == SEDGE_OPERATOR_KERNELS); // none is dropped
    const json_t *const kernel = json_array_get(kernels, 0);
    CHECK(number_at(kernel, "seconds", NULL) == 3.5 && number_at(kernel, "launches", NULL) == 5e3);
    CHECK(number_at(kernel, "seconds_mean", NULL) == 3.25);
    CHECK(json_is_null(json_object_get(json_array_get(kernels, 1), "flops")));
    CHECK(number_at(kernel, "bytes", NULL) == 1e6 && number_at(kernel, "flops", NULL) == 1e7);
    CHECK(strcmp(json_string_value(json_object_get(kernel, "variant")), "fused") == 0);
    CHECK(json_is_null(json_object_get(kernel, "fraction_of_floor")));
    json_decref(root);
    CHECK(unlink(path) == 0);
}

// Levels of local time steps: the longest step is the run's, and speed counts the steps that
// elements take in it: 3 of 4 take four, 1 takes one.
static void test_levels(void)
{
    sedge_report report = example();

    CHECK_OK(sedge_report_write(&report, path));
    json_t *root = json_load_file(path, 0, NULL);
    CHECK(json_array_size(json_object_get(root, "levels")) == 0);
    CHECK(json_is_null(json_object_get(root, "levels_gain")));
    json_decref(root);
    report.levels = (sedge_levels){.levels = 3, .count = {288, 0, 96}, .gain = 1.25};
    CHECK_OK(sedge_report_write(&report, path));
    root = json_load_file(path, 0, NULL);
    const json_t *const list = json_object_get(root, "levels");
    CHECK(json_array_size(list) == 3 && number_at(root, "levels_gain", NULL) == 1.25);
    CHECK(number_at(json_array_get(list, 0), "dt", NULL) == 1e-3 / 4.0);
    CHECK(number_at(json_array_get(list, 2), "dt", NULL) == 1e-3);
    CHECK(number_at(json_array_get(list, 2), "elements", NULL) == 96.0);
    CHECK(number_at(root, "dofs_per_second", NULL) == 80640.0 * 5 * 1000 / 4.0 * 3.25);
    json_decref(root);
    CHECK(unlink(path) == 0);
}

// A run that failed before its loop, with a name that is no UTF-8: still a valid file.
static void test_failed_run(void)
{
    sedge_report report = example();

    report.fields = 0;
    report.groups = 0;
    report.watch.seconds[SEDGE_PHASE_LOOP] = 0.0;
    report.steps = 0;
    report.energy_final = (double)INFINITY;
    report.l2_error_relative = -1.0;
    report.device_name = "\xff\xfe";
    report.title = NULL;
    report.outcome = "energy grew without bound";
    report.exit_code = 4;
    CHECK_OK(sedge_report_write(&report, path));
    json_t *const root = json_load_file(path, 0, NULL);
    CHECK(json_is_null(json_object_get(root, "l2_error")));
    CHECK(json_is_null(json_object_get(root, "l2_error_relative_groups")));
    CHECK(json_is_null(json_object_get(root, "dofs_per_second")));
    CHECK(json_is_null(json_object_get(json_object_get(root, "energy"), "final")));
    CHECK(json_is_null(json_object_get(json_object_get(root, "device"), "name")));
    CHECK(json_is_null(json_object_get(root, "title")));
    CHECK(number_at(root, "exit_code", NULL) == 4.0);
    json_decref(root);
    CHECK(unlink(path) == 0);
}

static void test_cannot_write(void)
{
    const sedge_report report = example();

    CHECK_FAILS(sedge_report_write(&report, "/proc/none/report.json"), SEDGE_ERR_USAGE,
                "cannot write '/proc/none/report.json': No such file or directory");
}

// The other rank took longer and more of the device; programs are counted over both.
static void test_counts(const sedge_comm *comm)
{
    const int rank = sedge_comm_rank(comm);
    sedge_report report = example();

    sedge_report_count(&report, comm, (sedge_cache_counts){2 - rank, 3 + rank, 0.5 + rank},
                       rank * (int64_t)4096);
    CHECK(report.cache_hits == 3 && report.cache_misses == 7);
    CHECK(report.compile_seconds == 1.5);
    CHECK(report.memory_device_peak == 4096);
    CHECK(report.memory_host_peak > 0 && report.memory_host_peak < (int64_t)1 << 40);
}

int main(void)
{
    sedge_comm *comm = NULL;

    CHECK_OK(sedge_comm_create(&comm, NULL));
    test_counts(comm);
    if (sedge_comm_is_root(comm)) {
        test_keys_and_values();
        test_levels();
        test_failed_run();
        test_cannot_write();
    }
    sedge_comm_free(comm);
    return CHECK_END();
}
