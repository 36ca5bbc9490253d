#include "evolve/transform.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "forms/target.h"
#include "layout/upload.h"
#include "operator/parts.h"
#include "program/launch.h"
#include "program/program.h"

#include <stdio.h>
#include <string.h>

#define PIECE_BYTES ((int64_t)1 << 23) // of sums that are copied at once
#define ROWS_GRAIN  512                // rows whose copy takes as long as a thread's start

// The constants of dg_transform.h, and the numbers of a row of sums on the device.
typedef struct transform_shape {
    int pack;   // doubles of a vector
    int packs;  // of a work item
    int values; // of a work item
    int row;    // doubles, a multiple of pack * packs
} transform_shape;

struct sedge_transform {
    sedge_operator *op;
    const sedge_probes *probes;
    int first; // point
    int64_t values;
    int components, numbers;
    transform_shape shape;
    sedge_program *program;
    const sedge_kernel *kernel;
    sedge_buffer *component; // [components]
    sedge_buffer *sums;      // [values][shape.row]
    sedge_buffer *phases;    // [capacity of the probes][shape.row]
    double *staged;          // the same, pinned
    sedge_event *uploaded;   // `staged` has been read
};

// ---- shape -------------------------------------------------------------------------------------

// On the host eight values share each load of a vector of phases, and their eight sums hide the
// latency of the multiply-adds. Elsewhere an item has a square of 4 x 4 sums, for 16 multiply-adds
// to 8 loads. Fewer numbers get smaller vectors where more than a quarter would be filled up.
static transform_shape choose_shape(const sedge_device_info *info, int numbers)
{
    const bool host = operator_is_host_form(info);
    transform_shape shape = {.pack = 1, .packs = numbers % 4 == 0 || numbers > 16 ? 4 : 2};

    if (host) {
        shape.packs = 1;
        shape.pack = info->vector_bytes / (int)sizeof(double);
        while (shape.pack > 2 && 4 * operator_round_up(numbers, shape.pack) > 5 * numbers)
            shape.pack /= 2;
    }
    shape.values = host ? 8 : 4;
    shape.row = operator_round_up(numbers, shape.pack * shape.packs);
    return shape;
}

// ---- program -----------------------------------------------------------------------------------

typedef struct transform_program {
    char name[SEDGE_TRANSFORM_NAME];
    char constants[256];
    sedge_source source;
} transform_program;

static transform_program name_program(const transform_shape *shape)
{
    transform_program program = {.source = {.name = "codegen/kernels/dg/dg_transform.h"}};

    (void)snprintf(program.name, sizeof program.name, "transform-%dx%dx%d", shape->values,
                   shape->packs, shape->pack);
    (void)snprintf(program.constants, sizeof program.constants,
                   "#define SEDGE_TRANSFORM_PACK   %d\n"
                   "#define SEDGE_TRANSFORM_PACKS  %d\n"
                   "#define SEDGE_TRANSFORM_VALUES %d\n",
                   shape->pack, shape->packs, shape->values);
    return program;
}

static sedge_program_options program_options(const transform_program *program)
{
    return (sedge_program_options){.name = program->name,
                                   .constants = program->constants,
                                   .sources = &program->source,
                                   .count = 1};
}

sedge_status sedge_transform_text(sedge_text *out, char name[SEDGE_TRANSFORM_NAME],
                                  const sedge_device_info *info, int numbers)
{
    const transform_shape shape = choose_shape(info, numbers);
    const transform_program program = name_program(&shape);
    const sedge_program_options options = program_options(&program);

    memcpy(name, program.name, sizeof program.name);
    return sedge_program_write(out, info->kind, &options);
}

static sedge_status create_program(sedge_transform *transform, sedge_cache *cache)
{
    const sedge_operator *const op = transform->op;
    const transform_program program = name_program(&transform->shape);
    const sedge_program_options options = program_options(&program);

    SEDGE_TRY(sedge_program_create(&transform->program, op->comm, op->device, cache, &options));
    return sedge_program_get(&transform->kernel, transform->program, "sedge_transform");
}

// ---- making ------------------------------------------------------------------------------------

static sedge_status make_buffers(sedge_transform *transform, const int *component)
{
    const sedge_operator *const op = transform->op;
    const int64_t row_bytes = transform->shape.row * (int64_t)sizeof(double);
    const int64_t phase_bytes = sedge_probes_ring(transform->probes).capacity * row_bytes;

    if (transform->values == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_upload_copy(&transform->component, op->device, component,
                                transform->components * (int64_t)sizeof *component));
    SEDGE_TRY(sedge_buffer_create(&transform->sums, op->device, transform->values * row_bytes));
    SEDGE_TRY(sedge_buffer_create(&transform->phases, op->device, phase_bytes));
    SEDGE_TRY(sedge_pinned_allocate(&transform->staged, op->device, phase_bytes));
    return sedge_event_create(&transform->uploaded, op->device);
}

sedge_status sedge_transform_create(sedge_transform **out, const sedge_probes *probes,
                                    const sedge_transform_part *part)
{
    sedge_evolution *const evolution = sedge_probes_ring(probes).evolution;
    sedge_operator *const op = sedge_evolution_operator(evolution);
    sedge_transform *transform = NULL;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY_GOTO(status,
                   sedge_comm_agree(op->comm, sedge_allocate(&transform, 1, sizeof *transform)));
    *transform =
        (sedge_transform){.op = op,
                          .probes = probes,
                          .first = part->first,
                          .values = (int64_t)part->points * part->components,
                          .components = part->components,
                          .numbers = part->numbers,
                          .shape = choose_shape(sedge_device_get_info(op->device), part->numbers)};
    SEDGE_TRY_GOTO(status, create_program(transform, sedge_evolution_cache(evolution)));
    SEDGE_TRY_GOTO(status, sedge_comm_agree(op->comm, make_buffers(transform, part->component)));
    *out = transform;
    transform = NULL;
done:
    sedge_transform_free(transform);
    return status;
}

