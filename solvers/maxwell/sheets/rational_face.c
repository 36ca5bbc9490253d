// A wall with a given rational impedance, R + sum_k R_k i f / (i f + f_k) and resonances,
//
//   (B_k f_k^2 + A_k g_k i f) / (f_k^2 - f^2 + g_k i f),
//
// pairs of complex poles as vector fitting finds them (Gustavsen, Semlyen 1999). A term is a
// resistor R_k with an inductor R_k / (2 pi f_k) beside it. A resonance is passive where
// 0 <= B_k <= A_k (g_k / f_k)^2; then it is a circuit of four passive parts (sheet_face.h), whose
// energy is that of its capacitor and its inductor.
#include "maxwell/maxwell.h"

#include "sheet_face.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846

extern const char sedge_text_sheet_face_h[];

// The numbers of the deck, in place of which those of sheet_face.h come.
enum {
    DECK_CONSTANT,
    DECK_RESISTANCES,
    DECK_FREQUENCIES = DECK_RESISTANCES + RATIONAL_TERMS,
    DECK_PEAKS = DECK_FREQUENCIES + RATIONAL_TERMS,
    DECK_OFFSETS = DECK_PEAKS + RATIONAL_PAIRS,
    DECK_RESONANCES = DECK_OFFSETS + RATIONAL_PAIRS,
    DECK_WIDTHS = DECK_RESONANCES + RATIONAL_PAIRS,
    DECK_VALUES = DECK_WIDTHS + RATIONAL_PAIRS
};
_Static_assert((int)DECK_VALUES == (int)RATIONAL_VALUES,
               "a number of the law for each of the deck");
_Static_assert(RATIONAL_TERMS == 3 && RATIONAL_PAIRS == 3, "vectors of the deck");

#define TRIPLE(key, unit, words)                                                                 \
    {                                                                                            \
        .name = (key), .type = SEDGE_PARAMETER_VECTOR, .maximum = HUGE_VAL, .dimension = (unit), \
        .text = (words)                                                                          \
    }

static const sedge_parameter parameters[] = {
    {.name = "resistance",
     .maximum = HUGE_VAL,
     .dimension = SEDGE_RESISTANCE,
     .text = "R, the impedance at low frequencies without resonances"},
    TRIPLE("resistances", SEDGE_RESISTANCE,
           "R_1, R_2, R_3, what terms add at high frequencies; 0: there is no such term"),
    TRIPLE("frequencies", SEDGE_FREQUENCY,
           "f_1, f_2, f_3, where terms are half as large; of a term with resistance 0 any"),
    TRIPLE(
        "resonance-resistances", SEDGE_RESISTANCE,
        "A_1, A_2, A_3, what resonances have at their frequencies; 0: there is no such resonance"),
    TRIPLE("resonance-offsets", SEDGE_RESISTANCE,
           "B_1, B_2, B_3, what they have at low frequencies; at most A (width / frequency)^2"),
    TRIPLE("resonance-frequencies", SEDGE_FREQUENCY, "f_1, f_2, f_3 of the resonances"),
    TRIPLE("resonance-widths", SEDGE_FREQUENCY,
           "g_1, g_2, g_3, over which they fall to half their power; below twice the frequency"),
};

static sedge_status derive_terms(const char *surface, double *p)
{
    for (int k = 0; k < RATIONAL_TERMS; k++) {
        const bool is = p[DECK_RESISTANCES + k] > 0.0;

        if (is && !(p[DECK_FREQUENCIES + k] > 0.0)) {
            return SEDGE_FAIL(SEDGE_ERR_USAGE,
                              "boundaries.%s: term %d has a resistance, and its frequency is 0: it "
                              "would be a resistor alone, part of 'resistance'",
                              surface, k + 1);
        }
        p[RATIONAL_POLE + k] = is ? 2.0 * PI * p[DECK_FREQUENCIES + k] : 0.0;
    }
    return SEDGE_OK;
}

