#include "operator/sample.h"

#include "base/memory.h"
#include "dg/reference.h"
#include "forms/covariant_products.h"
#include "layout/slots.h"
#include "layout/upload.h"
#include "operator/basis.h"
#include "operator/covariant.h"
#include "operator/curved.h"
#include "operator/fields.h"
#include "operator/parts.h"
#include "operator/predictor.h"
#include "operator/seams.h"
#include "operator/stage.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORK            1.0e8 // operations that the reference may do, about
#define LEAST           24    // elements compared
#define MOST            256   // the same
#define FACE_NODES_MOST ((SEDGE_ORDER_MAX + 1) * (SEDGE_ORDER_MAX + 2) / 2)
#define PATTERN         262144 // numbers that fill the fields, again and again

// As in tests/solver/match.h: units of rounding relative to the largest value. 1 to 6 are measured
// there, and here too.
#define ALLOWED 50.0
// The reference's right-hand side comes as nodal values and is off by a few units of fp64; as
// coefficients by so many times the norm of T^-1.
#define ALLOWED_CONVERTED 4.0
#define MOST_ALLOWED      0.01 // of the largest value

// Fields are in the device's basis, and u is there as nodal values, too: what the reference reads.
struct operator_sample {
    operator_sample_kind kind;
    sedge_basis basis;
    double allowed; // units of rounding
    int count;
    int32_t *element; // [count]
    int64_t numbers;  // of u
    double *u;        // [elements][fields][nodes]; zero where an element is not known
    double *nodal;    // the same; where the basis is nodal, u itself
    bool *known;      // [elements]: those compared, and their neighbours
    double *before;   // [count][fields][nodes]: the residual before the stage, or the state
    // After the stage, [count][fields][nodes] each: u and the residual where this is read; u where
    // it is found.
    double *next, *after;
    double *found;
    double *mean, *half; // of a prediction, over its step and over the first half of it; NULL
                         // where there is none
    double *work;        // of one element
    double dt;
    double predicted; // the step of a prediction
};

// A number in (-1, 1), the same for the same key, of so few bits that it is exact in fp32.
static double noise(int64_t key)
{
    uint64_t z = ((uint64_t)key + 1) * 0x9e3779b97f4a7c15U;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    z ^= z >> 31;
    return ((double)(z >> 41) + 0.5) / 4194304.0 - 1.0;
}

static double rounded(const sedge_operator *op, double value)
{
    return op->layout.real_bytes == 8 ? value : (double)(float)value;
}

static double rounding(const sedge_operator *op)
{
    return op->layout.real_bytes == 8 ? 0.5 * DBL_EPSILON : 0.5 * (double)FLT_EPSILON;
}

static int64_t block_size(const sedge_operator *op)
{
    return (int64_t)op->problem->equation->fields * op->element->nodes;
}

// ---- which elements ----------------------------------------------------------------------------

enum { PLAIN, BOUNDARY, HALO, INTERFACE, SORTS };

static int sort_of(const sedge_mesh *mesh, int32_t e)
{
    int sort = PLAIN;

    for (int f = 0; f < SEDGE_FACES; f++) {
        const int32_t neighbour = mesh->faces[e][f].neighbour;
        if (neighbour < 0 && -1 - neighbour < mesh->halo_faces) return HALO;
        if (neighbour >= 0 && mesh->group[neighbour] != mesh->group[e]) sort = INTERFACE;
        if (neighbour < 0 && sort == PLAIN) sort = BOUNDARY;
    }
    return sort;
}

// Whether the kernels of the sample work on a range's elements.
static bool is_sampled(const operator_sample *sample, const sedge_operator *op,
                       const sedge_range *range)
{
    if (sample->kind == OPERATOR_SAMPLE_PREDICTION) return operator_series_predicts(op, range);
    return range->curved == (sample->kind == OPERATOR_SAMPLE_CURVED);
}

