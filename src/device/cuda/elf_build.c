#define _GNU_SOURCE // dl_iterate_phdr
#include "device/cuda/elf_build.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct library_search {
    uintptr_t address;
    char *build;
} library_search;

static size_t padded(size_t length)
{
    return (length + 3) / 4 * 4;
}

// Look through one note segment for the build id.
static bool read_notes(const char *at, size_t left, char *build)
{
    ElfW(Nhdr) note;

    while (left >= sizeof note) {
        memcpy(&note, at, sizeof note);
        const size_t name = padded(note.n_namesz);
        const size_t whole = sizeof note + name + padded(note.n_descsz);
        if (whole > left) return false;
        const char *const value = at + sizeof note + name;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(at + sizeof note, "GNU", 4) == 0 && note.n_descsz <= 64) {
            for (size_t i = 0; i < note.n_descsz; i++)
                (void)snprintf(build + 2 * i, 3, "%02x", (unsigned)(unsigned char)value[i]);
            return note.n_descsz > 0;
        }
        at += whole;
        left -= whole;
    }
    return false;
}

static int visit_library(struct dl_phdr_info *info, size_t size, void *data)
{
    library_search *const search = data;
    bool is_it = false;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const part = &info->dlpi_phdr[i];
        const uintptr_t start = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && search->address >= start &&
            search->address < start + part->p_memsz)
            is_it = true;
    }
    if (!is_it) return 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *const part = &info->dlpi_phdr[i];
        const void *const notes = (const void *)(uintptr_t)(info->dlpi_addr + part->p_vaddr);
        if (part->p_type == PT_NOTE && read_notes(notes, part->p_memsz, search->build)) return 1;
    }
    return -1;
}

bool sedge_elf_build(char build[SEDGE_BUILD_TEXT], const void *address, const char *path)
{
    library_search search = {(uintptr_t)address, build};
    char hash[SEDGE_HASH_TEXT];
    char *bytes = NULL;
    size_t length;

    if (dl_iterate_phdr(visit_library, &search) == 1) return true;
    if (sedge_file_read(&bytes, &length, path, SEDGE_ERR_DEVICE) != SEDGE_OK) return false;
    const sedge_hash whole = sedge_hash_bytes(bytes, length);
    sedge_hash_print(&whole, hash);
    (void)snprintf(build, SEDGE_BUILD_TEXT, "%zu bytes, %s", length, hash);
    sedge_release(bytes);
    return true;
}
