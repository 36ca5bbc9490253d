#include "forms/series_products.h"

#include "dg/bernstein.h"
#include "dg/predictor.h"
#include "dg/problem.h"

#include <stdbool.h>
#include <string.h>

#define MOST_POWERS 3
#define MOST_LEVELS (SEDGE_PREDICTOR_LOWERINGS + 1)
#define MOST_NODES  ((SEDGE_ORDER_MAX + 1) * (SEDGE_ORDER_MAX + 2) * (SEDGE_ORDER_MAX + 3) / 6)

// What the text is made from.
typedef struct series {
    sedge_text *text;
    int order;
    int fields;
    int powers;
    int levels;                                // of the sums: powers, or D + 1 where that is more
    int lowerings;                             // D
    double weights[MOST_LEVELS];               // a_k / f_1
    int stored;                                // sums s_k of this k are in memory; 0: of none
    int lowered_stored;                        // z_k up to this k are in memory
    bool known[MOST_LEVELS + 1][MOST_NODES];   // sums s_k of order N - k that have a name already
    bool lowered[MOST_LEVELS + 1][MOST_NODES]; // z_k = T^{k-1} w_1 of order N - k that have one
} series;

static int count_nodes(int order)
{
    return (order + 1) * (order + 2) * (order + 3) / 6;
}

// Coefficient alpha - e_j in order M - 1; -1: there is none.
static int find_lower(int order, const int alpha[4], int j)
{
    int beta[4];

    if (alpha[j] == 0) return -1;
    memcpy(beta, alpha, sizeof beta);
    beta[j]--;
    return sedge_bernstein_number(order - 1, beta[1], beta[2], beta[3]);
}

// " + R s_{k+1}" at `alpha` of order N - k.
static sedge_status add_raised(const series *s, int k, const int alpha[4])
{
    const int order = s->order - k;

    for (int j = 0; j < 4; j++) {
        const int from = find_lower(order, alpha, j);
        if (from < 0) continue;
        SEDGE_TRY(sedge_text_add(s->text, " + SEDGE_R(%a) * s%d_%d", (double)alpha[j] / order,
                                 k + 1, from));
    }
    return SEDGE_OK;
}

// The name of z_k = T z_{k-1} at `alpha` of order N - k, behind those that it needs; z_1 is w_1.
static sedge_status write_lowered(series *s, int k, const int alpha[4])
{
    const int number = sedge_bernstein_number(s->order - k, alpha[1], alpha[2], alpha[3]);
    int above[4][4]; // alpha + e_j

    if (s->lowered[k][number]) return SEDGE_OK;
    s->lowered[k][number] = true;
    if (k <= 1 || k <= s->lowered_stored) {
        return sedge_text_add(s->text,
                              "    const sedge_value z%d_%d = w[SEDGE_SERIES_%s_%d + %d];\n", k,
                              number, k == 1 ? "AT" : "LOWERED", k, number * s->fields);
    }
    for (int j = 0; j < 4; j++) {
        memcpy(above[j], alpha, sizeof above[j]);
        above[j][j]++;
        SEDGE_TRY(write_lowered(s, k - 1, above[j]));
    }
    SEDGE_TRY(sedge_text_add(s->text, "    const sedge_value z%d_%d =", k, number));
    for (int j = 0; j < 4; j++) {
        const int order = s->order - k + 1;
        const int from = sedge_bernstein_number(order, above[j][1], above[j][2], above[j][3]);
        SEDGE_TRY(sedge_text_add(s->text, "%s SEDGE_R(%a) * z%d_%d", j > 0 ? " +" : "",
                                 (double)above[j][j] / (order + 3), k - 1, from));
    }
    return sedge_text_add(s->text, ";\n");
}

