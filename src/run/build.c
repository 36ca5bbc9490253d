// sedge build: the programs of a run, compiled into the cache and not run.
#include "driver.h"

#include "base/file.h"
#include "base/text.h"
#include "codegen/ceiling.h"
#include "codegen/program.h"
#include "device/device.h"
#include "dg/operator.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROGRAMS = SEDGE_OPERATOR_PROGRAMS + 1, // that a run compiles: the last is the ceilings'
    ARCH_LENGTH = 32
};

typedef struct build_state {
    const sedge_comm *comm;
    sedge_session session;
    sedge_cache *cache;
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
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "%s", sedge_cache_problem(build->cache));
}

static void print_head(void)
{
    printf("  %-28s %-7s %9s %8s %8s  %s\n", "program", "target", "registers", "spilled", "seconds",
           "architecture");
}

static void print_program(const char *name, const sedge_device_info *info,
                          const sedge_program_record *record)
{
    const sedge_program_resources *const resources = &record->resources;

    printf("  %-28s %-7s ", name, info->kind_name);
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

static sedge_status write_texts(const build_state *build, const sedge_device_info *info,
                                sedge_text *const *texts,
                                char name[SEDGE_OPERATOR_PROGRAMS][SEDGE_OPERATOR_NAME],
                                const char **ceiling)
{
    const sedge_session *const session = &build->session;
    const int real_bytes = session->problem.precision == SEDGE_FP64 ? 8 : 4;
    sedge_operator_options cut;

    SEDGE_TRY(sedge_session_cut(&cut, session));
    SEDGE_TRY(sedge_operator_texts(texts, name, info, session->element, &session->problem, &cut));
    return sedge_ceilings_text(texts[PROGRAMS - 1], ceiling, info, real_bytes);
}

// All programs for one device, which may be one that only compiles.
static sedge_status build_for(build_state *build, sedge_device *device)
{
    const sedge_device_info *const info = sedge_device_get_info(device);
    char name[SEDGE_OPERATOR_PROGRAMS][SEDGE_OPERATOR_NAME];
    const char *ceiling = NULL;
    sedge_text *texts[PROGRAMS] = {NULL};
    sedge_program_record records[PROGRAMS];
    sedge_status status = SEDGE_OK;
    int compiled = 0;

    for (int i = 0; i < PROGRAMS && status == SEDGE_OK; i++) status = sedge_text_create(&texts[i]);
    if (status == SEDGE_OK) status = write_texts(build, info, texts, name, &ceiling);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(build->comm, status));
    sedge_program_text programs[PROGRAMS];
    for (int i = 0; i < PROGRAMS; i++) {
        programs[i].name = i < SEDGE_OPERATOR_PROGRAMS ? name[i] : ceiling;
        programs[i].text = sedge_text_get(texts[i]);
    }
    SEDGE_TRY_GOTO(status, sedge_programs_build(&compiled, records, build->comm, device,
                                                build->cache, programs, PROGRAMS));
    const bool prints = sedge_comm_is_root(build->comm) && !build->session.options->quiet;
    if (prints && build->found + build->compiled == 0) print_head();
    for (int i = 0; i < PROGRAMS; i++) {
        build->found += records[i].found;
        if (prints) print_program(programs[i].name, info, &records[i]);
    }
    build->compiled += compiled;
done:
    for (int i = 0; i < PROGRAMS; i++) sedge_text_free(texts[i]);
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

static sedge_status build_arch(build_state *build, const char *arch)
{
    const char *const wish = build->session.deck->device;
    const char *const kind = strcmp(wish, "auto") == 0 ? "cuda" : wish;
    sedge_status status;
    sedge_device *device = NULL;

    status = sedge_device_create_target(&device, kind, arch);
    SEDGE_TRY_GOTO(status, sedge_comm_agree(build->comm, status));
    SEDGE_TRY_GOTO(status, build_for(build, device));
done:
    sedge_device_free(device);
    return status;
}

static sedge_status build_all(build_state *build)
{
    const char *at = build->session.options->arch;
    char arch[ARCH_LENGTH];

    if (at == NULL) return build_own(build);
    for (;;) {
        const size_t length = strcspn(at, ",");
        if (length >= sizeof arch) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "architecture '%.*s' is not known", (int)length, at);
        }
        (void)snprintf(arch, sizeof arch, "%.*s", (int)length, at);
        SEDGE_TRY(build_arch(build, arch));
        if (at[length] == '\0') return SEDGE_OK;
        at += length + 1;
    }
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

    SEDGE_TRY_GOTO(status, sedge_session_open(&build.session, comm, options));
    if (build.session.problem.equation->steady != NULL) {
        status = SEDGE_FAIL(SEDGE_ERR_USAGE,
                            "%s: 'sedge build' does not know the kernels of the equation '%s' yet; "
                            "a run compiles and keeps them",
                            build.session.deck->path, build.session.problem.equation->name);
        goto done;
    }
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, open_cache(&build)));
    SEDGE_TRY_GOTO(status, build_all(&build));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(comm, check_cache(&build)));
    if (prints) {
        printf("%d compiled, %d found, %.2f s; %s\n", build.compiled, build.found,
               sedge_clock() - began, sedge_cache_folder(build.cache));
    }
done:
    sedge_cache_free(build.cache);
    sedge_session_close(&build.session);
    return status;
}
