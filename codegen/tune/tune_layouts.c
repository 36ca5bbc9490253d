// The tuner's final between layouts. Layouts are searched one after the other, and what a busy
// machine lets through at one moment is not what it lets through at another: before another layout
// than the first is believed to be faster, the choices of both take turns.
#include "tune/tune_layouts.h"

#include "base/file.h"
#include "tune/tune_race.h"

#include <math.h>
#include <stdlib.h>

enum {
    TURNS = 9,
    TURNS_LEAST = 3,   // for which there is always time
    SAMPLES = 7,       // in a turn
    SAMPLES_LEAST = 3, // where the time is over
};

// One layout's choice: a race of one.
typedef struct side {
    tune_race race;
    race_entry entry;
} side;

static sedge_status create_side(side *s, sedge_tune_run *run, int layout, int choice)
{
    s->entry = (race_entry){.candidate = choice, .verified = true, .batch = 1};
    s->race = (tune_race){.run = run,
                          .layout = layout,
                          .task = run->task,
                          .records = run->result->records,
                          .entries = &s->entry,
                          .count = 1};
    SEDGE_TRY(sedge_race_compile(&s->race, 0, 1)); // from the cache
    if (s->entry.program != NULL) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "'%s' of %s, which was timed, has no program any more",
                      sedge_race_name(&s->race, &s->entry), run->task->operation);
}

static void free_side(side *s)
{
    sedge_program_free(s->entry.program);
    sedge_text_free(s->entry.text);
}

typedef struct layout_final {
    sedge_tune_run *run;
    side sides[2];
    int now; // the side whose layout the data are in; -1: not known
} layout_final;

// Seconds of a layout's choice: the median of some samples.
static sedge_status take_turn(layout_final *final, int which, double *seconds)
{
    const sedge_tune_task *const task = final->run->task;
    side *const s = &final->sides[which];
    const bool is_late = sedge_clock() > final->run->deadline;
    const int samples = is_late ? SAMPLES_LEAST : SAMPLES;

    if (final->now != which && task->use_layout != NULL)
        SEDGE_TRY(task->use_layout(task->context, s->race.layout));
    final->now = which;
    s->entry.count = 0;
    SEDGE_TRY(sedge_race_warm(&s->race, &s->entry));
    while (s->entry.count < samples) SEDGE_TRY(sedge_race_sample(&s->race, &s->entry));
    *seconds = sedge_race_median(&s->entry);
    return SEDGE_OK;
}

// Turns of both, in changing order: a disturbance that lasts for a while then affects both.
static sedge_status take_turns(layout_final *final, double *ratio)
{
    race_entry ratios = {.count = 0};
    double longest = 0.0;

    while (ratios.count < TURNS) {
        const double began = sedge_clock();
        const int first = ratios.count % 2;
        double seconds[2];
        if (ratios.count >= TURNS_LEAST && began + longest > final->run->deadline) break;
        SEDGE_TRY(take_turn(final, first, &seconds[first]));
        SEDGE_TRY(take_turn(final, 1 - first, &seconds[1 - first]));
        ratios.samples[ratios.count++] = seconds[1] / seconds[0];
        longest = fmax(longest, sedge_clock() - began);
    }
    *ratio = sedge_race_median(&ratios);
    return SEDGE_OK;
}

sedge_status sedge_tune_compare_layouts(sedge_tune_run *run, int first, int layout, int other,
                                        double *ratio)
{
    layout_final final = {.run = run, .now = -1};
    sedge_status status;

    SEDGE_TRY_GOTO(status, create_side(&final.sides[0], run, 0, first));
    SEDGE_TRY_GOTO(status, create_side(&final.sides[1], run, layout, other));
    SEDGE_TRY_GOTO(status, take_turns(&final, ratio));
done:
    for (int i = 0; i < 2; i++) free_side(&final.sides[i]);
    return status;
}
