#include "image.h"

#include "base/hash.h"
#include "base/memory.h"
#include "io/h5.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define BEYOND       0.500001 // spacings: to the faces of the outer voxels
#define LEAST_POINTS 4        // along an edge
#define MOST_POINTS  16
#define MOST_VALUES  1e12

// ---- reading -----------------------------------------------------------------------------------

// Origin or spacing: the deck's, or the attribute `name` of the dataset.
static sedge_status read_vector(double out[3], bool *found, sedge_h5 *file,
                                const sedge_image_source *source, const char *name, bool given,
                                const double deck[3])
{
    *found = given;
    memcpy(out, deck, 3 * sizeof *out);
    if (given) return SEDGE_OK;
    SEDGE_TRY(sedge_h5_read_reals(file, source->dataset, name, out, 3, found));
    for (int d = 0; d < 3; d++) out[d] *= source->unit;
    return SEDGE_OK;
}

static sedge_status check_size(const sedge_image *image, const sedge_image_source *source)
{
    const int64_t *const count = image->count;
    const double values = (double)count[0] * (double)count[1] * (double)count[2];

    if (values > 0.0 && values < MOST_VALUES) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' of '%s' has %lld x %lld x %lld values; it must have %s",
                      source->dataset, source->file, (long long)count[0], (long long)count[1],
                      (long long)count[2], values > 0.0 ? "less than 1e12" : "at least one");
}

static sedge_status check_place(const sedge_image *image)
{
    for (int d = 0; d < 3; d++) {
        if (!isfinite(image->origin[d])) {
            return SEDGE_FAIL(SEDGE_ERR_DATA, "the origin along %c, %g, is not a finite number",
                              "xyz"[d], image -> origin[d]);
        }
        if (image->spacing[d] > 0.0 && isfinite(image->spacing[d])) continue;
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "the spacing along %c is %g; it must be a number greater than 0",
                          "xyz"[d], image -> spacing[d]);
    }
    return SEDGE_OK;
}

static sedge_status read_place(sedge_image *image, sedge_h5 *file, const sedge_image_source *source)
{
    bool found = false;

    SEDGE_TRY(read_vector(image->origin, &found, file, source, "origin", source->has_origin,
                          source->origin));
    if (!found) memset(image->origin, 0, sizeof image->origin);
    SEDGE_TRY(read_vector(image->spacing, &found, file, source, "spacing", source->has_spacing,
                          source->spacing));
    if (found) return check_place(image);
    return SEDGE_FAIL(
        SEDGE_ERR_DATA,
        "'%s' of '%s' has no attribute 'spacing': give it, or the key 'spacing', three "
        "lengths along x, y and z",
        source->dataset, source->file);
}

static sedge_status check_values(const sedge_image *image, const sedge_image_source *source)
{
    const int64_t *const count = image->count;

    for (int64_t i = 0; i < count[0] * count[1] * count[2]; i++) {
        if (isfinite(image->values[i])) continue;
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "'%s' of '%s' has the value %g at [%lld, %lld, %lld]; all must be finite "
                          "32-bit numbers",
                          source->dataset, source->file, (double)image->values[i],
                          (long long)(i / count[2] / count[1]),
                          (long long)(i / count[2] % count[1]), (long long)(i % count[2]));
    }
    return SEDGE_OK;
}

static sedge_status read_file(sedge_image *image, const sedge_image_source *source)
{
    sedge_h5 *file = NULL;
    sedge_status status;

    SEDGE_TRY_GOTO(status, sedge_h5_open_read(&file, source->file));
    status = sedge_h5_shape(file, source->dataset, SEDGE_H5_NUMBERS, 3, image->count);
    if (status != SEDGE_OK) {
        status = SEDGE_FAIL(status,
                            "%s (an image has three dimensions, x, y and z, of whole or "
                            "real numbers)",
                            sedge_error_message());
        goto done;
    }
    SEDGE_TRY_GOTO(status, check_size(image, source));
    SEDGE_TRY_GOTO(status, read_place(image, file, source));
    const int64_t row = image->count[1] * image->count[2];
    SEDGE_TRY_GOTO(status, sedge_allocate(&image->values, image->count[0] * row, sizeof(float)));
    status =
        sedge_h5_read(file, source->dataset, SEDGE_H5_NUMBERS, 0, image->count[0], image->values);
    if (status == SEDGE_OK) status = check_values(image, source);
done:
    return sedge_h5_close(file, status);
}

sedge_status sedge_image_read(sedge_image *out, const sedge_image_source *source)
{
    memset(out, 0, sizeof *out);
    const sedge_status status = read_file(out, source);
    if (status == SEDGE_OK) return SEDGE_OK;
    sedge_image_clear(out);
    return SEDGE_FAIL(status, "%s: %s", source->where, sedge_error_message());
}

