#include "operator/terms.h"

#include "base/memory.h"
#include "dg/predictor.h"
#include "dg/response.h"
#include "layout/upload.h"

#include <stdio.h>

// ---- which terms -------------------------------------------------------------------------------

static int count_terms(const sedge_problem *problem)
{
    return sedge_problem_has_source(problem, -1) + problem->term_count;
}

static operator_term get_term(const sedge_problem *problem, int i)
{
    const int sources = sedge_problem_has_source(problem, -1);

    if (i < sources) {
        return (operator_term){.name = "source",
                               .function = "sedge_source_local",
                               .header = {.name = "codegen/kernels/dg/terms/dg_source.h"},
                               .poles = 1};
    }
    const sedge_term *const term = &problem->terms[i - sources];
    const sedge_term_kind *const kind = term->kind;
    return (operator_term){.name = term->name,
                           .function = kind->function,
                           .drive = kind->drive,
                           .multiply = kind->multiply,
                           .header = {.name = kind->header, .text = kind->header_text},
                           .poles = term->poles,
                           .memory = sedge_term_memory(term),
                           .parameters = sedge_term_parameters(term),
                           .unknowns = sedge_term_unknowns(term),
                           .term = term};
}

static bool is_in(const operator_term *term, const sedge_problem *problem, int volume)
{
    return term->term != NULL ? term->term->present[volume]
                              : sedge_problem_has_source(problem, volume);
}

bool operator_term_is_staged(const operator_term *term)
{
    return term->term == NULL || !term->term->exponential;
}

// ---- what they cost ----------------------------------------------------------------------------

static int64_t count_elements(const operator_term *term, const sedge_problem *problem,
                              const sedge_mesh *mesh, bool curved)
{
    int64_t count = 0;

    for (int32_t e = 0; e < mesh->elements; e++) {
        if ((sedge_mesh_curve(mesh, e) >= 0) == curved)
            count += is_in(term, problem, mesh->group[e]);
    }
    return count;
}

double operator_states(const sedge_problem *problem)
{
    return sedge_integrator_states(problem->integrator, sedge_real_bytes(problem->precision),
                                   !sedge_problem_finds(problem));
}

// As much of it as of states, but for components that do not change, which are read alone.
double operator_terms_bytes(const sedge_problem *problem, const sedge_mesh *mesh, int nodes,
                            bool curved)
{
    const double states = operator_states(problem);
    double words = 0.0;

    for (int i = 0; i < count_terms(problem); i++) {
        const operator_term term = get_term(problem, i);
        if (!operator_term_is_staged(&term)) continue;
        const double components = term.memory + (states - 1.0) * term.unknowns;
        words += (double)count_elements(&term, problem, mesh, curved) * nodes * components;
    }
    return words * sedge_real_bytes(problem->precision);
}

bool operator_terms_keep(const sedge_problem *problem)
{
    if (problem->integrator->predictor) return false;
    return !sedge_problem_finds(problem) ||
           sedge_integrator_keeps(problem->integrator, sedge_real_bytes(problem->precision));
}

int operator_term_words(const sedge_problem *problem, const sedge_term *term)
{
    const int copies = 1 + sedge_problem_finds(problem) + operator_terms_keep(problem);
    const bool keeps = sedge_problem_slows(problem) && term->exponential;

    return copies * sedge_term_memory(term) + (keeps ? 3 : 0);
}

int64_t operator_terms_memory(const sedge_problem *problem, const sedge_mesh *mesh, int nodes)
{
    int64_t bytes = 0;

    for (int i = 0; i < count_terms(problem); i++) {
        const operator_term term = get_term(problem, i);
        const int64_t curved = count_elements(&term, problem, mesh, true);
        const int64_t elements = count_elements(&term, problem, mesh, false) + curved;
        const int64_t places = mesh->elements * (int64_t)sizeof(int32_t);
        const bool has_brackets = problem->integrator->predictor && operator_term_is_staged(&term);
        const int64_t brackets = has_brackets ? 2 * curved : 0;
        const int64_t each = term.term != NULL ? operator_term_words(problem, term.term) : 0;
        const int64_t words = elements * each + brackets * term.memory;
        bytes +=
            words * nodes * sedge_real_bytes(problem->precision) + (brackets > 0 ? 2 : 1) * places;
    }
    return bytes;
}

