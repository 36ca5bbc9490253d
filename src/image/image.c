#include "image.h"

#include "base/hash.h"
#include "base/memory.h"
#include "io/h5.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

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
