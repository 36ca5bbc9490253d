#include "forms/layouts.h"

#include "forms/form.h"

#include <stdio.h>
#include <string.h>

// How the layouts of a basis differ: bytes of which each element of a GPU may begin a new piece,
// where that wastes at most 5 % (128: what caches hold together; 32: what is read from memory at
// once); and how many numbers of lanes the host tries.
static const struct {
    const char *prefix; // of its layouts' names
    int piece;
    int lanes;
} bases[] = {
    [SEDGE_NODAL] = {"", 128, 3},
    [SEDGE_BERNSTEIN] = {"bernstein, ", 32, 1},
};

// Largest power of two that divides `bytes`, at most 16.
static int alignment_of(int bytes)
{
    int align = 4;

    while (align < 16 && bytes % (2 * align) == 0) align *= 2;
    return align;
}

static operator_layout make_layout(const operator_target *target, sedge_basis basis, int lanes)
{
    const int fields = target->problem->equation->fields;
    operator_layout layout;

    memset(&layout, 0, sizeof layout);
    layout.basis = basis;
    layout.real_bytes = sedge_real_bytes(target->problem->precision);
    layout.lanes = lanes;
    layout.pack = operator_is_host_form(target->info) ? 1 : 16 / layout.real_bytes;
    layout.group = 1;
    while (layout.group * fields % layout.pack != 0) layout.group *= 2;
    layout.nodes_padded = operator_round_up(target->element->nodes, layout.group);
    layout.state_align = alignment_of(fields * layout.real_bytes);
    return layout;
}

static void add(operator_layout *layouts, int *count, operator_layout layout, int number,
                const char *unit)
{
    (void)snprintf(layout.name, sizeof layout.name, "%s%d %s", bases[layout.basis].prefix, number,
                   unit);
    layouts[(*count)++] = layout;
}

// The host: a SIMD batch is a vector register, or half of one, or two.
static void list_host(operator_layout *layouts, int *count, const operator_target *target,
                      sedge_basis basis)
{
    const int full = target->info->vector_bytes / sedge_real_bytes(target->problem->precision);
    const int lanes[] = {full, full / 2, 2 * full};

    for (int i = 0; i < 3 && i < bases[basis].lanes; i++) {
        if (lanes[i] >= 2)
            add(layouts, count, make_layout(target, basis, lanes[i]), lanes[i], "lanes");
    }
}

// A GPU: elements packed, or each at the beginning of a piece.
static void list_gpu(operator_layout *layouts, int *count, const operator_target *target,
                     sedge_basis basis)
{
    operator_layout layout = make_layout(target, basis, 1);
    const int packed = layout.nodes_padded;
    const int bytes = target->problem->equation->fields * layout.real_bytes; // of a node

    add(layouts, count, layout, packed, "nodes");
    while (layout.nodes_padded * bytes % bases[basis].piece != 0)
        layout.nodes_padded += layout.group;
    if (layout.nodes_padded > packed && 20 * layout.nodes_padded <= 21 * packed)
        add(layouts, count, layout, layout.nodes_padded, "nodes");
}

static bool is_basis_here(sedge_basis basis, const operator_target *target)
{
    for (int i = 0; operator_forms[i] != NULL; i++) {
        if (operator_forms[i]->basis == basis &&
            operator_form_refusal(operator_forms[i], target) == NULL)
            return true;
    }
    return false;
}

void operator_layouts_list(operator_layout layouts[SEDGE_LAYOUTS], int *count,
                           const operator_target *target)
{
    const sedge_basis first = operator_form_default(target)->basis;
    const sedge_basis order[] = {first, first == SEDGE_NODAL ? SEDGE_BERNSTEIN : SEDGE_NODAL};

    *count = 0;
    for (int i = 0; i < 2; i++) {
        if (!is_basis_here(order[i], target)) continue;
        if (operator_is_host_form(target->info)) {
            list_host(layouts, count, target, order[i]);
        } else {
            list_gpu(layouts, count, target, order[i]);
        }
    }
}
