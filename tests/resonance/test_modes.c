// Records of known oscillations: their frequencies, decays and amplitudes come back.
//
// Tolerances are three to ten times what was found; the errors that the estimates say of themselves
// must hold.
#include "check.h"
#include "resonance/modes.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define PI       3.14159265358979323846
#define J        ((double complex)_Complex_I)
#define SAMPLES  4000
#define RECORDS  6
#define INTERVAL (1.0 / 40.0)

static double values[SAMPLES * RECORDS];

// An even number in (-1, 1), the same in each run.
static double draw(void)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(state >> 11) / 4503599627370496.0 - 1.0;
}

static void clear(void)
{
    memset(values, 0, sizeof values);
}

static void add(double frequency, double quality, const double complex *amplitude)
{
    const double complex s = -PI * frequency / quality + 2.0 * PI * J * frequency;

    for (int i = 0; i < SAMPLES; i++) {
        for (int r = 0; r < RECORDS; r++)
            values[i * RECORDS + r] += creal(amplitude[r] * cexp(s * (i * INTERVAL)));
    }
}

static void add_random(double frequency, double quality, double size)
{
    double complex amplitude[RECORDS];

    for (int r = 0; r < RECORDS; r++) amplitude[r] = size * draw() + size * J * draw();
    add(frequency, quality, amplitude);
}

static void add_noise(double size)
{
    for (int i = 0; i < SAMPLES * RECORDS; i++) values[i] += size * draw();
}

static sedge_modes find(int samples, double low, double high)
{
    const sedge_mode_record record = {samples, RECORDS, values, INTERVAL};
    sedge_modes modes;

    CHECK_OK(sedge_modes_find(&modes, &record, low, high));
    return modes;
}

static void check_mode(const sedge_modes *modes, int m, double frequency, double quality,
                       double bound)
{
    const double decay = PI * frequency / quality;

    CHECK(m < modes->count);
    if (m >= modes->count) return;
    const sedge_mode *const mode = &modes->mode[m];
    CHECK_BOUND(fabs(mode->frequency - frequency), bound);
    CHECK_BOUND(fabs(mode->decay - decay) / (2.0 * PI), bound);
    CHECK_BOUND(mode->error, 30.0 * bound);
    // The error is no bound, but of that size (found: at most 5.2 times as much).
    CHECK_BOUND(fabs(mode->frequency - frequency), 10.0 * mode->error + 1e-12);
    CHECK_BOUND(fabs(mode->decay - decay) / (2.0 * PI), 10.0 * mode->error + 1e-12);
}

// Three modes 3 % apart, 20 and 60 periods of them; others outside of the band, and what is
// constant.
static void test_three(void)
{
    static const double noise[] = {0.0, 1e-7, 1e-4};
    static const double bounds[][2] = {{1e-12, 1e-13}, {1e-7, 1e-9}, {1e-4, 1e-6}};

    for (int k = 0; k < 3; k++) {
        double complex steady[RECORDS];

        clear();
        add_random(1.0, 200.0, 1.0);
        add_random(1.03, 2000.0, 1.0);
        add_random(1.06, 20000.0, 1.0);
        add_random(2.7, 300.0, 2.0);
        add_random(5.3, 1e6, 0.3);
        for (int r = 0; r < RECORDS; r++) steady[r] = 0.5;
        add(0.0, 1.0, steady);
        add_noise(noise[k]);
        for (int turn = 0; turn < 2; turn++) {
            const sedge_modes modes = find(turn == 0 ? 800 : 2400, 0.8, 1.4);

            CHECK(modes.count == 3);
            check_mode(&modes, 0, 1.0, 200.0, bounds[k][turn]);
            check_mode(&modes, 1, 1.03, 2000.0, bounds[k][turn]);
            check_mode(&modes, 2, 1.06, 20000.0, bounds[k][turn]);
            CHECK_BOUND(modes.used, (turn == 0 ? 800 : 2400) * INTERVAL);
            sedge_modes_clear(&modes);
        }
    }
}

