// Elements so far into their arrays that offsets pass 2^31 give the same bits as at the beginning,
// in all forms of the stage, those of GPUs included: their kernels run in random order here. The
// arrays are not that long: what is at the beginning of an array of the operator is number `first`
// of one that begins so much before it, and nothing before it may be read.
#define _DEFAULT_SOURCE // setenv
#include "base/memory.h"
#include "check.h"
#include "curved_maps.h"
#include "forms/form.h"
#include "kit.h"
#include "operator/fields.h"
#include "operator/launch.h"
#include "operator/parts.h"
#include "operator/program.h"
#include "operator/scalar.h"
#include "operator/seams.h"

#include <stdlib.h>
#include <string.h>

#define STAGE 1 // of the Runge-Kutta method: it has a residual before it

enum { STATE, NEXT, RESIDUAL, TRACE, LINKS, GEOMETRY, MATERIAL, BOUNDARY, ARRAYS };

// An operator's arrays seen as parts of longer ones.
typedef struct place {
    int64_t first;  // number of the first value
    int64_t traces; // number of the first trace slot
    int64_t slots;  // what the kernels are told
    bool finds;     // whether the stage finds the residual or reads it
    uint64_t address[ARRAYS];
    sedge_buffer *links, *boundary; // with numbers of slots that are so much larger
} place;

static sedge_stage choose_stage(const place *p, double dt)
{
    if (p->finds) return sedge_integrator_stage(&sedge_integrator_lsrk45, 8, STAGE, dt);
    return sedge_integrator_stage_kept(&sedge_integrator_lsrk45, STAGE, dt);
}

static uint64_t reach(const sedge_buffer *from, int64_t number, int64_t each)
{
    return sedge_buffer_address(from) - (uint64_t)(number * each);
}

// A copy of a list whose slots are `slots` further, and trace slots `traces`.
static void copy_list(sedge_buffer **out, const sedge_operator *op, const sedge_buffer *from,
                      int64_t slots, int64_t traces)
{
    const int64_t bytes = sedge_buffer_bytes(from);
    int32_t(*pairs)[2] = NULL;

    CHECK_OK(sedge_allocate(&pairs, bytes / 8, sizeof *pairs));
    CHECK_OK(sedge_buffer_create(out, op->device, bytes));
    CHECK_OK(sedge_buffer_download(from, 0, pairs, bytes, NULL));
    for (int64_t i = 0; i < bytes / 8; i++)
        pairs[i][0] += (int32_t)(pairs[i][0] >= 0 ? slots : -traces);
    CHECK_OK(sedge_buffer_upload(*out, 0, pairs, bytes, NULL));
    sedge_release(pairs);
}

// Jacobians begin behind the geometry, by the number of slots: with curls that says where they
// are, and there is one material, of which no number is read.
static void make_place(place *p, const sedge_operator *op, const operator_fields *fields,
                       int64_t first, int64_t traces)
{
    const operator_layout *const layout = &op->layout;
    const int64_t lanes = layout->lanes;
    const int64_t state = sedge_buffer_bytes(fields->u[0]) / op->data.slots.batches;
    const int64_t geometry = lanes * SEDGE_GEOMETRY_WORDS * layout->real_bytes;
    const int64_t trace =
        (int64_t)op->element->face_nodes * op->problem->equation->fields * layout->real_bytes;

    *p = (place){.first = first, .traces = traces, .slots = op->data.slots.count + first * lanes};
    if (op->config.form == &operator_form_tensor) {
        CHECK(op->problem->volumes == 1 && first % SEDGE_GEOMETRY_WORDS == 0);
        p->slots -= first / SEDGE_GEOMETRY_WORDS * SEDGE_JACOBIAN_WORDS * lanes;
    }
    p->address[STATE] = reach(fields->u[0], first, state);
    p->address[NEXT] = reach(fields->u[1], first, state);
    p->address[RESIDUAL] = reach(fields->residual, first, state);
    p->address[TRACE] = reach(op->faces.trace, traces, trace);
    p->address[GEOMETRY] = reach(op->data.geometry, first, geometry);
    p->address[MATERIAL] = reach(op->data.material, first, lanes * 4);
    copy_list(&p->links, op, op->data.links, first * lanes, traces);
    copy_list(&p->boundary, op, op->data.boundary, first * lanes, 0);
    p->address[LINKS] =
        sedge_buffer_address(p->links) - (uint64_t)(first * lanes * SEDGE_FACES * 8);
    p->address[BOUNDARY] = sedge_buffer_address(p->boundary);
}

