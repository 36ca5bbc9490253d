// An equation's table with holes: what is optional may be missing, one entry or all of them, and
// the deck runs; what is required is named before anything is done with it.
#include "base/text.h"
#include "device/device.h"
#include "par/comm.h"
#include "run/driver.h"

#include "check.h"

extern const sedge_equation sedge_equation_maxwell;

// The one equation of this program.
static sedge_equation table;
static const sedge_equation none;
const sedge_equation *const sedge_equations[] = {&table, NULL};

const sedge_equation *sedge_equation_find(const char *name)
{
    return strcmp(name, table.name) == 0 ? &table : NULL;
}

// ---- the smallest equation: u_t + u_x = 0, with nothing that is optional -----------------------

#define HEAD    "SEDGE_FUNCTION void "
#define OF_FLUX "(const sedge_value *u, const sedge_value *m, const double *c, "

static const char plain_header[] =
    "#pragma once\n" HEAD "plain_flux" OF_FLUX
    "sedge_value *fx, sedge_value *fy, sedge_value *fz)\n"
    "{ fx[0] = u[0]; fy[0] = fz[0] = SEDGE_R(0.0) * u[0]; (void)m, (void)c; }\n" HEAD
    "plain_surface(const sedge_value *u, const sedge_value *v, const sedge_value *mu, "
    "const sedge_value *mv, const sedge_value *n, const double *c, sedge_value *jump)\n"
    "{ jump[0] = SEDGE_R(0.5) * (n[0] - sedge_abs(n[0])) * (v[0] - u[0]); "
    "(void)mu, (void)mv, (void)c; }\n";

static void plain_flux(const double *u, const double *m, const double *c, double *fx, double *fy,
                       double *fz)
{
    fx[0] = u[0];
    fy[0] = fz[0] = 0.0;
    (void)m, (void)c;
}

static void plain_surface(const double *u, const double *v, const double *mu, const double *mv,
                          const double *n, const double *c, double *jump)
{
    jump[0] = 0.5 * (n[0] - fabs(n[0])) * (v[0] - u[0]);
    (void)mu, (void)mv, (void)c;
}

static double plain_speed(const double *m, const double *c)
{
    (void)m, (void)c;
    return 1.0;
}

static void plain_energy(const double *m, double *weights)
{
    weights[0] = 1.0;
    (void)m;
}

static void apply_wave(const double *x, double t, const double *m, const double *p, const double *c,
                       double *u)
{
    u[0] = sin(2.0 * 3.14159265358979323846 * (x[0] - t));
    (void)m, (void)p, (void)c;
}

static const char *const plain_names[] = {"u"};
static const sedge_output_group plain_groups[] = {{.name = "u", .count = 1, .si = 1.0}};
static const sedge_initial_kind plain_initials[] = {
    {.name = "wave", .apply = apply_wave, .exact = true, .text = "a wave"}};

static const sedge_equation plain = {
    .name = "plain",
    .text = "Waves that go one way",
    .header = "plain_physics.h",
    .header_text = plain_header,
    .fields = 1,
    .field_names = plain_names,
    .groups = plain_groups,
    .group_count = 1,
    .flux = plain_flux,
    .surface = plain_surface,
    .speed = plain_speed,
    .energy = plain_energy,
    .initials = plain_initials,
    .initial_count = 1,
};

// ---- runs --------------------------------------------------------------------------------------

static const char plain_deck[] =
    "equation: plain\norder: 1\ndevice: host\nkernels: {tune: off}\n"
    "mesh: {box: {cells: [2, 2, 2], periodic: [x, y, z]}}\ntime: {steps: 3}\n"
    "materials: {domain: {}}\nboundaries: {}\ninitial: {type: wave}\n"
    "monitors: {probes: {points: {p: [0.4, 0.3, 0.2]}}, slices: {s: {normal: z, at: 0.4}}}\n"
    "output: {folder: " SEDGE_TEST_DIR "/equation-check}\n";

static const char maxwell_deck[] =
    "equation: maxwell\norder: 1\ndevice: host\nkernels: {tune: off}\n"
    "mesh: {box: {cells: [2, 2, 2], periodic: [x, y, z]}}\ntime: {steps: 3}\n"
    "materials: {domain: {epsilon: 1, conductivity: 1}}\nboundaries: {}\n"
    "sources: [{type: dipole, position: [0.3, 0.3, 0.3], direction: [1, 0, 0],\n"
    "           signal: {type: ricker, frequency: 1}}]\n"
    "output: {folder: " SEDGE_TEST_DIR "/equation-check}\n";

