#include "forms/bernstein_products.h"

#include "dg/bernstein.h"
#include "dg/problem.h"

#include <stdio.h>
#include <string.h>

#define MOST_NODES ((SEDGE_ORDER_MAX + 1) * (SEDGE_ORDER_MAX + 2) * (SEDGE_ORDER_MAX + 3) / 6)

// What the text is made from.
typedef struct form {
    sedge_text *text;
    int order;
    int fields;
    int face_nodes;
    int slice;   // that is written: coefficients alpha with
    int first;   // first <= alpha_3
    int end;     // < end
    int face;    // whose lift is written
    int corner;  // lambda of it is 0 on that face
    int rest[3]; // the other three
} form;

static double factorial(int n)
{
    double value = 1.0;

    for (int i = 2; i <= n; i++) value *= i;
    return value;
}

// gamma_0! gamma_1! gamma_2!
static double factorials(const int gamma[3])
{
    return factorial(gamma[0]) * factorial(gamma[1]) * factorial(gamma[2]);
}

// One more term of a sum that begins with nothing.
static sedge_status add_term(sedge_text *text, bool *any, double factor, const char *name)
{
    const bool is_first = !*any;

    *any = true;
    if (factor == 1.0) return sedge_text_add(text, "%s%s", is_first ? "" : " + ", name);
    return sedge_text_add(text, "%sSEDGE_R(%a) * %s", is_first ? "" : " + ", factor, name);
}

// ---- raising -----------------------------------------------------------------------------------

// Where the slice's sum of a coefficient of order N lies.
static int place_of(const form *f, const int alpha[4])
{
    return sedge_bernstein_number(f->order, alpha[1], alpha[2], alpha[3]) -
           sedge_bernstein_number(f->order, 0, 0, f->first);
}

// The sum for coefficient `alpha` of order N.
static sedge_status write_raised(const form *f, const int alpha[4])
{
    bool any = false;

    SEDGE_TRY(sedge_text_add(f->text, "    acc[%d] = ", place_of(f, alpha)));
    for (int j = 0; j < 4; j++) {
        char name[48];
        int beta[4];

        if (alpha[j] == 0) continue;
        memcpy(beta, alpha, sizeof beta);
        beta[j]--;
        (void)snprintf(name, sizeof name, "s[%d]",
                       sedge_bernstein_number(f->order - 1, beta[1], beta[2], beta[3]) * f->fields);
        SEDGE_TRY(add_term(f->text, &any, 0.5 * alpha[j], name));
    }
    return sedge_text_add(f->text, ";\n");
}

static sedge_status write_raise(const form *f)
{
    const int order = f->order;

    SEDGE_TRY(sedge_text_add(f->text,
                             "SEDGE_FUNCTION void bernstein_raise_%d(sedge_value *SEDGE_RESTRICT "
                             "acc,\n    const SEDGE_BLOCKWIDE sedge_value *s)\n{\n",
                             f->slice));
    for (int k = f->first; k < f->end; k++) {
        for (int j = 0; j <= order - k; j++) {
            for (int i = 0; i <= order - k - j; i++) {
                const int alpha[4] = {order - i - j - k, i, j, k};
                SEDGE_TRY(write_raised(f, alpha));
            }
        }
    }
    return sedge_text_add(f->text, "}\n");
}

// ---- lift --------------------------------------------------------------------------------------

// gamma! (E^t E f) at gamma: seven coefficients at most, each from up to three ways over order N
// + 1.
static sedge_status write_within(const form *f, const int gamma[3])
{
    bool any = false;

    for (int a = -1; a <= 1; a++) {
        for (int b = -1; b <= 1; b++) {
            const int from[3] = {gamma[0] + a, gamma[1] + b, gamma[2] - a - b};
            double entry = 0.0;
            char name[48];

            if (a == b && a != 0) continue; // two steps in one direction
            if (from[0] < 0 || from[1] < 0 || from[2] < 0) continue;
            for (int i = 0; i < 3; i++) { // up along i from `gamma`, down along k to `from`
                for (int k = 0; k < 3; k++) {
                    int step[3] = {0, 0, 0};
                    step[i]++;
                    step[k]--;
                    if (step[0] != a || step[1] != b) continue;
                    entry += (gamma[i] + 1.0) * (gamma[k] + (i == k)) / 2.0;
                }
            }
            if (entry == 0.0) continue;
            (void)snprintf(name, sizeof name, "f_%d_%d", from[0], from[1]);
            SEDGE_TRY(add_term(f->text, &any, factorials(gamma) * entry, name));
        }
    }
    return SEDGE_OK;
}

// h_j[gamma] from the layer before.
static sedge_status write_next(const form *f, int layer, const int gamma[3])
{
    bool any = false;

    for (int i = 0; i < 3; i++) {
        char name[48];

        (void)snprintf(name, sizeof name, "h%d_%d_%d", layer - 1, gamma[0] + (i == 0),
                       gamma[1] + (i == 1));
        SEDGE_TRY(add_term(f->text, &any, 1.0, name));
    }
    return SEDGE_OK;
}