// Z_k = (b1 s + b0) / (s^2 + a1 s + a0) as a circuit: 1 / C = b1, r / L = b0 / b1, and G / C and
// 1 / (L C) are what a1 and a0 have left.
static sedge_status derive_resonance(const sedge_problem *problem, const char *surface, int k,
                                     double *p)
{
    const double peak = p[DECK_PEAKS + k];
    const double offset = p[DECK_OFFSETS + k];
    const double frequency = p[DECK_RESONANCES + k];
    const double width = p[DECK_WIDTHS + k];
    const double ratio = width / frequency;
    const char *const hertz = sedge_problem_unit(problem, SEDGE_FREQUENCY);
    const char *const ohm = sedge_problem_unit(problem, SEDGE_RESISTANCE);

    for (int i = RATIONAL_INVERSE_C + k; i < RATIONAL_VALUES; i += RATIONAL_PAIRS) p[i] = 0.0;
    if (!(peak > 0.0) && !(offset > 0.0)) return SEDGE_OK;
    if (!(width > 0.0) || !(ratio < 2.0)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: resonance %d has the frequency %.6g%s and the width "
                          "%.6g%s: a pair of complex poles has a width above 0 and below twice the "
                          "frequency; real poles are terms",
                          surface, k + 1, sedge_problem_shown(problem, SEDGE_FREQUENCY, frequency),
                          hertz, sedge_problem_shown(problem, SEDGE_FREQUENCY, width), hertz);
    }
    if (offset > peak * ratio * ratio * (1.0 + 1e-12)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: resonance %d is not passive: its offset is %.6g%s, at "
                          "most %.6g%s, its resistance times (width / frequency)^2, is passive; "
                          "fit with a smaller one",
                          surface, k + 1, sedge_problem_shown(problem, SEDGE_RESISTANCE, offset),
                          ohm, sedge_problem_shown(problem, SEDGE_RESISTANCE, peak * ratio * ratio),
                          ohm);
    }
    const double b1 = 2.0 * PI * width * peak;
    const double loss = 2.0 * PI * frequency * frequency * offset / (width * peak);
    const double leak = fmax(0.0, 2.0 * PI * width - loss);
    p[RATIONAL_INVERSE_C + k] = b1;
    p[RATIONAL_INVERSE_L + k] = (4.0 * PI * PI * frequency * frequency - leak * loss) / b1;
    p[RATIONAL_LEAK + k] = leak;
    p[RATIONAL_LOSS + k] = loss;
    return SEDGE_OK;
}

static int count(const double *p, int first, int of)
{
    int found = 0;

    for (int k = 0; k < of; k++) found += p[first + k] > 0.0;
    return found;
}

static sedge_status derive(const sedge_problem *problem, const char *surface, double *p)
{
    SEDGE_TRY(derive_terms(surface, p));
    for (int k = 0; k < RATIONAL_PAIRS; k++) SEDGE_TRY(derive_resonance(problem, surface, k, p));
    if (count(p, RATIONAL_RESISTANCE, RATIONAL_TERMS) +
            count(p, RATIONAL_INVERSE_C, RATIONAL_PAIRS) >
        0)
        return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: no term and no resonance has a resistance; a wall with a "
                      "real impedance has the type impedance",
                      surface);
}