static void free_place(place *p)
{
    sedge_buffer_free(p->links);
    sedge_buffer_free(p->boundary);
}

// ---- launches, with the arguments of operator.c ------------------------------------------------

static void launch(const sedge_operator *op, operator_kernel kernel, int64_t blocks, int threads,
                   void *const *arguments, int count)
{
    CHECK_OK(
        sedge_kernel_launch(op->launcher.kernel[kernel], NULL, blocks, threads, arguments, count));
}

static void run_boundary(const sedge_operator *op, const operator_fields *fields, place *p)
{
    uint64_t trace = sedge_buffer_address(op->faces.trace);
    const int64_t each = operator_boundary_points(op);
    int64_t points = (int64_t)op->mesh->boundary_faces * op->element->face_nodes;
    uint64_t group = sedge_buffer_address(op->faces.group);
    uint64_t places = sedge_buffer_address(op->faces.places);
    uint64_t parameters = sedge_buffer_address(op->faces.parameters);
    uint64_t kinds = sedge_buffer_address(op->faces.kinds);
    uint64_t materials = sedge_buffer_address(op->materials);
    uint64_t tables = sedge_buffer_address(op->faces.maps);
    uint64_t face_basis = sedge_buffer_address(op->faces.basis);
    uint64_t clock = sedge_buffer_address(fields->clock);
    double delay = 0.1;
    double duration = 0.2;
    operator_frame_arguments frame;
    void *arguments[18] = {&p->address[STATE],
                           &trace,
                           &p->address[BOUNDARY],
                           &group,
                           &places,
                           &parameters,
                           &kinds,
                           &p->address[GEOMETRY],
                           &p->address[MATERIAL],
                           &materials,
                           &tables,
                           &face_basis,
                           &clock,
                           &delay,
                           &duration,
                           &points};

    const int count = 16 + operator_frames_list(&arguments[16], &frame, op, 0);
    launch(op, KERNEL_BOUNDARY, (points + each - 1) / each, SEDGE_TRACE_THREADS, arguments, count);
}

// Append the terms' arguments to `count` others: their lists begin `first` batches later.
static int add_terms(void **arguments, int count, operator_terms_arguments *terms,
                     const sedge_operator *op, const operator_fields *fields, const place *p)
{
    operator_terms_list(terms, &op->terms, fields->memory, p->finds);
    for (int i = 0; i < terms->count; i++) {
        if (i % SEDGE_TERM_ARGUMENTS == 0)
            terms->value[i] -= (uint64_t)p->first * sizeof *op->terms.term->places;
        arguments[count + i] = &terms->value[i];
    }
    return count + terms->count;
}

static void run_straight(const sedge_operator *op, const operator_fields *fields, place *p,
                         double dt)
{
    uint64_t materials = sedge_buffer_address(op->materials);
    uint64_t deriv = sedge_buffer_address(op->tables.deriv);
    uint64_t lift = sedge_buffer_address(op->tables.lift);
    uint64_t tables = sedge_buffer_address(op->faces.maps);
    int64_t count = op->data.slots.span[false][false].count;
    const sedge_stage stage = choose_stage(p, dt);
    operator_real a = operator_scalar(op, stage.a);
    operator_real b = operator_scalar(op, stage.b);
    operator_real found = operator_scalar(op, stage.found);
    operator_real step = operator_scalar(op, dt);
    int keep = 1;
    int back = stage.back;
    const bool has_terms = op->terms.count > 0; // then in all elements
    uint64_t clock = sedge_buffer_address(fields->clock);
    double delay = 0.1;
    operator_terms_arguments terms;
    void *arguments[22 + SEDGE_TERMS_ARGUMENTS] = {&p->address[STATE],
                                                   &p->address[NEXT],
                                                   &p->address[RESIDUAL],
                                                   &p->address[TRACE],
                                                   &p->address[LINKS],
                                                   &p->address[GEOMETRY],
                                                   &p->address[MATERIAL],
                                                   &materials,
                                                   &deriv,
                                                   &lift,
                                                   &tables,
                                                   &p->first,
                                                   &count,
                                                   &p->slots,
                                                   &a,
                                                   &b,
                                                   &found,
                                                   &step,
                                                   &keep,
                                                   &back,
                                                   &clock,
                                                   &delay};
    const int most = has_terms ? add_terms(arguments, 22, &terms, op, fields, p) : 20;

    launch(op, has_terms ? KERNEL_STAGE_TERMS : KERNEL_STAGE,
           (count + op->config.block - 1) / op->config.block, op->config.threads, arguments, most);
}

