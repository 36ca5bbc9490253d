#include "quadrature.h"

#include "base/memory.h"

#include "modes.h"

#include <math.h>
#include <stdbool.h>

// ---- symmetric rules ---------------------------------------------------------------------------

// A rule by orbits of points that go over into each other when corners change places: those with
// equal barycentric coordinates first. Each orbit has its points' weight, the weights of all points
// sum up to 1, and its different coordinates but for the last, which the sum 1 gives. Found by
// Newton's method on the moments of symmetric polynomials; those of the triangle from 8 on started
// from the rules of Xiao & Gimbutas, Comput. Math. Appl. 59 (2010) 663.
typedef struct rule {
    int degree;
    int orbits[5]; // of each sort
    const double *numbers;
} rule;

static const double triangle_4[] = {0.2233815896780115, 0.445948490915965, 0.10995174365532175,
                                    0.091576213509770743};
static const double triangle_6[] = {0.17133312415298102, 0.21942998254978291,  0.080731089593031019,
                                    0.48013796411221499, 0.040634559793660666, 0.019371724361240843,
                                    0.14161901592396806};
static const double triangle_8[] = {
    0.14431560767778753,   0.10321737053471833,  0.17056930775176044,  0.095091634267284758,
    0.45929258829272346,   0.032458497623197906, 0.050547228317030957, 0.027230314174434934,
    0.0083947774099576572, 0.26311282963463678};
static const double triangle_10[] = {
    0.083614874373973996, 0.0097925904984183069, 0.49517345980117106,  0.006385359230118755,
    0.019139415242841306, 0.078633769746376925,  0.18448501268524672,  0.07524732796854379,
    0.4282348209437189,   0.028962281463256384,  0.034723620482327203, 0.13373475510086966,
    0.038739049086019037, 0.037582727341191981,  0.32669313628133645};
static const double triangle_12[] = {
    0.062541213195901335,  0.2714625070149273,   0.028486052068880611, 0.1092578276593786,
    0.049918334928054961,  0.44011164865859215,  0.024266838081454807, 0.48820375094554047,
    0.0079316425099707002, 0.024646363436331534, 0.043227363659412078, 0.11629601967792853,
    0.25545422863853684,   0.015083677576515287, 0.021382490256179183, 0.12727971723356771,
    0.021783585038608107,  0.023034156355266004, 0.29165567973832718};
static const double triangle_14[] = {
    0.032788353544190567,  0.41764471934057407,   0.014433699669742858,  0.061799883090773472,
    0.051774104507335966,  0.27347752830884359,   0.042162588736988825,  0.17720553241254935,
    0.0049234036023874765, 0.019390961248675891,  0.021883581369442996,  0.48896391036217352,
    0.014436308113528203,  0.014646950055640017,  0.29837288213620783,   0.038571510787027578,
    0.092916249356914712,  0.33686145979621329,   0.024665753212573294,  0.057124757403641348,
    0.17226668782122026,   0.0050102288384932508, 0.0012683309328589065, 0.11897449769690802};
static const double triangle_16[] = {
    0.046227910314122801,  0.012425425595569884,  0.066674472240448576,  0.041184041069752299,
    0.24132168070136653,   0.040985219786779076,  0.41279809595512479,   0.028783496702771111,
    0.15006373658691105,   0.027093669467742609,  0.46954803099657066,   0.0037891352382586662,
    0.017041629405707848,  0.0081822105532045226, 0.0096649544036941058, 0.41376948582751377,
    0.013983607124693717,  0.030305943355079471,  0.3041794482298687,    0.0057518699705302869,
    0.0108129727762186,    0.089609089022544497,  0.031646061681997024,  0.10665316053625756,
    0.29661537240026875,   0.017653081047128753,  0.051354315343758436,  0.16976335515068786,
    0.0046146906396550402, 0.003696942707098784,  0.21404877992590052};
