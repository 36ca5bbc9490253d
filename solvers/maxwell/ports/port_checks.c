// What the monitor `ports` refuses.
#include "ports.h"

#include "monitor/output_context.h"

#include <math.h>
#include <string.h>

#define PLACES 32 // in the band, at which the signal's spectrum is looked at

static sedge_status check_deck(const ports_monitor *monitor)
{
    const sedge_output_context *const context = monitor->context;
    const sedge_deck *const deck = context->deck;
    const char *const hertz = sedge_deck_unit(deck, SEDGE_FREQUENCY);

    if (monitor->count == 0) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.ports: no surface in `boundaries` is a port (types "
                          "lumped-port, coaxial-port, tem-port, line-port, mode-port, te-port, "
                          "tm-port)",
                          deck->path);
    }
    if (context->problem->incident_count > 0 && sedge_problem_feeds(context->problem) == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.ports: the fields are the scattered ones, and voltages are "
                          "those of the total ones: let the wave enter by a surface of type "
                          "total-field around the ports",
                          deck->path);
    }
    if (!(monitor->band[0] <= monitor->band[1])) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.ports: 'from', %.6g%s, must not be above 'to', %.6g%s",
                          deck->path, sedge_deck_frequency(deck, monitor->band[0]), hertz,
                          sedge_deck_frequency(deck, monitor->band[1]), hertz);
    }
    if (monitor->frequencies > 1 && !(monitor->band[0] < monitor->band[1])) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.ports: 'from' and 'to' are the same frequency, and 'count' "
                          "is %d: it must be 1 then",
                          deck->path, monitor->frequencies);
    }
    if (context->first_step > 0 && !monitor->restored) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.ports: S-parameters need the whole run, and the run before "
                          "had no such monitor, or other ports or frequencies, or drove another "
                          "port: begin anew",
                          deck->path);
    }
    return SEDGE_OK;
}

// Fields that follow from one signal, which ends.
static sedge_status check_fields(const ports_monitor *monitor)
{
    const sedge_output_context *const context = monitor->context;
    const double *const driven =
        monitor->driven >= 0 ? monitor->ports[monitor->driven].boundary->parameters : NULL;

    if (driven == NULL) return SEDGE_OK;
    if (!context->problem->initial->zero) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.ports: S-parameters are those of a driven port alone, and "
                          "the run begins with fields (initial, of type '%s'): leave them out",
                          context->deck->path, context->problem->initial->name);
    }
    if (sedge_signal_kind_of(driven + PORT_SIGNAL)->end != NULL) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: monitors.ports: S-parameters need a signal that ends, such as a "
                      "gaussian, and sources.0.signal does not",
                      context->deck->path);
}

// A port's name is that of a group beside the dataset "time".
static sedge_status check_names(const ports_monitor *monitor)
{
    for (int i = 0; i < monitor->count; i++) {
        const char *const name = monitor->ports[i].name;

        if (strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "time") != 0)
            continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.ports: ports.h5 has a group for each port, whose name must "
                          "not be 'time' or '.' or have a '/': give the surface '%s' another name",
                          monitor->context->deck->path, name);
    }
    return SEDGE_OK;
}

// A guide's port is of use above its cut-off only.
static sedge_status check_cutoffs(const ports_monitor *monitor)
{
    const sedge_output_context *const context = monitor->context;
    const sedge_deck *const deck = context->deck;
    const char *const hertz = sedge_deck_unit(deck, SEDGE_FREQUENCY);

    for (int i = 0; i < monitor->count; i++) {
        const port *const one = &monitor->ports[i];
        if (!port_is_guide(one->boundary->kind)) continue;
        const double cutoff = port_cutoff(context->problem, one->boundary->parameters);
        if (monitor->band[1] > 1.01 * cutoff) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s: monitors.ports: all frequencies up to %.6g%s are below 1.01 of the "
                          "cut-off %.6g%s of the mode of the port '%s', which then carries no "
                          "power",
                          deck->path, sedge_deck_frequency(deck, monitor->band[1]), hertz,
                          sedge_deck_frequency(deck, cutoff), hertz, one->name);
    }
    return SEDGE_OK;
}

// The source must send something in the band: the rest is noise, divided by noise.
static sedge_status check_band(const ports_monitor *monitor)
{
    const sedge_deck *const deck = monitor->context->deck;
    const char *const hertz = sedge_deck_unit(deck, SEDGE_FREQUENCY);
    double most = 0.0;

    if (monitor->driven < 0) return SEDGE_OK;
    const double *const signal = monitor->ports[monitor->driven].boundary->parameters + PORT_SIGNAL;
    for (int i = 0; i <= PLACES && most < deck->frequency_floor; i++) {
        const double frequency =
            monitor->band[0] + (monitor->band[1] - monitor->band[0]) * i / PLACES;
        most = fmax(most, sedge_signal_part(signal, frequency, HUGE_VAL));
    }
    if (most >= deck->frequency_floor) return SEDGE_OK;
    return SEDGE_FAIL(
        SEDGE_ERR_USAGE,
        "%s: monitors.ports: from %.6g%s to %.6g%s the spectrum of the source's signal "
        "is at most %.2g of its peak, so that there is nothing to measure: let "
        "sources.0.signal cover these frequencies",
        deck->path, sedge_deck_frequency(deck, monitor->band[0]), hertz,
        sedge_deck_frequency(deck, monitor->band[1]), hertz, most);
}

// The plane that S-parameters refer to lies in the mesh.
static sedge_status check_shift(const ports_monitor *monitor, const port *one)
{
    const sedge_output_context *const context = monitor->context;
    const double *const p = one->boundary->parameters;
    const double *const into = p + GUIDE_DIRECTION;
    const double(*const bounds)[3] = context->mesh->bounds;
    double most = 0.0, square = 0.0;

    for (int d = 0; d < 3; d++) {
        most += fmax(into[d] * (bounds[0][d] - p[PORT_ORIGIN + d]),
                     into[d] * (bounds[1][d] - p[PORT_ORIGIN + d]));
        square += into[d] * into[d];
    }
    most /= sqrt(square);
    if (p[GUIDE_SHIFT] <= most) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "%s: boundaries.%s: shift %.6g moves the port's plane out of the mesh, which "
                      "ends %.6g from the port; %s",
                      context->deck->path, one->name, p[GUIDE_SHIFT], most,
                      sedge_deck_question(context->deck));
}

sedge_status ports_check(const ports_monitor *monitor)
{
    SEDGE_TRY(check_deck(monitor));
    SEDGE_TRY(check_fields(monitor));
    SEDGE_TRY(check_names(monitor));
    SEDGE_TRY(check_cutoffs(monitor));
    SEDGE_TRY(check_band(monitor));
    for (int i = 0; i < monitor->count; i++) {
        if (port_is_guide(monitor->ports[i].boundary->kind))
            SEDGE_TRY(check_shift(monitor, &monitor->ports[i]));
    }
    return SEDGE_OK;
}