// Of each sort as many, spread over the rank's elements on which the kernels work, and the first
// and last of each range.
static sedge_status choose_elements(operator_sample *sample, const sedge_operator *op)
{
    const sedge_mesh *const mesh = op->mesh;
    const double nodes = op->element->nodes;
    const double affordable = WORK / (12.0 * nodes * nodes * op->problem->equation->fields);
    const int each = (int)fmin(fmax(affordable, LEAST), MOST) / SORTS;
    int32_t members[SORTS] = {0};
    int32_t seen[SORTS] = {0};

    SEDGE_TRY(sedge_allocate(&sample->element, MOST + 2 * SORTS + 2LL * mesh->range_count,
                             sizeof *sample->element));
    for (int32_t e = 0; e < mesh->elements; e++)
        if (is_sampled(sample, op, sedge_mesh_range(mesh, e))) members[sort_of(mesh, e)]++;
    for (int32_t e = 0; e < mesh->elements; e++) {
        const sedge_range *const range = sedge_mesh_range(mesh, e);
        const int sort = sort_of(mesh, e);
        const int32_t step = (members[sort] + each - 1) / each | 1; // odd: all places of a block
        const bool at_end = e == range->first || e == range->first + range->count - 1;
        if (!is_sampled(sample, op, range)) continue;
        if (seen[sort]++ % step == 0 || at_end) sample->element[sample->count++] = e;
    }
    return SEDGE_OK;
}

// ---- their fields ------------------------------------------------------------------------------

// Random fields; of an equation that is not linear its initial ones, which it stands, with a little
// of that.
static void know_element(operator_sample *sample, const sedge_operator *op, int32_t e)
{
    const sedge_problem *const problem = op->problem;
    const int nodes = op->element->nodes;
    const int fields = problem->equation->fields;
    double *const u = sample->u + e * block_size(op);

    if (sample->known[e]) return;
    sample->known[e] = true;
    for (int n = 0; n < nodes; n++) {
        double base[SEDGE_MAX_FIELDS] = {0.0};
        const double part = problem->equation->linear ? 1.0 : 0.01;
        if (!problem->equation->linear) {
            double x[3];
            const double rst[3] = {op->element->r[n], op->element->s[n], op->element->t[n]};
            sedge_mesh_place(op->mesh, e, rst, x);
            problem->initial->apply(x, 0.0, problem->materials[op->mesh->group[e]],
                                    problem->initial_parameters, problem->constants, base);
        }
        for (int f = 0; f < fields; f++) {
            const int64_t key = e * block_size(op) + (int64_t)f * nodes + n;
            u[f * nodes + n] = rounded(op, base[f] + part * noise(key));
        }
    }
    if (operator_view_needed(op, e)) { // as large in the equation's vectors
        operator_view_convert(op, e, operator_view_basis(op), sample->basis, u, sample->work,
                              fields);
        for (int64_t k = 0; k < block_size(op); k++) u[k] = rounded(op, u[k]);
    }
    if (sample->nodal == sample->u) return;
    double *const nodal = sample->nodal + e * block_size(op);
    memcpy(nodal, u, (size_t)block_size(op) * sizeof *nodal);
    operator_view_convert(op, e, SEDGE_NODAL, operator_view_basis(op), nodal, sample->work, fields);
}

static void know_fields(operator_sample *sample, const sedge_operator *op)
{
    const int64_t size = block_size(op);

    for (int i = 0; i < sample->count; i++) {
        const int32_t e = sample->element[i];
        know_element(sample, op, e);
        for (int f = 0; f < SEDGE_FACES; f++) {
            if (op->mesh->faces[e][f].neighbour >= 0)
                know_element(sample, op, op->mesh->faces[e][f].neighbour);
        }
        for (int64_t k = 0; k < size; k++) sample->before[i * size + k] = noise(-1 - i * size - k);
    }
}

// A face's nodal values in the device's basis.
static void convert_face(const sedge_operator *op, double *kept, const double *outer)
{
    const int fields = op->problem->equation->fields;
    const int width = op->element->face_nodes;

    for (int k = 0; k < width * fields; k++) {
        kept[k] = outer[k];
        if (op->layout.basis == SEDGE_NODAL) continue;
        kept[k] = 0.0;
        for (int i = 0; i < width; i++) {
            kept[k] += op->bernstein->face_from_nodal[k / fields * width + i] *
                       outer[i * fields + k % fields];
        }
    }
}

// The own trace of `all` at a face, [face nodes][fields].
static void take_face(const sedge_operator *op, double *trace, const double *all,
                      const sedge_trace_face *face)
{
    const double *const own = all + face->element * block_size(op);
    const int fields = op->problem->equation->fields;
    const int width = op->element->face_nodes;

    for (int k = 0; k < width * fields; k++) {
        const int node = op->element->face_node[face->face * width + k / fields];
        trace[k] = own[k % fields * op->element->nodes + node];
    }
}