static const double triangle_18[] = {
    0.030748521244959647,  0.013107027482928371,   0.47491821133454321,   0.020318338845319105,
    0.15163850697733985,   0.03347199406152606,    0.41106710187544054,   0.031116396602311813,
    0.26561460989864355,   0.00053200561717469861, 0.0037589443439423205, 0.013790286603850911,
    0.072438705566423678,  0.015328258200456215,   0.090427040337937845,  0.38504403443221102,
    0.0042175167748190034, 0.012498932483825437,   0.047276141835213191,  0.016365908412785932,
    0.054011735333916247,  0.3020619577007595,     0.0077298352792821217, 0.010505018818581319,
    0.25650615977006608,   0.016911653917354316,   0.066122458031004444,  0.17847912555811191,
    0.027592886488729523,  0.14906691011884413,    0.26857330640116484,   0.0095861244733065013,
    0.011691824673255894,  0.4110656686702181,     0.007641704972550979,  0.014331524779053077,
    0.13277883027271772};
static const double triangle_20[] = {
    0.027820221419008483,  0.01834692596739896,   0.1862949977318604,    0.0043225508237063111,
    0.037310880616908661,  0.014203650597097994,  0.47624561155408923,   0.018904799874322507,
    0.44555105697683411,   0.02816640261723774,   0.25457926768565659,   0.027576101260692758,
    0.39342534784086858,   0.0015976815829270106, 0.010976141031324396,  0.015660461550319294,
    0.10938359670576588,   0.0022597392051979678, 0.0048549376122718245, 0.064090585606756886,
    0.015445215641681369,  0.10622720466088267,   0.21560705737491387,   0.0044057948346171482,
    0.0075707804989590469, 0.15913370765334556,   0.02338349146803255,   0.13980807198476844,
    0.31786012380513456,   0.011972797149251584,  0.046560364882901425,  0.19851813223243731,
    0.0082914230545144772, 0.038363684775353367,  0.099952296310807778,  0.0073913629978862375,
    0.0098315482891973491, 0.42002375881363091,   0.017334451132947966,  0.054987479134986042,
    0.33313481732200273,   0.0071564004758513048, 0.010737212854887435,  0.28058141142483994};
static const double triangle_22[] = {
    0.013493083659761956,  0.3851845235724527,     0.013861399660379499,  0.45776941105963004,
    0.0210757637334438,    0.29455825888308679,    0.016021299131884936,  0.18851052371101681,
    0.018853092778635047,  0.42198188816740878,    0.0052893396628644626, 0.49616117841337909,
    0.0035691091659947123, 0.02910847067937854,    0.014415713122711055,  0.11543153820781848,
    0.0025954384736598447, 0.0078762822206361102,  0.069842169457614289,  0.0075175778177661917,
    0.044752284348469687,  0.090398831172303643,   0.011197313511301262,  0.038275234792187834,
    0.41134176415656648,   0.01771909349090791,    0.10274707606411322,   0.33210610489656633,
    0.0049042604099345166, 0.0074002412559086867,  0.36257628045874929,   0.021706419534695494,
    0.19108129801871993,   0.29006682417116741,    0.011662222876881564,  0.043991645419021431,
    0.28793180283357828,   0.015710162624292427,   0.10868994190551531,   0.21678693328613385,
    0.0041066870714846363, 0.0091447113753607458,  0.14587371985620437,   0.010563584968036074,
    0.048254924109469848,  0.17629743484008381,    0.0050540768983791153, 0.0091639092460419607,
    0.24399064603714399,   0.00064042853148989806, 0.0017984649941934852, 0.017934321052312976};
static const double tet_3[] = {0.13457653582586174, 0.11668611888617489, 0.11542346417413828,
                               0.329702502979975};
static const double tet_5[] = {0.11268792571801624, 0.31088591926330067,  0.073493043116362275,
                               0.09273525031089136, 0.042546020777080994, 0.045503704125649247};
