// The identity of a loaded library's build.
#pragma once

#include <stdbool.h>

#define SEDGE_BUILD_TEXT 160

// The linker's build id, in hexadecimal, of the loaded library that contains `address`. For a
// library without a build id: size and SHA-256 of its file at `path`. False if neither is
// available.
bool sedge_elf_build(char build[SEDGE_BUILD_TEXT], const void *address, const char *path);