static sedge_status write_coefficient(const form *f, int layer, const int gamma[3])
{
    const double factor =
        (layer % 2 == 0 ? 1.0 : -1.0) / (factorial(layer + 1) * factorials(gamma));
    int alpha[4];
    char name[48];

    (void)snprintf(name, sizeof name, "h%d_%d_%d", layer, gamma[0], gamma[1]);
    SEDGE_TRY(sedge_text_add(f->text, "    const sedge_value %s = ", name));
    SEDGE_TRY(layer == 0 ? write_within(f, gamma) : write_next(f, layer, gamma));
    alpha[f->corner] = layer;
    for (int i = 0; i < 3; i++) alpha[f->rest[i]] = gamma[i];
    SEDGE_TRY(sedge_text_add(f->text, ";\n"));
    if (alpha[3] < f->first || alpha[3] >= f->end) return SEDGE_OK;
    const int place = place_of(f, alpha);
    return sedge_text_add(f->text, "    acc[%d] = acc[%d] + SEDGE_R(%a) * %s;\n", place, place,
                          factor, name);
}

// Does the slice need h_j[gamma], for a coefficient of its own or for h_{j+1} of one?
static bool is_needed(const form *f, int layer, const int gamma[3])
{
    if (f->corner == 3) return layer < f->end;
    return gamma[2] >= f->first; // gamma_2 is alpha_3
}

static sedge_status write_lift(const form *f, int (*index)[4], const sedge_element *element)
{
    const int order = f->order;

    SEDGE_TRY(sedge_text_add(
        f->text,
        "SEDGE_PRODUCT void bernstein_lift_%d_%d(sedge_value *SEDGE_RESTRICT acc,\n"
        "                                      const SEDGE_BLOCKWIDE sedge_value *s)\n{\n",
        f->slice, f->face));
    for (int i = 0; i < f->face_nodes; i++) {
        const int k = f->face * f->face_nodes + i;
        const int *const alpha = index[element->face_node[k]];
        if (f->corner == 3 || alpha[3] >= f->first - 1) {
            SEDGE_TRY(sedge_text_add(f->text, "    const sedge_value f_%d_%d = s[%d];\n",
                                     alpha[f->rest[0]], alpha[f->rest[1]], k * f->fields));
        }
    }
    for (int layer = 0; layer <= order; layer++) {
        for (int b = 0; b <= order - layer; b++) {
            for (int a = 0; a <= order - layer - b; a++) {
                const int gamma[3] = {a, b, order - layer - a - b};
                if (is_needed(f, layer, gamma)) SEDGE_TRY(write_coefficient(f, layer, gamma));
            }
        }
    }
    return sedge_text_add(f->text, "}\n");
}

// The lambda that is 0 at all nodes of a face.
static int find_corner(int (*index)[4], const sedge_element *element, int face)
{
    for (int v = 0; v < 4; v++) {
        int sum = 0;
        for (int i = 0; i < element->face_nodes; i++)
            sum += index[element->face_node[face * element->face_nodes + i]][v];
        if (sum == 0) return v;
    }
    return 0;
}

// Coefficients of order N with first <= alpha_3 < end.
static int count_slice(int order, int first, int end)
{
    int count = 0;

    for (int k = first; k < end; k++) count += (order - k + 1) * (order - k + 2) / 2;
    return count;
}

// Can all layers be cut into `slices` of at most `most` coefficients? Each slice takes as many
// layers as it can, but leaves one for each slice behind it.
static bool cut(int *end, int order, int slices, int most)
{
    int first = 0;

    for (int p = 0; p < slices; p++) {
        const int last = order - (slices - 1 - p);
        end[p] = first;
        while (end[p] <= last && count_slice(order, first, end[p] + 1) <= most) end[p]++;
        if (end[p] == first) return false;
        first = end[p];
    }
    return first == order + 1;
}

int operator_bernstein_cut(int *end, int order, int slices)
{
    int most = 1;

    while (!cut(end, order, slices, most)) most++;
    return most;
}

static sedge_status write_slice(form *f, int (*index)[4], const sedge_element *element)
{
    SEDGE_TRY(write_raise(f));
    for (f->face = 0; f->face < SEDGE_FACES; f->face++) {
        int count = 0;

        f->corner = find_corner(index, element, f->face);
        for (int v = 0; v < 4; v++)
            if (v != f->corner) f->rest[count++] = v;
        SEDGE_TRY(write_lift(f, index, element));
    }
    return SEDGE_OK;
}

