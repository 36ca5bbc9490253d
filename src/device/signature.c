// What a kernel says of its parameters, from the table that the preludes put beside it.
#include "device/backend.h"

#include "base/memory.h"

#include <stdio.h>
#include <string.h>

sedge_status sedge_signature_name(char name[SEDGE_SIGNATURE_NAME_MAX], const sedge_kernel *kernel)
{
    const int length = snprintf(name, SEDGE_SIGNATURE_NAME_MAX, "sedge_signature_%s", kernel->name);

    if (length > 0 && length < SEDGE_SIGNATURE_NAME_MAX) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "the name of kernel '%s' is too long: at most %d characters",
                      kernel->name, SEDGE_SIGNATURE_NAME_MAX - 1 - (int)strlen("sedge_signature_"));
}

sedge_status sedge_signature_set(sedge_kernel *kernel, const int *sizes, int count)
{
    SEDGE_TRY(sedge_allocate(&kernel->parameters, count, sizeof *kernel->parameters));
    for (int i = 0; i < count; i++) {
        kernel->parameters[i] = (sedge_kernel_parameter){
            .type = "", .name = "", .bytes = sizes != NULL ? sizes[i] : -1};
    }
    kernel->signature.count = count;
    kernel->signature.parameters = count > 0 ? kernel->parameters : NULL;
    return SEDGE_OK;
}

static sedge_status damaged(const sedge_kernel *kernel, const char *what)
{
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "kernel '%s': its sedge_signature_%s %s", kernel->name,
                      kernel->name, what);
}

// Cut "type\tname\n" of each parameter out of `text`.
static sedge_status set_texts(sedge_kernel *kernel, char *text)
{
    for (int i = 0; i < kernel->signature.count; i++) {
        char *const tab = strchr(text, '\t');
        char *const end = tab != NULL ? strchr(tab, '\n') : NULL;

        if (end == NULL) return damaged(kernel, "names too few parameters");
        *tab = '\0';
        *end = '\0';
        kernel->parameters[i].type = text;
        kernel->parameters[i].name = tab + 1;
        text = end + 1;
    }
    return SEDGE_OK;
}

// int numbers[2 + 2 count]: threads, count, size and kind of each; then text with a NUL.
sedge_status sedge_signature_read(sedge_kernel *kernel, const void *bytes, size_t length)
{
    int head[2];

    if (length < sizeof head) return damaged(kernel, "is too short");
    memcpy(head, bytes, sizeof head);
    if (head[0] < 1 || head[1] < 0)
        return damaged(kernel, "holds no number of threads and parameters");
    if (head[1] > SEDGE_KERNEL_ARGUMENTS_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernel '%s' has %d parameters; at most %d are possible",
                          kernel->name, head[1], SEDGE_KERNEL_ARGUMENTS_MAX);
    }
    const size_t numbers = sizeof head + (size_t)head[1] * sizeof head;
    if (length <= numbers) return damaged(kernel, "is too short");
    SEDGE_TRY(sedge_signature_set(kernel, NULL, head[1]));
    for (int i = 0; i < head[1]; i++) {
        int row[2];
        memcpy(row, (const char *)bytes + (size_t)(i + 1) * sizeof head, sizeof row);
        if (row[0] < 1 || row[1] < SEDGE_KIND_POINTER || row[1] > SEDGE_KIND_OTHER)
            return damaged(kernel, "holds no size and kind of a parameter");
        kernel->parameters[i].bytes = row[0];
        kernel->parameters[i].kind = (sedge_value_kind)row[1];
    }
    SEDGE_TRY(sedge_allocate(&kernel->texts, (int64_t)(length - numbers) + 1, 1));
    memcpy(kernel->texts, (const char *)bytes + numbers, length - numbers);
    kernel->signature.threads = head[0];
    return set_texts(kernel, kernel->texts);
}

void sedge_signature_clear(sedge_kernel *kernel)
{
    sedge_release(kernel->parameters);
    sedge_release(kernel->texts);
    kernel->parameters = NULL;
    kernel->texts = NULL;
    kernel->signature = (sedge_signature){.count = -1};
}
