// Modes of guides that propagate in the band of the monitor and have no port: their waves are
// absorbed, and no S-parameter has them.
#include "ports.h"

#include "monitor/output_context.h"

#include <math.h>
#include <stdio.h>

#define MOST  12   // half waves or periods that are looked at
#define SHOWN 3    // modes of a surface by name
#define ALIKE 2e-3 // of cut-offs that count as one

// A mode, by its numbers and its wave number at the cut-off.
typedef struct candidate {
    bool te;
    int m, n;
    double wave;
} candidate;

// The modes of one surface that are told of.
typedef struct list {
    const ports_monitor *monitor;
    const port *first;      // of the surface
    double unit;            // the cut-off frequency of the wave number 1
    candidate shown[SHOWN]; // those with the lowest cut-offs
    int count;
} list;

static bool is_te(const double *p)
{
    const int profile = (int)p[PORT_PROFILE];

    return profile == PORT_TE || profile == PORT_ROUND_TE || profile == PORT_FOUND_TE;
}

static bool is_round(const double *p)
{
    return (int)p[PORT_PROFILE] == PORT_ROUND_TE || (int)p[PORT_PROFILE] == PORT_ROUND_TM;
}

static bool is_found(const double *p)
{
    return (int)p[PORT_PROFILE] == PORT_FOUND_TE || (int)p[PORT_PROFILE] == PORT_FOUND_TM;
}

static double wave_of(const double *p)
{
    return is_found(p) || is_round(p) ? p[PORT_KU] : hypot(p[PORT_KU], p[PORT_KV]);
}

// Keep the modes with the lowest cut-offs.
static void add(list *all, candidate one)
{
    int at = all->count < SHOWN ? all->count : SHOWN;

    all->count++;
    while (at > 0 && all->shown[at - 1].wave > one.wave) {
        if (at < SHOWN) all->shown[at] = all->shown[at - 1];
        at--;
    }
    if (at < SHOWN) all->shown[at] = one;
}

// How many ports of the surface have such a mode. Those with `mode` are known by their cut-offs.
static int count_ports(const list *all, const candidate *one)
{
    const double *const first = all->first->boundary->parameters;
    int count = 0;

    for (int i = 0; i < all->monitor->count; i++) {
        const sedge_boundary *const other = all->monitor->ports[i].boundary;
        const double *const p = other->parameters;

        if (other->surface != all->first->boundary->surface || is_te(p) != one->te ||
            fabs(wave_of(p) - one->wave) > ALIKE * one->wave)
            continue;
        if (is_found(p) || is_found(first)) {
            count++;
            continue;
        }
        // Numbers count along the first port's axes.
        const double along = fabs(p[PORT_U] * first[PORT_U] + p[PORT_U + 1] * first[PORT_U + 1] +
                                  p[PORT_U + 2] * first[PORT_U + 2]);
        const bool turned = !is_round(p) && along < 0.5;
        count += (int)p[turned ? GUIDE_N : GUIDE_M] == one->m &&
                 (int)p[turned ? GUIDE_M : GUIDE_N] == one->n;
    }
    return count;
}

// May a mode of a rectangle be its own mirror image in all planes of symmetry, which are in the
// middle? E across an electric plane and along a magnetic one is not 0.
static bool is_allowed(const list *all, const candidate *one)
{
    const sedge_mirror_plane *const mirrors = all->monitor->context->problem->mirrors;
    const double *const p = all->first->boundary->parameters;

    for (int d = 0; d < 3; d++) {
        const int halves = fabs(p[PORT_U + d]) > 0.5 ? one->m : one->n;

        if (mirrors[d].kind == SEDGE_MIRROR_NONE) continue;
        if ((halves % 2 == 0) != (mirrors[d].kind == SEDGE_MIRROR_ELECTRIC)) return false;
    }
    return true;
}

// The lengths of a rectangle's sides, along U and V, from the numbers of its mode.
static void find_sides(double sides[2], const double *p)
{
    const double waves[2] = {p[PORT_KU], p[PORT_KV]}, numbers[2] = {p[GUIDE_M], p[GUIDE_N]};
    const double square = waves[0] * waves[0] + waves[1] * waves[1];
    const bool both = numbers[0] > 0.0 && numbers[1] > 0.0;
    const double area = (both ? 4.0 : 2.0) / (p[PORT_SCALE] * p[PORT_SCALE] * square);

    for (int k = 0; k < 2; k++) {
        const double other = numbers[1 - k] > 0.0 ? PORT_PI * numbers[1 - k] / waves[1 - k] : 0.0;
        sides[k] = numbers[k] > 0.0 ? PORT_PI * numbers[k] / waves[k] : area / other;
    }
}

static void list_rectangle(list *all, double most)
{
    double sides[2];

    find_sides(sides, all->first->boundary->parameters);
    for (int i = 0; i < 2 * MOST * MOST; i++) {
        candidate one = {.te = i % 2 == 0, .m = i / 2 % MOST, .n = i / 2 / MOST};
        one.wave = PORT_PI * hypot(one.m / sides[0], one.n / sides[1]);
        const bool exists = one.te ? one.m + one.n > 0 : one.m * one.n > 0;

        if (exists && one.wave < most && is_allowed(all, &one) && count_ports(all, &one) == 0)
            add(all, one);
    }
}

