// How good the quick search is, on a machine that exists only by its clock (race_sim.h): some
// kernels whose candidates take the times that an H200 took, as far as they are known
// (benchmarks/README.md), with an empty cache and with what earlier searches left there.
//
//     test_tune_quality [MACHINES [poor]]     a table of what came out; what became of each
//     candidate
//                                             in searches below 0.95
#include "check.h"
#include "race_sim.h"

#include "base/memory.h"

#include <stdlib.h>

#define WANTED 0.95

enum { REPEATS = 3, MACHINES = 100 };

typedef struct test_way {
    int machines;
    bool print, print_poor;
} test_way;

// ---- kernels -----------------------------------------------------------------------------------

// x and y to z: tens of candidates, all nearly as good.
static void make_linear(race_sim_kernel *kernel)
{
    static const int threads[] = {256, 64, 128, 512, 1024}, packs[] = {1, 2, 4, 8};
    static const int widths[] = {4, 1, 2};
    char name[32];

    *kernel =
        (race_sim_kernel){.name = "linear", .compile = 30e-3, .check = 3e-3, .first_check = 3e-3};
    for (int t = 0; t < 5; t++) {
        for (int p = 0; p < 4; p++) {
            for (int w = 0; w < 3; w++) {
                const double slower = 0.01 * ((7 * t + 5 * p + 3 * w) % 11) + 0.1 * (p == 3);
                (void)snprintf(name, sizeof name, "%d,%d,%d", threads[t], packs[p], widths[w]);
                race_sim_add(kernel, name, t + p + w == 0 ? 186.2 : 184.6 * (1.0 + slower),
                             1.0 / widths[w]);
            }
        }
    }
}

// The rule's choice is at 0.89, and padding decides about more than all else.
static void make_transpose(race_sim_kernel *kernel)
{
    static const int tiles[] = {32, 16, 64}, threads[] = {256, 64, 128, 512, 1024};
    static const double microseconds[3][5] = {{169.6, 158.0, 152.7, 172.0, 190.0},
                                              {165.0, 160.0, 160.0, 180.0, 210.0},
                                              {150.9, 165.0, 150.7, 153.5, 168.0}};
    char name[32];

    *kernel = (race_sim_kernel){
        .name = "transpose", .compile = 35e-3, .check = 3e-3, .first_check = 3e-3};
    for (int t = 0; t < 3; t++) {
        for (int k = 0; k < 5; k++) {
            for (int pad = 1; pad >= 0; pad--) {
                (void)snprintf(name, sizeof name, "%d,%d,%d", tiles[t], threads[k], pad);
                race_sim_add(kernel, name, microseconds[t][k] * (pad == 1 ? 1.0 : 2.2), 2.0 - pad);
            }
        }
    }
}

// The same where something else is at work for 20 ms of every search.
static void make_rough_transpose(race_sim_kernel *kernel)
{
    make_transpose(kernel);
    kernel->name = "rough";
    kernel->bursts = 1.0;
}

// Large programs: only the first few are ever compiled.
static void make_multiply(race_sim_kernel *kernel)
{
    static const int sides[] = {64, 128, 32}, depths[] = {8, 16, 32}, items[] = {8, 4};
    char name[32];

    *kernel = (race_sim_kernel){
        .name = "multiply", .compile = 150e-3, .check = 4e-3, .first_check = 4e-3};
    race_sim_add(kernel, "64,64,16,8,8", 571.1, 0.0);
    race_sim_add(kernel, "64,64,16,8,8,4", 516.3, 0.1);
    race_sim_add(kernel, "64,128,16,8,8,4", 508.6, 0.2);
    race_sim_add(kernel, "128,64,16,8,8,4", 514.0, 0.2);
    for (int m = 0; m < 3; m++) {
        for (int n = 0; n < 3; n++) {
            for (int k = 0; k < 3; k++) {
                for (int i = 0; i < 2; i++) {
                    if (m + n + i == 0 && k == 1) continue; // the rule's
                    (void)snprintf(name, sizeof name, "%d,%d,%d,%d,8", sides[m], sides[n],
                                   depths[k], items[i]);
                    race_sim_add(kernel, name, 560.0 + 40.0 * (m + n) + 25.0 * (k != 1) + 150.0 * i,
                                 1.0 + m + n + i);
                }
            }
        }
    }
}

