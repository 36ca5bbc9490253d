// The barriers of kernels in random order (SEDGE_ORDER), of which one can be left out without
// compiling again: an item that comes to it goes on at once. For programs with one device that link
// with --wrap=sedge_order_create.
//
// A barrier is that of a kernel to which an item comes after a certain number of others in its
// block: a loop has one in each round. Kernels belong to a loaded program: record again when
// another one is loaded.
#pragma once

// Forget all barriers, and list those that items come to from now on.
void barriers_record(void);

// How many barriers of the source `file` (its name without folders) are listed; -1: the
// list is full.
int barriers_count(const char *file);

// List no more, and leave out number `which` of these in all launches to come; -1: none. Returns
// the line where it stands, that of the outermost macro; 0: none.
int barriers_leave_out(const char *file, int which);