// A trace [face nodes][fields] into a slot of `list`, all trace slots.
static void put_face(void *list, const sedge_operator *op, int64_t slot, const double *trace)
{
    const int64_t size = (int64_t)op->problem->equation->fields * op->element->face_nodes;

    for (int64_t k = 0; k < size; k++)
        sedge_real_put(list, op->layout.real_bytes, slot * size + k, trace[k]);
}

// What straight elements find in the slots of seams (seams.h): the fields of the curved element
// behind them, at the own face's nodes. `halo` has those of other ranks.
static void put_seams(void *list, const operator_sample *sample, const sedge_operator *op,
                      const double *halo)
{
    const int64_t first = operator_traces(op) - op->curved.seams;
    const int fields = op->problem->equation->fields;
    const int nodes = op->element->nodes;
    const int width = op->element->face_nodes;
    double outer[SEDGE_MAX_FIELDS * FACE_NODES_MOST] = {0.0}; // as in make_traces
    double kept[SEDGE_MAX_FIELDS * FACE_NODES_MOST] = {0.0};

    for (int32_t i = 0; i < op->curved.seams; i++) {
        const operator_seam *const seam = &op->curved.seam[i];
        const sedge_face *const face = &op->mesh->faces[seam->element][seam->face];
        const int32_t neighbour = face->neighbour;
        if (!sample->known[seam->element]) continue;
        for (int k = 0; k < width * fields; k++) {
            const int f = k % fields;
            const int theirs = op->element->permuted[face->orientation * width + k / fields];
            const int node = op->element->face_node[face->face * width + theirs];
            outer[k] = neighbour >= 0
                           ? sample->nodal[((int64_t)neighbour * fields + f) * nodes + node]
                           : halo[((int64_t)(-1 - neighbour) * fields + f) * width + theirs];
        }
        convert_face(op, kept, outer);
        put_face(list, op, first + i, kept);
    }
}

// e = rows v; e is not v.
static void multiply(double *e, double (*rows)[3], int count, const double *v)
{
    for (int j = 0; j < count; j++)
        e[j] = rows[j][0] * v[0] + rows[j][1] * v[1] + rows[j][2] * v[2];
}

// dx/dr of a curved element at node k of a face.
static void find_tangents(double dx[3][3], const sedge_operator *op, const sedge_trace_face *face,
                          int k)
{
    const sedge_element *const element = op->element;
    const int n = element->face_node[face->face * element->face_nodes + k];
    const double place[3] = {element->r[n], element->s[n], element->t[n]};
    double c[SEDGE_CURVE_TERMS][3];

    sedge_mesh_expand(op->mesh, face->element, c);
    sedge_curve_tangents(c, place, dx);
}

// `outer`, vectors [face nodes][fields] at a boundary face's nodes, to the components that a curved
// element has.
static void take_components(const sedge_operator *op, double *outer, const sedge_trace_face *face)
{
    const int fields = op->problem->equation->fields;
    double dx[3][3];

    for (int k = 0; k < op->element->face_nodes; k++) {
        find_tangents(dx, op, face, k);
        for (int f = 0; f < fields; f += 3) {
            double *const v = outer + (int64_t)k * fields + f;
            const double old[3] = {v[0], v[1], v[2]};
            multiply(v, dx, 3, old);
        }
    }
}

// What is made up behind a halo face of a curved element, in the other side's node order: vectors
// `outer` for the reference, [face nodes][fields], and `kept` for the device, nodal, too. Behind a
// straight element they are the same. Of a curved one the device has its own components, made from
// those of the vectors that lie along the face.
static void make_up(const sedge_operator *op, double *outer, double *kept, const double *own,
                    int32_t slot, const sedge_trace_face *at)
{
    const sedge_element *const element = op->element;
    const sedge_face *const face = &op->mesh->faces[at->element][at->face];
    const int fields = op->problem->equation->fields;
    const int width = element->face_nodes;
    const bool curved = op->curved.curved_behind[slot] != 0;
    double dx[3][3], mine[2][3], theirs[2][3];

    operator_covariant_across(mine, element, at->face * 6 + operator_identity(element));
    operator_covariant_across(theirs, element, face->face * 6 + face->orientation);
    for (int k = 0; k < width; k++) {
        const int n = element->face_node[at->face * width + k];
        const int there = element->permuted[face->orientation * width + k];
        find_tangents(dx, op, at, k);
        for (int f = 0; f < fields; f += 3) {
            double *const v = outer + (int64_t)there * fields + f;
            double *const e = kept + (int64_t)there * fields + f;
            double covariant[3], along[2];
            for (int d = 0; d < 3; d++) e[d] = v[d] = own[(int64_t)(f + d) * element->nodes + n];
            if (!curved) continue;
            multiply(covariant, dx, 3, v);
            multiply(along, mine, 2, covariant);
            operator_seams_spread(e, theirs, along);
        }
    }
}

