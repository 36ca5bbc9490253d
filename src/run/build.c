// sedge build: the programs of a run, compiled into the cache and not run.
#include "driver.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/device.h"
#include "evolve/transform.h"
#include "monitor/sampling.h"
#include "operator/operator.h"
#include "program/program.h"
#include "run/driver_elliptic.h"
#include "tune/ceiling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARCH_LENGTH = 32 };

typedef struct build_state {
    const sedge_comm *comm;
    sedge_session session;
    sedge_cache *cache;
    sedge_device **targets; // that --arch names
    int target_count;
    int compiled; // of all ranks and devices so far
    int found;    // of this rank
} build_state;

static sedge_status open_cache(build_state *build)
{
    const char *const debug = getenv("SEDGE_DEBUG");

    if (debug != NULL && debug[0] != '\0' && strcmp(debug, "0") != 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "SEDGE_DEBUG='%s': with it the cache keeps nothing, so "
                          "that there is nothing to build",
                          debug);
    }
    SEDGE_TRY(sedge_cache_create(&build->cache, NULL));
    if (sedge_cache_problem(build->cache) == NULL) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s (SEDGE_CACHE_DIR names another folder)",
                      sedge_cache_problem(build->cache));
}

static void print_head(void)
{
    printf("  %-34s %-7s %9s %8s %8s  %s\n", "program", "target", "registers", "spilled", "seconds",
           "architecture");
}

static void print_program(const char *name, const sedge_device_info *info,
                          const sedge_program_record *record)
{
    const sedge_program_resources *const resources = &record->resources;

    printf("  %-34s %-7s ", name, info->kind_name);
    if (resources->registers >= 0) {
        printf("%9d %8d", resources->registers, resources->spilled);
    } else {
        printf("%9s %8s", "-", "-");
    }
    if (record->found) {
        printf(" %8s", "found");
    } else {
        printf(" %8.2f", record->seconds);
    }
    printf("  %s\n", info->arch);
}

// The programs for one device.
typedef struct build_list {
    char (*configs)[SEDGE_TUNE_NAME]; // that tuning has chosen before
    int config_count;
    char (*family[SEDGE_FAMILIES])[SEDGE_TUNE_NAME]; // the same of families
    int family_count[SEDGE_FAMILIES];
    sedge_text **texts; // [count]
    char (*names)[SEDGE_OPERATOR_NAME];
    sedge_program_text *programs;
    sedge_program_record *records;
    int count;
} build_list;

static void free_list(build_list *list)
{
    for (int i = 0; list->texts != NULL && i < list->count; i++) sedge_text_free(list->texts[i]);
    sedge_release(list->configs);
    for (int f = 0; f < SEDGE_FAMILIES; f++) sedge_release(list->family[f]);
    sedge_release(list->texts);
    sedge_release(list->names);
    sedge_release(list->programs);
    sedge_release(list->records);
}

// Those of one configuration. A text that is on the list already comes off it.
static sedge_status add_config(build_list *list, const build_state *build,
                               const sedge_device_info *info, const sedge_operator_options *config)
{
    const sedge_session *const session = &build->session;
    const int first = list->count;

    for (int i = 0; i < SEDGE_OPERATOR_PROGRAMS; i++) {
        SEDGE_TRY(sedge_text_create(&list->texts[first + i]));
        list->count++;
    }
    SEDGE_TRY(sedge_operator_texts(&list->texts[first], &list->names[first], info, session->element,
                                   &session->problem, config));
    int kept = first;
    for (int i = first; i < first + SEDGE_OPERATOR_PROGRAMS; i++) {
        bool known = sedge_text_length(list->texts[i]) == 0; // no terms
        for (int k = 0; k < first && !known; k++) {
            known = strcmp(sedge_text_get(list->texts[k]), sedge_text_get(list->texts[i])) == 0;
        }
        if (known) {
            sedge_text_free(list->texts[i]);
            list->texts[i] = NULL;
            continue;
        }
        if (kept != i) {
            list->texts[kept] = list->texts[i];
            list->texts[i] = NULL;
            memcpy(list->names[kept], list->names[i], SEDGE_OPERATOR_NAME);
        }
        kept++;
    }
    list->count = kept;
    return SEDGE_OK;
}

// Those of the deck's Fourier transforms.
static sedge_status add_transforms(build_list *list, const sedge_deck *deck,
                                   const sedge_device_info *info)
{
    for (int i = 0; i < sedge_sampling_entries(deck); i++) {
        const sedge_deck_frequencies *const frequencies = sedge_sampling_frequencies(deck, i);
        sedge_text **const text = &list->texts[list->count];
        bool known = frequencies->count == 0;

        SEDGE_TRY(sedge_text_create(text));
        const sedge_status status =
            sedge_transform_text(*text, list->names[list->count], info, 2 * frequencies->count);
        for (int k = 0; k < list->count && !known; k++)
            known = strcmp(sedge_text_get(list->texts[k]), sedge_text_get(*text)) == 0;
        if (known || status != SEDGE_OK) {
            sedge_text_free(*text);
            *text = NULL;
            SEDGE_TRY(status);
        } else {
            list->count++;
        }
    }
    return SEDGE_OK;
}

