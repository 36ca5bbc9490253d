// S-parameters from voltages and currents, and what a run says of its ports.
//
// The waves of a port with the impedance Z are a = (V + Z I) / (2 sqrt(Z)), which enters the
// structure, and b = (V - Z I) / (2 sqrt(Z)), which leaves it; S_ij = b_i / a_j where port j alone
// is driven (Kurokawa 1965). V and I are those of port_meter.h.
#include "ports.h"

#include "base/file.h"
#include "base/memory.h"
#include "io/json.h"
#include "monitor/output_folder.h"
#include "network/table.h"
#include "network/touchstone.h"

#include <math.h>
#include <stdio.h>

#define PI      3.14159265358979323846
#define LOUD    1e-3 // of the largest voltage, at the end of the run; a warning above
#define FAINT   1e-6 // of the largest of all ports: rounding
#define SURPLUS 1.05 // of the power that enters: more does not leave a passive structure
#define RETURN  0.3  // of a wave that leaves: more does not come back from a layer
#define QUIET   1e-2 // of the wave that drives: not judged below
#define FAR     0.3  // of a mode-port's frequency: errors there are about the square of this part
#define OTHER   0.1  // of a port's power: what it absorbs of other shapes; a warning above
#define ROWS    11   // of the user's table

double ports_frequency(const ports_monitor *monitor, int k)
{
    const double *const band = monitor->band;

    return monitor->frequencies > 1 ? band[0] + (band[1] - band[0]) * k / (monitor->frequencies - 1)
                                    : band[0];
}

double ports_unit(const ports_monitor *monitor, int series)
{
    const double *const si = monitor->context->deck->equation->si;

    if (!monitor->context->deck->si) return 1.0;
    return series == PORT_VOLTAGE ? 1.0 / si[SEDGE_VOLTAGE]
                                  : si[SEDGE_RESISTANCE] / si[SEDGE_VOLTAGE];
}

double ports_impedance(const ports_monitor *monitor, int i, double frequency)
{
    const sedge_boundary *const boundary = monitor->ports[i].boundary;
    const double *const p = boundary->parameters;

    return port_is_guide(boundary->kind) ? port_impedance(monitor->context->problem, p, frequency)
                                         : 1.0 / (p[PORT_CONDUCTANCE] * port_squares(p));
}

void ports_waves(double complex waves[2], const ports_monitor *monitor, int i, int k)
{
    const port *const one = &monitor->ports[i];
    const double *const sum =
        monitor->sums + 2 * ((int64_t)i * monitor->frequencies + k) * PORT_SERIES;
    const double frequency = ports_frequency(monitor, k);
    const double z = ports_impedance(monitor, i, frequency);
    const double complex v = sum[0] + sum[1] * (double complex)_Complex_I;
    const double complex current = sum[2] + sum[3] * (double complex)_Complex_I;
    double complex turn = 1.0;

    if (port_is_guide(one->boundary->kind)) {
        const double *const p = one->boundary->parameters;
        turn = cexp((double complex)_Complex_I *
                    port_phase(monitor->context->problem, p, frequency) * p[GUIDE_SHIFT]);
    }
    waves[0] = (v + z * current) / (2.0 * sqrt(z)) / turn;
    waves[1] = (v - z * current) / (2.0 * sqrt(z)) * turn;
}

// Frequencies that the source lacks have none.
void ports_find_parameters(const ports_monitor *monitor)
{
    const double floor = monitor->context->deck->frequency_floor;
    double complex driving[2], waves[2];
    double peak = 0.0;

    for (int k = 0; k < monitor->frequencies; k++) {
        ports_waves(driving, monitor, monitor->driven, k);
        peak = fmax(peak, cabs(driving[0]));
    }
    for (int k = 0; k < monitor->frequencies; k++) {
        ports_waves(driving, monitor, monitor->driven, k);
        const bool known = cabs(driving[0]) >= floor * peak;
        for (int i = 0; i < monitor->count; i++) {
            const int64_t at = (int64_t)k * monitor->count + i;
            ports_waves(waves, monitor, i, k);
            monitor->incident[at] = known ? waves[0] / driving[0] : (double)NAN;
            monitor->s[at] = known ? waves[1] / driving[0] : (double)NAN;
        }
    }
}

