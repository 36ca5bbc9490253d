// What the tests of convergence share.
#pragma once

#include "check.h"

#include "dg/case.h"

// The relative L2 error at `end` of what begins as the exact fields, in steps of 0.8 of the stable
// one. Collective.
static inline double waves_error(const sedge_comm *comm, const dg_case_options *options, double end)
{
    dg_case c;
    double error = (double)NAN;

    CHECK_OK(dg_case_create(&c, comm, options));
    if (c.values > 0) {
        dg_case_start(&c, 0.0);
        CHECK_OK(dg_case_run(&c, end, 0.8));
        error = dg_case_error(&c, end);
    }
    dg_case_clear(&c);
    return error;
}
