// Any bytes as the header of a checkpoint. What is read is within its bounds.
#include "fuzz.h"

#include "checkpoint/checkpoint_header.h"

#include <string.h>

enum { BYTES_MAX = 16384 };

int FUZZ_ONE(const uint8_t *data, size_t size)
{
    sedge_checkpoint checkpoint = {.step = 0};
    checkpoint_form form = {.blocks = 0};
    const json_t *facts = NULL;
    json_t *root = NULL;

    if (size > BYTES_MAX) return 0;
    char *const text = fuzz_text(data, size);
    const sedge_status status =
        checkpoint_parse(&root, &facts, &checkpoint, &form, text, size, "checkpoint-1.h5");
    if (status == SEDGE_OK) {
        FUZZ_CHECK(root != NULL && json_is_object(facts));
        FUZZ_CHECK(checkpoint.samples >= 0 && checkpoint.samples <= SEDGE_HISTORY);
        FUZZ_CHECK(checkpoint.step >= 0 && form.block[0].elements >= 0);
        FUZZ_CHECK(form.precision == SEDGE_FP32 || form.precision == SEDGE_FP64);
        FUZZ_CHECK(form.blocks >= 1 && form.blocks <= SEDGE_MAX_KINDS + 1);
    } else {
        FUZZ_CHECK(status == SEDGE_ERR_DATA);
        fuzz_check_message();
    }
    json_decref(root);
    free(text);
    return 0;
}
