// Standard output, which may go away: a reader that has seen enough, a full disk.
#pragma once

// Bring to standard output what was printed. NULL; or why it, or something before, could not be.
const char *sedge_print_failure(void);

// The same where the work goes on in any case: a failure is said once on stderr, and this and all
// that is printed from here on is dropped. The process must ignore SIGPIPE.
void sedge_print_flush(void);
