// The fit: for given poles p_k, real and spaced evenly on a logarithmic scale around the band, the
// residues c and c_k >= 0 that bring c + sum_k c_k s / (s + p_k) closest to the impedance, in the
// sense of least squares of the relative error at frequencies of the band (nonnegative least
// squares: Lawson, Hanson 1974, chapter 23). sqrt(s) is an integral over such terms with positive
// weights only, and so are the impedances of films.
#include "wall_fit.h"

#include "maxwell/maxwell.h"

#include "sheet_face.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAMPLES 81 // frequencies of a fit
#define COLUMNS (WALL_MOST + 1)
#define GOAL    3e-3  // the fewest poles with this error are taken
#define LIMIT   2e-2  // and with more than this none are
#define DECADES 100.0 // lowest frequency by default, below the highest
#define PI      3.14159265358979323846

const sedge_parameter maxwell_wall_parameters[MAXWELL_WALL_PARAMETERS + 1] = {
    {.name = "conductivity",
     .required = true,
     .positive = true,
     .dimension = SEDGE_CONDUCTIVITY,
     .text = "of the metal"},
    {.name = "mu", .fallback = {1.0}, .positive = true, .text = "relative permeability"},
    {.name = "lowest",
     .maximum = HUGE_VAL,
     .dimension = SEDGE_FREQUENCY,
     .text = "the lowest frequency at which the impedance is right; 0: the lowest in the sources' "
             "spectra, or a hundredth of `highest` if that is more"},
    {.name = "highest",
     .maximum = HUGE_VAL,
     .dimension = SEDGE_FREQUENCY,
     .text = "the highest frequency at which it is right; 0: the highest in the sources' spectra"},
    {.name = "thickness",
     .required = true,
     .positive = true,
     .dimension = SEDGE_LENGTH,
     .text = "of the film, which the mesh does not have"},
};

// What a wall or a film is made of, code units.
typedef struct maxwell_wall_material {
    const char *surface; // for messages
    double conductivity, mu;
    double thickness; // of a film; 0: a wall
    double lowest, highest;
} maxwell_wall_material;

// Least squares of some columns, by their normal equations.
typedef struct least_squares {
    int columns;
    double matrix[COLUMNS][COLUMNS];
    double right[COLUMNS];
} least_squares;