static double shown_frequency(const ports_monitor *monitor, int k)
{
    return sedge_deck_frequency(monitor->context->deck, ports_frequency(monitor, k));
}

// The reference of a port, in the deck's units; 0: its mode's own impedance, which varies.
static double shown_reference(const ports_monitor *monitor, const port *one)
{
    const int i = (int)(one - monitor->ports);

    if (port_is_guide(one->boundary->kind) && !port_is_line(one->boundary->parameters)) return 0.0;
    return sedge_problem_shown(monitor->context->problem, SEDGE_RESISTANCE,
                               ports_impedance(monitor, i, monitor->band[0]));
}

static sedge_status write_table(const ports_monitor *monitor, const sedge_network *network)
{
    char path[SEDGE_OUTPUT_PATH];
    sedge_text *text = NULL;
    sedge_status status;

    sedge_output_path(path, monitor->context, "ports.csv");
    SEDGE_TRY(sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, sedge_network_table_begin(text, ""));
    SEDGE_TRY_GOTO(status, sedge_network_table_add(text, network, ""));
    status = sedge_file_write(path, sedge_text_get(text), sedge_text_length(text));
done:
    sedge_text_free(text);
    return status;
}

// Root: the files, with the matrix s [frequencies][ports][ports], of which one column is known.
static sedge_status write_files(const ports_monitor *monitor, double complex *s, double *frequency,
                                sedge_network_port *ports)
{
    const int n = monitor->count;
    const sedge_network network = {.si = monitor->context->deck->si,
                                   .ports = n,
                                   .frequencies = monitor->frequencies,
                                   .port = ports,
                                   .frequency = frequency,
                                   .s = s};
    char path[SEDGE_OUTPUT_PATH];
    int left_out = 0;

    for (int i = 0; i < n; i++) {
        const port *const one = &monitor->ports[i];
        ports[i] = (sedge_network_port){one->name, shown_reference(monitor, one)};
    }
    for (int k = 0; k < monitor->frequencies; k++) {
        frequency[k] = shown_frequency(monitor, k);
        for (int i = 0; i < n * n; i++) {
            s[(int64_t)k * n * n + i] =
                i % n == monitor->driven ? monitor->s[(int64_t)k * n + i / n] : (double complex)NAN;
        }
    }
    SEDGE_TRY(write_table(monitor, &network));
    if (n > 1) return SEDGE_OK;
    sedge_output_path(path, monitor->context, "ports.s1p");
    return sedge_touchstone_write(&left_out, path, &network, NULL);
}

sedge_status ports_write(ports_monitor *monitor)
{
    const int64_t n = monitor->count, frequencies = monitor->frequencies;
    double complex *s = NULL;
    double *frequency = NULL;
    sedge_network_port *ports = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_allocate(&s, frequencies * n * n, sizeof *s));
    SEDGE_TRY_GOTO(status, sedge_allocate(&frequency, frequencies, sizeof *frequency));
    SEDGE_TRY_GOTO(status, sedge_allocate(&ports, n, sizeof *ports));
    ports_find_parameters(monitor);
    status = write_files(monitor, s, frequency, ports);
done:
    sedge_release(s);
    sedge_release(frequency);
    sedge_release(ports);
    return status;
}

// ---- what is told ------------------------------------------------------------------------------

// Where least comes back to the driven port, such as the resonance of an antenna, which may be
// between the rows of the table.
static sedge_status report_least(const ports_monitor *monitor, sedge_text *text)
{
    const char *const hertz = sedge_deck_unit(monitor->context->deck, SEDGE_FREQUENCY);
    double least = HUGE_VAL;
    int place = 0;

    for (int k = 0; k < monitor->frequencies; k++) {
        const double size = cabs(monitor->s[(int64_t)k * monitor->count + monitor->driven]);
        if (!(size < least)) continue;
        least = size;
        place = k;
    }
    if (!(least < HUGE_VAL)) return SEDGE_OK;
    SEDGE_TRY(sedge_text_add(text, "    least comes back to '%s' at %.6g%s: %.3f dB",
                             monitor->ports[monitor->driven].name, shown_frequency(monitor, place),
                             hertz, 20.0 * log10(least)));
    const double reference = shown_reference(monitor, &monitor->ports[monitor->driven]);
    if (monitor->count > 1 || !(reference > 0.0)) return sedge_text_add(text, "\n");
    const double complex s = monitor->s[place];
    const double complex impedance = reference * (1.0 + s) / (1.0 - s);
    return sedge_text_add(text, ", input impedance %.4g %c j %.4g%s\n", creal(impedance),
                          cimag(impedance) < 0.0 ? '-' : '+', fabs(cimag(impedance)),
                          hertz[0] != '\0' ? " ohm" : "");
}