static sedge_status make_room(build_list *list, int most)
{
    SEDGE_TRY(sedge_allocate(&list->texts, most, sizeof(sedge_text *)));
    SEDGE_TRY(sedge_allocate(&list->names, most, sizeof *list->names));
    SEDGE_TRY(sedge_allocate(&list->programs, most, sizeof *list->programs));
    return sedge_allocate(&list->records, most, sizeof *list->records);
}

// Of an equation without time: its operators and the iterations.
static sedge_status write_elliptic(build_list *list, const build_state *build,
                                   const sedge_device_info *info)
{
    const sedge_session *const session = &build->session;
    const sedge_elliptic_solve_options options = sedge_elliptic_run_options(session);
    char names[SEDGE_ELLIPTIC_TEXTS][SEDGE_ELLIPTIC_NAME];

    SEDGE_TRY(make_room(list, SEDGE_ELLIPTIC_TEXTS));
    SEDGE_TRY(sedge_elliptic_solve_texts(list->texts, names, &list->count, info,
                                         session->element->order, session->problem.precision,
                                         session->problem.curved, &options));
    for (int i = 0; i < list->count; i++) memcpy(list->names[i], names[i], sizeof names[i]);
    return SEDGE_OK;
}

// What tuning has chosen before. Returns in how many ways a run may combine it and the rule's.
static sedge_status list_remembered(int *ways, build_list *list, const build_state *build,
                                    const sedge_device *device)
{
    const sedge_session *const session = &build->session;

    SEDGE_TRY(sedge_operator_remembered(&list->configs, &list->config_count, device, build->cache,
                                        session->element, &session->problem));
    *ways = 1 + list->config_count;
    for (int f = 0; f < SEDGE_FAMILIES; f++) {
        SEDGE_TRY(sedge_operator_remembered_family(&list->family[f], &list->family_count[f],
                                                   (sedge_operator_family)f, device, build->cache,
                                                   session->element, &session->problem));
        *ways *= 1 + list->family_count[f];
    }
    return SEDGE_OK;
}

// Way `way` of combining them.
static void take_way(sedge_operator_options *config, const build_list *list, int way)
{
    const int c = way % (1 + list->config_count);

    if (c > 0) config->config = list->configs[c - 1];
    way /= 1 + list->config_count;
    for (int f = 0; f < SEDGE_FAMILIES; f++) {
        const int k = way % (1 + list->family_count[f]);
        config->family_config[f] = k > 0 ? list->family[f][k - 1] : NULL;
        way /= 1 + list->family_count[f];
    }
}

// What a run takes: the requested configuration; else by the rule, or what tuning has chosen
// before. How many elements its ranks will have is not known here, so that all such choices are
// built.
static sedge_status write_stage(build_list *list, const build_state *build,
                                const sedge_device *device)
{
    const sedge_device_info *const info = sedge_device_get_info(device);
    const sedge_session *const session = &build->session;
    const int real_bytes = sedge_real_bytes(session->problem.precision);
    const char *ceiling = NULL;
    sedge_operator_options requested;
    int ways = 1;

    SEDGE_TRY(sedge_session_kernels(&requested, session));
    if (!sedge_operator_is_requested(&requested))
        SEDGE_TRY(list_remembered(&ways, list, build, device));
    const int most = SEDGE_OPERATOR_PROGRAMS * ways + 1; // the last: ceilings
    SEDGE_TRY(make_room(list, most + sedge_sampling_entries(session->deck)));
    for (int i = 0; i < ways; i++) { // first what is requested, or the rule's
        sedge_operator_options config = requested;
        take_way(&config, list, i);
        SEDGE_TRY(add_config(list, build, info, &config));
    }
    SEDGE_TRY(sedge_text_create(&list->texts[list->count]));
    list->count++;
    SEDGE_TRY(sedge_ceilings_text(list->texts[list->count - 1], &ceiling, info, real_bytes));
    (void)snprintf(list->names[list->count - 1], SEDGE_OPERATOR_NAME, "%s", ceiling);
    return add_transforms(list, session->deck, info);
}

