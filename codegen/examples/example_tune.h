// What the tuned examples share: a template whose numbers the tuner chooses, or all of whose
// choices are tried one after the other.
//
//     NAME [DEVICE [SIZE [all]]]      all: every choice is run and checked, and the tuner left out
#pragma once

#include "base/hash.h"
#include "example.h"
#include "program/launch.h"
#include "text/template.h"
#include "tune/ceiling.h"
#include "tune/tune.h"

#include <string.h>

enum { EXAMPLE_NUMBERS = 12, EXAMPLE_CHOICES = 48 };

// One way to fill in the template. The first is what runs without tuning.
typedef struct example_choice {
    const char *name;
    int number[EXAMPLE_NUMBERS]; // by example_template's names
} example_choice;

// The template, and what its numbers mean.
typedef struct example_template {
    const char *name; // of the kernel and the program
    const char *(*text)(const int *number);
    const char *names[EXAMPLE_NUMBERS]; // up to the first NULL
    const example_choice *choices;
    int count;
    int (*threads)(const int *number);
    int (*shared_bytes)(const int *number);
} example_template;

// One problem to solve with it. `own` is passed to the functions.
typedef struct example_problem {
    const example_template *of;
    sedge_context *context;
    const char *size; // for the wisdom: what times depend on
    double bytes, flops;
    void *own;
    int first;                   // of the template's names that stands for a number of the problem;
    int number[EXAMPLE_NUMBERS]; // these, from there on
    const char *(*refuse)(const void *own, const int *number); // NULL: it can run
    sedge_status (*launch)(void *own, const int *number, const sedge_kernel *kernel,
                           sedge_stream *stream);
    sedge_status (*clear)(void *own); // make the result wrong
    sedge_status (*check)(void *own);
} example_problem;

// ---- one choice --------------------------------------------------------------------------------

// The whole source of a program with these numbers.
static inline sedge_status example_write(sedge_text *out, const example_template *of,
                                         const int *number, sedge_device_kind kind)
{
    sedge_binding values[EXAMPLE_NUMBERS];
    sedge_text *text = NULL;
    sedge_status status;
    int count = 0;

    for (; count < EXAMPLE_NUMBERS && of->names[count] != NULL; count++)
        values[count] = SEDGE_BIND_INTEGER(of->names[count], number[count]);
    const sedge_pattern pattern = {
        .name = of->name, .text = of->text(number), .bindings = values, .count = count};
    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, sedge_template_write(text, &pattern));
    const sedge_program_options options = {.name = of->name,
                                           .sources =
                                               &(sedge_source){of->name, sedge_text_get(text)},
                                           .count = 1,
                                           .shared_bytes = of->shared_bytes(number)};
    SEDGE_TRY_GOTO(status, sedge_program_write(out, kind, &options));
done:
    sedge_text_free(text);
    return status;
}

// The numbers of one choice, and the problem's behind them.
static inline void example_fill(int number[EXAMPLE_NUMBERS], const example_problem *problem,
                                int choice)
{
    const example_template *const of = problem->of;

    memcpy(number, of->choices[choice].number, sizeof of->choices[choice].number);
    for (int i = problem->first; i > 0 && i < EXAMPLE_NUMBERS; i++) number[i] = problem->number[i];
}

static inline sedge_status example_text(void *context, int choice, sedge_text *out)
{
    const example_problem *const problem = context;
    const sedge_device *const device = sedge_context_device(problem->context);
    int number[EXAMPLE_NUMBERS];

    example_fill(number, problem, choice);
    return example_write(out, problem->of, number, sedge_device_get_info(device)->kind);
}

static inline sedge_status example_launch(void *context, int choice, const sedge_program *program,
                                          sedge_stream *stream)
{
    const example_problem *const problem = context;
    const sedge_kernel *kernel = NULL;
    int number[EXAMPLE_NUMBERS];

    example_fill(number, problem, choice);
    SEDGE_TRY(sedge_program_get(&kernel, program, problem->of->name));
    return problem->launch(problem->own, number, kernel, stream);
}

static inline sedge_status example_verify(void *context, int choice, const sedge_program *program)
{
    const example_problem *const problem = context;

    SEDGE_TRY(problem->clear(problem->own));
    SEDGE_TRY(sedge_context_wait(problem->context));
    SEDGE_TRY(example_launch(context, choice, program, NULL));
    return problem->check(problem->own);
}

static inline sedge_status example_compile(sedge_program **program, example_problem *problem,
                                           int choice)
{
    sedge_text *text = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, example_text(problem, choice, text));
    const sedge_program_text whole = {problem->of->name, sedge_text_get(text)};
    SEDGE_TRY_GOTO(status, sedge_programs_create(program, NULL, NULL,
                                                 sedge_context_device(problem->context),
                                                 sedge_context_cache(problem->context), &whole, 1));
done:
    sedge_text_free(text);
    return status;
}

// ---- a time ------------------------------------------------------------------------------------

typedef struct example_call {
    example_problem *problem;
    const sedge_program *program;
    int choice;
} example_call;

static inline sedge_status example_run(void *context, sedge_stream *stream)
{
    const example_call *const call = context;

    return example_launch(call->problem, call->choice, call->program, stream);
}

