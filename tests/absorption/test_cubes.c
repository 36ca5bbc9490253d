// Averages over cubes of a mass (absorption/sar_cubes.h), where they are known.
#include "check.h"

#include "absorption/sar_cubes.h"
#include "base/memory.h"

#define SIDE  20
#define CELLS (SIDE * SIDE * SIDE)

static int64_t cell_of(int i, int j, int k)
{
    return ((int64_t)i * SIDE + j) * SIDE + k;
}

static const int64_t count[3] = {SIDE, SIDE, SIDE};
static double mass[CELLS];
static double power[CELLS];

// Fill in a mass of `left` in cells with x < 10, of `right` in others, and power a + b x at their
// middles, times the mass.
static void fill(double left, double right, double a, double b)
{
    for (int i = 0; i < SIDE; i++) {
        for (int64_t c = cell_of(i, 0, 0); c < cell_of(i + 1, 0, 0); c++) {
            mass[c] = i < SIDE / 2 ? left : right;
            power[c] = mass[c] * (a + b * (i + 0.5));
        }
    }
}

static double find_rate(const sedge_cubes *cubes, const double *powers, double box[2][3])
{
    return sedge_cubes_within(cubes, powers, box) / sedge_cubes_within(cubes, cubes->mass, box);
}

// Of even mass a cube of 125 cells has the side 5; of a linear rate the mean is that of the middle.
static void test_even_mass(double guess)
{
    sedge_cubes cubes;
    double *powers = NULL;
    double box[2][3];

    fill(1.0, 1.0, 3.0, 0.5);
    CHECK_OK(sedge_cubes_create(&cubes, count, mass));
    CHECK_OK(sedge_cubes_sum(&powers, &cubes, power));
    for (int i = 2; i < SIDE - 2; i++) {
        const double half = sedge_cubes_grow(&cubes, cell_of(i, 7, 12), 125.0, guess);
        CHECK_BOUND(fabs(half - 2.5), 1e-8);
        sedge_cubes_around(&cubes, cell_of(i, 7, 12), half, box);
        CHECK_BOUND(fabs(find_rate(&cubes, powers, box) - (3.0 + 0.5 * (i + 0.5))), 1e-7);
    }
    // Cells are cut: a mass of 60.
    CHECK_BOUND(fabs(sedge_cubes_grow(&cubes, cell_of(9, 9, 9), 60.0, guess) - 0.5 * cbrt(60.0)),
                1e-8);
    // A face beyond the tissue, or more mass than there is: no cube.
    CHECK(sedge_cubes_grow(&cubes, cell_of(1, 7, 12), 125.0, guess) == 0.0);
    CHECK(sedge_cubes_grow(&cubes, cell_of(9, 9, 9), 1.01 * CELLS, guess) == 0.0);
    CHECK(sedge_cubes_grow_from(&cubes, cell_of(9, 9, 9), 0, 1.01 * CELLS) == 0.0);
    sedge_release(powers);
    sedge_cubes_clear(&cubes);
}

// A cube across two media: h^2 ((10 - c + h / 2) + 2 (c + h / 2 - 10)) is the mass.
static void test_two_media(double guess)
{
    sedge_cubes cubes;
    const double c = 9.5;

    fill(1.0, 2.0, 1.0, 0.0);
    CHECK_OK(sedge_cubes_create(&cubes, count, mass));
    const double side = 2.0 * sedge_cubes_grow(&cubes, cell_of(9, 10, 10), 200.0, guess);
    CHECK_BOUND(fabs(side * side * (10.0 - c + side / 2.0 + 2.0 * (c + side / 2.0 - 10.0)) - 200.0),
                1e-6);
    sedge_cubes_clear(&cubes);
}

// A tenth of a cube may be no tissue.
static void test_holes(void)
{
    for (int holes = 12; holes <= 13; holes++) {
        sedge_cubes cubes;

        fill(1.0, 1.0, 1.0, 0.0);
        for (int h = 0; h < holes; h++) mass[cell_of(8 + h / 9, 8 + h / 3 % 3, 8 + h % 3)] = 0.0;
        CHECK_OK(sedge_cubes_create(&cubes, count, mass));
        const double half = sedge_cubes_grow(&cubes, cell_of(10, 9, 9), 125.0 - holes, 0.0);
        CHECK(holes == 12 ? fabs(half - 2.5) < 1e-8 : half == 0.0);
        CHECK(sedge_cubes_grow(&cubes, cell_of(8, 8, 8), 100.0, 0.0) == 0.0); // not in tissue
        sedge_cubes_clear(&cubes);
    }
}

// Two layers of cells are too thin for cubes; those from a face along them have all of the height.
static void test_thin_plate(void)
{
    const int64_t thin[3] = {SIDE, SIDE, 2};
    sedge_cubes cubes;
    double box[2][3];

    for (int c = 0; c < SIDE * SIDE * 2; c++) mass[c] = 1.0;
    CHECK_OK(sedge_cubes_create(&cubes, thin, mass));
    CHECK(sedge_cubes_grow(&cubes, 2 * (10 * SIDE + 10), 64.0, 0.0) == 0.0);
    const double along = sedge_cubes_grow_from(&cubes, 2 * (10 * SIDE + 10), 0, 32.0);
    CHECK_BOUND(fabs(along * along * 2.0 - 32.0), 1e-6);
    sedge_cubes_from(&cubes, 2 * (10 * SIDE + 10), 0, along, box);
    CHECK(box[0][0] == 10.0 && fabs(box[1][0] - box[0][0] - along) < 1e-12);
    sedge_cubes_from(&cubes, 2 * (10 * SIDE + 10), 1, along, box);
    CHECK(box[1][0] == 11.0);
    sedge_cubes_clear(&cubes);
}

// Valid cubes enclose all cells of a block but none beyond, and no cells that they cut.
static void test_cover(void)
{
    static double half[CELLS];
    static bool covered[CELLS];
    sedge_cubes cubes;

    fill(1.0, 0.0, 1.0, 0.0);
    CHECK_OK(sedge_cubes_create(&cubes, count, mass));
    for (int c = 0; c < CELLS; c++) half[c] = sedge_cubes_grow(&cubes, c, 125.0, 0.0);
    CHECK_OK(sedge_cubes_cover(&cubes, half, covered));
    for (int c = 0; c < CELLS; c++) CHECK(covered[c] == (mass[c] > 0.0));
    for (int c = 0; c < CELLS; c++) half[c] = 0.0;
    half[cell_of(5, 6, 7)] = 2.2;
    CHECK_OK(sedge_cubes_cover(&cubes, half, covered));
    for (int i = 0; i < SIDE; i++) CHECK(covered[cell_of(i, 7, 6)] == (i >= 4 && i <= 6));
    CHECK(!covered[cell_of(5, 8, 7)] && !covered[cell_of(5, 6, 5)]);
    sedge_cubes_clear(&cubes);
}

int main(void)
{
    test_even_mass(0.0);
    test_even_mass(9.0);
    test_two_media(0.0);
    test_two_media(2.9);
    test_holes();
    test_thin_plate();
    test_cover();
    return CHECK_END();
}