static sedge_status report_table(const ports_monitor *monitor, sedge_text *text)
{
    const char *const hertz = sedge_deck_unit(monitor->context->deck, SEDGE_FREQUENCY);
    const int rows = monitor->frequencies < ROWS ? monitor->frequencies : ROWS;

    SEDGE_TRY(sedge_text_add(
        text, "ports: |S| in dB of what '%s' sends, by frequency%s%s\n    %14s",
        monitor->ports[monitor->driven].name, hertz[0] != '\0' ? " in" : "", hertz, ""));
    for (int i = 0; i < monitor->count; i++)
        SEDGE_TRY(sedge_text_add(text, " %14s", monitor->ports[i].name));
    SEDGE_TRY(sedge_text_add(text, "\n"));
    for (int r = 0; r < rows; r++) {
        const int k = rows > 1 ? (int)((int64_t)r * (monitor->frequencies - 1) / (rows - 1)) : 0;
        SEDGE_TRY(sedge_text_add(text, "    %14.6g", shown_frequency(monitor, k)));
        for (int i = 0; i < monitor->count; i++) {
            const double size = cabs(monitor->s[(int64_t)k * monitor->count + i]);
            SEDGE_TRY(isnan(size) ? sedge_text_add(text, " %14s", "-")
                                  : sedge_text_add(text, " %14.3f", 20.0 * log10(size)));
        }
        SEDGE_TRY(sedge_text_add(text, "\n"));
    }
    return report_least(monitor, text);
}

// Numbers of port i by frequency, as lists of real and of imaginary parts.
static void report_list(json_t *out, const ports_monitor *monitor, const double complex *values,
                        int i)
{
    json_t *const re = json_array();
    json_t *const im = json_array();

    for (int k = 0; k < monitor->frequencies; k++) {
        const double complex value = values[(int64_t)k * monitor->count + i];
        (void)json_array_append_new(re, sedge_json_number(creal(value)));
        (void)json_array_append_new(im, sedge_json_number(cimag(value)));
    }
    (void)json_object_set_new(out, "real", re);
    (void)json_object_set_new(out, "imaginary", im);
}

// S_ij, and of a port of a waveguide that is not driven what comes back from the layer behind it.
static json_t *report_port(const ports_monitor *monitor, int i)
{
    const port *const one = &monitor->ports[i];
    const double reference = shown_reference(monitor, one);
    json_t *const entry =
        json_pack("{s:s, s:s, s:o}", "name", one->name, "type", one->boundary->kind->name,
                  "reference", reference > 0.0 ? json_real(reference) : json_null());

    report_list(entry, monitor, monitor->s, i);
    if (i == monitor->driven || (!port_is_guide(one->boundary->kind) && !monitor->separates))
        return entry;
    json_t *const incident = json_object();
    report_list(incident, monitor, monitor->incident, i);
    (void)json_object_set_new(entry, "incident", incident);
    return entry;
}

// Transforms of voltage and current, where there are no S-parameters.
static json_t *report_phasors(const ports_monitor *monitor, int i)
{
    static const char *const names[PORT_SERIES] = {"voltage", "current"};
    const port *const one = &monitor->ports[i];
    const double seconds = sedge_deck_time_unit(monitor->context->deck);
    json_t *const entry =
        json_pack("{s:s, s:s}", "name", one->name, "type", one->boundary->kind->name);

    for (int k = 0; k < PORT_SERIES; k++) {
        const double unit = ports_unit(monitor, k) * seconds;
        json_t *const parts[2] = {json_array(), json_array()};

        for (int f = 0; f < 2 * monitor->frequencies; f++) {
            const double *const sum =
                monitor->sums + 2 * (((int64_t)i * monitor->frequencies + f / 2) * PORT_SERIES + k);
            (void)json_array_append_new(parts[f % 2], sedge_json_number(unit * sum[f % 2]));
        }
        (void)json_object_set_new(entry, names[k],
                                  json_pack("{s:o, s:o}", "real", parts[0], "imaginary", parts[1]));
    }
    return entry;
}

