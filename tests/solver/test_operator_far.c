// Elements so far into their arrays that offsets pass 2^31 give the same bits as at the beginning:
// states from number 2^31 on, in arrays of some hundred GB of address space, of which only few
// pages are touched. On the host; the kernels are the same text everywhere.
#define _DEFAULT_SOURCE // MAP_NORESERVE
#include "base/memory.h"
#include "check.h"
#include "curved_maps.h"
#include "dg/operator_internal.h"
#include "kit.h"

#include <string.h>
#include <sys/mman.h>

#define STAGE 1 // of the Runge-Kutta method: it reads the residual

enum { STATE, NEXT, RESIDUAL, TRACE, LINKS, GEOMETRY, MATERIAL, BOUNDARY, ARRAYS };

// Copies of an operator's arrays whose first value is number `first`.
typedef struct place {
    int64_t first;
    int64_t offset[ARRAYS]; // of the copy, bytes
    int64_t bytes[ARRAYS];  // copied
    char *memory[ARRAYS];
} place;

static void copy_array(place *p, int which, const sedge_buffer *from, int64_t each)
{
    p->offset[which] = p->first * each;
    p->bytes[which] = sedge_buffer_bytes(from);
    const size_t bytes = (size_t)(p->offset[which] + p->bytes[which]);
    void *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    CHECK(memory != MAP_FAILED);
    if (memory == MAP_FAILED) return;
    p->memory[which] = memory;
    memcpy(p->memory[which] + p->offset[which], (const void *)(uintptr_t)sedge_buffer_address(from),
           (size_t)p->bytes[which]);
}

// Slots in the lists are `slots` further.
static void shift(char *list, int64_t count, int64_t slots)
{
    int32_t(*const pairs)[2] = (int32_t(*)[2])(void *)list;

    for (int64_t i = 0; i < count; i++)
        if (pairs[i][0] >= 0) pairs[i][0] += (int32_t)slots;
}

static void make_place(place *p, const sedge_operator *op, int64_t first)
{
    const operator_layout *const layout = &op->layout;
    const int64_t lanes = layout->lanes;

    *p = (place){.first = first};
    copy_array(p, STATE, op->data.u[0], sedge_buffer_bytes(op->data.u[0]) / layout->values);
    copy_array(p, NEXT, op->data.u[1], sedge_buffer_bytes(op->data.u[1]) / layout->values);
    copy_array(p, RESIDUAL, op->data.residual, sedge_buffer_bytes(op->data.u[0]) / layout->values);
    copy_array(p, TRACE, op->trace, 0);
    copy_array(p, LINKS, op->data.links, lanes * SEDGE_FACES * 8);
    copy_array(p, GEOMETRY, op->data.geometry, lanes * SEDGE_GEOMETRY_WORDS * layout->real_bytes);
    copy_array(p, MATERIAL, op->data.material, lanes * 4);
    copy_array(p, BOUNDARY, op->data.boundary, 0);
    if (check_failures > 0) return;
    shift(p->memory[LINKS] + p->offset[LINKS], layout->slots * SEDGE_FACES, first * lanes);
    shift(p->memory[BOUNDARY], op->mesh->boundary_faces, first * lanes);
}

static void free_place(place *p)
{
    for (int i = 0; i < ARRAYS; i++) {
        if (p->memory[i] != NULL)
            CHECK(munmap(p->memory[i], (size_t)(p->offset[i] + p->bytes[i])) == 0);
    }
}

// ---- launches, with the arguments of operator.c ------------------------------------------------

static void launch(const sedge_operator *op, operator_kernel kernel, int64_t blocks, int threads,
                   void *const *arguments, int count)
{
    CHECK_OK(sedge_kernel_launch(op->kernel[kernel], NULL, blocks, threads, arguments, count));
}

static void run_boundary(const sedge_operator *op, place *p)
{
    int64_t points = (int64_t)op->mesh->boundary_faces * op->element->face_nodes;
    uint64_t group = sedge_buffer_address(op->boundary_group);
    uint64_t places = sedge_buffer_address(op->places);
    uint64_t parameters = sedge_buffer_address(op->parameters);
    uint64_t kinds = sedge_buffer_address(op->kinds);
    uint64_t materials = sedge_buffer_address(op->materials);
    uint64_t tables = sedge_buffer_address(op->maps);
    uint64_t face_basis = sedge_buffer_address(op->face_basis);
    uint64_t clock = sedge_buffer_address(op->clock);
    double delay = 0.1;
    void *const arguments[] = {&p->memory[STATE],
                               &p->memory[TRACE],
                               &p->memory[BOUNDARY],
                               &group,
                               &places,
                               &parameters,
                               &kinds,
                               &p->memory[GEOMETRY],
                               &p->memory[MATERIAL],
                               &materials,
                               &tables,
                               &face_basis,
                               &clock,
                               &delay,
                               &points};

    launch(op, KERNEL_BOUNDARY, (points + SEDGE_TRACE_THREADS - 1) / SEDGE_TRACE_THREADS,
           SEDGE_TRACE_THREADS, arguments, 15);
}

