// An image from radar pulses by filtered back-projection.
//
// An antenna flies along a line and sends pulses; what comes back, filtered, is a range profile for
// each pulse: a complex number for each distance. A point at distance r adds exp(-2 pi i c r) with
// c = 2 / wavelength cycles a metre, smeared over a few distances. A pixel of the image is the sum
// over all pulses of the profile at the pixel's distance, multiplied by the conjugate of that
// phase. Contributions of a point at the pixel add up; all others cancel.
//
// Substitution puts the constants into the kernel's source, in exact hexadecimal.
//
//     example_backprojection [DEVICE [SIDE]]      an image of SIDE x SIDE pixels
#include "base/memory.h"
#include "elementwise/copy.h"
#include "example.h"
#include "program/launch.h"
#include "text/substitute.h"

#include <float.h>
#include <math.h>

#define PI 3.14159265358979324

enum {
    PULSES = 128,
    BINS = 512, // of a range profile
    POINTS = 4, // in the scene
    TILE = 16   // pixels of a block, in both directions
};

// Lengths in metres; the scene is the square [-SCENE, SCENE]^2 on the ground.
#define WAVELENGTH 0.1
#define SCENE      10.0
#define BIN        0.12  // between two distances of a profile
#define FIRST      118.0 // distance of the first one
#define HEIGHT     70.0  // of the antenna above the ground
#define AWAY       120.0 // its distance from the scene's middle on the ground
#define FLIGHT     20.0  // length of the flight

typedef struct point {
    double x, y, brightness;
} point;

static const point scene[POINTS] = {
    {0.0, 0.0, 1.0}, {-6.0, 4.0, 0.8}, {5.0, 5.0, 0.6}, {3.0, -7.0, 0.9}};

static const char text[] =
    "#define IMAGE_LIST(X) \\\n"
    "    X(const SEDGE_GLOBAL sedge_complex64 *SEDGE_RESTRICT, profiles) \\\n"
    "    X(const SEDGE_GLOBAL double *SEDGE_RESTRICT, antenna) \\\n"
    "    X(SEDGE_GLOBAL sedge_complex64 *SEDGE_RESTRICT, image) \\\n"
    "    X(int, side)\n"
    "\n"
    "//   profiles [$pulses$][$bins$], antenna [$pulses$][3], image [side][side]\n"
    "SEDGE_KERNEL(focus, $threads$, IMAGE_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (b) {\n"
    "        const int tiles = (side + $tile$ - 1) / $tile$;\n"
    "        const int top = (int)(b / tiles) * $tile$;\n"
    "        const int left = (int)(b % tiles) * $tile$;\n"
    "        SEDGE_ITEMS (row, $tile$, column, $tile$, $threads$) {\n"
    "            const double x = $scene$ * (2.0 * (left + column) / side - 1.0);\n"
    "            const double y = $scene$ * (2.0 * (top + row) / side - 1.0);\n"
    "            float re = 0.0f, im = 0.0f;\n"
    "            for (int p = 0; p < $pulses$; p++) {\n"
    "                const double dx = x - antenna[3 * p];\n"
    "                const double dy = y - antenna[3 * p + 1];\n"
    "                const double dz = antenna[3 * p + 2];\n"
    "                const double distance = sqrt(dx * dx + dy * dy + dz * dz);\n"
    "                // The whole cycles are many: they are taken off in double.\n"
    "                const double cycles = $cycles$ * distance;\n"
    "                const float angle = $turn$ * (float)(cycles - floor(cycles));\n"
    "                const float place = (float)((distance - $first$) * $per_bin$);\n"
    "                const int bin = (int)place;\n"
    "                if (place >= 0.0f && bin < $bins$ - 1) {\n"
    "                    const float part = place - (float)bin;\n"
    "                    const sedge_complex64 near = profiles[p * $bins$ + bin];\n"
    "                    const sedge_complex64 far = profiles[p * $bins$ + bin + 1];\n"
    "                    const float c = cosf(angle), s = sinf(angle);\n"
    "                    const float u = near.re + part * (far.re - near.re);\n"
    "                    const float v = near.im + part * (far.im - near.im);\n"
    "                    re += u * c - v * s;\n"
    "                    im += u * s + v * c;\n"
    "                }\n"
    "            }\n"
    "            if (top + row < side && left + column < side) {\n"
    "                image[(top + row) * side + left + column].re = re;\n"
    "                image[(top + row) * side + left + column].im = im;\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "}\n";

typedef struct radar {
    const sedge_kernel *kernel;
    sedge_array *profiles, *antenna, *image;
    float *host_profiles; // [PULSES][BINS][2]
    double *host_antenna; // [PULSES][3]
    float *host_image;    // [side][side][2]
    int side;
} radar;