static const double tet_7[] = {0.09548528946413061,  0.042329581209966841, 0.31570114977820263,
                               0.031896927832857788, 0.050489822598396752, 0.0081107708299033715,
                               0.021265472541483015, 0.14663881381848604,  0.03720713072833455,
                               0.18883383102600138,  0.047160700360997627};

static const rule triangles[] = {
    {4, {0, 2, 0}, triangle_4},    {6, {0, 2, 1}, triangle_6},   {8, {1, 3, 1}, triangle_8},
    {10, {1, 4, 2}, triangle_10},  {12, {0, 5, 3}, triangle_12}, {14, {0, 6, 4}, triangle_14},
    {16, {1, 6, 6}, triangle_16},  {18, {1, 6, 8}, triangle_18}, {20, {1, 8, 9}, triangle_20},
    {22, {0, 8, 12}, triangle_22},
};

static const rule tets[] = {
    {3, {0, 2, 0, 0, 0}, tet_3},
    {5, {0, 2, 1, 0, 0}, tet_5},
    {7, {1, 1, 1, 2, 0}, tet_7},
};

// Which of an orbit's coordinates are equal, by sort.
static const int triangle_sorts[3][4] = {{0, 0, 0}, {0, 0, 1}, {0, 1, 2}};
static const int tet_sorts[5][4] = {
    {0, 0, 0, 0}, {0, 0, 0, 1}, {0, 0, 1, 1}, {0, 0, 1, 2}, {0, 1, 2, 3}};

static void swap(int *a, int *b)
{
    const int c = *a;

    *a = *b;
    *b = c;
}

// The next arrangement in lexicographic order; false after the last.
static bool next_arrangement(int *labels, int count)
{
    int i = count - 2;
    int j = count - 1;

    while (i >= 0 && labels[i] >= labels[i + 1]) i--;
    if (i < 0) return false;
    while (labels[j] <= labels[i]) j--;
    swap(&labels[i], &labels[j]);
    for (int a = i + 1, b = count - 1; a < b; a++, b--) swap(&labels[a], &labels[b]);
    return true;
}

// Add the points of one orbit; returns how many numbers it took. `size` is what all weights sum up
// to.
static int add_orbit(sedge_quadrature *out, const int sort[4], int corners, const double *numbers,
                     double size)
{
    double value[4] = {0.0};
    int members[4] = {0};
    int labels[4];
    int last = 0;
    double rest = 1.0;

    for (int v = 0; v < corners; v++) {
        labels[v] = sort[v];
        members[sort[v]]++;
        last = sort[v];
    }
    for (int l = 0; l < last; l++) {
        value[l] = numbers[1 + l];
        rest -= members[l] * value[l];
    }
    value[last] = rest / members[last];
    do {
        for (int v = 1; v < corners; v++)
            out->place[out->points][v - 1] = 2.0 * value[labels[v]] - 1.0;
        out->weight[out->points++] = size * numbers[0];
    } while (next_arrangement(labels, corners));
    return 1 + last;
}

static sedge_status allocate_points(sedge_quadrature *out, int points)
{
    *out = (sedge_quadrature){0};
    SEDGE_TRY(sedge_allocate(&out->place, points, sizeof *out->place));
    return sedge_allocate(&out->weight, points, sizeof *out->weight);
}

static sedge_status expand_rule(sedge_quadrature *out, const rule *from, const int (*sorts)[4],
                                int corners, double size)
{
    static const int most[2][5] = {{1, 3, 6, 0, 0}, {1, 4, 6, 12, 24}}; // points of an orbit
    const double *numbers = from->numbers;
    int points = 0;

    for (int k = 0; k < 5; k++) points += from->orbits[k] * most[corners - 3][k];
    SEDGE_TRY(allocate_points(out, points));
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i < from->orbits[k]; i++)
            numbers += add_orbit(out, sorts[k], corners, numbers, size);
    }
    return SEDGE_OK;
}