// The solution in the columns that are `in`, zero in the others: elimination without pivots, for
// the matrix is positive definite. False if it is so no more, to rounding.
static bool solve(double *x, const least_squares *of, const bool *in)
{
    double a[COLUMNS][COLUMNS + 1];
    int place[COLUMNS];
    int n = 0;

    for (int i = 0; i < of->columns; i++) x[i] = 0.0;
    for (int i = 0; i < of->columns; i++)
        if (in[i]) place[n++] = i;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) a[i][k] = of->matrix[place[i]][place[k]];
        a[i][n] = of->right[place[i]];
    }
    for (int i = 0; i < n; i++) {
        if (!(a[i][i] > 1e-14 * of->matrix[place[i]][place[i]])) return false;
        for (int r = i + 1; r < n; r++) {
            const double factor = a[r][i] / a[i][i];
            for (int k = i; k <= n; k++) a[r][k] -= factor * a[i][k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = a[i][n];
        for (int k = i + 1; k < n; k++) sum -= a[i][k] * x[place[k]];
        x[place[i]] = sum / a[i][i];
    }
    return true;
}

// The column outside that the squares fall with fastest; -1: with none.
static int find_entering(const least_squares *of, const double *x, const bool *in)
{
    double steepest = 1e-12;
    int found = -1;

    for (int i = 0; i < of->columns; i++) {
        double slope = of->right[i];
        for (int k = 0; k < of->columns; k++) slope -= of->matrix[i][k] * x[k];
        slope /= sqrt(of->matrix[i][i]);
        if (in[i] || !(slope > steepest)) continue;
        steepest = slope;
        found = i;
    }
    return found;
}

// Go from x towards `next` until the first number is 0; its column leaves.
static void leave(double *x, const double *next, bool *in, int columns)
{
    double way = 1.0;

    for (int i = 0; i < columns; i++)
        if (in[i] && next[i] <= 0.0) way = fmin(way, x[i] / (x[i] - next[i]));
    for (int i = 0; i < columns; i++) {
        x[i] += way * (next[i] - x[i]);
        if (in[i] && next[i] <= 0.0 && x[i] <= 1e-12 * fabs(next[i])) in[i] = false;
        if (!in[i]) x[i] = 0.0;
    }
}

static bool is_positive(const double *x, const bool *in, int columns)
{
    for (int i = 0; i < columns; i++)
        if (in[i] && !(x[i] > 0.0)) return false;
    return true;
}

// x >= 0 with the least squares.
static void solve_nonnegative(double *x, const least_squares *of)
{
    bool in[COLUMNS] = {false};
    double next[COLUMNS];

    for (int i = 0; i < of->columns; i++) x[i] = 0.0;
    for (int turn = 0; turn < 10 * COLUMNS; turn++) {
        const int entering = find_entering(of, x, in);
        if (entering < 0) return;
        in[entering] = true;
        if (!solve(next, of, in)) return; // as good as it is
        for (int i = 0; i < COLUMNS && !is_positive(next, in, of->columns); i++) {
            leave(x, next, in, of->columns);
            if (!solve(next, of, in)) return;
        }
        if (!is_positive(next, in, of->columns)) return;
        memcpy(x, next, sizeof next);
    }
}

// ---- impedances --------------------------------------------------------------------------------

// The two impedances at s = i omega: of a wall the first one only.
static void find_impedance(double complex z[2], const maxwell_wall_material *of, double omega)
{
    const double complex root = csqrt((double complex)I * omega * of->mu * of->conductivity);

    z[0] = root / of->conductivity;
    z[1] = 0.0;
    if (!(of->thickness > 0.0)) return;
    const double complex slope = ctanh(0.5 * root * of->thickness);
    z[1] = z[0] * slope;
    z[0] /= slope;
}

static double complex find_column(int k, const double *pole, double omega)
{
    const double complex s = (double complex)I * omega;

    return k == 0 ? 1.0 : s / (s + pole[k - 1]);
}

static double find_frequency(const maxwell_wall_material *of, int i)
{
    return of->lowest * pow(of->highest / of->lowest, (double)i / (SAMPLES - 1));
}

// What an error of impedance `which` is measured by: the impedance itself, but a film's second one,
// which vanishes with its thickness and becomes an inductance that no poles near the band have, by
// no less than 0.3 of the first.
static double find_scale(const double complex z[2], int which)
{
    return which == 0 ? cabs(z[0]) : fmax(cabs(z[1]), 0.3 * cabs(z[0]));
}

// Fit impedance `which` by these poles: c, then c_k. Returns the largest error.
static double fit(double *x, const maxwell_wall_material *of, int which, int poles,
                  const double *pole)
{
    least_squares equations = {.columns = poles + 1};
    double worst = 0.0;

    for (int i = 0; i < SAMPLES; i++) {
        const double omega = 2.0 * PI * find_frequency(of, i);
        double complex z[2];
        find_impedance(z, of, omega);
        const double scale = find_scale(z, which);
        for (int k = 0; k <= poles; k++) {
            const double complex column = find_column(k, pole, omega) / scale;
            equations.right[k] += creal(conj(column) * z[which] / scale);
            for (int j = 0; j <= poles; j++) {
                equations.matrix[k][j] += creal(conj(column) * find_column(j, pole, omega) / scale);
            }
        }
    }
    solve_nonnegative(x, &equations);
    for (int i = 0; i < SAMPLES; i++) {
        const double omega = 2.0 * PI * find_frequency(of, i);
        double complex z[2];
        find_impedance(z, of, omega);
        double complex sum = -z[which];
        for (int k = 0; k <= poles; k++) sum += x[k] * find_column(k, pole, omega);
        worst = fmax(worst, cabs(sum) / find_scale(z, which));
    }
    return worst;
}

// Both impedances by `poles` poles, of which the fastest is `top` times the band's highest.
static double fit_both(double *p, const maxwell_wall_material *of, int poles, double top)
{
    const double slowest = 2.0 * PI * of->lowest / 4.0;
    const double fastest = 2.0 * PI * of->highest * top;
    const int count = of->thickness > 0.0 ? 2 : 1;
    double pole[WALL_MOST];
    double error = 0.0;

    memset(p + WALL_POLES, 0, (SEDGE_MAX_VALUES - WALL_POLES) * sizeof *p);
    for (int k = 0; k < poles; k++) {
        const double part = poles > 1 ? (double)k / (poles - 1) : 0.5;
        pole[k] = slowest * pow(fastest / slowest, part);
        p[WALL_POLE + 3 * k] = pole[k];
    }
    for (int which = 0; which < count; which++) {
        double x[COLUMNS];
        error = fmax(error, fit(x, of, which, poles, pole));
        p[WALL_CONSTANT + which] = x[0];
        for (int k = 0; k < poles; k++) p[WALL_POLE + 3 * k + 1 + which] = x[1 + k];
    }
    p[WALL_POLES] = poles;
    p[WALL_ERROR] = error;
    p[WALL_LOWEST] = of->lowest;
    p[WALL_HIGHEST] = of->highest;
    return error;
}

// ---- the band ----------------------------------------------------------------------------------

static sedge_status find_band(maxwell_wall_material *of, const sedge_problem *problem)
{
    double band[2];

    sedge_problem_band(band, problem);
    if (!(of->highest > 0.0)) of->highest = band[1];
    if (!(of->highest > 0.0)) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: no source has a signal whose spectrum would tell the "
                          "band in which the impedance is needed; give 'lowest' and 'highest'",
                          of->surface);
    }
    if (!(of->lowest > 0.0)) of->lowest = fmax(band[0], of->highest / DECADES);
    if (of->lowest > 0.99 * of->highest) of->lowest = of->highest / 2.0; // a single frequency
    return SEDGE_OK;
}

