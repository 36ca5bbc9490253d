#include "sample.h"

#include "base/memory.h"

#include <math.h>

struct sedge_sample {
    const sedge_comm *comm;
    const sedge_mesh *mesh;
    const sedge_sample_source *source;
    double time;
    int64_t step;
    double *u;        // [elements][fields][nodes], the caller's
    double *energies; // [elements] room
    double energy;
    bool has_fields, has_energy; // of this step
};

sedge_status sedge_sample_create(sedge_sample **out, const sedge_comm *comm, const sedge_mesh *mesh,
                                 const sedge_sample_source *source, double *u)
{
    sedge_sample *sample = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&sample, 1, sizeof *sample));
    sample->comm = comm;
    sample->mesh = mesh;
    sample->source = source;
    sample->u = u;
    const sedge_status status =
        sedge_allocate(&sample->energies, mesh->elements, sizeof *sample->energies);
    if (status == SEDGE_OK) {
        *out = sample;
    } else {
        sedge_sample_free(sample);
    }
    return status;
}

void sedge_sample_free(sedge_sample *sample)
{
    if (sample == NULL) return;
    sedge_release(sample->energies);
    sedge_release(sample);
}

void sedge_sample_begin(sedge_sample *sample, double time, int64_t step)
{
    sample->time = time;
    sample->step = step;
    sample->has_fields = sample->has_energy = false;
}

const sedge_sample_source *sedge_sample_get_source(const sedge_sample *sample)
{
    return sample->source;
}

int64_t sedge_sample_step(const sedge_sample *sample)
{
    return sample->step;
}

double sedge_sample_time(const sedge_sample *sample)
{
    return sample->time;
}

sedge_status sedge_sample_fields(sedge_sample *sample, const double **u)
{
    if (!sample->has_fields) {
        SEDGE_TRY(sedge_comm_agree(sample->comm,
                                   sample->source->fields(sample->source->solver, sample->u)));
    }
    sample->has_fields = true;
    *u = sample->u;
    return SEDGE_OK;
}

// From the elements' energies on the host.
static sedge_status sum_energies(sedge_sample *sample, double *energy)
{
    const sedge_mesh *const mesh = sample->mesh;

    SEDGE_TRY(sedge_comm_agree(sample->comm,
                               sample->source->energies(sample->source->solver, sample->energies)));
    for (int32_t e = 0; e < mesh->elements; e++)
        if (sedge_mesh_in_layer(mesh, e)) sample->energies[e] = 0.0;
    *energy = sedge_sample_sum(sample->comm, mesh->elements, sample->energies);
    return SEDGE_OK;
}

sedge_status sedge_sample_energy(sedge_sample *sample, double *energy)
{
    if (!sample->has_energy && sample->source->begin_energy != NULL) {
        SEDGE_TRY(sedge_comm_agree(sample->comm, sedge_sample_begin_energy(sample)));
        SEDGE_TRY(sedge_sample_end_energy(sample, &sample->energy));
    } else if (!sample->has_energy) {
        SEDGE_TRY(sum_energies(sample, &sample->energy));
    }
    sample->has_energy = true;
    *energy = sample->energy;
    return SEDGE_OK;
}

sedge_status sedge_sample_begin_energy(sedge_sample *sample)
{
    return sample->source->begin_energy(sample->source->solver);
}

sedge_status sedge_sample_end_energy(sedge_sample *sample, double *energy)
{
    sedge_energy_sum sum = {0};

    SEDGE_TRY(
        sedge_comm_agree(sample->comm, sample->source->end_energy(sample->source->solver, &sum)));
    *energy = sedge_comm_sum_exact(sample->comm, sum.wrong > 0 ? (double)NAN : sum.high, sum.low);
    return SEDGE_OK;
}

double sedge_sample_sum(const sedge_comm *comm, int32_t elements, const double *energies)
{
    double sum = 0.0;
    double rest = 0.0;

    for (int32_t e = 0; e < elements; e++) { // two-sum: no digit is lost
        const double next = sum + energies[e];
        const double part = next - sum;
        rest += (sum - (next - part)) + (energies[e] - part);
        sum = next;
    }
    return sedge_comm_sum_exact(comm, sum, rest);
}
