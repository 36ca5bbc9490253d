// The protocol between this process and the helper process (helper.h).
//
// For each command this process creates a pair of sockets and sends one of them over the helper's
// control socket, so that several threads can have commands run at once. Request and reply of the
// command travel over its own socket. Request: the number of words of the command; its time limit
// in seconds; then the words, the input file's name and text, and the output file's name, each as a
// length and bytes. Reply: sedge_helper_reply, the log, the output file.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sedge_helper_reply {
    uint64_t log_length; // of the log; if the command did not run, of the reason
    uint64_t output_length;
    int32_t ran;
    int32_t exit_status;
} sedge_helper_reply;

// False when the other end is gone.
bool sedge_wire_send(int socket, const void *bytes, size_t length);
bool sedge_wire_send_text(int socket, const char *text);
bool sedge_wire_receive(int socket, void *bytes, size_t length);

// Hand over a socket to the helper; the sender keeps its own copy.
bool sedge_wire_send_socket(int control, int socket);

// The helper's loop: a child serves each command. Returns when the other end of `control` is closed
// or when the parent process has ended. `parent` is a pidfd of the parent (-1: none, as on Linux
// before 5.3). The socket alone is not enough: another child of the parent may hold it open.
void sedge_helper_serve(int control, int parent);