// Rows of seven entries; the best has nothing of the rule's. With the model of the benchmark, or
// with none.
static void make_spmv(race_sim_kernel *kernel, bool with_model)
{
    static const int threads[] = {256, 64, 128, 512}, lanes[] = {4, 1, 2, 8, 16, 32};
    static const double of_threads[] = {1.0, 0.925, 0.96, 1.1};
    static const double of_lanes[] = {150.0, 131.5, 140.0, 190.0, 320.0, 600.0};
    char name[32];

    *kernel =
        (race_sim_kernel){.name = "spmv", .compile = 30e-3, .check = 3e-3, .first_check = 3e-3};
    for (int t = 0; t < 4; t++) {
        for (int l = 0; l < 6; l++) {
            (void)snprintf(name, sizeof name, "%d,%d", threads[t], lanes[l]);
            const int steps = (7 + lanes[l] - 1) / lanes[l] * lanes[l];
            race_sim_add(kernel, name, of_threads[t] * of_lanes[l],
                         with_model ? steps + (lanes[l] > 1 ? lanes[l] : 0) : 0.0);
        }
    }
}

static void make_known_spmv(race_sim_kernel *kernel)
{
    make_spmv(kernel, true);
}

static void make_unknown_spmv(race_sim_kernel *kernel)
{
    make_spmv(kernel, false);
    kernel->name = "unknown";
}

// The solver's: it must be brought into its layout, and checking takes long.
static void make_split(race_sim_kernel *kernel, const char *name, const double *microseconds,
                       int cached)
{
    static const char *const names[] = {
        "b24 n2,4 r1024", "b32 n2,4 r1024", "b16 n2,4 r1024", "b24 n4,4 r1024", "b32 n4,4 r1024",
        "b16 n4,4 r1024", "b48 n2,4 r1024", "b12 n2,4 r1024", "b8 n2,4 r1024",  "b24 n2,4 r512",
        "b32 n2,4 r512",  "b16 n2,4 r512",  "b24 n4,8 r1024", "b16 n4,8 r1024"};

    *kernel = (race_sim_kernel){.name = name,
                                .compile = 200e-3,
                                .check = 30e-3,
                                .first_check = 60e-3,
                                .prepare = 60e-3,
                                .first_call = 25e-3};
    for (int c = 0; c < (int)(sizeof names / sizeof *names); c++) {
        race_sim_add(kernel, names[c], microseconds[c], 1.0 + c);
        kernel->cached[c] = c < cached;
    }
}

static void make_volume(race_sim_kernel *kernel)
{
    static const double microseconds[] = {239.0, 229.0, 223.2, 250.0, 262.0, 255.0, 240.0,
                                          236.0, 251.0, 270.0, 281.0, 276.0, 301.0, 312.0};

    make_split(kernel, "volume", microseconds, 0);
}

// The fastest is wrong, which is known only when it is about to win.
static void make_wrong_volume(race_sim_kernel *kernel)
{
    make_volume(kernel);
    kernel->name = "wrong";
    kernel->wrong[2] = true;
}

// Its programs are the volume's.
static void make_surface(race_sim_kernel *kernel)
{
    static const double microseconds[] = {434.3, 396.8, 405.0, 430.0, 441.0, 452.0, 421.0,
                                          460.0, 510.0, 520.0, 531.0, 515.0, 560.0, 590.0};

    make_split(kernel, "surface", microseconds, 4);
}

// A solver's whole set: its stage in two layouts, four candidates each (benchmarks/README.md).
static void make_stage(race_sim_kernel *kernel)
{
    static const char *const names[2][4] = {
        {"sparse b10 w2 r128", "sparse b10 w1 r64", "sparse b20 w2 r256", "sparse b5 w2 r64"},
        {"fused b24 n2,4", "curl b24 n4,4", "tensor b16 g1 w6", "tensor-curl b16 g1 w6"}};
    static const double microseconds[2][4] = {{361.4, 401.9, 382.6, 354.6},
                                              {690.7, 915.7, 1194.8, 1053.1}};

    *kernel = (race_sim_kernel){.name = "stage",
                                .compile = 300e-3,
                                .check = 30e-3,
                                .first_check = 60e-3,
                                .prepare = 60e-3,
                                .layouts = 2,
                                .budget = 2.5};
    for (int l = 0; l < 2; l++) {
        for (int c = 0; c < 4; c++) {
            race_sim_add(kernel, names[l][c], microseconds[l][c], 1.0 + c);
            kernel->candidates[kernel->count - 1].layout = l;
        }
    }
}

// Two layouts where others are at work nearly always: who has a sample without them seems to be
// twice as fast.
static void make_busy(race_sim_kernel *kernel)
{
    *kernel = (race_sim_kernel){.name = "busy",
                                .compile = 30e-3,
                                .check = 3e-3,
                                .first_check = 3e-3,
                                .prepare = 2e-3,
                                .layouts = 2,
                                .budget = 2.5,
                                .busy = 0.97};
    race_sim_add(kernel, "coefficients", 1500.0, 1.0);
    race_sim_add(kernel, "values", 2000.0, 1.0);
    kernel->candidates[1].layout = 1;
}

