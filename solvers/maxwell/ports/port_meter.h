// The voltage and the current of a port at a time, from the fields on all sides of its surface.
//
// The voltage is that of the state e* on the surface, which both sides have in common: V = int
// e*.mode / F. The current flows into the structure: that of a resistor follows from its voltage,
// that of a waveguide's mode from the field on the side of the structure. The wave of another mode
// of the surface has a part in V if the fields of both are not orthogonal (ports_separate).
#pragma once

#include "base/error.h"
#include "dg/monitor_kind.h"

#include <stdint.h>

enum { PORT_VOLTAGE, PORT_CURRENT, PORT_SERIES };

struct sedge_output_context; // monitor/output_context.h

typedef struct port_meter port_meter;

// The meter of a port. Keeps `context` and `port`. Collective.
SEDGE_MUST_USE
sedge_status port_meter_create(port_meter **out, const struct sedge_output_context *context,
                               const struct sedge_boundary *port);
void port_meter_free(port_meter *meter);

// The points of this rank at which it needs the fields: how many, and, unless `out` is NULL, which.
// Borrowed from the meter.
int64_t port_meter_points(const port_meter *meter, sedge_monitor_point *out);

// The integral of the product of the port's field and that of another port on the same surface, by
// that of its own field squared. Collective.
double port_meter_overlap(const port_meter *meter, const struct sedge_boundary *other);

// Voltage and current at `time`, code units, from the fields `u` [points][6]. Collective.
void port_meter_read(double out[PORT_SERIES], const port_meter *meter, double time,
                     const double *u);

// The power that enters the structure through the whole of a port with a resistance, in whatever
// shape of fields: less than that of voltage and current by what the port absorbs of other shapes
// than its own. Collective.
double port_meter_flux(const port_meter *meter, const double *u);
