#include "driver.h"

#include "base/text.h"
#include "device/device.h"
#include "dg/operator.h"

#include <stdio.h>

// The largest over ranks of what the operator and the host copies will take.
static void print_memory(const sedge_session *session, const sedge_comm *comm)
{
    const sedge_mesh *const mesh = session->mesh;
    const int32_t traces = mesh->halo_faces + mesh->boundary_faces;
    int64_t bytes[2] = {
        sedge_operator_memory(&session->problem, mesh->elements, traces),
        (int64_t)mesh->elements * session->problem.equation->fields * session->element->nodes *
            (int64_t)(2 * sizeof(double)),
    };

    sedge_comm_max_int(comm, bytes, 2);
    if (sedge_comm_is_root(comm))
        printf(
            "  memory             %.1f MiB on the device, %.1f MiB on the host beside the mesh, a "
            "rank at most\n",
            (double)bytes[0] / 1048576.0, (double)bytes[1] / 1048576.0);
}

static void print_device(const sedge_session *session, const sedge_comm *comm)
{
    const char *why = NULL;
    const int devices = sedge_device_count_cuda(&why);

    if (!sedge_comm_is_root(comm)) return;
    if (devices > 0) {
        printf("  device             '%s' asked for; %d CUDA device%s on this node\n",
               session->deck->device, devices, devices == 1 ? "" : "s");
    } else {
        printf("  device             '%s' asked for; no CUDA device: %s\n", session->deck->device,
               why != NULL ? why : "none found");
    }
}

static void print_boundaries(const sedge_session *session)
{
    const sedge_mesh_groups *const groups = &session->mesh->groups;

    printf("  boundaries\n");
    for (int i = 0; i < groups->surfaces; i++) {
        const sedge_boundary_kind *const kind = session->problem.boundaries[i].kind;
        printf("    %-16s %lld faces: %s\n", groups->surface_names[i],
               (long long)groups->surface_faces[i],
               kind != NULL                    ? kind->name
               : groups->surface_faces[i] == 0 ? "inside the mesh, needs no condition"
                                               : "no condition");
    }
}

static sedge_status print_quality(const sedge_session *session, const sedge_comm *comm)
{
    sedge_mesh_quality quality;

    SEDGE_TRY(sedge_mesh_measure(&quality, comm, session->mesh));
    if (!sedge_comm_is_root(comm)) return SEDGE_OK;
    printf(
        "  quality            least %.3f, mean %.3f (1: regular); inscribed radius %.4g to %.4g\n",
        quality.quality_min, quality.quality_mean, quality.inradius_min, quality.inradius_max);
    printf("  worst elements\n");
    for (int i = 0; i < quality.worst_count; i++) {
        const sedge_bad_element *const bad = &quality.worst[i];
        printf("    element %-9lld quality %.3f, inscribed radius %.4g, at (%.4g, %.4g, %.4g) in "
               "'%s'\n",
               (long long)bad->global_id, bad->quality, bad->inradius, bad->centroid[0],
               bad->centroid[1], bad->centroid[2], session->mesh->groups.volume_names[bad->group]);
    }
    return SEDGE_OK;
}

static sedge_status print_deck(const sedge_session *session)
{
    sedge_text *text = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, sedge_deck_write(text, session->deck));
    printf("\n# resolved deck\n%s", sedge_text_get(text));
done:
    sedge_text_free(text);
    return status;
}

static sedge_status print_check(const sedge_session *session, const sedge_comm *comm)
{
    sedge_status status = SEDGE_OK;

    SEDGE_TRY(sedge_session_print(session));
    print_memory(session, comm);
    print_device(session, comm);
    SEDGE_TRY(print_quality(session, comm));
    if (sedge_comm_is_root(comm)) {
        print_boundaries(session);
        status = print_deck(session);
    }
    return sedge_comm_agree(comm, status);
}

sedge_status sedge_check(sedge_comm *comm, const sedge_run_options *options)
{
    sedge_session session;
    sedge_status status = sedge_session_open(&session, comm, options);

    if (status == SEDGE_OK) status = print_check(&session, comm);
    sedge_session_close(&session);
    return status;
}
