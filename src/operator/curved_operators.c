#include "operator/curved_operators.h"

#include "layout/upload.h"

void operator_write_real(operator_writer *w, double value)
{
    sedge_real_put(w->list, w->real_bytes, w->at++, value);
}

void operator_write_turned(operator_writer *w, const double *matrix, int rows, int columns)
{
    for (int c = 0; c < columns; c++)
        for (int r = 0; r < rows; r++) operator_write_real(w, matrix[(int64_t)r * columns + c]);
}

void operator_write_places(operator_writer *w, double (*place)[3], int count)
{
    for (int q = 0; q < count; q++)
        for (int d = 0; d < 3; d++) operator_write_real(w, place[q][d]);
}
