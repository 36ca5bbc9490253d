#include "krylov_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a test stands on.
#define MUST(call)                                                              \
    do {                                                                        \
        if ((call) != SEDGE_OK) {                                               \
            (void)fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                          sedge_error_message());                               \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

static const char text[] =
    "typedef REAL real;\n"
    "#define CASE_LIST(X) X(const SEDGE_GLOBAL sedge_int64 *, offsets) "
    "X(const SEDGE_GLOBAL int *, columns) X(const SEDGE_GLOBAL real *, values) "
    "X(const SEDGE_GLOBAL real *, x) X(SEDGE_GLOBAL real *, y) X(sedge_int64, rows)\n"
    "SEDGE_KERNEL(case_multiply, 64, CASE_LIST)\n{\n"
    "    SEDGE_OUTER (b) {\n"
    "        SEDGE_ITEMS (g, 1, i, 64, 64) {\n"
    "            const sedge_int64 row = b * 64 + i + g;\n"
    "            if (row < rows) {\n"
    "                real sum = 0;\n"
    "                for (sedge_int64 j = offsets[row]; j < offsets[row + 1]; j++)\n"
    "                    sum += values[j] * x[columns[j]];\n"
    "                y[row] = sum;\n"
    "            }\n        }\n    }\n}\n";

static sedge_buffer *upload(const krylov_case *test, const void *from, int64_t bytes)
{
    sedge_buffer *buffer = NULL;

    MUST(sedge_buffer_create(&buffer, sedge_context_device(test->context), bytes));
    MUST(sedge_buffer_upload(buffer, 0, from, bytes, NULL));
    return buffer;
}

static sedge_buffer *upload_reals(const krylov_case *test, const double *values, int64_t count)
{
    sedge_buffer *buffer = NULL;
    float *narrow = NULL;

    if (test->real_bytes == 8) return upload(test, values, count * 8);
    MUST(sedge_allocate(&narrow, count, sizeof *narrow));
    for (int64_t i = 0; i < count; i++) narrow[i] = (float)values[i];
    buffer = upload(test, narrow, count * 4);
    sedge_release(narrow);
    return buffer;
}

static void fill(krylov_case *test, krylov_row row)
{
    int64_t columns[64];
    double values[64];
    int64_t count = 0;

    MUST(sedge_allocate(&test->host_offsets, test->rows + 1, sizeof(int64_t)));
    MUST(sedge_allocate(&test->host_columns, 64 * test->rows, sizeof(int32_t)));
    MUST(sedge_allocate(&test->host_values, 64 * test->rows, sizeof(double)));
    for (int64_t i = 0; i < test->rows; i++) {
        const int entries = row(test->size, test->first + i, columns, values);
        for (int k = 0; k < entries; k++) {
            test->host_columns[count] = (int32_t)columns[k];
            test->host_values[count++] = values[k];
        }
        test->host_offsets[i + 1] = count;
    }
}

void krylov_case_open(krylov_case *test, sedge_context *context, const sedge_comm *comm,
                      int real_bytes, int64_t size, krylov_row row)
{
    const int64_t ranks = sedge_comm_size(comm);
    const int64_t rank = sedge_comm_rank(comm);
    char source[1200];

    memset(test, 0, sizeof *test);
    test->context = context;
    test->comm = comm;
    test->real_bytes = real_bytes;
    test->size = size;
    test->first = rank * size / ranks;
    test->rows = (rank + 1) * size / ranks - test->first;
    fill(test, row);
    const int64_t count = test->host_offsets[test->rows];
    test->offsets = upload(test, test->host_offsets, (test->rows + 1) * 8);
    test->columns = upload(test, test->host_columns, count * 4);
    test->values = upload_reals(test, test->host_values, count);
    MUST(sedge_buffer_create(&test->all_x, sedge_context_device(context), size * real_bytes));
    MUST(sedge_allocate(&test->all, size, sizeof(double)));
    (void)snprintf(source, sizeof source, "#define REAL %s\n%s",
                   real_bytes == 8 ? "double" : "float", text);
    MUST(sedge_context_kernel(context, &test->kernel, "case_multiply",
                              real_bytes == 8 ? "case8.c" : "case4.c", source));
}

void krylov_case_close(krylov_case *test)
{
    sedge_buffer_free(test->offsets);
    sedge_buffer_free(test->columns);
    sedge_buffer_free(test->values);
    sedge_buffer_free(test->all_x);
    sedge_release(test->host_offsets);
    sedge_release(test->host_columns);
    sedge_release(test->host_values);
    sedge_release(test->all);
}

void krylov_case_values(const krylov_case *test, const sedge_buffer *buffer, double *values)
{
    float *narrow = NULL;

    memset(values, 0, (size_t)test->size * sizeof *values);
    if (test->real_bytes == 8) {
        MUST(sedge_buffer_download(buffer, 0, values + test->first, test->rows * 8, NULL));
    } else {
        MUST(sedge_allocate(&narrow, test->rows, sizeof *narrow));
        MUST(sedge_buffer_download(buffer, 0, narrow, test->rows * 4, NULL));
        for (int64_t i = 0; i < test->rows; i++) values[test->first + i] = (double)narrow[i];
        sedge_release(narrow);
    }
    sedge_comm_sum(test->comm, values, (int)test->size);
}

sedge_buffer *krylov_case_vector(const krylov_case *test, const double *values)
{
    return upload_reals(test, values + test->first, test->rows);
}

static sedge_status apply(void *context, sedge_stream *stream, const sedge_buffer *x,
                          sedge_buffer *y)
{
    krylov_case *const test = context;
    const sedge_buffer *from = x;

    test->applied++;
    if (sedge_comm_size(test->comm) > 1) {
        float *narrow = NULL;
        SEDGE_TRY(sedge_stream_wait(stream));
        krylov_case_values(test, x, test->all);
        if (test->real_bytes == 4) {
            SEDGE_TRY(sedge_allocate(&narrow, test->size, sizeof *narrow));
            for (int64_t i = 0; i < test->size; i++) narrow[i] = (float)test->all[i];
        }
        SEDGE_TRY(sedge_buffer_upload(test->all_x, 0,
                                      narrow != NULL ? (const void *)narrow : test->all,
                                      test->size * test->real_bytes, NULL));
        sedge_release(narrow);
        from = test->all_x;
    }
    return SEDGE_LAUNCH(test->kernel, stream, (test->rows + 63) / 64,
                        sedge_buffer_argument(test->offsets), sedge_buffer_argument(test->columns),
                        sedge_buffer_argument(test->values), sedge_buffer_argument(from),
                        sedge_buffer_argument(y), sedge_int64_argument(test->rows));
}

sedge_krylov_operator krylov_case_operator(krylov_case *test)
{
    const bool alone = sedge_comm_size(test->comm) == 1;

    return (sedge_krylov_operator){.context = test,
                                   .apply = apply,
                                   .waits = !alone,
                                   .offsets = alone ? test->offsets : NULL,
                                   .columns = alone ? test->columns : NULL,
                                   .values = alone ? test->values : NULL};
}

void krylov_case_multiply(const krylov_case *test, krylov_row row, const double *x, double *y)
{
    int64_t columns[64];
    double values[64];

    for (int64_t i = 0; i < test->size; i++) {
        const int entries = row(test->size, i, columns, values);
        y[i] = 0.0;
        for (int k = 0; k < entries; k++) y[i] += values[k] * x[columns[k]];
    }
}

void krylov_case_start(krylov_session *session)
{
    const char *const kind = getenv("SEDGE_TEST_DEVICE");

    sedge_device_prepare_environment();
    MUST(sedge_device_start_helper());
    MUST(sedge_comm_create(&session->comm, NULL));
    MUST(sedge_device_create(&session->device, kind != NULL ? kind : "host",
                             sedge_comm_node_rank(session->comm),
                             sedge_comm_node_size(session->comm)));
    MUST(sedge_cache_create(&session->cache, NULL));
    MUST(sedge_context_create(&session->context, session->device, session->cache));
}

void krylov_case_end(krylov_session *session)
{
    sedge_context_free(session->context);
    sedge_cache_free(session->cache);
    sedge_device_free(session->device);
    sedge_device_stop_helper();
    sedge_comm_free(session->comm);
}