// The power, as far fields have it (of transforms), that comes with the driving wave, and the part
// of it that the driven port accepts.
static void report_power(json_t *json, const ports_monitor *monitor)
{
    const double seconds = sedge_deck_time_unit(monitor->context->deck);
    const double unit =
        ports_unit(monitor, PORT_VOLTAGE) * ports_unit(monitor, PORT_CURRENT) * seconds * seconds;
    json_t *const incident = json_array();
    json_t *const accepted = json_array();

    for (int k = 0; k < monitor->frequencies; k++) {
        double complex waves[2];
        ports_waves(waves, monitor, monitor->driven, k);
        const double enters = 0.5 * unit * creal(waves[0] * conj(waves[0]));
        const double leaves = 0.5 * unit * creal(waves[1] * conj(waves[1]));
        (void)json_array_append_new(incident, sedge_json_number(enters));
        (void)json_array_append_new(accepted, sedge_json_number(enters - leaves));
    }
    (void)json_object_set_new(json, "incident_power", incident);
    (void)json_object_set_new(json, "accepted_power", accepted);
}

// Warn where the run ended too early.
static sedge_status report_end(const ports_monitor *monitor, sedge_text *text)
{
    double loudest = 0.0, worst = 0.0;

    for (int i = 0; i < monitor->count; i++) loudest = fmax(loudest, monitor->ports[i].largest);
    for (int i = 0; i < monitor->count; i++) {
        const port *const one = &monitor->ports[i];

        if (one->largest > FAINT * loudest)
            worst = fmax(worst, fmax(one->last, one->current) / one->largest);
    }
    if (worst <= LOUD) return SEDGE_OK;
    return sedge_text_add(text,
                          "  warning: at the end of the run a port's voltage was still %.2g of its "
                          "largest: let it run longer, or S-parameters have ripples\n",
                          worst);
}

// Warn where more power leaves than enters.
static sedge_status report_surplus(const ports_monitor *monitor, sedge_text *text)
{
    const char *const hertz = sedge_deck_unit(monitor->context->deck, SEDGE_FREQUENCY);
    double most = 0.0;
    int worst = 0;

    for (int k = 0; k < monitor->frequencies; k++) {
        double sum = 0.0;
        for (int i = 0; i < monitor->count; i++) {
            const double size = cabs(monitor->s[(int64_t)k * monitor->count + i]);
            sum += isfinite(size) ? size * size : 0.0;
        }
        if (sum > most) worst = k;
        most = fmax(most, sum);
    }
    if (most <= SURPLUS) return SEDGE_OK;
    return sedge_text_add(
        text,
        "  warning: at %.6g%s ports send out %.3g times the power that '%s' sends in: does the "
        "signal cover the band, do directions point into the structure, is a layer behind each "
        "port of a waveguide, and is the mesh fine enough?\n",
        shown_frequency(monitor, worst), hertz, most, monitor->ports[monitor->driven].name);
}

// Warn of ports that waves come back to from behind, at most of the frequencies.
static sedge_status report_returns(const ports_monitor *monitor, sedge_text *text)
{
    for (int i = 0; i < monitor->count; i++) {
        const port *const one = &monitor->ports[i];
        int known = 0, back = 0;

        if (i == monitor->driven || !port_is_guide(one->boundary->kind)) continue;
        for (int k = 0; k < monitor->frequencies; k++) {
            const int64_t at = (int64_t)k * monitor->count + i;
            const double leaves = cabs(monitor->s[at]), enters = cabs(monitor->incident[at]);
            if (!(leaves > QUIET || enters > QUIET)) continue;
            known++;
            if (enters > RETURN * leaves) back++;
        }
        if (2 * back <= known) continue;
        SEDGE_TRY(sedge_text_add(
            text,
            "  warning: what leaves through '%s' comes back from behind, and S-parameters of one "
            "run are wrong by it: its direction must point into the structure, and the guide "
            "behind it "
            "must end in a surface of type pml\n",
            one->name));
    }
    return SEDGE_OK;
}