sedge_status sedge_quadrature_triangle(sedge_quadrature *out, int degree)
{
    *out = (sedge_quadrature){0};
    for (size_t i = 0; i < sizeof triangles / sizeof triangles[0]; i++) {
        if (triangles[i].degree >= degree)
            return expand_rule(out, &triangles[i], triangle_sorts, 3, 2.0);
    }
    return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "no points on the triangle of degree %d; %d is the most",
                      degree, SEDGE_QUADRATURE_FACE_DEGREE);
}

// ---- products of lines -------------------------------------------------------------------------

#define LINE_MAX 32

// The polynomial of degree n whose zeros are wanted, without those already found: Newton's method
// cannot find them again.
static double find_zero(int n, int alpha, double guess, const double *found, int count)
{
    double x = guess;

    for (int i = 0; i < 100; i++) {
        const double value = sedge_jacobi(n, alpha, 0, x);
        const double slope = sqrt(n * (n + alpha + 1.0)) * sedge_jacobi(n - 1, alpha + 1, 1, x);
        double others = 0.0;
        for (int k = 0; k < count; k++) others += 1.0 / (x - found[k]);
        const double step = value / (slope - value * others);
        x -= step;
        if (fabs(step) < 1e-16) break;
    }
    return x;
}

// The n points x [n] and weights w [n] of Gauss-Jacobi in [-1, 1] for the weight (1-x)^alpha,
// ascending. n <= LINE_MAX.
static void find_line(int n, int alpha, double *x, double *w)
{
    const double pi = 3.14159265358979323846;

    for (int i = 0; i < n; i++) {
        double guess = -cos((2.0 * i + 1.0) / (2.0 * n) * pi);
        if (i > 0) guess = 0.5 * (guess + x[i - 1]);
        x[i] = find_zero(n, alpha, guess, x, i);
        double sum = 0.0; // Christoffel's function
        for (int k = 0; k < n; k++) {
            const double p = sedge_jacobi(k, alpha, 0, x[i]);
            sum += p * p;
        }
        w[i] = 1.0 / sum;
    }
}

// With collapsed coordinates a, b, c the volume element is (1-b)/2 ((1-c)/2)^2, which the weights
// of the lines hold.
static sedge_status collapse(sedge_quadrature *out, int degree)
{
    const int n = degree / 2 + 1;
    double x[3][LINE_MAX];
    double w[3][LINE_MAX];

    if (n > LINE_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "no points in the tetrahedron of degree %d", degree);
    }
    for (int alpha = 0; alpha < 3; alpha++) find_line(n, alpha, x[alpha], w[alpha]);
    SEDGE_TRY(allocate_points(out, n * n * n));
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < n; j++) {
            for (int i = 0; i < n; i++) {
                double *const at = out->place[out->points];
                at[0] = 0.25 * (1.0 + x[0][i]) * (1.0 - x[1][j]) * (1.0 - x[2][k]) - 1.0;
                at[1] = 0.5 * (1.0 + x[1][j]) * (1.0 - x[2][k]) - 1.0;
                at[2] = x[2][k];
                out->weight[out->points++] = 0.125 * w[0][i] * w[1][j] * w[2][k];
            }
        }
    }
    return SEDGE_OK;
}

sedge_status sedge_quadrature_tet(sedge_quadrature *out, int degree)
{
    *out = (sedge_quadrature){0};
    for (size_t i = 0; i < sizeof tets / sizeof tets[0]; i++) {
        if (tets[i].degree >= degree) return expand_rule(out, &tets[i], tet_sorts, 4, 4.0 / 3.0);
    }
    return collapse(out, degree);
}

void sedge_quadrature_clear(sedge_quadrature *quadrature)
{
    sedge_release(quadrature->place);
    sedge_release(quadrature->weight);
    *quadrature = (sedge_quadrature){0};
}