// The name of s_k = w_k + a_{k-1} / f_1 z_k + R s_{k+1} at `alpha` of order N - k, for k = levels
// to 1, behind those that it needs. It is written when it is needed: so few names are in use at a
// time.
static sedge_status write_one(series *s, int k, const int alpha[4])
{
    const int number = sedge_bernstein_number(s->order - k, alpha[1], alpha[2], alpha[3]);
    const bool is_damped = s->lowerings > 0 && k <= s->lowerings + 1;
    const double weight = s->weights[k - 1] + (k == 1 ? 1.0 : 0.0);

    s->known[k][number] = true;
    if (k == s->stored) {
        return sedge_text_add(s->text,
                              "    const sedge_value s%d_%d = w[SEDGE_SERIES_AT_%d + %d];\n", k,
                              number, k, number * s->fields);
    }
    if (is_damped) SEDGE_TRY(write_lowered(s, k, alpha));
    SEDGE_TRY(sedge_text_add(s->text, "    const sedge_value s%d_%d =", k, number));
    if (is_damped) SEDGE_TRY(sedge_text_add(s->text, " SEDGE_R(%a) * z%d_%d", weight, k, number));
    if (k <= s->powers && !(is_damped && k == 1)) { // w_1 is z_1
        SEDGE_TRY(sedge_text_add(s->text, "%s w[SEDGE_SERIES_AT_%d + %d]", is_damped ? " +" : "", k,
                                 number * s->fields));
    }
    if (k < s->levels) SEDGE_TRY(add_raised(s, k, alpha));
    return sedge_text_add(s->text, ";\n");
}

// All of s_k that the sum s_below at `alpha` of order N - below needs, from the highest power down:
// alpha less k - below exponents. A sum in memory needs no higher ones.
static sedge_status write_needed(series *s, int below, const int alpha[4])
{
    const int top = s->stored > below ? s->stored : s->levels;

    for (int k = top; k > below; k--) {
        const int less = k - below;
        for (int a = 0; a <= less; a++) {
            for (int b = 0; b <= less - a; b++) {
                for (int c = 0; c <= less - a - b; c++) {
                    const int beta[4] = {alpha[0] - a, alpha[1] - b, alpha[2] - c,
                                         alpha[3] - (less - a - b - c)};
                    if (beta[0] < 0 || beta[1] < 0 || beta[2] < 0 || beta[3] < 0) continue;
                    if (s->known[k]
                                [sedge_bernstein_number(s->order - k, beta[1], beta[2], beta[3])])
                        continue;
                    SEDGE_TRY(write_one(s, k, beta));
                }
            }
        }
    }
    return SEDGE_OK;
}

// The sum s_k at `alpha` of order N - k, to memory; the mean for k = 0.
static sedge_status write_sum(series *s, int k, int number, const int alpha[4])
{
    SEDGE_TRY(write_needed(s, k, alpha));
    if (k > 0) {
        SEDGE_TRY(write_one(s, k, alpha));
        return sedge_text_add(s->text, "    w[SEDGE_SERIES_AT_%d + %d] = s%d_%d;\n", k,
                              number * s->fields, k, number);
    }
    SEDGE_TRY(
        sedge_text_add(s->text, "    out[%d] = in[%d]", number * s->fields, number * s->fields));
    SEDGE_TRY(add_raised(s, 0, alpha));
    return sedge_text_add(s->text, ";\n");
}

// A part of the sums s_k of order N - k: part p of `parts`.
static sedge_status write_part(series *s, int level, int p, int parts)
{
    const int order = s->order - level;
    const int first = count_nodes(order) * p / parts;
    const int end = count_nodes(order) * (p + 1) / parts;

    memset(s->known, 0, sizeof s->known);
    memset(s->lowered, 0, sizeof s->lowered);
    for (int k = 0; k <= order; k++) {
        for (int j = 0; j <= order - k; j++) {
            for (int i = 0; i <= order - k - j; i++) {
                const int number = sedge_bernstein_number(order, i, j, k);
                const int alpha[4] = {order - i - j - k, i, j, k};
                if (number < first || number >= end) continue;
                SEDGE_TRY(write_sum(s, level, number, alpha));
            }
        }
    }
    return SEDGE_OK;
}

