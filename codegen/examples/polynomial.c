// A syntax tree: the kernel of a polynomial whose coefficients are known when the program runs.
// Estrin's scheme adds the terms in pairs, so that products which do not depend on each other can
// be computed at the same time. The number of statements depends on the degree, so the kernel is
// built as a syntax tree (text/tree.h).
#include "base/memory.h"
#include "elementwise/copy.h"
#include "example.h"
#include "program/launch.h"
#include "text/tree.h"

#include <math.h>

enum { DEGREE = 10, THREADS = 128 };

// Taylor's of exp: 1 / k!.
static void make_coefficients(double c[DEGREE + 1])
{
    c[0] = 1.0;
    for (int k = 1; k <= DEGREE; k++) c[k] = c[k - 1] / k;
}

// Each turn halves the number of terms: p0 + p1 q, p2 + p3 q, ... with q = x, x^2, x^4, ...
static void add_sums(sedge_tree *tree, sedge_node *block, const double c[DEGREE + 1])
{
    const char *term[DEGREE + 1];
    int terms = DEGREE + 1;

    for (int k = 0; k < terms; k++) term[k] = sedge_tree_double(tree, c[k]);
    sedge_tree_define(block, "const double", "x0", "array[i]");
    for (int turn = 0; terms > 1; turn++) {
        for (int k = 0; k < terms; k += 2) {
            const char *const name = sedge_tree_text(tree, "p%d_%d", turn, k / 2);
            if (k + 1 < terms) {
                sedge_tree_define(block, "const double", name, "%s + %s * x%d", term[k],
                                  term[k + 1], turn);
            } else {
                sedge_tree_define(block, "const double", name, "%s", term[k]);
            }
            term[k / 2] = name;
        }
        terms = (terms + 1) / 2;
        if (terms > 1) {
            sedge_tree_define(block, "const double", sedge_tree_text(tree, "x%d", turn + 1),
                              "x%d * x%d", turn, turn);
        }
    }
    sedge_tree_assign(block, "array[i]", "=", "%s", term[0]);
}

static sedge_status write_kernel(sedge_text *out, const double c[DEGREE + 1])
{
    static const sedge_tree_parameter list[] = {{"SEDGE_GLOBAL double *SEDGE_RESTRICT", "array"},
                                                {"sedge_int64", "count"}};
    sedge_tree *tree;

    SEDGE_TRY(sedge_tree_create(&tree, "a polynomial"));
    sedge_node *const kernel =
        sedge_tree_kernel(sedge_tree_module(tree), "polynomial", THREADS, list, 2);
    sedge_node *const blocks = sedge_tree_block(kernel, "SEDGE_OUTER (b)");
    sedge_node *const items =
        sedge_tree_block(blocks, "SEDGE_ITEMS_1D (n, %d, %d)", THREADS, THREADS);
    sedge_tree_define(items, "const sedge_int64", "i", "b * %d + n", THREADS);
    sedge_node *const inside = sedge_tree_if(items, "i < count");
    add_sums(tree, inside, c);
    const sedge_status status = sedge_tree_write(out, tree);
    sedge_tree_free(tree);
    return status;
}

// Both sums round each of some 25 operations on numbers below exp(1): 1e-14 is four times that.
static sedge_status check(const double *y, int64_t size, const double c[DEGREE + 1])
{
    for (int64_t i = 0; i < size; i++) {
        const double x = (double)i / (double)size;
        double sum = 0.0;
        for (int k = DEGREE; k >= 0; k--) sum = sum * x + c[k];
        if (!(fabs(y[i] - sum) <= 1e-14)) {
            return SEDGE_FAIL(SEDGE_ERR_COMPUTE,
                              "the polynomial of %g came out as %.17g, not %.17g", x, y[i], sum);
        }
    }
    return SEDGE_OK;
}

static sedge_status run(sedge_context *context, int64_t size)
{
    sedge_stream *const stream = sedge_context_stream(context);
    const sedge_kernel *polynomial = NULL;
    double c[DEGREE + 1];
    sedge_text *text = NULL;
    sedge_array *x = NULL;
    double *y = NULL;
    sedge_status status;

    make_coefficients(c);
    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, write_kernel(text, c));
    SEDGE_TRY_GOTO(status, sedge_context_kernel(context, &polynomial, "polynomial", "polynomial.c",
                                                sedge_text_get(text)));
    SEDGE_TRY_GOTO(status, sedge_array_vector(&x, context, SEDGE_FLOAT64, size));
    SEDGE_TRY_GOTO(status, sedge_array_range(x, 0.0, 1.0 / (double)size));
    SEDGE_TRY_GOTO(status, SEDGE_LAUNCH(polynomial, stream, (size + THREADS - 1) / THREADS,
                                        sedge_address_argument(sedge_array_address(x)),
                                        sedge_int64_argument(size)));
    SEDGE_TRY_GOTO(status, sedge_allocate(&y, size, sizeof *y));
    SEDGE_TRY_GOTO(status, sedge_array_get(x, y));
    SEDGE_TRY_GOTO(status, check(y, size, c));
    printf("a polynomial of degree %d at %lld places: %g, ..., %g\n", DEGREE, (long long)size, y[0],
           y[size - 1]);
done:
    sedge_release(y);
    sedge_array_free(x);
    sedge_text_free(text);
    return status;
}

int main(int argc, char **argv)
{
    return example_main(argc, argv, run, 4000);
}