static sedge_status make_kernel(radar *r, sedge_context *context)
{
    const sedge_binding values[] = {SEDGE_BIND_INTEGER("pulses", PULSES),
                                    SEDGE_BIND_INTEGER("bins", BINS),
                                    SEDGE_BIND_INTEGER("tile", TILE),
                                    SEDGE_BIND_INTEGER("threads", (int64_t)TILE * TILE),
                                    SEDGE_BIND_DOUBLE("scene", SCENE),
                                    SEDGE_BIND_DOUBLE("first", FIRST),
                                    SEDGE_BIND_DOUBLE("per_bin", 1.0 / BIN),
                                    SEDGE_BIND_FLOAT("turn", 2.0 * PI),
                                    SEDGE_BIND_DOUBLE("cycles", 2.0 / WAVELENGTH)};
    const sedge_pattern pattern = {.name = "focus.c",
                                   .text = text,
                                   .bindings = values,
                                   .count = (int)(sizeof values / sizeof values[0])};
    const sedge_program *program;
    sedge_status status;
    sedge_text *made = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&made));
    SEDGE_TRY_GOTO(status, sedge_substitute(made, &pattern));
    const sedge_source sources[] = {{"codegen/kernels/array/numbers.h", NULL},
                                    {pattern.name, sedge_text_get(made)}};
    const sedge_program_options options = {
        .name = "focus", .constants = "", .sources = sources, .count = 2};
    SEDGE_TRY_GOTO(status, sedge_context_program(context, &program, &options));
    SEDGE_TRY_GOTO(status, sedge_program_get(&r->kernel, program, "focus"));
done:
    sedge_text_free(made);
    return status;
}

// Where a row or column of the image lies.
static double coordinate(int index, int side)
{
    return SCENE * (2.0 * index / side - 1.0);
}

static double distance_to(const double *antenna, double x, double y)
{
    return sqrt((x - antenna[0]) * (x - antenna[0]) + (y - antenna[1]) * (y - antenna[1]) +
                antenna[2] * antenna[2]);
}

// What the antenna hears: each point's phase, spread as sin(x) / x around its distance.
static void simulate(radar *r)
{
    for (int p = 0; p < PULSES; p++) {
        double *const antenna = r->host_antenna + (ptrdiff_t)3 * p;
        antenna[0] = FLIGHT * ((double)p / (PULSES - 1) - 0.5);
        antenna[1] = -AWAY;
        antenna[2] = HEIGHT;
        for (int k = 0; k < POINTS; k++) {
            const double distance = distance_to(antenna, scene[k].x, scene[k].y);
            const double angle = -2.0 * PI * 2.0 / WAVELENGTH * distance;
            for (int i = 0; i < BINS; i++) {
                const double off = PI * (FIRST + i * BIN - distance) / (4.0 * BIN);
                const double size = scene[k].brightness * (off == 0.0 ? 1.0 : sin(off) / off);
                float *const at = r->host_profiles + (ptrdiff_t)2 * (p * BINS + i);
                at[0] += (float)(size * cos(angle));
                at[1] += (float)(size * sin(angle));
            }
        }
    }
}

static sedge_status make_arrays(radar *r, sedge_context *context)
{
    const int64_t profiles[] = {PULSES, BINS};
    const int64_t antenna[] = {PULSES, 3};
    const int64_t image[] = {r->side, r->side};

    SEDGE_TRY(sedge_allocate(&r->host_profiles, (int64_t)PULSES * BINS * 2, sizeof(float)));
    SEDGE_TRY(sedge_allocate(&r->host_antenna, (int64_t)PULSES * 3, sizeof(double)));
    SEDGE_TRY(sedge_allocate(&r->host_image, (int64_t)r->side * r->side * 2, sizeof(float)));
    simulate(r);
    SEDGE_TRY(
        sedge_array_from(&r->profiles, context, SEDGE_COMPLEX64, 2, profiles, r->host_profiles));
    SEDGE_TRY(sedge_array_from(&r->antenna, context, SEDGE_FLOAT64, 2, antenna, r->host_antenna));
    return sedge_array_create(&r->image, context, SEDGE_COMPLEX64, 2, image);
}

static sedge_status launch(void *context, sedge_stream *stream)
{
    const radar *const r = context;
    const int64_t tiles = (r->side + TILE - 1) / TILE;

    return SEDGE_LAUNCH(
        r->kernel, stream, tiles * tiles, sedge_address_argument(sedge_array_address(r->profiles)),
        sedge_address_argument(sedge_array_address(r->antenna)),
        sedge_address_argument(sedge_array_address(r->image)), sedge_int32_argument(r->side));
}