static void run_curved(const sedge_operator *op, const operator_fields *fields, place *p, double dt)
{
    uint64_t curves = sedge_buffer_address(op->data.curves);
    uint64_t materials = sedge_buffer_address(op->materials);
    uint64_t operators = sedge_buffer_address(op->curved.operators);
    uint64_t tables = sedge_buffer_address(op->faces.maps);
    uint64_t shapes = sedge_buffer_address(op->data.shapes);
    uint64_t group = sedge_buffer_address(op->faces.group);
    uint64_t parameters = sedge_buffer_address(op->faces.parameters);
    uint64_t kinds = sedge_buffer_address(op->faces.kinds);
    uint64_t clock = sedge_buffer_address(fields->clock);
    int64_t halo_faces = 0;
    int64_t boundary_end = op->mesh->boundary_faces;
    double delay = 0.1;
    double duration = 0.2;
    const sedge_span span = op->data.slots.span[false][true];
    int64_t first = p->first + span.first;
    int64_t first_curve = 0;
    int64_t count = span.count;
    const sedge_stage stage = choose_stage(p, dt);
    operator_real a = operator_scalar(op, stage.a);
    operator_real b = operator_scalar(op, stage.b);
    operator_real found = operator_scalar(op, stage.found);
    operator_real step = operator_scalar(op, dt);
    int keep = 1;
    int back = stage.back;
    operator_terms_arguments terms;
    void *arguments[29 + SEDGE_TERMS_ARGUMENTS] = {&p->address[STATE],
                                                   &p->address[NEXT],
                                                   &p->address[RESIDUAL],
                                                   &p->address[TRACE],
                                                   &p->address[LINKS],
                                                   &curves,
                                                   &p->address[MATERIAL],
                                                   &materials,
                                                   &operators,
                                                   &tables,
                                                   &shapes,
                                                   &group,
                                                   &parameters,
                                                   &kinds,
                                                   &halo_faces,
                                                   &boundary_end,
                                                   &clock,
                                                   &delay,
                                                   &duration,
                                                   &first,
                                                   &first_curve,
                                                   &count,
                                                   &p->slots,
                                                   &a,
                                                   &b,
                                                   &found,
                                                   &step,
                                                   &keep,
                                                   &back};

    launch(op, KERNEL_CURVED, (count + op->curved.config.block - 1) / op->curved.config.block,
           op->curved.config.threads, arguments, add_terms(arguments, 29, &terms, op, fields, p));
}

static void run_all(const sedge_operator *op, const operator_fields *fields, place *p, double dt)
{
    run_boundary(op, fields, p);
    run_straight(op, fields, p, dt);
    if (op->problem->curved) run_curved(op, fields, p, dt);
}

// ---- near and far ------------------------------------------------------------------------------

enum { RESULTS = 3 };

// What the kernels write, from what the operator had before: state, residual, traces.
static void run_from(const sedge_operator *op, const operator_fields *fields,
                     void *const start[RESULTS], void *result[RESULTS], place *p, double dt)
{
    sedge_buffer *const before[RESULTS] = {fields->u[1], fields->residual, op->faces.trace};

    for (int i = 0; i < RESULTS; i++) {
        const int64_t bytes = sedge_buffer_bytes(before[i]);
        CHECK_OK(sedge_buffer_upload(before[i], 0, start[i], bytes, NULL));
    }
    run_all(op, fields, p, dt);
    for (int i = 0; i < RESULTS; i++) {
        const int64_t bytes = sedge_buffer_bytes(before[i]);
        CHECK_OK(sedge_allocate((char **)&result[i], bytes, 1));
        CHECK_OK(sedge_buffer_download(before[i], 0, result[i], bytes, NULL));
    }
}

