// The library of materials (solvers/maxwell/maxwell_library.c): the refractive index of each, by
// the deck and the terms' own functions, against published constants.
#include "check.h"
#include "session/refraction.h"

#include <stdio.h>
#include <string.h>

#define LIGHT 299792458.0 // m/s

// The problem of one volume group of a library's material.
static void make_problem(sedge_problem *problem, const char *name)
{
    char text[512];
    sedge_deck *deck = NULL;

    (void)snprintf(text, sizeof text,
                   "equation: maxwell\norder: 2\nunits: si\nmesh: {box: {cells: [1, 1, 1]}}\n"
                   "time: {steps: 1}\nmaterials: {domain: {library: %s}}\n",
                   name);
    CHECK_OK(sedge_deck_create(&deck, "deck.yaml", text, strlen(text), NULL, 0));
    CHECK_OK(sedge_problem_init(problem, deck->equation, 1, 0, 0));
    deck->equation->derive(deck->materials[0].values, problem->materials[0]);
    for (int i = 0; i < deck->term_count; i++) {
        const sedge_deck_term *const term = &deck->terms[i];
        CHECK_OK(sedge_problem_add_term(problem, term->kind, term->poles, 0, term->parameters));
    }
    sedge_deck_free(deck);
}

typedef struct constant {
    const char *name;
    double wave; // m
    double n, k;
    double tolerance; // of the complex number, relative
} constant;

static const constant constants[] = {
    // The fits' own tables, whose waves and values have four to five digits.
    {"gold", 0.30109e-6, 1.5247, 1.6757, 5e-4},
    {"gold", 0.54779e-6, 0.50606, 2.3486, 5e-4},
    {"gold", 3.0922e-6, 1.8304, 19.288, 5e-4},
    {"silver", 0.30184e-6, 1.3162, 0.63073, 5e-4},
    {"silver", 0.60060e-6, 0.13943, 3.5650, 5e-4},
    {"silver", 6.2309e-6, 4.9056, 40.676, 5e-4},
    {"copper", 0.30548e-6, 1.3636, 1.6405, 5e-4},
    {"copper", 0.60236e-6, 0.39326, 3.2590, 5e-4},
    {"copper", 6.0343e-6, 3.8223, 39.166, 5e-4},
    {"aluminium", 0.30020e-6, 0.25129, 3.4853, 5e-4},
    {"aluminium", 0.83351e-6, 2.6498, 8.0710, 5e-4},
    {"aluminium", 1.2010e-6, 1.2695, 11.577, 5e-4},
    // Measured: P. B. Johnson, R. W. Christy, Phys. Rev. B 6 (1972) 4370; aluminium: A. D. Rakic,
    // Appl. Opt. 34 (1995) 4755.
    {"gold", 0.6168e-6, 0.21, 3.272, 0.1},
    {"gold", 0.8211e-6, 0.16, 5.083, 0.1},
    {"gold", 1.0880e-6, 0.27, 7.150, 0.1},
    {"silver", 0.6168e-6, 0.06, 4.152, 0.12},
    {"silver", 1.0880e-6, 0.04, 7.795, 0.12},
    {"copper", 0.7045e-6, 0.21, 4.205, 0.03},
    {"copper", 1.0880e-6, 0.36, 7.217, 0.03},
    {"aluminium", 0.41328e-6, 0.52135, 5.0008, 0.05},
    {"aluminium", 0.61993e-6, 1.3660, 7.4052, 0.05},
    {"aluminium", 1.0332e-6, 1.3998, 9.8914, 0.05},
    // Salzberg and Villa's measured values.
    {"silicon", 1.5295e-6, 3.4795, 0.0, 3e-4},
    {"silicon", 2.4373e-6, 3.4408, 0.0, 3e-4},
    {"silicon", 10.0e-6, 3.4179, 0.0, 3e-4},
    {"bk7", 0.5875618e-6, 1.51680, 0.0, 1e-5}, // line d, catalogue
    {"bk7", 1.01398e-6, 1.50731, 0.0, 1e-5},   // line t
    {"fused-silica", 0.587561e-6, 1.45846, 0.0, 1e-5},
    {"fused-silica", 1.52952e-6, 1.44427, 0.0, 1e-5},
    // Another fit: U. Kaatze, J. Chem. Eng. Data 34 (1989) 371, 5.2 + 73.16 / (1 + i omega 8.27 ps)
    // at 25 degrees Celsius.
    {"water", LIGHT / 3e9, 8.77649, 0.63431, 0.01},
    {"water", LIGHT / 10e9, 8.13574, 1.83961, 0.01},
    {"water", LIGHT / 30e9, 5.87644, 2.82902, 0.01},
    {"water-1thz", LIGHT / 3e9, 8.77649, 0.63431, 0.01},
    {"water-1thz", LIGHT / 30e9, 5.87644, 2.82902, 0.01},
};

static void test_constants(void)
{
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        const constant *const c = &constants[i];
        sedge_problem problem;
        make_problem(&problem, c->name);
        const double complex index = sedge_refraction(&problem, 0, 1.0 / c->wave); // code: c0 = 1
        const double n = creal(index) - c->n;
        const double k = -cimag(index) - c->k;
        const double error = sqrt(n * n + k * k) / sqrt(c->n * c->n + c->k * c->k);
        if (!(error <= c->tolerance)) {
            printf("%s at %g m: n %.6g, k %.6g\n", c->name, c->wave, creal(index), -cimag(index));
        }
        CHECK_BOUND(error, c->tolerance);
        sedge_problem_clear(&problem);
    }
}

// Each material of the table is among the constants at two places at least.
static void test_complete(void)
{
    for (const sedge_library_material *m = sedge_equation_find("maxwell")->library; m->name != NULL;
         m++) {
        int count = 0;
        for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
            count += strcmp(constants[i].name, m->name) == 0;
        CHECK(count >= 2);
    }
}

int main(void)
{
    test_constants();
    test_complete();
    return CHECK_END();
}