// Traces behind all faces of the compared elements that have no local neighbour, and behind seams,
// on the device and for the reference: what comes from other ranks is made up, boundaries are
// computed.
static sedge_status make_traces(const operator_sample *sample, sedge_operator *op,
                                sedge_reference *reference, double *halo)
{
    const sedge_mesh *const mesh = op->mesh;
    const int fields = op->problem->equation->fields;
    const int width = op->element->face_nodes;
    const int64_t traces = mesh->halo_faces + mesh->boundary_faces;
    double outer[SEDGE_MAX_FIELDS * FACE_NODES_MOST] = {0.0}; // nodal, [face nodes][fields]
    double kept[SEDGE_MAX_FIELDS * FACE_NODES_MOST] = {0.0};  // in the device's basis
    sedge_status status;
    void *list = NULL;

    SEDGE_TRY(
        sedge_allocate(&list, operator_traces(op) * width * fields, (size_t)op->layout.real_bytes));
    for (int64_t i = 0; i < op->predictor.level_faces; i++) {
        const sedge_level_face *const face = &op->predictor.level_face[i];
        if (!sample->known[face->other]) continue;
        take_face(op, kept, sample->u,
                  &(sedge_trace_face){.element = face->other, .face = face->other_face});
        put_face(list, op, traces + i, kept);
    }
    for (int32_t slot = 0; slot < traces; slot++) {
        const sedge_trace_face *const face = &mesh->trace_faces[slot];
        if (!sample->known[face->element]) continue;
        const bool curved = operator_view_needed(op, face->element);
        if (slot >= mesh->halo_faces) {
            sedge_reference_outer(reference, slot, sample->nodal, halo, 0.0, outer);
            if (curved) take_components(op, outer, face);
            convert_face(op, kept, outer);
        } else if (curved) {
            double nodal[SEDGE_MAX_FIELDS * FACE_NODES_MOST] = {0.0};
            make_up(op, outer, nodal, sample->nodal + face->element * block_size(op), slot, face);
            convert_face(op, kept, nodal);
        } else { // some values of the same size
            take_face(op, outer, sample->nodal, face);
            take_face(op, kept, sample->u, face);
        }
        for (int k = 0; k < width * fields && slot < mesh->halo_faces; k++)
            halo[((int64_t)slot * fields + k % fields) * width + k / fields] = outer[k];
        put_face(list, op, slot, kept);
    }
    put_seams(list, sample, op, halo);
    status =
        sedge_buffer_upload(op->faces.trace, 0, list,
                            operator_traces(op) * width * fields * op->layout.real_bytes, NULL);
    sedge_release(list);
    return status;
}

// ---- what must come out ------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    const double one = *(const double *)a;
    const double other = *(const double *)b;

    return one < other ? -1 : one > other;
}

// A power of two, so that dt times the right-hand side is as large as the fields in most elements:
// what is wrong in it shows.
static double choose_step(double *sizes, int count)
{
    qsort(sizes, (size_t)count, sizeof *sizes, compare);
    const double middle = sizes[count / 2];
    return middle > 0.0 && isfinite(middle) ? exp2(-round(log2(middle))) : 1.0;
}

// A stage that reads the residual, or one that finds it and leaves none. Fields stay bounded when
// it runs again and again, from what it made: |a| < 1 in the former, |a b found| < 1 in the latter.
static sedge_stage choose_stage(const operator_sample *sample, bool finds)
{
    if (finds) return sedge_integrator_stage(&sedge_integrator_lsrk45, 8, 4, sample->dt);
    return sedge_integrator_stage_kept(&sedge_integrator_lsrk45, 1, sample->dt);
}

// `next` holds the right-hand sides and gets the fields.
static void update(operator_sample *sample, const sedge_operator *op)
{
    const sedge_stage reads = choose_stage(sample, false);
    const sedge_stage finds = choose_stage(sample, true);
    const double a = rounded(op, reads.a);
    const double b = rounded(op, reads.b);
    const double c = rounded(op, finds.a) * rounded(op, finds.found);
    const int64_t size = block_size(op);

    for (int64_t k = 0; k < sample->count * size; k++) {
        const double u = sample->u[sample->element[k / size] * size + k % size];
        const double change = sample->dt * sample->next[k];
        sample->after[k] = a * sample->before[k] + change;
        sample->next[k] = u + b * sample->after[k];
        sample->found[k] = u + rounded(op, finds.b) * (c * (u - sample->before[k]) + change);
    }
}

