// The ports of a run and what is measured at them, for the files of the monitor `ports`:
// ports_monitor.c makes it and takes samples, port_checks.c says what is refused, port_results.c
// has what follows from the samples, port_settling.c finds when they are enough.
#pragma once

#include "port_fit.h"
#include "port_meter.h"

#include "base/text.h"

struct sedge_output_context; // monitor/output_context.h
struct sedge_settling;       // monitor/settling.h
struct json_t;

typedef struct port {
    const char *name;
    const sedge_boundary *boundary;
    port_meter *meter;
    int64_t first; // of its points among those of the monitor; modes of one surface share them
    // Largest voltages: of the whole run, and of its last two parts (begin_part).
    double largest, last, current;
    // Of a port with a resistance, sums over samples: voltage times current, and the flux.
    double given, passed;
} port;

typedef struct ports_monitor {
    const struct sedge_output_context *context;
    double band[2];
    int frequencies;
    int every; // steps between samples
    int count;
    port *ports;
    int driven; // the port that the one source drives; -1: there are other sources, or none
    int64_t samples;
    int64_t part;  // the step at which the last part of the run begins
    bool restored; // the sums have the sample of the step at which the run begins
    int points;
    sedge_monitor_point *point;   // [points]
    double (*pairs)[PORT_SERIES]; // [count] of a sample, and as many to work with
    double complex *separation;   // [count][count] of voltages, see ports_separate
    bool separates;               // some ports of a surface share power
    // Root, sum of samples times exp(-j w t): [ports][frequencies][PORT_SERIES][real, imaginary].
    double *sums;
    int64_t *ids; // [count]
    int arrays;
    sedge_monitor_array array[2]; // [arrays] the sums, and those to compare with
    // For time.stop.spectra: the frequencies of which some port carries power, and, on the root,
    // the waves there, [ports][enters, leaves][carried_count][real, imaginary].
    int carried_count;
    int *carried;
    double *waves;
    struct sedge_settling *settling;
    // Root, where a port is driven, as ports_find_parameters left them, [frequencies][ports]: waves
    // that leave and waves that enter by the wave that drives; not a number: not known.
    double complex *s, *incident;
} ports_monitor;

// Ports of lines on one surface may have any voltages, such as 1 for one conductor each; their
// fields are then not orthogonal, and a port's meter sees a part of the other ones' voltages. Find
// how to take it out, of ports with meters, and do so in `pairs`. SEDGE_ERR_USAGE: voltages are not
// independent. SEDGE_ERR_MEMORY. The first is collective.
SEDGE_MUST_USE
sedge_status ports_separation_create(ports_monitor *monitor);
void ports_separate(const ports_monitor *monitor);

// Frequency number k, code units.
double ports_frequency(const ports_monitor *monitor, int k);

// Deck's value = code value * factor, of a voltage and of a current.
double ports_unit(const ports_monitor *monitor, int series);

// The impedance of port i; not a number: its mode carries no power.
double ports_impedance(const ports_monitor *monitor, int i, double frequency);

// Root: the waves that enter the structure at port i, [0], and leave it, [1], at frequency k.
void ports_waves(double complex waves[2], const ports_monitor *monitor, int i, int k);

// Root, of a run with one driven port: find `s` and `incident` from the sums.
void ports_find_parameters(const ports_monitor *monitor);

// Begin to compare waves where the deck has time.stop.spectra, or go on by the `memory` of the run
// before. Collective. What it made is freed in any case. And `compare` of the monitor's table.
SEDGE_MUST_USE
sedge_status ports_settling_create(ports_monitor *monitor, const struct json_t *memory);
void ports_settling_free(const ports_monitor *monitor);
SEDGE_MUST_USE
sedge_status ports_compare(void *what, int64_t window, bool measure, double *remains);

// SEDGE_ERR_USAGE: the deck, a port or the run before does not allow the measurement.
SEDGE_MUST_USE
sedge_status ports_check(const ports_monitor *monitor);

// Root, at the end of a run with one driven port: find `s` and `incident`, and write ports.csv and
// ports.s1p. SEDGE_ERR_MEMORY, SEDGE_ERR_USAGE.
SEDGE_MUST_USE
sedge_status ports_write(ports_monitor *monitor);

// Root: tell of modes that propagate in the band and have no port.
SEDGE_MUST_USE
sedge_status ports_report_unlisted(const ports_monitor *monitor, sedge_text *text);

// Root: what the user is told, warnings included, and the numbers for report.json.
SEDGE_MUST_USE
sedge_status ports_report(const ports_monitor *monitor, sedge_text *text, struct json_t *json);
