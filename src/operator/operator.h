// The tuned right-hand side: one problem on one device, its generated kernels, one stage at a time.
//
// A stage makes the boundary traces, sends the halo traces, and works on the interior elements
// while these travel. The halo elements follow in a second stream as soon as their traces have
// arrived; if the mesh has elements with boundary faces in ranges of their own (boundary_last), so
// do these. Inside a stage the device waits for the host only in the exchange, and with the peer
// transport (halo/halo.h) not even there. An evolution (evolve/evolution.h) holds a state and steps
// it.
#pragma once

#include "base/error.h"
#include "base/stopwatch.h"
#include "base/text.h"
#include "device/device.h"
#include "dg/bernstein.h"
#include "dg/element.h"
#include "dg/problem.h"
#include "forms/form_list.h"
#include "mesh/mesh.h"
#include "par/comm.h"
#include "program/program.h"
#include "tune/tune.h"

#include <stdint.h>
#include <stdio.h>

typedef struct sedge_operator sedge_operator;

// Kernels other than the stage in straight elements whose configuration is tuned. Their choices
// come after the stage's, in the layout that this chose.
typedef enum sedge_operator_family {
    SEDGE_FAMILY_CURVED,     // curved elements, where Maxwell's state in them is covariant
    SEDGE_FAMILY_PREDICTION, // ADER's prediction in straight elements without terms
    SEDGE_FAMILIES
} sedge_operator_family;

// The request for a kernel configuration of the stage. What is not requested (0, NULL) is chosen by
// tuning, or by the rule for this device, order and precision.
typedef struct sedge_operator_options {
    const char *variant; // one of SEDGE_OPERATOR_VARIANTS (forms/form_list.h); "auto": as NULL
    int block_elements;  // elements a block (cuda)
    int item_nodes;      // nodes a work item in the volume
    int lift_nodes;      // nodes a work item in the lift
    int item_fields;     // fields that a work item differentiates together
    const char *config;  // all of it, by the name that tuning gives it: "fused b24 n2,4 r1024 p20",
                         // "bernstein sparse b5 w2 r64 p36"
    const char *family_config[SEDGE_FAMILIES]; // those of other kernels by their names, "curved b16
                                               // t256 r4 w4"; only sedge_operator_texts reads them,
                                               // and takes the rule's for names that do not fit
    bool time_kernels;                         // measure each kernel with events (costs a little)
    bool launch_singly;     // never a step as a graph, where the device has graphs
    sedge_stopwatch *watch; // of the parts of creation; may be NULL

    sedge_tune_level tune;   // off: wisdom, else the rule; rank 0's is that of all
    bool forget;             // measure even if there is wisdom
    int most_candidates;     // of a layout, those that the rule thinks best; 0: all
    int64_t expected_stages; // of the run, 0: not known; fast tuning takes at most a part of it
    bool search_all;         // also what is less promising and else is chosen by name: for tests
} sedge_operator_options;

// The stage's kernel; all others that depend on materials, terms and conditions; those that do not,
// often common to many problems of an order; and the stage's kernel for elements with terms.
#define SEDGE_OPERATOR_PROGRAMS 4

// Append the whole sources of the programs that sedge_operator_create would compile for a device of
// this info, which need not be here, if it does not tune, and tell their names. SEDGE_ERR_USAGE for
// a request that cannot be had. Not collective. Where the problem has no terms, the last text stays
// empty.
SEDGE_MUST_USE
sedge_status sedge_operator_texts(sedge_text *const out[SEDGE_OPERATOR_PROGRAMS],
                                  char name[SEDGE_OPERATOR_PROGRAMS][SEDGE_OPERATOR_NAME],
                                  const sedge_device_info *info, const sedge_element *element,
                                  const sedge_problem *problem,
                                  const sedge_operator_options *options);

// Whether the options request a variant, numbers of a configuration, or a configuration: then
// nothing is tuned.
bool sedge_operator_is_requested(const sedge_operator_options *options);

// The configurations that tuning has chosen so far for this problem, at any size, on devices of
// `device`'s kind and architecture (it may be one that only compiles), as names for options.config;
// released with sedge_release. Not collective.
SEDGE_MUST_USE
sedge_status sedge_operator_remembered(char (**names)[SEDGE_TUNE_NAME], int *count,
                                       const sedge_device *device, const sedge_cache *cache,
                                       const sedge_element *element, const sedge_problem *problem);

// The same of the configurations of a family, as names for options.family_config; none where there
// is one for all.
SEDGE_MUST_USE
sedge_status sedge_operator_remembered_family(char (**names)[SEDGE_TUNE_NAME], int *count,
                                              sedge_operator_family family,
                                              const sedge_device *device, const sedge_cache *cache,
                                              const sedge_element *element,
                                              const sedge_problem *problem);

