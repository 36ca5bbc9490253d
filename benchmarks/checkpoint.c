// sedge-bench-checkpoint DECK FOLDER [KEY=VALUE ...]: what a checkpoint costs. By turns on the same
// ranks: a time step, a field snapshot, what a run waits for when a checkpoint begins, what its
// thread does then, and the same bytes by plain parallel HDF5.
#define _DEFAULT_SOURCE
#include "checkpoint/checkpoint.h"
#include "base/file.h"
#include "base/memory.h"
#include "device/device.h"
#include "dg/reference.h"
#include "evolve/evolution.h"
#include "evolve/state_copy.h"
#include "monitor/monitors.h"
#include "monitor/output_folder.h"
#include "program/program.h"
#include "session/session.h"
#include "session/source.h"

#include <hdf5.h>
#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS 7
#define STEPS  5 // timed together

enum { STEP, SNAPSHOT, BEGIN, CHECKPOINT, PLAIN, KINDS };
static const char *const names[KINDS] = {"time step", "field snapshot", "checkpoint, begun",
                                         "checkpoint, the rest", "plain parallel HDF5"};

typedef struct bench {
    const sedge_comm *comm;
    sedge_session session;
    sedge_device *device;
    sedge_cache *cache;
    sedge_evolution *evolution;
    sedge_reference *reference;
    sedge_output_context output;
    sedge_sample_source source;
    sedge_sample *sample;
    sedge_monitors *monitors;
    sedge_checkpoint_state state;
    double *u; // the values of its first block
    double *energy;
    sedge_state_copy *copy;
    sedge_checkpoint_writer *writer;
    int64_t done; // steps
    double seconds[KINDS][ROUNDS];
} bench;

// The bytes of a checkpoint's arrays, this rank's share at `first`, in one collective call, brought
// to the disk as a checkpoint is.
static sedge_status write_plain(const bench *b, const char *path, const void *data, hsize_t first,
                                hsize_t bytes, hsize_t all)
{
    MPI_Comm world;

    sedge_comm_native(b->comm, &world);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    const hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_fapl_mpio(access, world, MPI_INFO_NULL);
    H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    const hid_t space = H5Screate_simple(1, &all, NULL);
    const hid_t memory = H5Screate_simple(1, &bytes, NULL);
    const hid_t set =
        H5Dcreate2(file, "/data", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &bytes, NULL);
    const bool good = H5Dwrite(set, H5T_NATIVE_UINT8, memory, space, transfer, data) >= 0;
    H5Dclose(set);
    H5Sclose(memory);
    H5Sclose(space);
    const bool closed = H5Fclose(file) >= 0;
    H5Pclose(transfer);
    H5Pclose(access);
    if (!good || !closed) return SEDGE_FAIL(SEDGE_ERR_USAGE, "cannot write '%s'", path);
    return sedge_comm_is_root(b->comm) ? sedge_file_sync(path) : SEDGE_OK;
}

static sedge_status act(bench *b, int kind, const char *plain, hsize_t first, hsize_t bytes,
                        hsize_t all)
{
    const sedge_session *const session = &b->session;
    sedge_checkpoint checkpoint = {.step = b->done,
                                   .dt = session->dt,
                                   .samples = 1,
                                   .basis = sedge_evolution_basis(b->evolution)};
    double seconds;

    switch (kind) {
    case STEP:
        for (int i = 0; i < STEPS; i++, b->done++) {
            SEDGE_TRY(sedge_evolution_step(b->evolution, sedge_session_time(session, b->done),
                                           session->dt));
        }
        return sedge_evolution_wait(b->evolution);
    case SNAPSHOT:
        sedge_sample_begin(b->sample, sedge_session_time(session, b->done), b->done);
        return sedge_monitors_last(b->monitors, b->sample); // whether one is due or not
    case BEGIN: {
        SEDGE_TRY(sedge_state_copy_take(b->copy));
        SEDGE_TRY(sedge_evolution_energy(b->evolution, b->energy));
        SEDGE_TRY(sedge_monitors_save(b->monitors, &checkpoint.monitors));
        const sedge_status status = sedge_checkpoint_begin(b->writer, &checkpoint, b->energy);
        json_decref(checkpoint.monitors);
        return status;
    }
    case CHECKPOINT:
        SEDGE_TRY(sedge_checkpoint_wait(b->writer, &seconds));
        return sedge_checkpoint_publish(b->writer);
    default: // fp64 values of u serve as bytes
        return write_plain(b, plain, b->u, first, bytes, all);
    }
}