bool operator_terms_staged(const sedge_problem *problem)
{
    for (int i = 0; i < count_terms(problem); i++) {
        const operator_term term = get_term(problem, i);
        if (operator_term_is_staged(&term)) return true;
    }
    return false;
}

bool operator_terms_in_stage(const sedge_problem *problem)
{
    return operator_terms_staged(problem) &&
           (!problem->integrator->predictor || sedge_response_multiplies(problem));
}

bool operator_terms_store_energy(const sedge_problem *problem)
{
    for (int i = 0; i < problem->term_count; i++) {
        if (sedge_term_stores_energy(&problem->terms[i])) return true;
    }
    return false;
}

// ---- texts -------------------------------------------------------------------------------------

static bool is_listed(const sedge_source *sources, int count, const sedge_source *header)
{
    for (int i = 0; i < count; i++)
        if (header->text != NULL && sources[i].text == header->text) return true;
    return false;
}

// Does a term say what others get in place of u, and is there such another term?
static bool has_drive(const sedge_problem *problem)
{
    const int count = count_terms(problem);
    int drives = 0;

    for (int i = 0; i < count; i++) drives += get_term(problem, i).drive != NULL;
    return drives > 0 && drives < count;
}

// The functions that dg_term.h makes of the i-th term.
static int write_functions(char numbers[SEDGE_TERM_NUMBERS], const operator_term *term, int i)
{
    if (term->multiply != NULL) {
        return snprintf(numbers, SEDGE_TERM_NUMBERS,
                        "#undef SEDGE_TERM\n#undef SEDGE_TERM_MULTIPLY\n"
                        "#define SEDGE_TERM_MULTIPLY multiply_term_%d\n"
                        "#undef SEDGE_TERM_MULTIPLY_LOCAL\n#define SEDGE_TERM_MULTIPLY_LOCAL %s\n",
                        i, term->multiply);
    }
    return snprintf(
        numbers, SEDGE_TERM_NUMBERS,
        "#undef SEDGE_TERM_MULTIPLY\n#undef SEDGE_TERM\n#define SEDGE_TERM add_term_%d\n"
        "#undef SEDGE_TERM_LOCAL\n#define SEDGE_TERM_LOCAL %s\n",
        i, term->function);
}

