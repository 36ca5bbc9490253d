#include "session/source.h"

#include "evolve/probes.h"
#include "evolve/snapshot.h"
#include "evolve/transform.h"

static sedge_status get_fields(void *solver, double *u)
{
    return sedge_evolution_get(solver, u);
}

static sedge_status get_energies(void *solver, double *energies)
{
    return sedge_evolution_energy(solver, energies);
}

static sedge_status begin_energy(void *solver)
{
    return sedge_evolution_begin_energy(solver);
}

static sedge_status end_energy(void *solver, sedge_energy_sum *sum)
{
    return sedge_evolution_end_energy(solver, sum);
}

static void keep_energies(void *solver)
{
    sedge_evolution_keep_energies(solver);
}

static sedge_status get_measured(void *solver, bool kept, double *energies)
{
    return sedge_evolution_get_energies(solver, kept, energies);
}

static sedge_status create_points(void **points, void *solver, int count, const int32_t *elements,
                                  const int32_t *rows, int row_count, const double *weights,
                                  int capacity)
{
    const sedge_probe_points all = {count, elements, rows, row_count, weights};
    sedge_probes *probes = NULL;
    const sedge_status status = sedge_probes_create(&probes, solver, &all, capacity);

    *points = probes;
    return status;
}

static void free_points(void *points)
{
    sedge_probes_free(points);
}

static sedge_status record_points(void *points)
{
    return sedge_probes_record(points);
}

static sedge_status fetch_points(void *points, double *values, int *samples)
{
    return sedge_probes_fetch(points, values, samples);
}

static void forget_points(void *points)
{
    sedge_probes_forget(points);
}

static sedge_status create_transform(void **transform, void *points, int first, int count,
                                     int components, const int *component, int numbers)
{
    const sedge_transform_part part = {first, count, components, component, numbers};
    sedge_transform *made = NULL;
    const sedge_status status = sedge_transform_create(&made, points, &part);

    *transform = made;
    return status;
}

static void free_transform(void *transform)
{
    sedge_transform_free(transform);
}

static sedge_status add_samples(void *transform, const double *phases)
{
    return sedge_transform_add(transform, phases);
}

static sedge_status set_sums(void *transform, const double *sums)
{
    return sedge_transform_set(transform, sums);
}

static sedge_status get_sums(void *transform, double *sums)
{
    return sedge_transform_get(transform, sums);
}

static sedge_status create_snapshot(void **snapshot, void *solver, const sedge_field_layout *layout,
                                    int rooms)
{
    sedge_snapshot *made = NULL;
    const sedge_status status = sedge_snapshot_create(&made, solver, layout, rooms);

    *snapshot = made;
    return status;
}

static void free_snapshot(void *snapshot)
{
    sedge_snapshot_free(snapshot);
}

static sedge_status take_snapshot(void *snapshot, int room)
{
    return sedge_snapshot_take(snapshot, room);
}

static sedge_status wait_snapshot(void *snapshot, int room)
{
    return sedge_snapshot_wait(snapshot, room);
}

static const float *get_snapshot(void *snapshot, int room)
{
    return sedge_snapshot_values(snapshot, room);
}

sedge_sample_source sedge_session_source(sedge_evolution *evolution)
{
    return (sedge_sample_source){.solver = evolution,
                                 .fields = get_fields,
                                 .energies = get_energies,
                                 .begin_energy = begin_energy,
                                 .end_energy = end_energy,
                                 .keep_energies = keep_energies,
                                 .get_energies = get_measured,
                                 .create_points = create_points,
                                 .free_points = free_points,
                                 .record_points = record_points,
                                 .fetch_points = fetch_points,
                                 .forget_points = forget_points,
                                 .create_transform = create_transform,
                                 .free_transform = free_transform,
                                 .add_samples = add_samples,
                                 .set_sums = set_sums,
                                 .get_sums = get_sums,
                                 .create_snapshot = create_snapshot,
                                 .free_snapshot = free_snapshot,
                                 .take_snapshot = take_snapshot,
                                 .wait_snapshot = wait_snapshot,
                                 .get_snapshot = get_snapshot};
}