static sedge_status expect(operator_sample *sample, sedge_operator *op)
{
    const int64_t size = block_size(op);
    const int64_t face_size = (int64_t)op->problem->equation->fields * op->element->face_nodes;
    sedge_status status;
    sedge_reference *reference = NULL;
    double *halo = NULL;
    double *sizes = NULL;

    SEDGE_TRY_GOTO(status,
                   sedge_reference_create_alone(&reference, op->element, op->mesh, op->problem));
    SEDGE_TRY_GOTO(status, sedge_allocate(&halo, op->mesh->halo_faces * face_size, sizeof *halo));
    SEDGE_TRY_GOTO(status, sedge_allocate(&sizes, sample->count, sizeof *sizes));
    SEDGE_TRY_GOTO(status, make_traces(sample, op, reference, halo));
    for (int i = 0; i < sample->count; i++) {
        double *const rhs = sample->next + i * size;
        sedge_reference_rhs_of(reference, sample->element[i], sample->nodal, halo, 0.0, rhs);
        operator_view_convert(op, sample->element[i], operator_view_basis(op), SEDGE_NODAL, rhs,
                              sample->work, op->problem->equation->fields);
        for (int64_t k = 0; k < size; k++) sizes[i] = fmax(sizes[i], fabs(rhs[k]));
    }
    sample->dt = sample->count > 0 ? choose_step(sizes, sample->count) : 1.0;
    // Powers of dt times the right-hand side stay bounded in the smallest element.
    const double largest = sample->count > 0 ? sizes[sample->count - 1] : 0.0; // they are sorted
    sample->predicted = largest > 0.0 && isfinite(largest) ? exp2(-round(log2(largest))) : 1.0;
    update(sample, op);
    for (int i = 0; i < sample->count && sample->mean != NULL; i++) {
        double *const both[] = {sample->mean + i * size, sample->half + i * size};
        SEDGE_TRY_GOTO(status,
                       sedge_reference_predict_of(reference, sample->element[i], sample->nodal,
                                                  sample->predicted, both[0], both[1]));
        for (int k = 0; k < 2; k++) {
            operator_view_convert(op, sample->element[i], operator_view_basis(op), SEDGE_NODAL,
                                  both[k], sample->work, op->problem->equation->fields);
        }
    }
done:
    sedge_reference_free(reference);
    sedge_release(halo);
    sedge_release(sizes);
    return status;
}

static bool predicts(const operator_sample *sample, const sedge_operator *op)
{
    if (sample->kind == OPERATOR_SAMPLE_PREDICTION) return true;
    return sample->kind == OPERATOR_SAMPLE_CURVED &&
           operator_products_predict(op->problem, op->layout.basis);
}

static sedge_status make_sample(operator_sample *sample, sedge_operator *op)
{
    const bool curved = sample->kind == OPERATOR_SAMPLE_CURVED;
    const int64_t size = block_size(op);

    sample->basis = op->layout.basis;
    sample->allowed = ALLOWED;
    SEDGE_TRY(choose_elements(sample, op));
    sample->numbers = op->mesh->elements * size;
    SEDGE_TRY(sedge_allocate_thin(&sample->u, sample->numbers, sizeof(double)));
    sample->nodal = sample->u;
    if (operator_view_basis(op) != SEDGE_NODAL)
        SEDGE_TRY(sedge_allocate_thin(&sample->nodal, sample->numbers, sizeof(double)));
    if (curved && sample->basis == SEDGE_NODAL) { // coefficients in between are larger
        SEDGE_TRY(operator_bernstein_need(op));
        sample->allowed *= op->bernstein->norm;
    }
    if (sample->basis != SEDGE_NODAL) {
        sample->allowed +=
            ALLOWED_CONVERTED * op->bernstein->norm * 0.5 * DBL_EPSILON / rounding(op);
    }
    SEDGE_TRY(sedge_allocate(&sample->work, size, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&sample->known, op->mesh->elements, sizeof *sample->known));
    SEDGE_TRY(sedge_allocate(&sample->before, sample->count * size, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&sample->found, sample->count * size, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&sample->next, sample->count * size, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&sample->after, sample->count * size, sizeof(double)));
    if (predicts(sample, op)) {
        SEDGE_TRY(sedge_allocate(&sample->mean, sample->count * size, sizeof(double)));
        SEDGE_TRY(sedge_allocate(&sample->half, sample->count * size, sizeof(double)));
    }
    know_fields(sample, op);
    return expect(sample, op);
}