static sedge_status write_numbers(char numbers[SEDGE_TERM_NUMBERS], const operator_term *term,
                                  int i, int words, bool drives, bool predicts)
{
    int length = write_functions(numbers, term, i);

    if (length < SEDGE_TERM_NUMBERS) {
        length += snprintf(numbers + length, SEDGE_TERM_NUMBERS - (size_t)length,
                           "#undef SEDGE_TERM_POLES\n#define SEDGE_TERM_POLES %d\n"
                           "#undef SEDGE_TERM_MEMORY\n#define SEDGE_TERM_MEMORY %d\n"
                           "#undef SEDGE_TERM_UNKNOWNS\n#define SEDGE_TERM_UNKNOWNS %d\n"
                           "#undef SEDGE_TERM_PARAMETERS\n#define SEDGE_TERM_PARAMETERS %d\n"
                           "#define SEDGE_TERM_WORDS_%d %d\n",
                           term->poles, term->memory / term->poles, term->unknowns / term->poles,
                           term->parameters / term->poles, i, term->memory);
    }
    if (length < SEDGE_TERM_NUMBERS && predicts) {
        length += snprintf(numbers + length, SEDGE_TERM_NUMBERS - (size_t)length,
                           "#define SEDGE_TERM_AT_%d %d\n"
                           "#define SEDGE_TERM_NUMBERS_%d %d\n"
                           "#define SEDGE_TERM_UNKNOWNS_%d %d\n"
                           "#define SEDGE_TERM_VARIES_%d %d\n"
                           "#undef SEDGE_TERM_PREDICT\n#undef SEDGE_TERM_PREDICT_DRIVE\n",
                           i, words, i, term->parameters, i, term->unknowns, i,
                           term->unknowns < term->memory);
    }
    if (length < SEDGE_TERM_NUMBERS && predicts && term->multiply == NULL) {
        length += snprintf(numbers + length, SEDGE_TERM_NUMBERS - (size_t)length,
                           "#define SEDGE_TERM_PREDICT predict_term_%d\n", i);
    }
    if (length < SEDGE_TERM_NUMBERS && predicts && drives && term->drive != NULL) {
        length += snprintf(numbers + length, SEDGE_TERM_NUMBERS - (size_t)length,
                           "#define SEDGE_TERM_PREDICT_DRIVE predict_drive_%d\n", i);
    }
    if (length < SEDGE_TERM_NUMBERS && drives) {
        length += snprintf(numbers + length, SEDGE_TERM_NUMBERS - (size_t)length,
                           "#undef SEDGE_TERM_DRIVE\n#undef SEDGE_TERM_DRIVE_LOCAL\n");
    }
    if (length < SEDGE_TERM_NUMBERS && drives && term->drive != NULL) {
        length += snprintf(numbers + length, SEDGE_TERM_NUMBERS - (size_t)length,
                           "#define SEDGE_TERM_DRIVE drive_term_%d\n"
                           "#define SEDGE_TERM_DRIVE_LOCAL %s\n",
                           i, term->drive);
    }
    if (length < SEDGE_TERM_NUMBERS) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "the name of a function of the term '%s' is too long",
                      term->name);
}

// SEDGE_EACH_DRIVE and SEDGE_EACH_DRIVEN of dg_terms.h.
static sedge_status write_drives(sedge_text *text, const sedge_problem *problem, int count)
{
    SEDGE_TRY(sedge_text_add(text, "#define SEDGE_EACH_DRIVE(X)"));
    for (int i = 0; i < count; i++) {
        if (get_term(problem, i).drive != NULL) SEDGE_TRY(sedge_text_add(text, " X(%d)", i));
    }
    SEDGE_TRY(sedge_text_add(text, "\n#define SEDGE_EACH_DRIVEN(X)"));
    for (int i = 0; i < count; i++) {
        const operator_term term = get_term(problem, i);
        if (term.drive == NULL && term.multiply == NULL && operator_term_is_staged(&term))
            SEDGE_TRY(sedge_text_add(text, " X(%d)", i));
    }
    return sedge_text_add(text, "\n");
}

// Numbers of the terms that multiply, or of the others.
static sedge_status write_list(sedge_text *text, const char *name, const sedge_problem *problem,
                               bool multiply)
{
    SEDGE_TRY(sedge_text_add(text, "#define %s(X)", name));
    for (int i = 0; i < count_terms(problem); i++) {
        const operator_term term = get_term(problem, i);
        if ((term.multiply != NULL) == multiply && operator_term_is_staged(&term))
            SEDGE_TRY(sedge_text_add(text, " X(%d)", i));
    }
    return SEDGE_OK;
}