// A function NAME(part, arguments) of the sums s_k, and one for each part that it calls.
static sedge_status write_function(series *s, const char *name, const char *list,
                                   const char *arguments, int level, int parts)
{
    for (int p = 0; p < parts; p++) {
        SEDGE_TRY(
            sedge_text_add(s->text, "SEDGE_SERIES_PRODUCT void %s_%d(%s)\n{\n", name, p, list));
        SEDGE_TRY(write_part(s, level, p, parts));
        SEDGE_TRY(sedge_text_add(s->text, "}\n"));
    }
    SEDGE_TRY(sedge_text_add(s->text, "SEDGE_FUNCTION void %s(int part, %s)\n{\n", name, list));
    for (int p = 0; p < parts; p++) {
        SEDGE_TRY(
            sedge_text_add(s->text, "    if (part == %d) %s_%d(%s);\n", p, name, p, arguments));
    }
    return sedge_text_add(s->text, "}\n");
}

sedge_status operator_series_write(sedge_text *text, int order, int fields, int powers, int parts,
                                   bool folds)
{
    series s = {
        .text = text, .order = order, .fields = fields, .powers = powers, .lowered_stored = 1};

    s.lowerings = sedge_predictor_lowerings(order, s.weights);
    for (int k = 0; k <= s.lowerings; k++) s.weights[k] /= sedge_predictor_factor(order, 1);
    s.levels = s.lowerings + 1 > powers ? s.lowerings + 1 : powers;
    // On the host each is a function: a compiler's time grows faster than its length.
    SEDGE_TRY(sedge_text_add(text, "// Written by src/forms/series_products.c.\n"
                                   "#if SEDGE_TARGET_HOST\n"
                                   "#define SEDGE_SERIES_PRODUCT __attribute__((noinline)) static\n"
                                   "#else\n"
                                   "#define SEDGE_SERIES_PRODUCT SEDGE_FUNCTION\n"
                                   "#endif\n"));
    if (folds) {
        s.lowered_stored = powers;
        SEDGE_TRY(
            write_function(&s, "series_fold", "SEDGE_BLOCKWIDE sedge_value *w", "w", 2, parts));
        s.stored = 2;
    }
    return write_function(&s, "series_sum",
                          "SEDGE_BLOCKWIDE sedge_value *out,\n"
                          "    const SEDGE_BLOCKWIDE sedge_value *in,\n"
                          "    const SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT w",
                          "out, in, w", 0, parts);
}

// z_k or s_k at all coefficients of order N - k.
static sedge_status write_all(series *s, int k, bool lowered)
{
    const int order = s->order - k;

    for (int c = 0; c <= order; c++) {
        for (int b = 0; b <= order - c; b++) {
            for (int a = 0; a <= order - b - c; a++) {
                const int alpha[4] = {order - a - b - c, a, b, c};
                SEDGE_TRY(lowered ? write_lowered(s, k, alpha) : write_one(s, k, alpha));
            }
        }
    }
    return SEDGE_OK;
}