sedge_status operator_sample_create(operator_sample **out, sedge_operator *op,
                                    operator_sample_kind kind)
{
    operator_sample *sample = NULL;

    *out = NULL;
    SEDGE_TRY(sedge_allocate(&sample, 1, sizeof *sample));
    sample->kind = kind;
    const sedge_status status = make_sample(sample, op);
    if (status == SEDGE_OK) {
        *out = sample;
    } else {
        operator_sample_free(sample);
    }
    return status;
}

void operator_sample_free(operator_sample *sample)
{
    if (sample == NULL) return;
    sedge_release(sample->element);
    if (sample->nodal != sample->u)
        sedge_release_thin(sample->nodal, sample->numbers, sizeof(double));
    sedge_release_thin(sample->u, sample->numbers, sizeof(double));
    sedge_release(sample->known);
    sedge_release(sample->before);
    sedge_release(sample->found);
    sedge_release(sample->mean);
    sedge_release(sample->half);
    sedge_release(sample->next);
    sedge_release(sample->after);
    sedge_release(sample->work);
    sedge_release(sample);
}

bool operator_sample_fits(const operator_sample *sample, const sedge_operator *op)
{
    return sample->basis == op->layout.basis;
}

// ---- on the device -----------------------------------------------------------------------------

// Bytes of the fields of one SIMD batch.
static int64_t batch_bytes(const sedge_operator *op)
{
    return (int64_t)op->layout.nodes_padded * op->problem->equation->fields * op->layout.lanes *
           op->layout.real_bytes;
}

// Element e's fields from a buffer with the layout of u into `fields` [fields][nodes], or from
// there into the buffer. `chunk` holds one SIMD batch.
static sedge_status move_element(const sedge_operator *op, sedge_buffer *buffer, int32_t e,
                                 double *fields, void *chunk, bool into_buffer)
{
    const int64_t slot = sedge_slot(&op->data.slots, e);
    const int64_t lane = slot % op->layout.lanes;
    const int64_t offset = slot / op->layout.lanes * batch_bytes(op);
    const int nodes = op->element->nodes;

    SEDGE_TRY(sedge_buffer_download(buffer, offset, chunk, batch_bytes(op), NULL));
    for (int k = 0; k < op->problem->equation->fields * nodes; k++) {
        const int64_t at =
            ((int64_t)(k % nodes) * op->problem->equation->fields + k / nodes) * op->layout.lanes +
            lane;
        if (into_buffer) {
            sedge_real_put(chunk, op->layout.real_bytes, at, fields[k]);
        } else {
            fields[k] = sedge_real_get(chunk, op->layout.real_bytes, at);
        }
    }
    if (!into_buffer) return SEDGE_OK;
    return sedge_buffer_upload(buffer, offset, chunk, batch_bytes(op), NULL);
}

static sedge_status fill(const sedge_operator *op, sedge_buffer *buffer, const void *pattern)
{
    const int64_t bytes = sedge_buffer_bytes(buffer);
    const int64_t part = (int64_t)PATTERN * op->layout.real_bytes;
    const int64_t length = bytes < part ? bytes : part;

    SEDGE_TRY(sedge_buffer_upload(buffer, 0, pattern, length, NULL));
    SEDGE_TRY(sedge_buffer_repeat(buffer, length, op->main));
    return sedge_stream_wait(op->main);
}

sedge_status operator_sample_fill(const operator_sample *sample, sedge_operator *op,
                                  const operator_fields *on)
{
    sedge_status status;
    void *pattern = NULL;
    void *chunk = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&pattern, PATTERN, (size_t)op->layout.real_bytes));
    SEDGE_TRY_GOTO(status, sedge_allocate(&chunk, batch_bytes(op), 1));
    for (int64_t k = 0; k < PATTERN; k++)
        sedge_real_put(pattern, op->layout.real_bytes, k, noise(k));
    SEDGE_TRY_GOTO(status, fill(op, on->u[0], pattern));
    SEDGE_TRY_GOTO(status, fill(op, on->u[1], pattern));
    SEDGE_TRY_GOTO(status, fill(op, on->residual, pattern));
    for (int32_t e = 0; e < op->mesh->elements; e++) {
        if (!sample->known[e]) continue;
        SEDGE_TRY_GOTO(status,
                       move_element(op, on->u[0], e, sample->u + e * block_size(op), chunk, true));
    }