// SEDGE_EACH_TERM and SEDGE_EACH_MULTIPLY of dg_terms.h and SEDGE_TERMS_LIST of dg_layout.h.
static sedge_status write_lists(sedge_text *text, const sedge_problem *problem, int count)
{
    SEDGE_TRY(write_list(text, "SEDGE_EACH_TERM", problem, false));
    if (sedge_response_multiplies(problem)) {
        SEDGE_TRY(sedge_text_add(text, "\n"));
        SEDGE_TRY(write_list(text, "SEDGE_EACH_MULTIPLY", problem, true));
    }
    SEDGE_TRY(sedge_text_add(text, "\n#define SEDGE_TERMS_LIST(X)"));
    int staged = 0;
    for (int i = 0; i < count; i++) {
        const operator_term term = get_term(problem, i);
        if (!operator_term_is_staged(&term)) continue;
        SEDGE_TRY(sedge_text_add(text, " SEDGE_TERM_LIST(X, %d)", i));
        staged++;
    }
    return sedge_text_add(text, "\n#define SEDGE_TERMS_ALONE %d\n", staged == 1);
}

sedge_status operator_terms_text_create(operator_terms_text *text, const sedge_problem *problem)
{
    const int terms = count_terms(problem);

    *text = (operator_terms_text){.count = 0};
    SEDGE_TRY(sedge_text_create(&text->constants));
    if (!operator_terms_staged(problem)) return SEDGE_OK;
    SEDGE_TRY(sedge_allocate(&text->sources, 3 * terms + 1, sizeof *text->sources));
    SEDGE_TRY(sedge_allocate(&text->numbers, terms, sizeof *text->numbers));
    SEDGE_TRY(write_lists(text->constants, problem, terms));
    int words[SEDGE_MAX_KINDS + 1] = {0};
    (void)sedge_predictor_words(words + sedge_problem_has_source(problem, -1), problem);
    const bool drives = has_drive(problem);
    if (drives) SEDGE_TRY(write_drives(text->constants, problem, terms));
    for (int i = 0; i < terms; i++) {
        const operator_term term = get_term(problem, i);
        if (!operator_term_is_staged(&term)) continue;
        SEDGE_TRY(write_numbers(text->numbers[i], &term, i, words[i], drives,
                                problem->integrator->predictor));
        if (!is_listed(text->sources, text->count, &term.header))
            text->sources[text->count++] = term.header;
        text->sources[text->count++] = (sedge_source){term.name, text->numbers[i]};
        text->sources[text->count++] = (sedge_source){"codegen/kernels/dg/terms/dg_term.h", NULL};
    }
    text->sources[text->count++] = (sedge_source){"codegen/kernels/dg/terms/dg_terms.h", NULL};
    return SEDGE_OK;
}

void operator_terms_text_clear(operator_terms_text *text)
{
    sedge_text_free(text->constants);
    sedge_release(text->sources);
    sedge_release(text->numbers);
    *text = (operator_terms_text){.count = 0};
}

// ---- on the device -----------------------------------------------------------------------------

// What the terms are made for.
typedef struct target {
    sedge_device *device;
    const sedge_problem *problem;
    const sedge_slots *slots;
} target;

// The elements of a range have the term, or none has: the groups of a deck that have terms or a
// source lie in ranges of their own.
static sedge_status find_in_range(bool *found, const operator_term *term, const target *to,
                                  const sedge_range *range)
{
    const sedge_mesh *const mesh = to->slots->mesh;
    int32_t count = 0;

    for (int32_t e = range->first; e < range->first + range->count; e++)
        count += is_in(term, to->problem, mesh->group[e]);
    *found = count > 0;
    if (count == 0 || count == range->count) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                      "the term '%s' is in %d of a range's %d elements: its volume groups need "
                      "ranges of their own",
                      term->name, count, range->count);
}

static sedge_status make_places(operator_device_term *term, const target *to)
{
    const sedge_mesh *const mesh = to->slots->mesh;
    const int64_t batches = to->slots->batches;

    SEDGE_TRY(sedge_allocate(&term->places, batches, sizeof *term->places));
    for (int r = 0; r < mesh->range_count; r++) {
        const sedge_range *const range = &mesh->ranges[r];
        bool found;
        SEDGE_TRY(find_in_range(&found, &term->term, to, range));
        for (int64_t b = sedge_slots_first(to->slots, range);
             b < sedge_slots_first(to->slots, range + 1); b++)
            term->places[b] = found ? (int32_t)term->batches++ : -1;
    }
    return sedge_upload_copy(&term->on_device, to->device, term->places,
                             batches * (int64_t)sizeof *term->places);
}