// Compile, allocate, upload. Collective. Keeps element, mesh, problem, device and comm, which must
// outlive it. SEDGE_ERR_USAGE for a request that does not fit and a transport that is requested and
// not possible, SEDGE_ERR_DEVICE and SEDGE_ERR_MEMORY as compiler and device say. The caller frees
// it; collective: what other ranks have put into streams for this one is done before memory goes. A
// rank that cannot come there, for it has failed alone, ends the job.
SEDGE_MUST_USE
sedge_status sedge_operator_create(sedge_operator **out, const sedge_comm *comm,
                                   sedge_device *device, sedge_cache *cache,
                                   const sedge_element *element, const sedge_mesh *mesh,
                                   const sedge_problem *problem,
                                   const sedge_operator_options *options);
void sedge_operator_free(sedge_operator *op);

// Whether the host waits for other ranks' traces inside a step of this rank: it has neighbours and
// they exchange by messages.
bool sedge_operator_waits(const sedge_operator *op);

// How traces travel, the same on all ranks: "none" (one rank), "staged", "direct", "peer".
const char *sedge_operator_transport(const sedge_operator *op);

// What a stage costs at least, and what was measured.
#define SEDGE_OPERATOR_KERNELS 30 // kinds of kernels

typedef struct sedge_operator_cost {
    const char
        *variant;   // the configuration, "fused b24 n2,4 r1024 p20"; borrowed from the operator
    double bytes;   // compulsory a stage, this rank: 4 words an unknown, also of terms' memory;
                    // geometry, connectivity
    double flops;   // nominal a stage, this rank; 0: the equation does not count them
    int64_t stages; // run so far
    double exchange_seconds;        // traces on their way, of a GPU in sampled steps, and
    double exposed_seconds;         // the part of it for which the interior had no work
    int64_t exchanges_timed;        // in both
    double exchange_bytes_per_step; // sent by this rank
    struct {
        const char *name;
        const char *variant; // the configuration by which it was launched; borrowed
        double seconds;      // over the run, from the launches of sampled steps; 0: none yet
        int64_t launches;    // 0: not in use here
        double bytes;        // compulsory, and
        double flops;        // nominal, of an average launch; 0: not counted
    } kernel[SEDGE_OPERATOR_KERNELS]; // each kind in its own place, on all ranks
} sedge_operator_cost;

// The work of one straight element in one stage. `bytes`: states and residuals as the integrator's
// stages read and write them on average, and geometry. `flops`: derivatives, fluxes, lift and
// update; 0 if the equation does not count its operations. Not collective.
void sedge_operator_element_work(const sedge_problem *problem, const sedge_element *element,
                                 double *bytes, double *flops);

// Of this rank; not collective.
void sedge_operator_get_cost(const sedge_operator *op, sedge_operator_cost *out);

// How the configuration of a family was chosen.
typedef struct sedge_family_tuning {
    const char *variant; // the configuration, "curved b16 t256 r4 w4"; borrowed from the operator;
                         // NULL: no choice, or the kernels of straight elements were requested
    const char *how;     // "rule", "wisdom", "measurement"
    double seconds;      // as below, of this choice alone
    int timed;
    double gain;
} sedge_family_tuning;

// How configurations were chosen: that of the stage in straight elements, and those of families;
// `seconds` and `compiled` have all of them.
typedef struct sedge_operator_tuning {
    const char
        *how; // "request", "rule", "wisdom", "measurement", "rule, for the other ranks' basis"
    double seconds; // spent on it, compiling included
    int timed;      // candidates, now or when the wisdom was found
    int compiled;   // programs, now
    double gain;    // the rule's time over the chosen one's; 0: not known
    sedge_family_tuning family[SEDGE_FAMILIES];
} sedge_operator_tuning;

void sedge_operator_get_tuning(const sedge_operator *op, sedge_operator_tuning *out);

// The table of all candidates with their times, and why each won or lost. Not collective.
SEDGE_MUST_USE
sedge_status sedge_operator_print_tuning(const sedge_operator *op, FILE *file);

// The task that creating the operator gave the tuner, borrowed, for benchmarks of the tuner: the
// operator is spent by it and can only be freed. Not collective.
SEDGE_MUST_USE
sedge_status sedge_operator_task(sedge_operator *op, const sedge_tune_task **out);

// Bytes of device memory that an operator on this rank's part of a mesh takes about, with the
// state, for `sedge check`.
int64_t sedge_operator_memory(const sedge_problem *problem, const sedge_mesh *mesh);