// The functions of any slice, by its number.
static sedge_status write_choice(const form *f, const int *end, int slices)
{
    SEDGE_TRY(sedge_text_add(
        f->text, "SEDGE_FUNCTION void bernstein_find(sedge_value *SEDGE_RESTRICT acc,\n"
                 "    const SEDGE_BLOCKWIDE sedge_value *w, const SEDGE_BLOCKWIDE sedge_value *s,\n"
                 "    int slice)\n{\n"));
    for (int p = 0; p < slices; p++) {
        SEDGE_TRY(sedge_text_add(f->text, "    if (slice == %d) {\n", p));
        SEDGE_TRY(sedge_text_add(f->text, "        bernstein_raise_%d(acc, w);\n", p));
        for (int face = 0; face < SEDGE_FACES; face++)
            SEDGE_TRY(sedge_text_add(f->text, "        bernstein_lift_%d_%d(acc, s);\n", p, face));
        SEDGE_TRY(sedge_text_add(f->text, "    }\n"));
    }
    SEDGE_TRY(sedge_text_add(f->text,
                             "}\nSEDGE_FUNCTION void bernstein_put(\n"
                             "    SEDGE_BLOCKWIDE sedge_value *to,\n"
                             "    const sedge_value *SEDGE_RESTRICT acc, int slice)\n{\n"));
    for (int p = 0; p < slices; p++) {
        const int first = p > 0 ? end[p - 1] : 0;
        SEDGE_TRY(sedge_text_add(
            f->text,
            "    if (slice == %d)\n"
            "        SEDGE_EACH (n, %d) to[(%d + n) * SEDGE_FIELDS] = acc[n];\n",
            p, count_slice(f->order, first, end[p]), count_slice(f->order, 0, first)));
    }
    return sedge_text_add(f->text, "}\n");
}

sedge_status operator_bernstein_write(sedge_text *text, const sedge_element *element, int fields,
                                      int slices)
{
    const int order = element->order;
    form f = {.text = text, .order = order, .fields = fields, .face_nodes = element->face_nodes};
    int index[MOST_NODES][4];
    int end[SEDGE_ORDER_MAX + 1];

    for (int k = 0; k <= order; k++) {
        for (int j = 0; j <= order - k; j++) {
            for (int i = 0; i <= order - k - j; i++) {
                int *const alpha = index[sedge_bernstein_number(order, i, j, k)];
                alpha[0] = order - i - j - k, alpha[1] = i, alpha[2] = j, alpha[3] = k;
            }
        }
    }
    SEDGE_TRY(sedge_text_add(text,
                             "// Written by src/forms/bernstein_products.c.\n"
                             "// On the host sums are in memory, in a cache, and each product is\n"
                             "// a function: a compiler's time grows faster than its length.\n"
                             "#if SEDGE_TARGET_HOST\n"
                             "#define SEDGE_PRODUCT __attribute__((noinline)) static\n"
                             "#else\n"
                             "#define SEDGE_PRODUCT SEDGE_FUNCTION\n"
                             "#endif\n"));
    SEDGE_TRY(sedge_text_add(text, "#define SEDGE_SLICE_SUMS %d\n",
                             operator_bernstein_cut(end, order, slices)));
    for (f.slice = 0; f.slice < slices; f.slice++) {
        f.first = f.slice > 0 ? end[f.slice - 1] : 0;
        f.end = end[f.slice];
        SEDGE_TRY(write_slice(&f, index, element));
    }
    return slices > 1 ? write_choice(&f, end, slices) : SEDGE_OK;
}

void operator_bernstein_simplices(int16_t *out, int order)
{
    for (int k = 0; k < order; k++) {
        for (int j = 0; j < order - k; j++) {
            for (int i = 0; i < order - k - j; i++) {
                int16_t *const at = out + (int64_t)4 * sedge_bernstein_number(order - 1, i, j, k);
                at[0] = (int16_t)sedge_bernstein_number(order, i, j, k);
                at[1] = (int16_t)sedge_bernstein_number(order, i + 1, j, k);
                at[2] = (int16_t)sedge_bernstein_number(order, i, j + 1, k);
                at[3] = (int16_t)sedge_bernstein_number(order, i, j, k + 1);
            }
        }
    }
}

void operator_bernstein_raised(int16_t *out, int order)
{
    for (int k = 0; k <= order; k++) {
        for (int j = 0; j <= order - k; j++) {
            for (int i = 0; i <= order - k - j; i++) {
                int16_t *const at = out + (int64_t)8 * sedge_bernstein_number(order, i, j, k);
                const int alpha[4] = {order - i - j - k, i, j, k};
                int count = 0;
                for (int d = 0; d < 4; d++) {
                    if (alpha[d] == 0) continue;
                    at[count] = (int16_t)sedge_bernstein_number(order - 1, i - (d == 1),
                                                                j - (d == 2), k - (d == 3));
                    at[4 + count++] = (int16_t)alpha[d];
                }
            }
        }
    }
}

void operator_bernstein_lowered(int16_t *out, int order)
{
    for (int k = 0; k <= order; k++) {
        for (int j = 0; j <= order - k; j++) {
            for (int i = 0; i <= order - k - j; i++) {
                int16_t *const at = out + (int64_t)4 * sedge_bernstein_number(order, i, j, k);
                at[0] = (int16_t)(order - i - j - k + 1);
                at[1] = (int16_t)(i + 1);
                at[2] = (int16_t)(j + 1);
                at[3] = (int16_t)(k + 1);
            }
        }
    }
}
