// A pulse meets a dielectric at normal incidence: Fresnel's coefficients for E are
// R = (Z2 - Z1) / (Z2 + Z1) and T = 2 Z2 / (Z2 + Z1).
//
// A bar with walls that continue a plane wave for ever; one probe in each block. The reflected and
// the transmitted amplitude are the recorded fields projected on the known time signal, which
// averages over the scatter of point values. The mesh has about two elements a pulse width in the
// denser block, so order 2 is coarse and each further order gains a factor of at least 2.5.
#include "kit.h"

#include "check.h"

#include "base/memory.h"
#include "evolve/probes.h"

enum { PROBES = 2, FIELDS = 6 };

static const double places[PROBES][3] = {{0.25, 0.25, -0.5}, {0.25, 0.25, 0.5}};
static const double wave[15] = {
    0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, -1.0, SEDGE_SIGNAL_GAUSSIAN, 1.0, 0.0, 0.22, 0.0, 0.0};

// Point i is seen by one rank; the others have element -1.
typedef struct record {
    int samples;
    double dt;
    double *values[PROBES]; // Ex over time
} record;

static void clear(record *r)
{
    for (int i = 0; i < PROBES; i++) sedge_release(r->values[i]);
}

// Of the ranks that hold the point, the lowest records it.
static bool owns(const kit *k, int probe, double rst[3], int32_t *element)
{
    const int rank = sedge_comm_rank(k->world->comm);
    double owner;

    *element = sedge_mesh_locate(k->base.mesh, places[probe], rst);
    owner = *element >= 0 ? rank : sedge_comm_size(k->world->comm);
    sedge_comm_min(k->world->comm, &owner, 1);
    return (int)owner == rank;
}

static void record_run(kit *k, record *r, double end)
{
    const int n = k->base.element->nodes;
    const int steps = (int)ceil(end / kit_time_step(k, 0.8));
    int mine[PROBES], count = 0, samples = 0;
    sedge_probes *probes = NULL;
    int32_t elements[PROBES];
    double *weights = NULL, *values = NULL;

    r->dt = end / steps;
    r->samples = steps + 1;
    CHECK_OK(sedge_allocate(&weights, (int64_t)PROBES * n, sizeof *weights));
    CHECK_OK(sedge_allocate(&values, (int64_t)r->samples * PROBES * FIELDS, sizeof *values));
    for (int i = 0; i < PROBES; i++) {
        double rst[3];
        CHECK_OK(sedge_allocate(&r->values[i], r->samples, sizeof(double)));
        if (!owns(k, i, rst, &elements[count])) continue;
        CHECK_OK(sedge_element_interpolate(k->base.element, rst[0], rst[1], rst[2],
                                           weights + (size_t)(count * n)));
        mine[count++] = i;
    }
    const sedge_probe_points points = {
        .count = count, .elements = elements, .row_count = count, .weights = weights};
    CHECK_OK(sedge_probes_create(&probes, k->evolution, &points, r->samples));
    dg_case_start(&k->base, 0.0);
    CHECK_OK(sedge_evolution_set(k->evolution, k->base.u));
    CHECK_OK(sedge_probes_record(probes));
    for (int s = 0; s < steps; s++) {
        CHECK_OK(sedge_evolution_step(k->evolution, s * r->dt, r->dt));
        CHECK_OK(sedge_probes_record(probes));
    }
    CHECK_OK(sedge_probes_fetch(probes, values, &samples));
    CHECK(samples == r->samples);
    for (int i = 0; i < count; i++)
        for (int s = 0; s < samples; s++) r->values[mine[i]][s] = values[(s * count + i) * FIELDS];
    for (int i = 0; i < PROBES; i++) sedge_comm_sum(k->world->comm, r->values[i], r->samples);
    sedge_probes_free(probes);
    sedge_release(weights);
    sedge_release(values);
}

static double pulse(double t)
{
    return exp(-t * t / (0.22 * 0.22));
}

// Errors of R and T, and the largest one of any sample at the probes.
typedef struct fresnel {
    double reflection, transmission, sample;
} fresnel;

static fresnel measure(const kit_world *world, int order, const double *material)
{
    const double index = sqrt(material[0] * material[1]);
    const double z = sqrt(material[1] / material[0]);
    const double R = (z - 1.0) / (z + 1.0), T = 2.0 * z / (z + 1.0);
    static const kit_wall guides[] = {{"xmin", "pec", 0.0},
                                      {"xmax", "pec", 0.0},
                                      {"ymin", "pmc", 0.0},
                                      {"ymax", "pmc", 0.0},
                                      {NULL, NULL, 0.0}};
    kit_options options = kit_defaults(order, 1);
    double sums[4] = {0.0};
    fresnel errors = {0.0, 0.0, 0.0};
    record r = {0};
    kit k;

    options.file = "two-block.msh";
    options.materials[1] = material;
    options.walls = guides;
    options.wall = "absorbing";
    options.initial = "plane-wave";
    options.initial_parameters = wave;
    CHECK_OK(kit_create(&k, world, &options));
    CHECK_OK(kit_load(&k, SEDGE_FP64, NULL));
    record_run(&k, &r, 2.6);
    for (int s = 0; s < r.samples; s++) {
        const double t = s * r.dt;
        const double back = pulse(t - 1.5);
        const double on = pulse(t - 1.0 - 0.5 * index);
        const double left = r.values[0][s] - pulse(t - 0.5); // without the incident pulse
        const double right = r.values[1][s];
        sums[0] += left * back;
        sums[1] += back * back;
        sums[2] += right * on;
        sums[3] += on * on;
        errors.sample = fmax(errors.sample, fabs(left - R * back));
        errors.sample = fmax(errors.sample, fabs(right - T * on));
    }
    errors.reflection = fabs(sums[0] / sums[1] - R);
    errors.transmission = fabs(sums[2] / sums[3] - T);
    clear(&r);
    kit_clear(&k);
    return errors;
}

// eps 1|4: R = -1/3, T = 2/3.
static void test_dielectric(const kit_world *world)
{
    static const double glass[3] = {4.0, 1.0, 0.0};
    fresnel last = {1.0, 1.0, 1.0};

    for (int order = 2; order <= 4; order++) {
        const fresnel errors = measure(world, order, glass);
        if (order > 2) {
            CHECK_BOUND(2.5 * errors.reflection, last.reflection);
            CHECK_BOUND(2.5 * errors.transmission, last.transmission);
            CHECK_BOUND(2.5 * errors.sample, last.sample);
        }
        last = errors;
    }
    CHECK_BOUND(last.reflection, 1e-4);
    CHECK_BOUND(last.transmission, 1e-3);
    CHECK_BOUND(last.sample, 1e-2);
}

// mu 1|4: R = +1/3, T = 4/3. eps = mu = 2: nothing comes back, though the wave is half as fast.
static void test_magnetic(const kit_world *world)
{
    static const double ferrite[3] = {1.0, 4.0, 0.0};
    static const double matched[3] = {2.0, 2.0, 0.0};
    const fresnel magnetic = measure(world, 3, ferrite);
    const fresnel none = measure(world, 3, matched);

    CHECK_BOUND(magnetic.reflection, 1e-3);
    CHECK_BOUND(magnetic.transmission, 1e-2);
    CHECK_BOUND(none.reflection, 1e-4);
    CHECK_BOUND(none.transmission, 1e-2);
}

int main(void)
{
    kit_world world;

    CHECK_OK(kit_open(&world));
    if (world.comm == NULL) return CHECK_END();
    test_dielectric(&world);
    test_magnetic(&world);
    kit_close(&world);
    return CHECK_END();
}