// The same sum in double; `*size` gets the sum of the absolute values.
static void focus(const radar *r, double x, double y, double out[2], double *size)
{
    out[0] = out[1] = *size = 0.0;
    for (int p = 0; p < PULSES; p++) {
        const double distance = distance_to(r->host_antenna + (ptrdiff_t)3 * p, x, y);
        const double angle = 2.0 * PI * 2.0 / WAVELENGTH * distance;
        const double place = (distance - FIRST) / BIN;
        if (place < 0.0 || place >= BINS - 1) continue;
        const float *const at = r->host_profiles + (ptrdiff_t)2 * (p * BINS + (int)place);
        const double part = place - floor(place);
        const double u = (1.0 - part) * (double)at[0] + part * (double)at[2];
        const double v = (1.0 - part) * (double)at[1] + part * (double)at[3];
        out[0] += u * cos(angle) - v * sin(angle);
        out[1] += u * sin(angle) + v * cos(angle);
        *size += fabs(u) + fabs(v);
    }
}

// Every 97th pixel against the sum in double. `place`, up to BINS, has an error of BINS / 2
// epsilons, which the slope between two bins (below 1 of the largest value, here at most the sum of
// brightnesses) passes on; angles up to 2 pi have 4 epsilons; the sum has PULSES.
static sedge_status check_pixels(const radar *r)
{
    double all = 0.0;

    for (int k = 0; k < POINTS; k++) all += scene[k].brightness;
    for (int i = 0; i < r->side * r->side; i += 97) {
        const double x = coordinate(i % r->side, r->side);
        const double y = coordinate(i / r->side, r->side);
        double right[2], size;
        focus(r, x, y, right, &size);
        const double bound =
            (double)FLT_EPSILON * (BINS / 2.0 * all * PULSES + (PULSES + 8) * size);
        const float *const got = r->host_image + (ptrdiff_t)2 * i;
        if (hypot((double)got[0] - right[0], (double)got[1] - right[1]) <= bound) continue;
        return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "pixel (%.2f, %.2f) is %g %+gi, not %g %+gi", x, y,
                          (double)got[0], (double)got[1], right[0], right[1]);
    }
    return SEDGE_OK;
}

// Each point is seen with its brightness, less what is lost at half a pixel from it: with 128
// pixels a side 8 % across the flight, where points are WAVELENGTH * 139 m / (2 FLIGHT) = 0.35 m
// wide, 3 % along the distance, where they are 4 BIN wide, and 3 % by the straight line between two
// bins. The waves around the other points, all at least 6 m away, add at most 0.06.
static sedge_status check_points(const radar *r)
{
    for (int k = 0; k < POINTS; k++) {
        double best = 0.0;
        for (int i = 0; i < r->side * r->side; i++) {
            const double x = coordinate(i % r->side, r->side) - scene[k].x;
            const double y = coordinate(i / r->side, r->side) - scene[k].y;
            const float *const at = r->host_image + (ptrdiff_t)2 * i;
            if (fmax(fabs(x), fabs(y)) < 2.0 * SCENE / r->side)
                best = fmax(best, hypot((double)at[0], (double)at[1]) / PULSES);
        }
        printf("  point (%4.1f, %4.1f) of brightness %.1f: %.2f\n", scene[k].x, scene[k].y,
               scene[k].brightness, best);
        if (fabs(best - scene[k].brightness) <= 0.14 * scene[k].brightness + 0.06) continue;
        return SEDGE_FAIL(SEDGE_ERR_COMPUTE, "the point at (%g, %g) is seen with %g, not %g",
                          scene[k].x, scene[k].y, best, scene[k].brightness);
    }
    return SEDGE_OK;
}

static sedge_status run(sedge_context *context, int64_t side)
{
    radar r = {.side = (int)side};
    sedge_status status;
    double seconds;

    if (side < 128 || side > 8192)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "side %lld is outside 128..8192", (long long)side);
    SEDGE_TRY_GOTO(status, make_kernel(&r, context));
    SEDGE_TRY_GOTO(status, make_arrays(&r, context));
    SEDGE_TRY_GOTO(status, sedge_time(&seconds, sedge_context_device(context), 3, launch, &r));
    SEDGE_TRY_GOTO(status, sedge_array_get(r.image, r.host_image));
    SEDGE_TRY_GOTO(status, check_pixels(&r));
    const double visits = (double)r.side * (double)r.side * PULSES;
    printf("%d pulses, %d x %d pixels: %.3f ms, %.1f million pixels and pulses/s, %.1f GB/s of "
           "profiles\n",
           PULSES, r.side, r.side, 1e3 * seconds, 1e-6 * visits / seconds,
           16e-9 * visits / seconds);
    SEDGE_TRY_GOTO(status, check_points(&r));
done:
    sedge_array_free(r.image);
    sedge_array_free(r.antenna);
    sedge_array_free(r.profiles);
    sedge_release(r.host_image);
    sedge_release(r.host_antenna);
    sedge_release(r.host_profiles);
    return status;
}

int main(int argc, char **argv)
{
    return example_main(argc, argv, run, 128);
}