// Strong and weak, fast and slow ones, in bands of all widths. Amplitudes are those at the first
// sample.
static void test_bands(void)
{
    static const double band[][2] = {{0.45, 0.6}, {0.4, 2.0}, {0.1, 3.0}, {0.1, 19.0}};
    static const double frequency[] = {0.512, 0.73, 0.9, 0.95, 1.3, 1.9};
    static const double quality[] = {43.0, 300.0, 1e4, 30.0, 20.0, 5e3};
    double complex amplitude[6][RECORDS];

    clear();
    for (int m = 0; m < 6; m++) {
        for (int r = 0; r < RECORDS; r++) amplitude[m][r] = (m + 1) * draw() + (m + 1) * J * draw();
        add(frequency[m], quality[m], amplitude[m]);
    }
    add_noise(1e-6);
    for (int b = 0; b < 4; b++) {
        const sedge_modes modes = find(SAMPLES, band[b][0], band[b][1]);

        CHECK(modes.count == (b == 0 ? 1 : 6));
        for (int m = 0; m < modes.count; m++) {
            check_mode(&modes, m, frequency[m], quality[m], 1e-7);
            for (int r = 0; r < RECORDS; r++)
                CHECK_BOUND(cabs(modes.amplitude[m * RECORDS + r] - amplitude[m][r]), 1e-4);
        }
        sedge_modes_clear(&modes);
    }
}

// Two of nearly one frequency count as one where noise hides the difference, with the decay that
// they have together, and as two where it does not.
static void test_near(void)
{
    for (int noisy = 0; noisy < 2; noisy++) {
        clear();
        add_random(1.0, 500.0, 1.0);
        add_random(1.00004, 500.0, 1.0);
        add_noise(noisy ? 1e-3 : 0.0);
        const sedge_modes modes = find(1600, 0.8, 1.2);

        CHECK(modes.count == (noisy ? 1 : 2));
        check_mode(&modes, 0, noisy ? 1.00002 : 1.0, 500.0, noisy ? 3e-5 : 1e-8);
        if (!noisy) check_mode(&modes, 1, 1.00004, 500.0, 1e-8);
        sedge_modes_clear(&modes);
    }
}

// Where nothing oscillates nothing is found: in noise, in what grows, in what the filter leaves of
// strong oscillations outside of the band.
static void test_none(void)
{
    sedge_modes modes;

    for (int turn = 0; turn < 5; turn++) {
        clear();
        add_noise(1.0);
        modes = find(800 * (turn + 1) - (turn == 4), 0.8, 1.4);
        CHECK(modes.count == 0);
        sedge_modes_clear(&modes);
    }
    clear();
    add_random(1.0, -400.0, 1.0);
    modes = find(2000, 0.8, 1.4);
    CHECK(modes.count == 0 && modes.uncertain > 0);
    sedge_modes_clear(&modes);
    clear();
    add_random(4.0, 1e4, 1.0);
    add_random(7.3, 1e4, 1.0);
    modes = find(SAMPLES, 0.8, 1.4);
    CHECK(modes.count == 0);
    sedge_modes_clear(&modes);
    clear();
    modes = find(SAMPLES, 0.8, 1.4);
    CHECK(modes.count == 0 && modes.uncertain == 0);
    sedge_modes_clear(&modes);
}

// Of a long record the first samples count.
static void test_long(void)
{
    const int most = (int)sedge_modes_most(INTERVAL, 0.5, 5.5);
    sedge_modes modes[3];

    CHECK(most < SAMPLES - 100);
    clear();
    add_random(1.1, 500.0, 1.0);
    add_noise(1e-5);
    modes[0] = find(most, 0.5, 5.5);
    for (int i = most * RECORDS; i < SAMPLES * RECORDS; i++) values[i] = draw();
    modes[1] = find(SAMPLES, 0.5, 5.5);
    modes[2] = find(most - 2, 0.5, 5.5);
    CHECK(modes[0].count == 1 && modes[1].count == 1);
    CHECK(modes[0].whole && modes[1].whole && !modes[2].whole);
    if (modes[0].count == 1 && modes[1].count == 1) {
        CHECK(fabs(modes[0].mode->frequency - modes[1].mode->frequency) < 1e-15);
        CHECK(fabs(modes[0].used - (most - 1) * INTERVAL) < 1e-9);
    }
    for (int i = 0; i < 3; i++) sedge_modes_clear(&modes[i]);
}

// The least number of samples does, and one sample less finds nothing.
static void test_short(void)
{
    const int least = (int)sedge_modes_least(INTERVAL, 0.8, 1.4);

    clear();
    add_random(1.1, 50.0, 1.0);
    for (int turn = 0; turn < 2; turn++) {
        const sedge_modes modes = find(least - turn, 0.8, 1.4);

        CHECK(modes.count == 1 - turn);
        CHECK((modes.used > 0.0) == (turn == 0));
        sedge_modes_clear(&modes);
    }
    CHECK(find(0, 0.8, 1.4).count == 0);
    // Ten times narrower: ten times longer.
    CHECK(sedge_modes_least(INTERVAL, 1.0, 1.06) > 9 * least);
}

int main(void)
{
    CHECK_OK(sedge_modes_prepare());
    test_three();
    test_bands();
    test_near();
    test_none();
    test_long();
    test_short();
    return CHECK_END();
}
