// For tests: which kernel sources a program's code contains, and how to change one of them.
#pragma once

#include "check.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "program/program.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KERNEL_FILES = 32, KERNEL_FILE_NAME = 64 };

typedef struct kernel_files {
    int count;
    char name[KERNEL_FILES][KERNEL_FILE_NAME]; // "codegen/kernels/reduce/reduce.h"
} kernel_files;

static inline void kernel_files_add(kernel_files *files, const char *name, size_t length)
{
    for (int f = 0; f < files->count; f++)
        if (strlen(files->name[f]) == length && memcmp(files->name[f], name, length) == 0) return;
    CHECK(files->count < KERNEL_FILES && length < KERNEL_FILE_NAME);
    if (files->count == KERNEL_FILES || length >= KERNEL_FILE_NAME) return;
    memcpy(files->name[files->count], name, length);
    files->name[files->count++][length] = '\0';
}

// Add the sources that a program's code names in its #line directives, including the prelude.
static inline void kernel_files_find(kernel_files *files, const char *text)
{
    static const char mark[] = "#line 1 \"";

    for (const char *at = strstr(text, mark); at != NULL; at = strstr(at, mark)) {
        at += sizeof mark - 1;
        if (strncmp(at, "codegen/kernels/", 16) == 0)
            kernel_files_add(files, at, strcspn(at, "\""));
    }
}

// Replace the kernel source `name` by a copy with one more line, a comment. The copy is in
// `folder`, which SEDGE_KERNELS then names. kernel_file_restore undoes this.
static inline void kernel_file_change(const char *folder, const char *name)
{
    char path[4096];
    char *text = NULL;
    sedge_text *changed = NULL;

    CHECK_OK(sedge_source_get(&text, name));
    CHECK_OK(sedge_text_create(&changed));
    CHECK_OK(sedge_text_add(changed, "%s// changed\n", text != NULL ? text : ""));
    (void)mkdir(folder, 0700);
    (void)snprintf(path, sizeof path, "%s/%s", folder, strrchr(name, '/') + 1);
    CHECK_OK(sedge_file_write(path, sedge_text_get(changed), sedge_text_length(changed)));
    CHECK(setenv("SEDGE_KERNELS", folder, 1) == 0);
    sedge_text_free(changed);
    sedge_release(text);
}

static inline void kernel_file_restore(const char *folder, const char *name)
{
    char path[4096];

    (void)snprintf(path, sizeof path, "%s/%s", folder, strrchr(name, '/') + 1);
    CHECK(unsetenv("SEDGE_KERNELS") == 0);
    CHECK(unlink(path) == 0);
}