// Of a round guide a mode with m > 0 has two directions, and with planes of symmetry at most one.
static void list_round(list *all, double most)
{
    const double *const p = all->first->boundary->parameters;
    const double radius =
        port_round_number((int)p[GUIDE_M], (int)p[GUIDE_N], is_te(p)) / p[PORT_KU];

    for (int i = 0; i < 2 * MOST * MOST; i++) {
        candidate one = {.te = i % 2 == 0, .m = i / 2 % MOST, .n = 1 + i / 2 / MOST};
        one.wave = port_round_number(one.m, one.n, one.te) / radius;

        if (one.wave < most && count_ports(all, &one) < (one.m > 0 ? 2 : 1)) add(all, one);
    }
}

static bool has_mirrors(const list *all)
{
    const sedge_mirror_plane *const mirrors = all->monitor->context->problem->mirrors;

    return mirrors[0].kind != SEDGE_MIRROR_NONE || mirrors[1].kind != SEDGE_MIRROR_NONE ||
           mirrors[2].kind != SEDGE_MIRROR_NONE;
}

// Of the modes of one family of a guide of any shape that the ports of the surface have.
static sedge_status tell_found(const list *all, sedge_text *text, double most, bool te)
{
    const sedge_deck *const deck = all->monitor->context->deck;
    double next = 0.0;
    int last = 0, ports = 0;

    for (int i = 0; i < all->monitor->count; i++) {
        const sedge_boundary *const other = all->monitor->ports[i].boundary;
        const double *const p = other->parameters;

        if (other->surface != all->first->boundary->surface || is_te(p) != te) continue;
        ports++;
        if (!is_found(p) || (int)p[FOUND_LAST] < last) continue;
        last = (int)p[FOUND_LAST];
        next = p[FOUND_NEXT];
    }
    if (last > ports) {
        SEDGE_TRY(sedge_text_add(text,
                                 "    '%s': only %d of the first %d modes %s have a port; the "
                                 "others' waves are absorbed\n",
                                 all->first->name, ports, last, te ? "TE" : "TM"));
    }
    if (!(next > 0.0) || next >= most) return SEDGE_OK;
    return sedge_text_add(
        text,
        "    '%s': above %.6g%s further modes %s propagate and have no port; they are absorbed\n",
        all->first->name, sedge_deck_frequency(deck, next * all->unit),
        sedge_deck_unit(deck, SEDGE_FREQUENCY), te ? "TE" : "TM");
}

static sedge_status tell(const list *all, sedge_text *text)
{
    const sedge_deck *const deck = all->monitor->context->deck;

    if (all->count == 0) return SEDGE_OK;
    SEDGE_TRY(sedge_text_add(
        text, "    '%s': modes without a port, which are absorbed:", all->first->name));
    for (int i = 0; i < all->count && i < SHOWN; i++) {
        const candidate *const one = &all->shown[i];
        SEDGE_TRY(sedge_text_add(text, "%s T%c%d%d above %.6g%s", i > 0 ? "," : "",
                                 one->te ? 'E' : 'M', one->m, one->n,
                                 sedge_deck_frequency(deck, one->wave * all->unit),
                                 sedge_deck_unit(deck, SEDGE_FREQUENCY)));
    }
    return sedge_text_add(text, "%s\n", all->count > SHOWN ? " and others" : "");
}

// Of a guide of several media, at the frequencies of its ports.
static sedge_status tell_guided(const list *all, sedge_text *text)
{
    int guided = 0, ports = 0;

    for (int i = 0; i < all->monitor->count; i++) {
        const sedge_boundary *const other = all->monitor->ports[i].boundary;

        if (other->surface != all->first->boundary->surface) continue;
        ports++;
        if ((int)other->parameters[HYBRID_GUIDED] > guided)
            guided = (int)other->parameters[HYBRID_GUIDED];
    }
    if (guided <= ports) return SEDGE_OK;
    return sedge_text_add(text,
                          "    '%s': %d modes or more are guided, and %d ha%s a port; the others' "
                          "waves are absorbed\n",
                          all->first->name, guided, ports, ports == 1 ? "s" : "ve");
}

sedge_status ports_report_unlisted(const ports_monitor *monitor, sedge_text *text)
{
    const sedge_problem *const problem = monitor->context->problem;

    for (int i = 0; i < monitor->count; i++) {
        list all = {.monitor = monitor, .first = &monitor->ports[i]};
        const double *const p = all.first->boundary->parameters;
        const bool hybrid = (int)p[PORT_PROFILE] == PORT_FOUND_HYBRID;
        bool known = !hybrid && all.first->boundary->kind->parameters != port_guide_parameters;

        for (int k = 0; k < i; k++)
            known |= monitor->ports[k].boundary->surface == all.first->boundary->surface;
        if (known) continue;
        if (hybrid) {
            if (!has_mirrors(&all)) SEDGE_TRY(tell_guided(&all, text));
            continue;
        }
        all.unit = port_cutoff(problem, p) / wave_of(p);
        const double most = monitor->band[1] / all.unit;
        if (is_found(p)) {
            for (int te = 1; te >= 0; te--)
                if (!has_mirrors(&all)) SEDGE_TRY(tell_found(&all, text, most, te == 1));
            continue;
        }
        if (!is_round(p)) list_rectangle(&all, most);
        if (is_round(p) && !has_mirrors(&all)) list_round(&all, most);
        SEDGE_TRY(tell(&all, text));
    }
    return SEDGE_OK;
}
