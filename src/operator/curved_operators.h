// A list of numbers in the device's precision, which the kernels of curved elements read.
#pragma once

#include <stdint.h>

typedef struct operator_writer {
    int real_bytes;
    void *list;
    int64_t at; // numbers in the list so far
} operator_writer;

void operator_write_real(operator_writer *w, double value);

// A matrix [rows][columns], its columns first.
void operator_write_turned(operator_writer *w, const double *matrix, int rows, int columns);

void operator_write_places(operator_writer *w, double (*place)[3], int count);