static sedge_status get_rows(void *of, int block, int64_t first, int64_t count, double *values)
{
    const bench *const b = of;

    return sedge_state_copy_get(b->copy, block, first, count, values);
}

static sedge_status sync_files(void *of)
{
    const bench *const b = of;

    return sedge_monitors_sync(b->monitors);
}

static sedge_status create_writer(bench *b)
{
    const sedge_session *const session = &b->session;
    const sedge_checkpoint_source source = {.of = b, .rows = get_rows, .sync = sync_files};

    SEDGE_TRY(sedge_comm_agree(b->comm, sedge_state_copy_create(&b->copy, b->evolution, true)));
    return sedge_checkpoint_writer_create(&b->writer, session, b->output.writer,
                                          session->deck->output, 1, &b->state, &source);
}

static sedge_status measure(bench *b, int64_t *all)
{
    const sedge_session *const session = &b->session;
    const int64_t real = sedge_real_bytes(session->problem.precision);
    const int64_t row = (int64_t)session->problem.equation->fields * session->element->nodes * real;
    const int64_t mine = session->mesh->elements * row;
    char plain[4096];

    (void)snprintf(plain, sizeof plain, "%s/plain.h5", session->deck->output);
    const int64_t first = sedge_comm_scan(b->comm, mine);
    *all = session->mesh->global_elements * row;
    for (int round = -1; round < ROUNDS; round++) { // the first is not counted
        for (int kind = 0; kind < KINDS; kind++) {
            sedge_comm_barrier(b->comm);
            const double start = sedge_clock();
            SEDGE_TRY(sedge_comm_agree(
                b->comm, act(b, kind, plain, (hsize_t)first, (hsize_t)mine, (hsize_t)*all)));
            sedge_comm_barrier(b->comm);
            if (round >= 0) b->seconds[kind][round] = sedge_clock() - start;
            if (kind == PLAIN && sedge_comm_is_root(b->comm)) (void)unlink(plain);
        }
    }
    return SEDGE_OK;
}

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;

    return (a > b) - (a < b);
}

static void print_table(bench *b, int64_t bytes)
{
    const sedge_session *const session = &b->session;
    double median[KINDS];

    for (int round = 0; round < ROUNDS; round++) b->seconds[STEP][round] /= STEPS;
    for (int kind = 0; kind < KINDS; kind++) {
        qsort(b->seconds[kind], ROUNDS, sizeof(double), ascending);
        median[kind] = b->seconds[kind][ROUNDS / 2];
    }
    printf("%lld elements, order %d, %s, %d ranks, %s: %.1f MiB of fields, medians of %d\n\n",
           (long long)session->mesh->global_elements, session->deck->order,
           session->problem.precision == SEDGE_FP64 ? "fp64" : "fp32", sedge_comm_size(b->comm),
           sedge_device_get_info(b->device)->name, (double)bytes / 1048576.0, ROUNDS);
    const double both = median[BEGIN] + median[CHECKPOINT];

    printf(
        "| what | ms | ms least | MB/s | checkpoint / this |\n| --- | --- | --- | --- | --- |\n");
    for (int kind = 0; kind < KINDS; kind++) {
        char rate[32] = "";

        if (kind == CHECKPOINT || kind == PLAIN)
            (void)snprintf(rate, sizeof rate, "%.0f", 1e-6 * (double)bytes / median[kind]);
        printf("| %s | %.1f | %.1f | %s | %.2f |\n", names[kind], 1e3 * median[kind],
               1e3 * b->seconds[kind][0], rate, both / median[kind]);
    }
}

