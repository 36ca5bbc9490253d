// Who built a loaded library.
#pragma once

#include <stdbool.h>

#define SEDGE_BUILD_TEXT 160

// The linker's build id of the loaded library that holds `address`, in hexadecimal; a library
// without one: size and SHA-256 of its file at `path`. False when neither can be had.
bool sedge_elf_build(char build[SEDGE_BUILD_TEXT], const void *address, const char *path);
