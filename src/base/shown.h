// Escaping of text from outside (decks, meshes, compilers) before it is printed.
//
// A terminal obeys control characters, so a name could clear the screen, change the window's title
// or hide what follows. Escaped text is UTF-8 in which each byte of the following is written as
// \xNN: control characters except line end and tab, marks that change the direction of writing,
// line separators, and bytes that are not UTF-8.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Write the escaped `text` into `out` (`size` bytes, NUL included). A text that does not fit is
// truncated after a whole character.
void sedge_shown(char *out, size_t size, const char *text);

// True if a name, path or title needs no escaping. `lines`: line ends and tabs are allowed.
bool sedge_is_shown(const char *text, bool lines);