static sedge_status run(bench *b, const sedge_run_options *options)
{
    sedge_session *const session = &b->session;
    sedge_operator_options config;
    sedge_status status;
    int64_t bytes = 0;

    SEDGE_TRY(sedge_session_open(session, b->comm, options, true, NULL, NULL));
    status = sedge_device_create(&b->device, session->deck->device, sedge_comm_node_rank(b->comm),
                                 sedge_comm_node_size(b->comm));
    if (status == SEDGE_OK) status = sedge_cache_create(&b->cache, NULL);
    if (status == SEDGE_OK) status = sedge_checkpoint_state_create(&b->state, &b->session);
    if (status == SEDGE_OK) b->u = b->state.values[0];
    if (status == SEDGE_OK)
        status = sedge_allocate(&b->energy, session->mesh->elements, sizeof(double));
    SEDGE_TRY(sedge_comm_agree(b->comm, status));
    SEDGE_TRY(sedge_session_kernels(&config, session));
    SEDGE_TRY(sedge_evolution_create(&b->evolution, b->comm, b->device, b->cache, session->element,
                                     session->mesh, &session->problem, &config));
    SEDGE_TRY(sedge_reference_create(&b->reference, b->comm, session->element, session->mesh,
                                     &session->problem));
    sedge_reference_initial(b->reference, 0.0, 1, b->u);
    SEDGE_TRY(sedge_comm_agree(b->comm, sedge_evolution_set(b->evolution, b->u)));
    b->output = sedge_session_output(session, 0, false);
    b->source = sedge_session_source(b->evolution);
    SEDGE_TRY(sedge_comm_agree(
        b->comm, sedge_sample_create(&b->sample, b->comm, session->mesh, &b->source, b->u)));
    SEDGE_TRY(sedge_output_prepare_folder(&b->output));
    SEDGE_TRY(sedge_monitors_create(&b->monitors, &b->output, b->sample, NULL));
    SEDGE_TRY(create_writer(b));
    SEDGE_TRY(measure(b, &bytes));
    if (sedge_comm_is_root(b->comm)) print_table(b, bytes);
    return SEDGE_OK;
}

static void tear_down(bench *b)
{
    sedge_monitors_free(b->monitors);
    sedge_checkpoint_writer_free(b->writer);
    sedge_state_copy_free(b->copy);
    sedge_sample_free(b->sample);
    sedge_reference_free(b->reference);
    sedge_evolution_free(b->evolution);
    sedge_cache_free(b->cache);
    sedge_device_free(b->device);
    sedge_checkpoint_state_clear(&b->state);
    sedge_release(b->energy);
    sedge_session_close(&b->session);
}

int main(int argc, char **argv)
{
    static bench b;
    sedge_run_options options = {.quiet = true};
    char folder[4096];
    sedge_comm *comm = NULL;

    if (argc < 3 || argc - 2 > SEDGE_MAX_SETTINGS) {
        (void)fprintf(stderr, "usage: sedge-bench-checkpoint DECK FOLDER [KEY=VALUE ...]\n");
        return 1;
    }
    options.deck = argv[1];
    (void)snprintf(folder, sizeof folder, "output.folder=%s", argv[2]);
    options.settings[options.setting_count++] = folder;
    for (int i = 3; i < argc; i++) options.settings[options.setting_count++] = argv[i];
    sedge_status status = sedge_device_start_helper(); // before MPI: it forks
    if (status == SEDGE_OK) status = sedge_comm_create(&comm, NULL);
    b.comm = comm;
    if (status == SEDGE_OK) {
        status = run(&b, &options);
        tear_down(&b);
    }
    if (status != SEDGE_OK && sedge_comm_is_root(comm))
        (void)fprintf(stderr, "sedge-bench-checkpoint: %s\n", sedge_error_message());
    sedge_device_stop_helper();
    sedge_comm_free(comm);
    return sedge_status_exit_code(status);
}
