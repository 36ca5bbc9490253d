// Text from outside (decks, meshes, compilers) as it may be printed.
//
// A terminal obeys control characters, so a name could clear the screen, write into the window's
// title or hide what follows. What is shown is UTF-8 without them: every byte of a control
// character (but line end and tab), of a mark that turns the direction of writing, of a line
// separator, and of what is not UTF-8 becomes \xNN.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Write `text` as it may be shown into `out` (`size` bytes, NUL included), cut behind a whole
// character where it does not fit.
void sedge_shown(char *out, size_t size, const char *text);

// Is the text of a name, a path, a title already as it may be shown? `lines`: line ends and tabs
// may be in it.
bool sedge_is_shown(const char *text, bool lines);