// The other layout's program would take the compiler longer than there is time.
static void make_long(race_sim_kernel *kernel)
{
    *kernel = (race_sim_kernel){.name = "long text",
                                .compile = 0.15,
                                .check = 3e-3,
                                .first_check = 3e-3,
                                .prepare = 2e-3,
                                .layouts = 2,
                                .budget = 1.0};
    race_sim_add(kernel, "short", 1000.0, 1.0);
    race_sim_add(kernel, "long", 1010.0, 1.0);
    kernel->candidates[1].layout = 1;
    kernel->longer[1] = 10;
}

// ---- searches ----------------------------------------------------------------------------------

typedef struct quality {
    int searches, poor; // below 0.95
    double worst, sum;  // best time / that of the choice
    double seconds, longest;
} quality;

// Is it a poor one?
static bool add_search(quality *q, const race_sim_kernel *kernel, const sedge_tune_result *result)
{
    double best = kernel->seconds[0];

    for (int c = 1; c < kernel->count; c++)
        if (!kernel->wrong[c]) best = fmin(best, kernel->seconds[c]);
    CHECK(!kernel->wrong[result->choice]);
    const double mine = best / kernel->seconds[result->choice];
    q->searches++;
    q->poor += mine < WANTED;
    q->worst = q->searches == 1 ? mine : fmin(q->worst, mine);
    q->sum += mine;
    q->seconds += result->seconds;
    q->longest = fmax(q->longest, result->seconds);
    return mine < WANTED;
}

static void print_quality(const char *name, const char *when, const quality *q)
{
    const double n = q->searches;

    printf("| %-9s | %-4s | %.3f | %.3f | %6.2f %% | %.2f | %.2f |\n", name, when, q->worst,
           q->sum / n, 100.0 * q->poor / n, q->seconds / n, q->longest);
}

// A budget is kept to but for what a compiler that was asked in time takes longer, which is most
// where a program takes longer than the budget.
//
// Case "unknown" has no prior; only the times of the candidates tried so far say what to compile
// next. Its four best candidates are at 1, 0.964, 0.939 and 0.925 (the quotients of make_spmv's
// numbers). A warm search takes one of the first two; without sedge_race_reorder the fourth, too.
static const struct {
    void (*make)(race_sim_kernel *kernel);
    double cold, warm; // the best time / that of the choice is at least this
    double seconds;    // of a search, on average, at most
} cases[] = {
    {make_linear, WANTED, WANTED, 0.35},
    {make_transpose, WANTED, WANTED, 0.35},
    {make_multiply, WANTED, WANTED, 0.55},
    {make_known_spmv, WANTED, WANTED, 0.35},
    {make_volume, WANTED, WANTED, 0.9},
    {make_surface, WANTED, WANTED, 0.35},
    {make_unknown_spmv, 0.9, WANTED, 0.35},
    {make_stage, WANTED, WANTED, 2.8},
    {make_rough_transpose, WANTED, WANTED, 0.35},
    {make_wrong_volume, WANTED, WANTED, 0.9},
    {make_busy, WANTED, WANTED, 2.6},
    {make_long, WANTED, WANTED, 1.0},
};

// The first search has an empty cache, the others what those before them compiled.
static void test_case(int number, race_sim_kernel *kernel, const test_way *way)
{
    quality cold = {0}, warm = {0};

    for (int seed = 0; seed < way->machines; seed++) {
        race_sim_start((uint64_t)seed);
        cases[number].make(kernel);
        for (int r = 0; r < REPEATS; r++) {
            sedge_tune_result *result = NULL;
            CHECK_OK(race_sim_tune(&result, kernel));
            if (result == NULL) break;
            if (add_search(r == 0 ? &cold : &warm, kernel, result) && way->print_poor) {
                printf("machine %d, search %d\n", seed, r);
                CHECK_OK(race_sim_print(kernel, result));
            }
            sedge_tune_result_free(result);
        }
    }
    if (way->print) {
        print_quality(kernel->name, "cold", &cold);
        print_quality(kernel->name, "warm", &warm);
    }
    CHECK_BOUND(cases[number].cold, cold.worst);
    CHECK_BOUND(cases[number].warm, warm.worst);
    CHECK_BOUND(cold.seconds / cold.searches, cases[number].seconds);
    CHECK_BOUND(warm.seconds / warm.searches, cases[number].seconds);
}

int main(int argc, char **argv)
{
    const test_way way = {.machines = argc > 1 ? (int)strtol(argv[1], NULL, 10) : MACHINES,
                          .print = argc > 1,
                          .print_poor = argc > 2};
    race_sim_kernel *kernel = NULL;

    if (way.print) {
        printf("| kernel | cache | worst | mean | below 0.95 | mean s | longest s |\n"
               "| --- | --- | --- | --- | --- | --- | --- |\n");
    }
    CHECK_OK(sedge_allocate(&kernel, 1, sizeof *kernel));
    for (int k = 0; k < (int)(sizeof cases / sizeof *cases) && kernel != NULL; k++)
        test_case(k, kernel, &way);
    race_sim_end();
    sedge_release(kernel);
    return CHECK_END();
}