// No eigenvalue is larger. In units in which the energy is a sum of squares the circuits alone,
// with nothing before the wall, have |A| <= the decay + 1 / sqrt(L C), of which the stages allow
// 0.7 times as much as of decay (circuit_sheet.h); waves add a matrix of rank one. Without circuits
// those of the terms are at most the poles.
static double find_rate(const double *m, const double *p)
{
    double impedance = m[MAXWELL_Z] + p[RATIONAL_CONSTANT];
    double most = 0.0;
    double waves = 0.0;

    for (int k = 0; k < RATIONAL_TERMS; k++) {
        most = fmax(most, p[RATIONAL_POLE + k]);
        waves += p[RATIONAL_RESISTANCE + k] * p[RATIONAL_POLE + k];
        impedance += p[RATIONAL_RESISTANCE + k];
    }
    if (count(p, RATIONAL_INVERSE_C, RATIONAL_PAIRS) == 0) return most;
    for (int k = 0; k < RATIONAL_PAIRS; k++) {
        most = fmax(most, fmax(p[RATIONAL_LEAK + k], p[RATIONAL_LOSS + k]) +
                              sqrt(2.0 * p[RATIONAL_INVERSE_C + k] * p[RATIONAL_INVERSE_L + k]));
        waves += p[RATIONAL_INVERSE_C + k];
    }
    return most + waves / impedance;
}

// Of inductors R_k / p_k with the currents q_k, of capacitors and of the circuits' inductors.
static void find_energy(const double *p, double *weights)
{
    for (int i = 0; i < RATIONAL_MEMORY; i++) {
        const int k = (i - 3 * RATIONAL_TERMS) / 6;
        const bool is_term = i < 3 * RATIONAL_TERMS;
        const int at = (i - 3 * RATIONAL_TERMS) % 6 < 3 ? RATIONAL_INVERSE_C : RATIONAL_INVERSE_L;
        const double inverse = is_term ? p[RATIONAL_POLE + i / 3] : p[at + k];
        weights[i] =
            (is_term ? p[RATIONAL_RESISTANCE + i / 3] : 1.0) / (inverse > 0.0 ? inverse : HUGE_VAL);
    }
}

static double find_loss(const double *m, const double *n, const double *re, const double *im,
                        const double *p, double omega)
{
    const double complex s = omega * (double complex)_Complex_I;
    double complex impedance = p[RATIONAL_CONSTANT];

    for (int k = 0; k < RATIONAL_TERMS; k++) {
        if (p[RATIONAL_RESISTANCE + k] > 0.0)
            impedance += p[RATIONAL_RESISTANCE + k] * s / (s + p[RATIONAL_POLE + k]);
    }
    for (int k = 0; k < RATIONAL_PAIRS; k++) {
        const double inverse = p[RATIONAL_INVERSE_C + k];
        const double complex coil = s + p[RATIONAL_LOSS + k];
        if (inverse > 0.0) {
            impedance +=
                inverse / (s + p[RATIONAL_LEAK + k] + inverse * p[RATIONAL_INVERSE_L + k] / coil);
        }
    }
    return maxwell_wall_loss(m, n, re, im, creal(impedance), cimag(impedance));
}

static void describe(char text[160], const double *p, double hertz)
{
    const int terms = count(p, RATIONAL_RESISTANCE, RATIONAL_TERMS);
    const int pairs = count(p, RATIONAL_INVERSE_C, RATIONAL_PAIRS);

    (void)hertz;
    (void)snprintf(text, 160, "impedance of %d term%s and %d resonance%s", terms,
                   terms == 1 ? "" : "s", pairs, pairs == 1 ? "" : "s");
}

const sedge_face_kind sedge_face_rational = {
    .equation = "maxwell",
    .kind = {.name = "rational",
             .function = "maxwell_rational",
             .memory = RATIONAL_MEMORY,
             .apply_memory = maxwell_rational,
             .rate = find_rate,
             .loss = find_loss,
             .energy = find_energy,
             .derive = derive,
             .describe = describe,
             .header = "sheet_face.h",
             .header_text = sedge_text_sheet_face_h,
             .parameters = parameters,
             .parameter_count = sizeof parameters / sizeof *parameters,
             .text = "wall with the impedance R + sum of R_k i f / (i f + f_k) at the frequency f, "
                     "and resonances (B_k f_k^2 + A_k g_k i f) / (f_k^2 - f^2 + g_k i f); inside "
                     "the mesh each side has its own"}};