static sedge_status make_parameters(operator_device_term *term, const target *to)
{
    const int real = sedge_real_bytes(to->problem->precision);
    const int count = term->term.parameters;
    const int64_t all = (int64_t)to->problem->volumes * count;
    void *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, all + 1, (size_t)real));
    for (int64_t i = 0; i < all; i++) sedge_real_put(list, real, i, term->term.term->parameters[i]);
    return sedge_upload(&term->parameters, to->device, list, all + 1, (size_t)real);
}

bool operator_terms_act(const operator_terms *terms, int64_t batch)
{
    for (int i = 0; i < terms->count; i++) {
        const operator_device_term *const term = &terms->term[i];
        if (term->places[batch] >= 0 && operator_term_is_staged(&term->term)) return true;
    }
    return false;
}

// Consecutive ranges that run through the same kernel.
static sedge_status make_runs(operator_terms *terms, const target *to)
{
    const sedge_mesh *const mesh = to->slots->mesh;

    SEDGE_TRY(sedge_allocate(&terms->run, mesh->range_count, sizeof *terms->run));
    for (int r = 0; r < mesh->range_count; r++) {
        const sedge_range *const range = &mesh->ranges[r];
        const int64_t first = sedge_slots_first(to->slots, range);
        const int64_t count = sedge_slots_first(to->slots, range + 1) - first;
        const bool some = operator_terms_act(terms, first);
        if (some && !range->curved) terms->straight_elements += range->count;
        if (terms->runs > 0 && terms->run[terms->runs - 1].has_terms == some) {
            terms->run[terms->runs - 1].count += count;
        } else {
            terms->run[terms->runs++] = (operator_terms_run){first, count, some};
        }
    }
    return SEDGE_OK;
}

sedge_status operator_terms_create(operator_terms *terms, sedge_device *device,
                                   const sedge_problem *problem, const sedge_slots *slots)
{
    const target to = {device, problem, slots};

    *terms = (operator_terms){.count = count_terms(problem)};
    SEDGE_TRY(sedge_allocate(&terms->term, terms->count, sizeof *terms->term));
    for (int i = 0; i < terms->count; i++) {
        operator_device_term *const term = &terms->term[i];
        term->term = get_term(problem, i);
        SEDGE_TRY(make_places(term, &to));
        SEDGE_TRY(make_parameters(term, &to));
    }
    return make_runs(terms, &to);
}

void operator_terms_clear(operator_terms *terms)
{
    for (int i = 0; i < terms->count && terms->term != NULL; i++) {
        sedge_release(terms->term[i].places);
        sedge_buffer_free(terms->term[i].on_device);
        sedge_buffer_free(terms->term[i].parameters);
    }
    sedge_release(terms->term);
    sedge_release(terms->run);
    *terms = (operator_terms){.count = 0};
}

static uint64_t address_of(const sedge_buffer *buffer)
{
    return buffer != NULL ? sedge_buffer_address(buffer) : 0;
}

void operator_terms_list(operator_terms_arguments *arguments, const operator_terms *terms,
                         const operator_term_memory *memory, bool turned)
{
    arguments->count = 0;
    for (int i = 0; i < terms->count; i++) {
        if (!operator_term_is_staged(&terms->term[i].term)) continue;
        arguments->value[arguments->count++] = address_of(terms->term[i].on_device);
        arguments->value[arguments->count++] = address_of(turned ? memory[i].other : memory[i].now);
        arguments->value[arguments->count++] = address_of(turned ? memory[i].now : memory[i].other);
        arguments->value[arguments->count++] = address_of(memory[i].residual);
        arguments->value[arguments->count++] = address_of(terms->term[i].parameters);
    }
}
