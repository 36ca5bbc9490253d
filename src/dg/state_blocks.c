#include "state_blocks.h"

#include "base/memory.h"

#include <string.h>

int sedge_blocks_count(const sedge_problem *problem)
{
    int count = 1;

    for (int i = 0; i < problem->term_count; i++) count += problem->terms[i].kind->memory > 0;
    return count + (sedge_problem_face_memory(problem) > 0);
}

// The term whose memory is block i > 0; NULL: the block is that of faces.
static const sedge_term *find_term(const sedge_problem *problem, int i)
{
    for (int k = 0; k < problem->term_count; k++) {
        const sedge_term *const term = &problem->terms[k];
        if (term->kind->memory > 0 && --i == 0) return term;
    }
    return NULL;
}

static sedge_status create_faces(sedge_block *out, const sedge_problem *problem,
                                 const sedge_mesh *mesh)
{
    const sedge_trace_face *const faces = mesh->trace_faces;
    const int32_t first = mesh->halo_faces;
    const int32_t end = first + mesh->boundary_faces;
    int32_t count = 0;

    for (int s = 0; s < problem->surfaces; s++)
        if (sedge_problem_has_face_memory(problem, s)) out->all += mesh->groups.surface_faces[s];
    out->all *= sedge_mesh_copies(mesh);
    for (int32_t k = first; k < end; k++)
        out->elements += sedge_problem_has_face_memory(problem, faces[k].group);
    // One more than is needed: `slot` tells what the block is on a rank without such faces, too.
    SEDGE_TRY(sedge_allocate(&out->element, out->elements + 1LL, sizeof *out->element));
    SEDGE_TRY(sedge_allocate(&out->slot, out->elements + 1LL, sizeof *out->slot));
    SEDGE_TRY(sedge_allocate(&out->face, out->elements + 1LL, sizeof *out->face));
    for (int32_t k = first; k < end; k++) {
        if (!sedge_problem_has_face_memory(problem, faces[k].group)) continue;
        out->slot[count] = k;
        out->element[count] = faces[k].element;
        out->face[count++] = (int8_t)faces[k].face;
    }
    return SEDGE_OK;
}

sedge_status sedge_block_create(sedge_block *out, const sedge_problem *problem,
                                const sedge_element *element, const sedge_mesh *mesh, int i)
{
    int32_t count = 0;

    *out = (sedge_block){.name = "fields",
                         .components = problem->equation->fields,
                         .nodes = element->nodes,
                         .all = mesh->global_elements,
                         .elements = mesh->elements};
    if (i == 0) return SEDGE_OK;
    const sedge_term *const term = find_term(problem, i);
    if (term == NULL) {
        *out = (sedge_block){.name = SEDGE_FACES_BLOCK,
                             .components = sedge_problem_face_memory(problem),
                             .nodes = element->face_nodes};
        return create_faces(out, problem, mesh);
    }
    *out = (sedge_block){.name = term->name,
                         .term = term,
                         .components = sedge_term_memory(term),
                         .nodes = element->nodes};
    for (int v = 0; v < problem->volumes; v++)
        if (term->present[v]) out->all += mesh->groups.volume_elements[v];
    out->all *= sedge_mesh_copies(mesh);
    for (int32_t e = 0; e < mesh->elements; e++) out->elements += term->present[mesh->group[e]];
    SEDGE_TRY(sedge_allocate(&out->element, out->elements, sizeof *out->element));
    for (int32_t e = 0; e < mesh->elements; e++)
        if (term->present[mesh->group[e]]) out->element[count++] = e;
    return SEDGE_OK;
}

void sedge_block_clear(sedge_block *block)
{
    sedge_release(block->element);
    sedge_release(block->slot);
    sedge_release(block->face);
    memset(block, 0, sizeof *block);
}

void sedge_block_start(double *values, const sedge_term *term, const sedge_element *element,
                       const sedge_mesh *mesh, const int32_t *elements, int32_t count)
{
    const int components = sedge_term_memory(term);
    const int unknowns = sedge_term_unknowns(term);
    const int n = element->nodes;

    memset(values, 0, (size_t)count * (size_t)(components * n) * sizeof *values);
    for (int32_t i = 0; i < count && unknowns < components; i++) {
        double *const frames = values + ((int64_t)i * components + unknowns) * n;
        for (int k = 0; k < n; k++) {
            double x[3], frame[SEDGE_LAYER_FRAME];
            sedge_geometry_map(mesh->corners[elements[i]], element->r[k], element->s[k],
                               element->t[k], x);
            sedge_mesh_layer_frame(mesh, elements[i], x, frame);
            for (int c = 0; c < SEDGE_LAYER_FRAME; c++) frames[c * n + k] = frame[c];
        }
    }
}