// Where ports share power the wave of one enters by others, too.
static sedge_status report_separation(sedge_text *text)
{
    return sedge_text_add(
        text, "    ports of one surface carry power together: these numbers are not yet "
              "S-parameters, which a sweep over all ports finds\n");
}

// Warn of a port with a resistance that absorbs fields of other shapes than its own.
static sedge_status report_shapes(const ports_monitor *monitor, sedge_text *text)
{
    const port *const one = &monitor->ports[monitor->driven];
    const double part = (one->given - one->passed) / one->given;

    for (int i = 0; i < monitor->count; i++) { // of which each has its own shape
        if (i != monitor->driven && monitor->ports[i].boundary->surface == one->boundary->surface)
            return SEDGE_OK;
    }
    if (port_is_guide(one->boundary->kind) || !(one->given > 0.0) || part <= OTHER) return SEDGE_OK;
    return sedge_text_add(
        text,
        "  warning: %.2g of the power that '%s' accepts stays in it, in fields of other shapes "
        "than its own, so that S-parameters are not those of the structure: let some of its line, "
        "longer than the gap between the conductors, lie between the port and what follows\n",
        part, one->name);
}

// Warn of bands that reach far from the frequency of a mode-port, at which its fields are exact.
static sedge_status report_modes(const ports_monitor *monitor, sedge_text *text)
{
    const char *const hertz = sedge_deck_unit(monitor->context->deck, SEDGE_FREQUENCY);

    for (int i = 0; i < monitor->count; i++) {
        const double *const p = monitor->ports[i].boundary->parameters;
        const double own = p[HYBRID_FREQUENCY];

        if ((int)p[PORT_PROFILE] != PORT_FOUND_HYBRID) continue;
        const int end = fabs(monitor->band[1] - own) > fabs(monitor->band[0] - own);
        const double off = fabs(monitor->band[end] / own - 1.0);
        if (off <= FAR) continue;
        SEDGE_TRY(sedge_text_add(
            text,
            "  warning: the port '%s' has the mode of %.6g%s, and at %.6g%s, the end of the band, "
            "S-parameters may be wrong by %.2g: let its 'frequency' be in the middle of the band, "
            "or make runs for parts of the band\n",
            monitor->ports[i].name, sedge_deck_frequency(monitor->context->deck, own), hertz,
            sedge_deck_frequency(monitor->context->deck, monitor->band[end]), hertz,
            fmin(off * off, 1.0)));
    }
    return SEDGE_OK;
}

sedge_status ports_report(const ports_monitor *monitor, sedge_text *text, json_t *json)
{
    json_t *const frequencies = json_array();
    json_t *const list = json_array();
    const bool alone = monitor->driven >= 0;

    (void)json_object_set_new(
        json, "driven", alone ? json_string(monitor->ports[monitor->driven].name) : json_null());
    (void)json_object_set_new(json, "frequency", frequencies);
    (void)json_object_set_new(json, "ports", list);
    if (alone) report_power(json, monitor);
    for (int k = 0; k < monitor->frequencies; k++)
        (void)json_array_append_new(frequencies, sedge_json_number(shown_frequency(monitor, k)));
    for (int i = 0; i < monitor->count; i++) {
        (void)json_array_append_new(list,
                                    alone ? report_port(monitor, i) : report_phasors(monitor, i));
    }
    SEDGE_TRY(alone
                  ? report_table(monitor, text)
                  : sedge_text_add(text, "ports: voltages and currents, but no S-parameters, which "
                                         "need a port driven by the deck's only source\n"));
    if (alone) {
        SEDGE_TRY(monitor->separates ? report_separation(text) : report_surplus(monitor, text));
        if (!monitor->separates) SEDGE_TRY(report_returns(monitor, text));
        SEDGE_TRY(report_modes(monitor, text));
        SEDGE_TRY(report_shapes(monitor, text));
    }
    SEDGE_TRY(ports_report_unlisted(monitor, text));
    return report_end(monitor, text);
}