static void run_deck(sedge_comm *comm, const char *text, const char *setting)
{
    static const char path[] = SEDGE_TEST_DIR "/equation-check.yaml";
    const sedge_run_options options = {.deck = path,
                                       .settings = {setting},
                                       .setting_count = setting != NULL ? 1 : 0,
                                       .quiet = true};
    FILE *const file = fopen(path, "w");
    sedge_text *page = NULL;

    CHECK(file != NULL);
    if (file == NULL) return;
    CHECK(fputs(text, file) >= 0);
    CHECK(fclose(file) == 0);
    CHECK_OK(sedge_run(comm, &options));
    CHECK_OK(sedge_text_create(&page));
    CHECK_OK(sedge_deck_document(page)); // the page of `sedge help deck`
    sedge_text_free(page);
}

// Maxwell's equations without one of the optional entries of their table each time.
static void test_one_missing(sedge_comm *comm)
{
    static sedge_output_group groups[2];
    const sedge_equation *const whole = &sedge_equation_maxwell;

#define WITHOUT(entry)                      \
    {                                       \
        table = *whole;                     \
        table.entry = none.entry;           \
        run_deck(comm, maxwell_deck, NULL); \
    }
    WITHOUT(source)
    WITHOUT(has_source)
    WITHOUT(decay)
    WITHOUT(contradiction)
    WITHOUT(quiet)
    WITHOUT(si)
    WITHOUT(linear)
    WITHOUT(curls)
    WITHOUT(tangential)
    WITHOUT(poynting)
#undef WITHOUT
    table = *whole;
    table.boundaries = NULL;
    table.boundary_count = 0;
    run_deck(comm, maxwell_deck, NULL);
    table = *whole;
    table.sources = NULL;
    table.source_count = 0;
    run_deck(comm, maxwell_deck, "sources=[]");
    table = *whole;
    CHECK(whole->group_count == 2);
    for (int i = 0; i < 2; i++) {
        groups[i] = whole->groups[i];
        groups[i].unit_si = NULL;
    }
    table.groups = groups;
    run_deck(comm, maxwell_deck, NULL);
}

static void test_all_missing(sedge_comm *comm)
{
    table = plain;
    run_deck(comm, plain_deck, NULL);
}

// ---- what is required --------------------------------------------------------------------------

// The reader of decks and the page of keys refuse the table with the equation and `entry`.
static void check_named(const char *entry)
{
    sedge_deck *deck = NULL;
    sedge_text *page = NULL;
    char expected[160];

    (void)snprintf(expected, sizeof expected,
                   "the table of the equation '%s': %s: ", table.name != NULL ? table.name : "",
                   entry);
    if (table.name == NULL)
        (void)snprintf(expected, sizeof expected, "the table of an equation: %s: ", entry);
    CHECK_FAILS(sedge_deck_create(&deck, "deck.yaml", maxwell_deck, strlen(maxwell_deck), NULL, 0),
                SEDGE_ERR_USAGE, expected);
    CHECK(deck == NULL);
    CHECK_OK(sedge_text_create(&page));
    CHECK_FAILS(sedge_deck_document(page), SEDGE_ERR_USAGE, expected);
    sedge_text_free(page);
}

static void test_required(void)
{
    static const char *names[6];

#define WITHOUT(entry, message)         \
    {                                   \
        table = sedge_equation_maxwell; \
        table.entry = none.entry;       \
        check_named(message);           \
    }
    WITHOUT(name, "name")
    WITHOUT(text, "text")
    WITHOUT(header, "header")
    WITHOUT(header_text, "header_text")
    WITHOUT(fields, "fields")
    WITHOUT(field_names, "field_names")
    WITHOUT(groups, "groups")
    WITHOUT(group_count, "groups")
    WITHOUT(materials, "materials")
    WITHOUT(derive, "derive")
    WITHOUT(flux_keys, "flux_keys")
    WITHOUT(constants, "constants")
    WITHOUT(flux, "flux")
    WITHOUT(surface, "surface")
    WITHOUT(speed, "speed")
    WITHOUT(energy, "energy")
    WITHOUT(boundaries, "boundaries")
    WITHOUT(initials, "initials")
    WITHOUT(initial_count, "initials")
    WITHOUT(sources, "sources")
    WITHOUT(energy_si, "energy_si")
#undef WITHOUT
    table = sedge_equation_maxwell;
    memcpy(names, table.field_names, sizeof names);
    names[4] = NULL;
    table.field_names = names;
    check_named("field_names[4]");
    table = sedge_equation_maxwell;
    table.incident_constants = table.constant_count + 1;
    check_named("incident_constants");
}