// Compile, check and time one choice, and print its line: name, time, GFLOP/s and, with ceilings
// (NULL: without), the part of the least time.
static inline sedge_status example_show(example_problem *problem, const char *what, int choice,
                                        const sedge_ceilings *ceilings)
{
    example_call call = {.problem = problem, .choice = choice};
    sedge_program *program = NULL;
    sedge_status status;
    double seconds;

    SEDGE_TRY_GOTO(status, example_compile(&program, problem, choice));
    call.program = program;
    SEDGE_TRY_GOTO(status, example_verify(problem, choice, program));
    SEDGE_TRY_GOTO(status, sedge_time(&seconds, sedge_context_device(problem->context), 5,
                                      example_run, &call));
    printf("%-8s %10.1f us %9.1f GFLOP/s", what, 1e6 * seconds, 1e-9 * problem->flops / seconds);
    if (ceilings != NULL) {
        printf(" %5.2f of floor",
               sedge_ceilings_fraction(ceilings, problem->bytes, problem->flops, seconds));
    }
    printf("   %s\n", problem->of->choices[choice].name);
done:
    sedge_program_free(program);
    return status;
}

// ---- all, or the best --------------------------------------------------------------------------

// Why a choice cannot run on this device or with this problem; NULL: it can.
static inline const char *example_refuse(const example_problem *problem, int choice)
{
    int number[EXAMPLE_NUMBERS];

    example_fill(number, problem, choice);
    return problem->refuse != NULL ? problem->refuse(problem->own, number) : NULL;
}

static inline sedge_status example_try_all(example_problem *problem)
{
    const sedge_device_info *const info =
        sedge_device_get_info(sedge_context_device(problem->context));

    for (int c = 0; c < problem->of->count; c++) {
        int number[EXAMPLE_NUMBERS];
        example_fill(number, problem, c);
        const bool fits = sedge_traits_of(info->kind)->in_call ||
                          problem->of->shared_bytes(number) <= info->shared_bytes_block;
        if (example_refuse(problem, c) != NULL || !fits) continue;
        SEDGE_TRY(example_show(problem, "choice", c, NULL));
    }
    return SEDGE_OK;
}

// Of the texts of all choices, without their numbers.
static inline sedge_status example_hash(char hash[SEDGE_HASH_TEXT], const example_template *of)
{
    const char *last = NULL;
    sedge_text *all = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_text_create(&all));
    for (int c = 0; c < of->count; c++) {
        const char *const text = of->text(of->choices[c].number);
        if (text != last) SEDGE_TRY_GOTO(status, sedge_text_add(all, "%s", text));
        last = text;
    }
    const sedge_hash digest = sedge_hash_bytes(sedge_text_get(all), sedge_text_length(all));
    sedge_hash_print(&digest, hash);
done:
    sedge_text_free(all);
    return status;
}

// Tune, print the table, then the first choice's line and the best one's.
static inline sedge_status example_tune(example_problem *problem)
{
    static const char *const layouts[] = {"rows"};
    static const char *const sources[] = {"the rule", "wisdom", "measurement"};
    const example_template *const of = problem->of;
    sedge_device *const device = sedge_context_device(problem->context);
    sedge_cache *const cache = sedge_context_cache(problem->context);
    sedge_tune_candidate candidates[EXAMPLE_CHOICES] = {{0}};
    sedge_tune_options options = {.budget = 3.0};
    sedge_tune_result *result = NULL;
    sedge_ceilings ceilings;
    char hash[SEDGE_HASH_TEXT];
    sedge_status status;

    for (int c = 0; c < of->count; c++) {
        int number[EXAMPLE_NUMBERS];
        example_fill(number, problem, c);
        candidates[c] = (sedge_tune_candidate){.name = of->choices[c].name,
                                               .threads = of->threads(number),
                                               .shared_bytes = of->shared_bytes(number),
                                               .refused = example_refuse(problem, c)};
        memcpy(candidates[c].number, number, sizeof candidates[c].number);
    }
    SEDGE_TRY(example_hash(hash, of));
    const sedge_tune_task task = {.name = of->name,
                                  .size = problem->size,
                                  .source_hash = hash,
                                  .layouts = 1,
                                  .layout_names = layouts,
                                  .operation = of->name,
                                  .bytes = problem->bytes,
                                  .flops = problem->flops,
                                  .count = of->count,
                                  .candidates = candidates,
                                  .context = problem,
                                  .text = example_text,
                                  .launch = example_launch,
                                  .verify = example_verify};
    SEDGE_TRY_GOTO(status, sedge_tune_level_default(&options.level, SEDGE_TUNE_FAST));
    SEDGE_TRY_GOTO(status, sedge_ceilings_get(&ceilings, NULL, device, cache, 4, false));
    options.copy_rate = ceilings.copy;
    options.flops = ceilings.flops;
    SEDGE_TRY_GOTO(status, sedge_tune(&result, NULL, device, cache, &task, &options));
    if (result->records != NULL) SEDGE_TRY_GOTO(status, sedge_tune_print(stdout, &task, result));
    printf("chosen by %s\n", sources[result->source]);
    SEDGE_TRY_GOTO(status, example_show(problem, "default", 0, &ceilings));
    SEDGE_TRY_GOTO(status, example_show(problem, "tuned", result->choice, &ceilings));
done:
    sedge_tune_result_free(result);
    return status;
}

// As example_main; with the third argument "all", `all` is run instead.
static inline int example_main_all(int argc, char **argv,
                                   sedge_status (*run)(sedge_context *, int64_t),
                                   sedge_status (*all)(sedge_context *, int64_t), int64_t size)
{
    if (argc <= 3) return example_main(argc, argv, run, size);
    if (strcmp(argv[3], "all") == 0) return example_main(argc, argv, all, size);
    (void)fprintf(stderr, "%s: '%s' is not 'all'\n", argv[0], argv[3]);
    return 1;
}
