#include "kit.h"
#include "check.h"
#include "base/file.h"
#include <stdlib.h>

static double find_error(const kit_world *world, const kit_options *options, double end, double cfl)
{
    kit k;
    CHECK_OK(kit_create(&k, world, options));
    CHECK_OK(kit_load(&k, SEDGE_FP64, NULL));
    const int steps = (int)ceil(end / kit_time_step(&k, cfl));
    dg_case_start(&k.base, 0.0);
    CHECK_OK(kit_advance(&k, k.base.u, 0.0, end / steps, steps));
    memcpy(k.base.u, k.result, (size_t)k.base.values * sizeof(double));
    const double error = dg_case_error(&k.base, end);
    kit_clear(&k);
    return error;
}

int main(int argc, char **argv)
{
    kit_world world;
    CHECK_OK(kit_open(&world, &argc, &argv));
    const int N = atoi(argv[1]);
    const double end = atof(argv[2]), cfl = atof(argv[3]);
    const int per = atoi(argv[4]);
    static const double wave[9] = {1,1,1, 1,1,1, 0.70710678118654752, -0.70710678118654752, 0};
    double last = 0; int lastc = 0;
    for (int i = 5; i < argc; i++) {
        kit_options o = kit_defaults(N, atoi(argv[i]));
        o.distort = 0;
        if (per) { o.periodic = true; o.initial = "periodic-wave"; o.initial_parameters = wave; }
        else { o.wall = "pec"; o.initial = "cavity-mode"; }
        double t0 = sedge_clock();
        double e = find_error(&world, &o, end, cfl);
        printf("N %d cells %d error %.3e order %.2f  %.2f s\n", N, atoi(argv[i]), e, last > 0 ? log(last/e)/log((double)atoi(argv[i])/lastc) : 0.0, sedge_clock()-t0);
        last = e; lastc = atoi(argv[i]);
    }
    kit_close(&world);
    return CHECK_END();
}