sedge_status operator_series_write_damping(sedge_text *text, const char *name, int order,
                                           int fields, int apart)
{
    series s = {.text = text, .order = order, .fields = fields, .powers = 1, .lowered_stored = 1};

    s.lowerings = sedge_predictor_lowerings(order, s.weights);
    for (int k = 0; k <= s.lowerings; k++) s.weights[k] /= sedge_predictor_factor(order, 1);
    s.levels = s.lowerings + 1;
    SEDGE_TRY(
        sedge_text_add(text,
                       "// Written by src/forms/series_products.c.\n"
                       "SEDGE_FUNCTION void %s(SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT to,\n"
                       "    const SEDGE_BLOCKWIDE sedge_value *SEDGE_RESTRICT w)\n{\n",
                       name));
    for (int k = 2; k <= s.levels; k++) SEDGE_TRY(write_all(&s, k, true));
    for (int k = s.levels; k > 1; k--) SEDGE_TRY(write_all(&s, k, false));
    // w is read again, so that it takes no registers in between.
    SEDGE_TRY(sedge_text_add(text, "    SEDGE_KEEP_ORDER();\n"));
    for (int c = 0; c < order; c++) {
        for (int b = 0; b < order - c; b++) {
            for (int a = 0; a < order - b - c; a++) {
                const int alpha[4] = {order - 1 - a - b - c, a, b, c};
                const int at = sedge_bernstein_number(order - 1, a, b, c);
                SEDGE_TRY(sedge_text_add(text, "    to[%d] = to[%d] + SEDGE_R(%a) * w[%d]",
                                         at * apart, at * apart, s.weights[0] + 1.0, at * fields));
                SEDGE_TRY(add_raised(&s, 1, alpha));
                SEDGE_TRY(sedge_text_add(text, ";\n"));
            }
        }
    }
    return sedge_text_add(text, "}\n");
}

// to = E from, of order `order`.
static void raise(double *to, const double *from, int order)
{
    for (int k = 0; k <= order + 1; k++) {
        for (int j = 0; j <= order + 1 - k; j++) {
            for (int i = 0; i <= order + 1 - k - j; i++) {
                const int alpha[4] = {order + 1 - i - j - k, i, j, k};
                double sum = 0.0;
                for (int c = 0; c < 4; c++) {
                    const int below = find_lower(order + 1, alpha, c);
                    if (below >= 0) sum += (double)alpha[c] / (order + 1) * from[below];
                }
                to[sedge_bernstein_number(order + 1, i, j, k)] = sum;
            }
        }
    }
}

// to = T from, of order `order`.
static void lower(double *to, const double *from, int order)
{
    for (int k = 0; k <= order - 1; k++) {
        for (int j = 0; j <= order - 1 - k; j++) {
            for (int i = 0; i <= order - 1 - k - j; i++) {
                const int h = order - 1 - i - j - k;
                to[sedge_bernstein_number(order - 1, i, j, k)] =
                    ((h + 1) * from[sedge_bernstein_number(order, i, j, k)] +
                     (i + 1) * from[sedge_bernstein_number(order, i + 1, j, k)] +
                     (j + 1) * from[sedge_bernstein_number(order, i, j + 1, k)] +
                     (k + 1) * from[sedge_bernstein_number(order, i, j, k + 1)]) /
                    (order + 3);
            }
        }
    }
}

void operator_series_damping(double *rows, int order, int width)
{
    const int nodes = count_nodes(order - 1);
    double weights[SEDGE_PREDICTOR_LOWERINGS + 1];
    const int lowerings = sedge_predictor_lowerings(order, weights);

    // The unit vectors, one after the other: Q / f_1 by its sum's last term first.
    for (int j = 0; j < nodes; j++) {
        double z[MOST_LEVELS][MOST_NODES] = {{0.0}};
        double sum[MOST_NODES] = {0.0};
        double raised[MOST_NODES] = {0.0};
        z[0][j] = 1.0;
        for (int k = 1; k <= lowerings; k++) lower(z[k], z[k - 1], order - k);
        for (int k = lowerings; k >= 0; k--) {
            const double factor = weights[k] / sedge_predictor_factor(order, 1);
            for (int i = 0; i < count_nodes(order - 1 - k); i++) sum[i] += factor * z[k][i];
            if (k == 0) break;
            raise(raised, sum, order - 1 - k);
            memcpy(sum, raised, sizeof sum);
        }
        sum[j] += 1.0;
        for (int i = 0; i < width; i++) rows[j * width + i] = i < nodes ? sum[i] : 0.0;
    }
}
