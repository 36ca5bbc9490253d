#include "quadrature.h"

#include "base/memory.h"

#include "modes.h"

#include <math.h>
#include <stdbool.h>

// ---- symmetric rules ---------------------------------------------------------------------------

// A rule by orbits of points that go over into each other when corners change places: those with
// equal barycentric coordinates first. Each orbit has its points' weight, the weights of all points
// sum up to 1, and its different coordinates but for the last, which the sum 1 gives. Found by
// Newton's method on the moments of symmetric polynomials, with 60 digits: numbers that are wrong
// by 1e-9 can satisfy these moments to 1e-16. The rules of the triangle from 8 on started from
// those of Xiao & Gimbutas, Comput. Math. Appl. 59 (2010) 663.
typedef struct rule {
    int degree;
    int orbits[5]; // of each sort
    const double *numbers;
} rule;

static const double triangle_4[] = {0.22338158967801147, 0.44594849091596489, 0.10995174365532187,
                                    0.091576213509770743};
static const double triangle_6[] = {0.17133312415298102, 0.21942998254978296,  0.080731089593030977,
                                    0.48013796411221504, 0.040634559793660666, 0.019371724361240787,
                                    0.14161901592396817};
static const double triangle_8[] = {
    0.14431560767778731,   0.10321737053471816,  0.17056930775176016,  0.095091634267284675,
    0.45929258829272313,   0.032458497623198065, 0.050547228317030964, 0.027230314174434996,
    0.0083947774099576086, 0.26311282963463811};
static const double triangle_10[] = {
    0.08361487437397408,  0.0097925904984182636, 0.49517345980117056,  0.0063853592301186613,
    0.019139415242841254, 0.078633769746377216,  0.18448501268524645,  0.075247327968544026,
    0.4282348209437189,   0.028962281463256336,  0.034723620482327439, 0.13373475510086916,
    0.038739049086018905, 0.037582727341191662,  0.32669313628133695};
static const double triangle_12[] = {
    0.062541213195902765,  0.27146250701492608,  0.028486052068877544, 0.1092578276593543,
    0.049918334928060942,  0.44011164865859309,  0.024266838081452032, 0.48820375094554153,
    0.0079316425099736389, 0.024646363436335594, 0.043227363659414209, 0.11629601967792659,
    0.25545422863851736,   0.015083677576511438, 0.021382490256170589, 0.12727971723358936,
    0.021783585038607559,  0.023034156355267139, 0.29165567973834094};
static const double triangle_14[] = {
    0.032788353544125348,  0.41764471934045394,   0.014433699669776668,  0.061799883090872601,
    0.051774104507291585,  0.27347752830883865,   0.042162588736993016,  0.17720553241254344,
    0.0049234036024000819, 0.019390961248701048,  0.021883581369428889,  0.48896391036217862,
    0.01443630811353384,   0.01464695005565441,   0.29837288213625773,   0.038571510787060684,
    0.09291624935697182,   0.33686145979634502,   0.024665753212563674,  0.05712475740364794,
    0.17226668782135557,   0.0050102288385006719, 0.0012683309328720251, 0.11897449769695685};
static const double triangle_16[] = {
    0.046227910314191496,  0.012425425595561035,  0.066674472240238369,  0.041184041069792406,
    0.24132168070137816,   0.040985219786815498,  0.4127980959552236,    0.028783496702748906,
    0.15006373658703503,   0.027093669467710458,  0.46954803099668496,   0.0037891352382642221,
    0.017041629405718392,  0.0081822105532221023, 0.0096649544036601694, 0.41376948582708539,
    0.013983607124653562,  0.030305943355186202,  0.30417944822947995,   0.0057518699704971676,
    0.01081297277610372,   0.089609089022705826,  0.031646061681983258,  0.10665316053614839,
    0.29661537240038299,   0.017653081047103288,  0.051354315344012989,  0.16976335515029001,
    0.0046146906397291068, 0.0036969427073554727, 0.2140487799258472};