static void compare(const sedge_operator *op, const operator_fields *fields, place *near,
                    place *far, double dt)
{
    const sedge_buffer *const from[RESULTS] = {fields->u[1], fields->residual, op->faces.trace};
    void *start[RESULTS] = {NULL}, *close[RESULTS] = {NULL}, *distant[RESULTS] = {NULL};
    void *again[RESULTS] = {NULL};
    const int before = check_failures;

    for (int i = 0; i < RESULTS; i++) {
        const int64_t bytes = sedge_buffer_bytes(from[i]);
        CHECK_OK(sedge_allocate((char **)&start[i], bytes, 1));
        CHECK_OK(sedge_buffer_download(from[i], 0, start[i], bytes, NULL));
    }
    run_from(op, fields, start, close, near, dt);
    run_from(op, fields, start, distant, far, dt);
    run_from(op, fields, start, again, near, dt);
    for (int i = 0; i < RESULTS; i++) {
        const size_t bytes = (size_t)sedge_buffer_bytes(from[i]);
        CHECK(memcmp(close[i], again[i], bytes) == 0); // the same place twice
        CHECK(memcmp(close[i], distant[i], bytes) == 0);
        // All of them have been written; traces by the first stage, and by the second as they were.
        if (near->finds || from[i] != op->faces.trace)
            CHECK(memcmp(start[i], distant[i], bytes) != 0);
        sedge_release(start[i]);
        sedge_release(close[i]);
        sedge_release(distant[i]);
        sedge_release(again[i]);
    }
    if (check_failures > before) (void)fprintf(stderr, "in the form '%s'\n", op->variant);
}

// A curved mesh of two materials, or a straight one of one.
static void test_far(const kit_world *world, const char *variant, int order,
                     sedge_precision precision, bool curved)
{
    static const double media[2][3] = {{1.3, 4.0, 0.0}, {2.25, 1.5, 0.7}};
    const sedge_operator_options config = {.variant = variant};
    kit_options options = kit_defaults(order, curved ? 3 : 2);
    place near, far;
    kit k;

    if (curved) {
        options.box_map = curved_corner;
        options.split_axis = 0;
        options.materials[0] = media[0];
        options.materials[1] = media[1];
    }
    options.wall = "absorbing";
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    CHECK_OK(kit_load(&k, precision, &config));
    const double dt = kit_time_step(&k, 0.5);
    CHECK_OK(kit_advance(&k, k.base.u, 0.0, dt, 1)); // the state before and traces are something
    if (k.op == NULL || check_failures > 0) {
        kit_clear(&k);
        return;
    }
    const operator_layout *const layout = &k.op->layout;
    const operator_fields *const fields = sedge_evolution_fields(k.evolution);
    const int64_t whole = SEDGE_GEOMETRY_WORDS;
    // As far as slots may be, which have 32 bits: numbers of states do not fit these, nor those of
    // Jacobians' words on a GPU; nor do those of trace points, where no material is looked up by
    // them.
    const int64_t first = (INT32_MAX / layout->lanes - k.op->data.slots.batches) / whole * whole;
    const int64_t traces = curved ? 0 : INT32_MAX / k.op->element->face_nodes + 1;
    CHECK(first > INT32_MAX / layout->nodes_padded);
    make_place(&near, k.op, fields, 0, 0);
    make_place(&far, k.op, fields, first, traces);
    // The residual that the first one writes is what the second one reads.
    for (int i = 0; i < 2 && check_failures == 0; i++) {
        near.finds = far.finds = i == 0;
        compare(k.op, fields, &near, &far, dt);
    }
    free_place(&near);
    free_place(&far);
    kit_clear(&k);
}

// The forms that only GPUs have, and random order.
static void test_blocks(const kit_world *world)
{
    test_far(world, "bernstein", 3, SEDGE_FP32, false);
    test_far(world, "tensor-curl", 3, SEDGE_FP64, false);
}

static void test_all(const kit_world *world)
{
    test_far(world, "fused", 3, SEDGE_FP32, true);
    test_far(world, "fused", 3, SEDGE_FP64, true);
    test_far(world, "bernstein", 3, SEDGE_FP32, false);
}

// With "blocks", or on a GPU, also the forms that only GPUs have.
int main(int argc, char **argv)
{
    const char *const device = getenv("SEDGE_TEST_DEVICE");
    const bool is_cuda = device != NULL && strcmp(device, "cuda") == 0;
    const bool is_random = argc > 1 && strcmp(argv[1], "blocks") == 0;
    kit_world world;

    if (is_random) CHECK(setenv("SEDGE_ORDER", "random:1", 0) == 0);
    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    if (!is_random) test_all(&world);
    if (is_random || is_cuda) test_blocks(&world);
    kit_close(&world);
    return CHECK_END();
}
