// Standard output, which may fail: the reader of a pipe ends, or the disk is full.
#pragma once

// Flush standard output. Returns NULL, or the reason why this or an earlier write failed.
const char *sedge_print_failure(void);

// Flush standard output where the work goes on even if printing fails. The first failure is
// reported on stderr, and everything printed afterwards is dropped. The process must ignore
// SIGPIPE.
void sedge_print_flush(void);
