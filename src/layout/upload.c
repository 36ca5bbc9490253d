#include "upload.h"

#include "base/memory.h"

sedge_status sedge_upload_copy(sedge_buffer **out, sedge_device *device, const void *from,
                               int64_t bytes)
{
    SEDGE_TRY(sedge_buffer_create(out, device, bytes > 0 ? bytes : 16));
    return bytes > 0 ? sedge_buffer_upload(*out, 0, from, bytes, NULL) : SEDGE_OK;
}

sedge_status sedge_upload(sedge_buffer **out, sedge_device *device, void *from, int64_t count,
                          size_t size)
{
    const sedge_status status = sedge_upload_copy(out, device, from, count * (int64_t)size);

    sedge_release(from);
    return status;
}

sedge_status sedge_upload_reals(sedge_buffer **out, sedge_device *device, int real_bytes,
                                const double *values, int64_t count)
{
    return sedge_upload_words(out, device, real_bytes, values, count, 1, 1);
}

sedge_status sedge_upload_words(sedge_buffer **out, sedge_device *device, int real_bytes,
                                const double *values, int64_t slots, int words, int lanes)
{
    void *list = NULL;

    SEDGE_TRY(sedge_allocate(&list, slots * words, (size_t)real_bytes));
    for (int64_t slot = 0; slot < slots; slot++) {
        for (int k = 0; k < words; k++) {
            sedge_real_put(list, real_bytes, (slot / lanes * words + k) * lanes + slot % lanes,
                           values[slot * words + k]);
        }
    }
    return sedge_upload(out, device, list, slots * words, (size_t)real_bytes);
}