done:
    sedge_release(pattern);
    sedge_release(chunk);
    return status;
}

static sedge_status run_stage(const operator_sample *sample, sedge_operator *op,
                              const operator_fields *on, sedge_stream *stream,
                              const sedge_stage *stage)
{
    if (sample->kind == OPERATOR_SAMPLE_CURVED)
        return operator_run_all_curved(op, on, stream, stage);
    return operator_run_straight(op, on, stream, stage);
}

sedge_status operator_sample_launch(const operator_sample *sample, sedge_operator *op,
                                    const operator_fields *on, sedge_stream *stream)
{
    const sedge_stage stage = choose_stage(sample, sedge_problem_finds(op->problem));

    if (sample->kind == OPERATOR_SAMPLE_PREDICTION)
        return operator_predict_all_series(op, on, stream, false, sample->predicted);
    if (sample->mean != NULL)
        SEDGE_TRY(operator_predict_all_curved(op, on, stream, sample->predicted));
    return run_stage(sample, op, on, stream, &stage);
}

// ---- comparison --------------------------------------------------------------------------------

// The largest difference of two lists in units of rounding of `scale`; infinite where `a` is not a
// number.
static double difference(const double *a, const double *b, int64_t count, double scale)
{
    double largest = 0.0;

    for (int64_t k = 0; k < count; k++) {
        const double one = fabs(a[k] - b[k]) / scale;
        largest = one <= largest ? largest : isfinite(one) ? one : (double)INFINITY;
    }
    return largest;
}

// The factor by which rounding grows in a curved element: the device finds J in the state's
// precision, and components along tangents that are nearly in a plane cancel each other. Each costs
// the product of the tangents' lengths over J, which is 1 where they are at right angles. 1 in a
// straight element, whose metric comes from fp64.
static double find_loss(const operator_sample *sample, const sedge_operator *op, int32_t e)
{
    const sedge_element *const element = op->element;
    double c[SEDGE_CURVE_TERMS][3];
    double most = 1.0;

    if (sample->kind != OPERATOR_SAMPLE_CURVED) return 1.0;
    sedge_mesh_expand(op->mesh, e, c);
    for (int n = 0; n < element->nodes; n++) {
        const double place[3] = {element->r[n], element->s[n], element->t[n]};
        double dx[3][3], cofactor[3][3];
        double lengths = 1.0;
        sedge_curve_tangents(c, place, dx);
        const double det = sedge_curve_cofactors(dx, cofactor);
        for (int k = 0; k < 3; k++)
            lengths *= sqrt(dx[k][0] * dx[k][0] + dx[k][1] * dx[k][1] + dx[k][2] * dx[k][2]);
        most = fmax(most, lengths / fabs(det));
    }
    return most * most;
}

// Whether a difference is allowed.
static sedge_status judge(const operator_sample *sample, const sedge_operator *op, int i,
                          double worst, const char *where)
{
    const double unit = rounding(op);

    if (worst <= sample->allowed) return SEDGE_OK;
    const double allowed = sample->allowed * find_loss(sample, op, sample->element[i]);
    const bool too_flat = allowed > MOST_ALLOWED / unit; // to be judged: it must have numbers
    if (too_flat ? isfinite(worst) : worst <= allowed) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_COMPUTE,
                      "element %d is %.2g of its largest value off the reference, %.1g is "
                      "allowed, in a %s",
                      sample->element[i], worst * unit, allowed * unit, where);
}

static sedge_status compare_element(const operator_sample *sample, const sedge_operator *op,
                                    const operator_fields *on, int i, bool finds, double *fields,
                                    void *chunk)
{
    const int64_t size = block_size(op);
    const double *const next = (finds ? sample->found : sample->next) + i * size;
    const double *const after = sample->after + i * size;
    const double unit = rounding(op);
    double scale = DBL_MIN;

    for (int64_t k = 0; k < size; k++) scale = fmax(scale, fmax(fabs(next[k]), fabs(after[k])));
    SEDGE_TRY(move_element(op, on->u[1], sample->element[i], fields, chunk, false));
    double worst = difference(fields, next, size, unit * scale);
    if (!finds) {
        SEDGE_TRY(move_element(op, on->residual, sample->element[i], fields, chunk, false));
        worst = fmax(worst, difference(fields, after, size, unit * scale));
    }
    return judge(sample, op, i, worst,
                 finds ? "stage that finds the residual" : "stage that reads the residual");
}