static sedge_status check_conductor(const maxwell_wall_material *of, const sedge_problem *problem)
{
    // The displacement current beside the conduction current, which the impedance leaves out.
    const double part = 2.0 * PI * of->highest / of->conductivity;

    if (part <= 0.05) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: no good conductor: at the band's highest frequency, %.4g%s, "
                      "the displacement "
                      "current is %.3g of the conduction current, and this law needs 0.05 or less; "
                      "give the medium a volume group with its "
                      "conductivity, or a lower 'highest'",
                      of->surface, sedge_problem_shown(problem, SEDGE_FREQUENCY, of->highest),
                      sedge_problem_unit(problem, SEDGE_FREQUENCY), part);
}

sedge_status maxwell_wall_derive(const sedge_problem *problem, const char *surface, double *p)
{
    static const double tops[] = {8.0, 12.0, 20.0};
    maxwell_wall_material of = {.surface = surface,
                                .conductivity = p[0],
                                .mu = p[1],
                                .lowest = p[2],
                                .highest = p[3],
                                .thickness = p[4]};
    const char *const hertz = sedge_problem_unit(problem, SEDGE_FREQUENCY);
    double best[SEDGE_MAX_VALUES];

    if (of.highest > 0.0 && of.lowest >= of.highest) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "boundaries.%s: 'lowest', %.6g%s, must be below 'highest', %.6g%s",
                          of.surface, sedge_problem_shown(problem, SEDGE_FREQUENCY, of.lowest),
                          hertz, sedge_problem_shown(problem, SEDGE_FREQUENCY, of.highest), hertz);
    }
    SEDGE_TRY(find_band(&of, problem));
    SEDGE_TRY(check_conductor(&of, problem));
    memcpy(best, p, sizeof best);
    best[WALL_ERROR] = HUGE_VAL;
    for (int poles = 2; poles <= WALL_MOST && best[WALL_ERROR] > GOAL; poles++) {
        for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
            if (fit_both(p, &of, poles, tops[i]) < best[WALL_ERROR]) memcpy(best, p, sizeof best);
        }
    }
    memcpy(p, best, sizeof best);
    if (best[WALL_ERROR] <= LIMIT) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "boundaries.%s: the band from %.4g to %.4g%s is too wide: %d poles fit the "
                      "impedance to %.2g, and the limit is %.2g; give a narrower band by "
                      "'lowest' and 'highest'",
                      of.surface, sedge_problem_shown(problem, SEDGE_FREQUENCY, of.lowest),
                      sedge_problem_shown(problem, SEDGE_FREQUENCY, of.highest), hertz, WALL_MOST,
                      best[WALL_ERROR], LIMIT);
}

double maxwell_wall_rate(const double *m, const double *p)
{
    (void)m;
    return p[WALL_POLE + 3 * ((int)p[WALL_POLES] - 1)];
}

void maxwell_wall_energy(const double *p, double *weights)
{
    for (int k = 0; k < (int)p[WALL_POLES]; k++) {
        const double *const row = p + WALL_POLE + (ptrdiff_t)3 * k;
        for (int i = 0; i < 3; i++) weights[3 * k + i] = row[1] / row[0];
    }
}

// Both sides have the same q, and half of the power 2 e g of even and of odd fields each.
void maxwell_film_energy(const double *p, double *weights)
{
    for (int k = 0; k < (int)p[WALL_POLES]; k++) {
        const double *const row = p + WALL_POLE + (ptrdiff_t)3 * k;
        for (int i = 0; i < 6; i++) weights[6 * k + i] = row[1 + i / 3] / row[0];
    }
}

void maxwell_wall_describe(char text[160], const double *p, double hertz)
{
    const double factor = hertz > 0.0 ? hertz : 1.0;

    (void)snprintf(text, 160, "impedance by %d poles, within %.1e from %.4g to %.4g%s",
                   (int)p[WALL_POLES], p[WALL_ERROR], factor * p[WALL_LOWEST],
                   factor * p[WALL_HIGHEST], hertz > 0.0 ? " Hz" : "");
}