static const double triangle_18[] = {
    0.030748521239116124,  0.013107027491738744,   0.47491821132404577,   0.020318338845458393,
    0.15163850697260484,   0.033471994059847979,   0.41106710187591933,   0.031116396602005918,
    0.26561460990537406,   0.00053200561694777889, 0.0037589443410683252, 0.013790286604766942,
    0.072438705567332867,  0.015328258194553177,   0.090427040354340724,  0.38504403441316376,
    0.0042175167747444415, 0.012498932483495437,   0.047276141832651761,  0.016365908413986576,
    0.054011735339024231,  0.30206195771287087,    0.0077298352800062265, 0.010505018819241934,
    0.25650615977424152,   0.01691165391748008,    0.066122458028403372,  0.17847912556588766,
    0.027592886488579473,  0.1490669101257738,     0.26857330639601384,   0.009586124474361496,
    0.011691824674667076,  0.41106566867461836,    0.0076417049727196358, 0.014331524778941954,
    0.13277883027138931};
static const double triangle_20[] = {
    0.027820221402906357,  0.018346925948505816,  0.18629499774454078,   0.0043225508213311547,
    0.037310880598884696,  0.014203650606816826,  0.4762456115404991,    0.018904799866464924,
    0.44555105695592495,   0.028166402615040373,  0.25457926767333883,   0.027576101258141104,
    0.39342534781709987,   0.0015976815821332397, 0.010976141028397765,  0.015660461552149074,
    0.1093835967117146,    0.0022597392042517312, 0.0048549376076237544, 0.064090585608434059,
    0.015445215644198448,  0.10622720472026997,   0.21560705739009453,   0.0044057948371169948,
    0.0075707805046965285, 0.15913370765706722,   0.023383491463655474,  0.1398080719917999,
    0.31786012383577206,   0.011972797157909379,  0.046560364907664326,  0.19851813222878814,
    0.0082914230552277139, 0.038363684775374593,  0.099952296288138648,  0.0073913630005105818,
    0.0098315482928025381, 0.42002375881622406,   0.017334451134438662,  0.054987479142986774,
    0.33313481730958755,   0.007156400476915372,  0.010737212856011091,  0.28058141142366522};
static const double triangle_22[] = {
    0.01349308388361066,   0.38518452462730213,    0.013861399524234191,  0.45776941136767207,
    0.021075763957452181,  0.29455825902995014,    0.016021299125148891,  0.18851052363028389,
    0.018853092553841287,  0.42198188879353493,    0.0052893396659844183, 0.49616117840970864,
    0.0035691091658563764, 0.029108470670807504,   0.014415713128104603,  0.11543153821920496,
    0.0025954384742312778, 0.0078762822215823567,  0.069842169467443621,  0.0075175778177883762,
    0.04475228434833585,   0.090398831166407775,   0.01119731347196277,   0.038275234700863775,
    0.41134176402055878,   0.017719093489510219,   0.10274707598693136,   0.33210610500744642,
    0.0049042603975569636, 0.0074002412347106902,  0.36257628043246726,   0.021706419555508956,
    0.1910812979667201,    0.29006682411666884,    0.011662222867343003,  0.043991645393455819,
    0.28793180282417186,   0.015710162622570318,   0.10868994186267197,   0.21678693336494118,
    0.0041066870715755557, 0.0091447113749640388,  0.14587371987352518,   0.010563584967746897,
    0.04825492411464135,   0.17629743482450005,    0.0050540768975846015, 0.0091639092481851595,
    0.24399064603949308,   0.00064042853117142571, 0.0017984649889483412, 0.017934321052939007};
static const double tet_3[] = {0.13457653582586174, 0.11668611888617481, 0.11542346417413825,
                               0.32970250297997489};
static const double tet_5[] = {0.11268792571801585,  0.31088591926330061,  0.073493043116361956,
                               0.092735250310891221, 0.042546020777081466, 0.045503704125649649};
static const double tet_7[] = {0.095485289464130846, 0.042329581209967028, 0.31570114977820279,
                               0.03189692783285758,  0.050489822598396371, 0.008110770829903342,
                               0.021265472541483248, 0.14663881381848495,  0.03720713072833462,
                               0.18883383102600104,  0.047160700360997884};

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