void sedge_transform_free(sedge_transform *transform)
{
    if (transform == NULL) return;
    // What failed before stays the message: a wait that fails too has nothing to add.
    (void)!sedge_stream_wait(transform->op->main);
    sedge_buffer_free(transform->component);
    sedge_buffer_free(transform->sums);
    sedge_buffer_free(transform->phases);
    sedge_pinned_release(transform->op->device, transform->staged);
    sedge_event_free(transform->uploaded);
    sedge_program_free(transform->program);
    sedge_release(transform);
}

// ---- samples -----------------------------------------------------------------------------------

// Copy phases [samples][numbers] into rows of the device's length.
static sedge_status upload_phases(sedge_transform *transform, const double *phases, int samples)
{
    const int row = transform->shape.row;

    SEDGE_TRY(sedge_event_wait(transform->uploaded));
    for (int s = 0; s < samples; s++) {
        memcpy(transform->staged + (int64_t)s * row, phases + (int64_t)s * transform->numbers,
               (size_t)transform->numbers * sizeof *phases);
    }
    SEDGE_TRY(sedge_buffer_upload(transform->phases, 0, transform->staged,
                                  (int64_t)samples * row * (int64_t)sizeof *phases,
                                  transform->op->main));
    return sedge_event_record(transform->uploaded, transform->op->main);
}

sedge_status sedge_transform_add(sedge_transform *transform, const double *phases)
{
    const sedge_operator *const op = transform->op;
    const sedge_probe_ring ring = sedge_probes_ring(transform->probes);
    const transform_shape *const shape = &transform->shape;
    const int fields = op->problem->equation->fields;
    const int chunks = shape->row / (shape->pack * shape->packs);
    const int64_t items = (transform->values + shape->values - 1) / shape->values * chunks;
    const int threads = SEDGE_MONITOR_THREADS; // as SEDGE_TRANSFORM_THREADS

    if (items == 0 || ring.recorded == 0) return SEDGE_OK;
    SEDGE_TRY(upload_phases(transform, phases, ring.recorded));
    const uint64_t samples = sedge_buffer_address(ring.samples) +
                             (uint64_t)transform->first * (uint64_t)fields * sizeof(double);
    return SEDGE_LAUNCH(
        transform->kernel, op->main, (items + threads - 1) / threads,
        sedge_buffer_argument(transform->sums), sedge_buffer_argument(transform->phases),
        sedge_address_argument(samples), sedge_buffer_argument(transform->component),
        sedge_int64_argument(transform->values), sedge_int64_argument((int64_t)ring.count * fields),
        sedge_int32_argument(ring.recorded), sedge_int32_argument(transform->components),
        sedge_int32_argument(fields), sedge_int32_argument(chunks));
}

// ---- sums --------------------------------------------------------------------------------------

// Rows between a piece in the device's shape and the caller's sums.
typedef struct row_copy {
    double *piece;      // [rows][row]
    double *to;         // [rows][numbers]; NULL: the other way
    const double *from; // [rows][numbers]
    int row, numbers;
} row_copy;

static void copy_rows(void *context, int64_t first, int64_t end)
{
    const row_copy *const job = context;
    const size_t bytes = (size_t)job->numbers * sizeof *job->piece;

    for (int64_t i = first; i < end; i++) {
        double *const inside = job->piece + i * job->row;

        if (job->to != NULL) {
            memcpy(job->to + i * job->numbers, inside, bytes);
        } else {
            memcpy(inside, job->from + i * job->numbers, bytes);
        }
    }
}

// Copy the sums between device and host in pieces of whole rows. The caller's array may be new, and
// its pages come when they are first written: by several threads.
static sedge_status move_sums(sedge_transform *transform, double *to, const double *from)
{
    const int64_t row = transform->shape.row;
    const int64_t numbers = transform->numbers;
    const int64_t row_bytes = row * (int64_t)sizeof(double);
    const int64_t fit = PIECE_BYTES / row_bytes + 1;
    double *piece = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_stream_wait(transform->op->main));
    SEDGE_TRY_GOTO(status, sedge_allocate(&piece, fit * row, sizeof *piece));
    for (int64_t at = 0; at < transform->values; at += fit) {
        const int64_t count = transform->values - at < fit ? transform->values - at : fit;

        if (to != NULL) {
            SEDGE_TRY_GOTO(status, sedge_buffer_download(transform->sums, at * row_bytes, piece,
                                                         count * row_bytes, NULL));
        }
        row_copy job = {.piece = piece,
                        .to = to != NULL ? to + at * numbers : NULL,
                        .from = from != NULL ? from + at * numbers : NULL,
                        .row = transform->shape.row,
                        .numbers = transform->numbers};
        sedge_parallel(transform->op->threads, count, ROWS_GRAIN, copy_rows, &job);
        if (from != NULL) {
            SEDGE_TRY_GOTO(status, sedge_buffer_upload(transform->sums, at * row_bytes, piece,
                                                       count * row_bytes, NULL));
        }
    }
done:
    sedge_release(piece);
    return status;
}

sedge_status sedge_transform_set(sedge_transform *transform, const double *sums)
{
    return move_sums(transform, NULL, sums);
}

sedge_status sedge_transform_get(sedge_transform *transform, double *sums)
{
    return move_sums(transform, sums, NULL);
}