void sedge_image_clear(sedge_image *image)
{
    sedge_release(image->values);
    memset(image, 0, sizeof *image);
}

uint64_t sedge_image_checksum(const sedge_image *image)
{
    const size_t values = (size_t)(image->count[0] * image->count[1] * image->count[2]);
    uint64_t sum = sedge_hash_quick(0, image->count, sizeof image->count);

    sum = sedge_hash_quick(sum, image->origin, sizeof image->origin);
    sum = sedge_hash_quick(sum, image->spacing, sizeof image->spacing);
    return sedge_hash_quick(sum, image->values, values * sizeof *image->values);
}

// ---- values at places --------------------------------------------------------------------------

bool sedge_image_find(const sedge_image *image, const double x[3], float *value)
{
    int64_t at = 0;

    for (int d = 0; d < 3; d++) {
        const double i = floor((x[d] - image->origin[d]) / image->spacing[d] + 0.5);
        if (image->count[d] > 1 && !(i >= 0.0 && i < (double)image->count[d])) return false;
        at = at * image->count[d] + (image->count[d] > 1 ? (int64_t)i : 0);
    }
    *value = image->values[at];
    return true;
}

void sedge_image_bounds(double bounds[2][3], const sedge_image *image)
{
    for (int d = 0; d < 3; d++) {
        const double half = image->count[d] > 1 ? 0.5 * image->spacing[d] : HUGE_VAL;
        bounds[0][d] = image->origin[d] - half;
        bounds[1][d] = image->origin[d] + (double)(image->count[d] - 1) * image->spacing[d] + half;
    }
}

// The value at x, of the eight points around it; beyond the last point that of the last point.
static bool interpolate(const sedge_image *image, const double x[3], double *value)
{
    int64_t low[3];
    double share[3];
    double sum = 0.0;

    for (int d = 0; d < 3; d++) {
        const double last = (double)(image->count[d] - 1);
        double t = (x[d] - image->origin[d]) / image->spacing[d];
        if (last > 0.0 && !(t > -BEYOND && t < last + BEYOND)) return false;
        t = fmin(fmax(t, 0.0), last);
        low[d] = (int64_t)fmin(floor(t), fmax(last - 1.0, 0.0));
        share[d] = t - (double)low[d];
    }
    for (int k = 0; k < 8; k++) {
        double weight = 1.0;
        int64_t at = 0;
        for (int d = 0; d < 3; d++) {
            const int high = k >> d & 1;
            weight *= high != 0 ? share[d] : 1.0 - share[d];
            at = at * image->count[d] + low[d] + (image->count[d] > 1 ? high : 0);
        }
        sum += weight * (double)image->values[at];
    }
    *value = sum;
    return true;
}

// The place with the barycentric coordinates b.
static void place(double x[3], double node[SEDGE_IMAGE_NODES][3], const double b[4])
{
    static const int edges[6][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}};

    for (int d = 0; d < 3; d++) {
        x[d] = 0.0;
        for (int v = 0; v < 4; v++) x[d] += b[v] * (2.0 * b[v] - 1.0) * node[v][d];
        for (int k = 0; k < 6; k++) x[d] += 4.0 * b[edges[k][0]] * b[edges[k][1]] * node[4 + k][d];
    }
}

// How finely an element is sampled: two points a spacing along its longest extent, if that is no
// more than MOST_POINTS.
static int count_points(const sedge_image *image, double node[SEDGE_IMAGE_NODES][3])
{
    double most = 0.0;

    for (int d = 0; d < 3; d++) {
        double low = node[0][d];
        double high = node[0][d];
        for (int v = 1; v < SEDGE_IMAGE_NODES; v++) {
            low = fmin(low, node[v][d]);
            high = fmax(high, node[v][d]);
        }
        if (image->count[d] > 1) most = fmax(most, (high - low) / image->spacing[d]);
    }
    return (int)fmin(fmax(ceil(2.0 * most), LEAST_POINTS), MOST_POINTS);
}

bool sedge_image_average(const sedge_image *image, double node[SEDGE_IMAGE_NODES][3], double *mean,
                         double outside[3])
{
    const int n = count_points(image, node);
    double sum = 0.0;
    int points = 0;

    for (int i = 0; i < n; i++) {
        for (int j = 0; i + j < n; j++) {
            for (int k = 0; i + j + k < n; k++, points++) { // i + j + k + l = n - 1
                const int l = n - 1 - i - j - k;
                const double b[4] = {(i + 0.25) / n, (j + 0.25) / n, (k + 0.25) / n,
                                     (l + 0.25) / n};
                double value = 0.0;
                place(outside, node, b);
                if (!interpolate(image, outside, &value)) return false;
                sum += value;
            }
        }
    }
    *mean = sum / points;
    return true;
}