static sedge_status write_texts(build_list *list, const build_state *build,
                                const sedge_device *device)
{
    if (build->session.problem.equation->elliptic != NULL) {
        SEDGE_TRY(write_elliptic(list, build, sedge_device_get_info(device)));
    } else {
        SEDGE_TRY(write_stage(list, build, device));
    }
    for (int i = 0; i < list->count; i++) {
        list->programs[i].name = list->names[i];
        list->programs[i].text = sedge_text_get(list->texts[i]);
    }
    return SEDGE_OK;
}

// All programs for one device, which may be one that only compiles.
static sedge_status build_for(build_state *build, sedge_device *device)
{
    const sedge_device_info *const info = sedge_device_get_info(device);
    build_list list = {.texts = NULL};
    sedge_status status;
    int compiled = 0;

    status = write_texts(&list, build, device);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(build->comm, status));
    SEDGE_TRY_GOTO(status, sedge_programs_build(&compiled, list.records, build->comm, device,
                                                build->cache, list.programs, list.count));
    const bool prints = sedge_comm_is_root(build->comm) && !build->session.options->quiet;
    if (prints && build->found + build->compiled == 0) print_head();
    for (int i = 0; i < list.count; i++) {
        build->found += list.records[i].found;
        if (prints) print_program(list.programs[i].name, info, &list.records[i]);
    }
    build->compiled += compiled;
done:
    free_list(&list);
    return status;
}

// The device of the deck itself.
static sedge_status build_own(build_state *build)
{
    const sedge_comm *const comm = build->comm;
    sedge_status status;
    sedge_device *device = NULL;

    status = sedge_device_create(&device, build->session.deck->device, sedge_comm_node_rank(comm),
                                 sedge_comm_node_size(comm));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, status));
    SEDGE_TRY_GOTO(status, build_for(build, device));
done:
    sedge_device_free(device);
    return status;
}

// ---- the list of --arch ------------------------------------------------------------------------

// Does the name of `length` letters at `at` stand in `list` before, too?
static bool is_repeated(const char *list, const char *at, size_t length)
{
    for (; list < at; list += strcspn(list, ",") + 1)
        if (strcspn(list, ",") == length && strncmp(list, at, length) == 0) return true;
    return false;
}

static sedge_status open_target(build_state *build, const char *name, size_t length)
{
    const char *const wish = build->session.deck->device;
    const char *const kind = strcmp(wish, "auto") == 0 ? "cuda" : wish;
    char arch[ARCH_LENGTH];

    if (length >= sizeof arch) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "architecture '%.*s' is not known", (int)length, name);
    }
    (void)snprintf(arch, sizeof arch, "%.*s", (int)length, name);
    SEDGE_TRY(sedge_device_create_target(&build->targets[build->target_count], kind, arch));
    build->target_count++;
    return SEDGE_OK;
}

// All of them before anything is compiled, each once.
static sedge_status open_targets(build_state *build)
{
    const char *const list = build->session.options->arch;
    int most = 1;

    if (list == NULL) return SEDGE_OK;
    for (const char *at = list; *at != '\0'; at++) most += *at == ',';
    SEDGE_TRY(sedge_allocate(&build->targets, most, sizeof(sedge_device *)));
    for (const char *at = list;;) {
        const size_t length = strcspn(at, ",");
        if (!is_repeated(list, at, length)) SEDGE_TRY(open_target(build, at, length));
        if (at[length] == '\0') return SEDGE_OK;
        at += length + 1;
    }
}

static sedge_status build_all(build_state *build)
{
    if (build->session.options->arch == NULL) return build_own(build);
    for (int i = 0; i < build->target_count; i++) SEDGE_TRY(build_for(build, build->targets[i]));
    return SEDGE_OK;
}

// What could not be written is a warning in a run; here it was the purpose.
static sedge_status check_cache(const build_state *build)
{
    const char *const problem = sedge_cache_problem(build->cache);

    return problem == NULL ? SEDGE_OK : SEDGE_FAIL(SEDGE_ERR_USAGE, "%s", problem);
}

sedge_status sedge_build(sedge_comm *comm, const sedge_run_options *options)
{
    const double began = sedge_clock();
    const bool prints = sedge_comm_is_root(comm) && !options->quiet;
    build_state build = {.comm = comm};
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_session_open(&build.session, comm, options, false, NULL, NULL));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, open_targets(&build)));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, open_cache(&build)));
    SEDGE_TRY_GOTO(status, build_all(&build));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, check_cache(&build)));
    if (prints) {
        printf("%d compiled, %d found, %.2f s; %s\n", build.compiled, build.found,
               sedge_clock() - began, sedge_cache_folder(build.cache));
    }
done:
    for (int i = 0; i < build.target_count; i++) sedge_device_free(build.targets[i]);
    sedge_release(build.targets);
    sedge_cache_free(build.cache);
    sedge_session_close(&build.session);
    return status;
}