static void run_straight(const sedge_operator *op, operator_kernel kernel, place *p, double dt)
{
    uint64_t materials = sedge_buffer_address(op->materials);
    uint64_t deriv = sedge_buffer_address(op->tables.deriv);
    uint64_t lift = sedge_buffer_address(op->tables.lift);
    uint64_t tables = sedge_buffer_address(op->maps);
    int64_t count = op->layout.interior_values;
    int64_t slots = op->layout.slots + p->first * op->layout.lanes;
    operator_real a = operator_scalar(op, sedge_lsrk45.a[STAGE]);
    operator_real b = operator_scalar(op, sedge_lsrk45.b[STAGE]);
    operator_real step = operator_scalar(op, dt);
    void *const arguments[] = {&p->memory[STATE],
                               &p->memory[NEXT],
                               &p->memory[RESIDUAL],
                               &p->memory[TRACE],
                               &p->memory[LINKS],
                               &p->memory[GEOMETRY],
                               &p->memory[MATERIAL],
                               &materials,
                               &deriv,
                               &lift,
                               &tables,
                               &p->first,
                               &count,
                               &slots,
                               &a,
                               &b,
                               &step};

    launch(op, kernel, (count + op->cut.block - 1) / op->cut.block, op->cut.threads, arguments, 17);
}

static void run_curved(const sedge_operator *op, place *p, double dt)
{
    uint64_t curves = sedge_buffer_address(op->data.curves);
    uint64_t materials = sedge_buffer_address(op->materials);
    uint64_t operators = sedge_buffer_address(op->curved.operators);
    uint64_t tables = sedge_buffer_address(op->maps);
    uint64_t shapes = sedge_buffer_address(op->data.shapes);
    uint64_t group = sedge_buffer_address(op->boundary_group);
    uint64_t parameters = sedge_buffer_address(op->parameters);
    uint64_t kinds = sedge_buffer_address(op->kinds);
    uint64_t clock = sedge_buffer_address(op->clock);
    int64_t halo_faces = 0;
    double delay = 0.1;
    int64_t first = p->first + op->layout.interior_values;
    int64_t first_curve = 0;
    int64_t count = op->layout.interior_curved_values;
    int64_t slots = op->layout.slots + p->first * op->layout.lanes;
    operator_real a = operator_scalar(op, sedge_lsrk45.a[STAGE]);
    operator_real b = operator_scalar(op, sedge_lsrk45.b[STAGE]);
    operator_real step = operator_scalar(op, dt);
    void *const arguments[] = {&p->memory[STATE],
                               &p->memory[NEXT],
                               &p->memory[RESIDUAL],
                               &p->memory[TRACE],
                               &p->memory[LINKS],
                               &curves,
                               &p->memory[MATERIAL],
                               &materials,
                               &operators,
                               &tables,
                               &shapes,
                               &group,
                               &parameters,
                               &kinds,
                               &halo_faces,
                               &clock,
                               &delay,
                               &first,
                               &first_curve,
                               &count,
                               &slots,
                               &a,
                               &b,
                               &step};

    launch(op, KERNEL_CURVED, (count + op->curved.cut.block - 1) / op->curved.cut.block,
           op->curved.cut.threads, arguments, 24);
}

static void run_all(const sedge_operator *op, place *p, double dt)
{
    run_boundary(op, p);
    if (!op->cut.fused) run_straight(op, KERNEL_VOLUME, p, dt);
    run_straight(op, op->cut.fused ? KERNEL_STAGE : KERNEL_SURFACE, p, dt);
    run_curved(op, p, dt);
}

static void check_same(const place *near, const place *far, int which)
{
    CHECK(memcmp(near->memory[which] + near->offset[which], far->memory[which] + far->offset[which],
                 (size_t)near->bytes[which]) == 0);
}

static void test_far(const kit_world *world, const char *variant, sedge_precision precision)
{
    static const double media[2][3] = {{1.3, 4.0, 0.0}, {2.25, 1.5, 0.7}};
    const sedge_operator_options cut = {.variant = variant};
    kit_options options = kit_defaults(3, 3);
    place near, far;
    kit k;

    options.box_map = curved_corner;
    options.split_axis = 0;
    options.materials[0] = media[0];
    options.materials[1] = media[1];
    options.wall = "absorbing";
    CHECK_OK(kit_create(&k, world, &options));
    dg_case_random(&k.base, k.base.u);
    CHECK_OK(kit_load(&k, precision, &cut));
    const double dt = kit_time_step(&k, 0.5);
    CHECK_OK(kit_advance(&k, k.base.u, 0.0, dt, 1)); // residual and traces are something
    const int64_t first = INT32_MAX / k.op->layout.nodes_padded + 1; // its states' numbers overflow
    make_place(&near, k.op, 0);
    make_place(&far, k.op, first);
    CHECK((first + k.op->layout.values) * k.op->layout.lanes < INT32_MAX); // slots must not
    if (check_failures == 0) {
        run_all(k.op, &near, dt);
        run_all(k.op, &far, dt);
        check_same(&near, &far, NEXT);
        check_same(&near, &far, RESIDUAL);
        check_same(&near, &far, TRACE);
        CHECK(memcmp(near.memory[NEXT], near.memory[STATE], (size_t)near.bytes[NEXT]) != 0);
    }
    free_place(&near);
    free_place(&far);
    kit_clear(&k);
}

int main(int argc, char **argv)
{
    kit_world world;

    CHECK_OK(kit_open(&world, &argc, &argv));
    if (world.comm == NULL) return CHECK_END();
    test_far(&world, "fused", SEDGE_FP32);
    test_far(&world, "split", SEDGE_FP64);
    kit_close(&world);
    return CHECK_END();
}