// What a prediction left in `buffer`, against `expected` [count][fields][nodes].
static sedge_status compare_mean(const operator_sample *sample, const sedge_operator *op,
                                 sedge_buffer *buffer, const double *expected, int i,
                                 double *fields, void *chunk)
{
    const int64_t size = block_size(op);
    double scale = DBL_MIN;

    for (int64_t k = 0; k < size; k++) scale = fmax(scale, fabs(expected[i * size + k]));
    SEDGE_TRY(move_element(op, buffer, sample->element[i], fields, chunk, false));
    return judge(sample, op, i, difference(fields, expected + i * size, size, rounding(op) * scale),
                 "prediction");
}

// The means of a prediction are where the residual and the next state are
// (operator_predict_curved). Straight elements predict over the first half in any case.
static sedge_status verify_prediction(const operator_sample *sample, sedge_operator *op,
                                      const operator_fields *on, double *fields, void *chunk)
{
    const bool halves = sample->kind == OPERATOR_SAMPLE_PREDICTION;

    SEDGE_TRY(sedge_stream_wait(op->main)); // what was launched before
    for (int i = 0; i < sample->count; i++) {
        for (int64_t k = 0; k < block_size(op); k++) fields[k] = (double)NAN;
        SEDGE_TRY(move_element(op, on->residual, sample->element[i], fields, chunk, true));
        SEDGE_TRY(move_element(op, on->u[1], sample->element[i], fields, chunk, true));
    }
    SEDGE_TRY(halves ? operator_predict_all_series(op, on, op->main, true, sample->predicted)
                     : operator_predict_all_curved(op, on, op->main, sample->predicted));
    SEDGE_TRY(sedge_stream_wait(op->main));
    for (int i = 0; i < sample->count; i++) {
        SEDGE_TRY(compare_mean(sample, op, on->residual, sample->mean, i, fields, chunk));
        if (halves || sedge_mesh_range(op->mesh, sample->element[i])->finer)
            SEDGE_TRY(compare_mean(sample, op, on->u[1], sample->half, i, fields, chunk));
    }
    return SEDGE_OK;
}

// The residual, or the state before, as it is known, and no number in what the stage must not read
// or must write.
static sedge_status start_over(const operator_sample *sample, const sedge_operator *op,
                               const operator_fields *on, bool finds, double *fields, void *chunk)
{
    sedge_buffer *const known = finds ? on->u[1] : on->residual;
    sedge_buffer *const other = finds ? on->residual : on->u[1];
    const int64_t size = block_size(op);

    for (int i = 0; i < sample->count; i++) {
        SEDGE_TRY(
            move_element(op, known, sample->element[i], sample->before + i * size, chunk, true));
        for (int64_t k = 0; k < size; k++) fields[k] = (double)NAN;
        SEDGE_TRY(move_element(op, other, sample->element[i], fields, chunk, true));
    }
    return SEDGE_OK;
}

static sedge_status verify(const operator_sample *sample, sedge_operator *op,
                           const operator_fields *on, bool finds, double *fields, void *chunk)
{
    const sedge_stage stage = choose_stage(sample, finds);

    SEDGE_TRY(sedge_stream_wait(op->main)); // what was launched before
    SEDGE_TRY(start_over(sample, op, on, finds, fields, chunk));
    SEDGE_TRY(run_stage(sample, op, on, op->main, &stage));
    SEDGE_TRY(sedge_stream_wait(op->main));
    for (int i = 0; i < sample->count; i++)
        SEDGE_TRY(compare_element(sample, op, on, i, finds, fields, chunk));
    return SEDGE_OK;
}

sedge_status operator_sample_verify(const operator_sample *sample, sedge_operator *op,
                                    const operator_fields *on)
{
    sedge_status status;
    double *fields = NULL;
    void *chunk = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&fields, block_size(op), sizeof *fields));
    SEDGE_TRY_GOTO(status, sedge_allocate(&chunk, batch_bytes(op), 1));
    const bool stage = sample->kind != OPERATOR_SAMPLE_PREDICTION;
    if (stage) SEDGE_TRY_GOTO(status, verify(sample, op, on, false, fields, chunk));
    if (stage && sedge_problem_finds(op->problem))
        SEDGE_TRY_GOTO(status, verify(sample, op, on, true, fields, chunk));
    if (sample->mean != NULL)
        SEDGE_TRY_GOTO(status, verify_prediction(sample, op, on, fields, chunk));
done:
    sedge_release(fields);
    sedge_release(chunk);
    return status;
}