// One entry of one row of a list.
static void test_required_in_lists(void)
{
    enum { ROWS = 16 };
    const sedge_equation *const whole = &sedge_equation_maxwell;

#define WITHOUT(list, size, type, row, entry)                          \
    {                                                                  \
        static const type empty;                                       \
        type rows[ROWS];                                               \
        CHECK((row) < whole->size && whole->size <= ROWS);             \
        memcpy(rows, whole->list, (size_t)whole->size * sizeof *rows); \
        rows[row].entry = empty.entry;                                 \
        table = *whole;                                                \
        table.list = rows;                                             \
        check_named(#list "[" #row "]." #entry);                       \
    }
    WITHOUT(groups, group_count, sedge_output_group, 1, name)
    WITHOUT(groups, group_count, sedge_output_group, 1, count)
    WITHOUT(groups, group_count, sedge_output_group, 1, si)
    WITHOUT(materials, material_count, sedge_parameter, 1, name)
    WITHOUT(materials, material_count, sedge_parameter, 1, text)
    WITHOUT(flux_keys, flux_key_count, sedge_parameter, 0, name)
    WITHOUT(boundaries, boundary_count, sedge_boundary_kind, 2, name)
    WITHOUT(boundaries, boundary_count, sedge_boundary_kind, 2, function)
    WITHOUT(boundaries, boundary_count, sedge_boundary_kind, 2, apply)
    WITHOUT(boundaries, boundary_count, sedge_boundary_kind, 2, text)
    WITHOUT(boundaries, boundary_count, sedge_boundary_kind, 3, parameters)
    WITHOUT(initials, initial_count, sedge_initial_kind, 1, name)
    WITHOUT(initials, initial_count, sedge_initial_kind, 1, apply)
    WITHOUT(initials, initial_count, sedge_initial_kind, 1, text)
    WITHOUT(sources, source_count, sedge_source_kind, 0, name)
    WITHOUT(sources, source_count, sedge_source_kind, 0, parameters)
    WITHOUT(sources, source_count, sedge_source_kind, 0, text)
#undef WITHOUT
}

// Surfaces that sources drive: a place for the signal, a kind for outer surfaces, and the source.
static void test_driven(void)
{
    enum { ROWS = 16 };
    const sedge_equation *const whole = &sedge_equation_maxwell;
    sedge_boundary_kind kinds[ROWS];
    sedge_source_kind sources[ROWS];

    memcpy(kinds, whole->boundaries, (size_t)whole->boundary_count * sizeof *kinds);
    memcpy(sources, whole->sources, (size_t)whole->source_count * sizeof *sources);
    table = *whole;
    table.boundaries = kinds;
    kinds[3].driven = SEDGE_MAX_VALUES - SEDGE_SIGNAL_VALUES + 1;
    check_named("boundaries[3].driven");
    kinds[3].driven = 0;
    kinds[3].outside = &kinds[2];
    check_named("boundaries[3].outside");
    table.boundaries = whole->boundaries;
    table.sources = sources;
    sources[0].type = SEDGE_SOURCE_SURFACE;
    check_named("sources[0].parameters");
}

// Without time: other functions.
static void test_required_elliptic(void)
{
    static const sedge_elliptic_equation empty = {.coefficient = NULL};

    table = plain;
    table.elliptic = &empty;
    check_named("elliptic->coefficient");
}

int main(void)
{
    sedge_comm *comm = NULL;

    sedge_device_prepare_environment();
    CHECK_OK(sedge_device_start_helper());
    CHECK_OK(sedge_comm_create(&comm, NULL));
    test_required();
    test_required_in_lists();
    test_required_elliptic();
    test_driven();
    test_all_missing(comm);
    test_one_missing(comm);
    sedge_device_stop_helper();
    sedge_comm_free(comm);
    return CHECK_END();
}
