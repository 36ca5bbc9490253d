// Writes what the operations give for the numbers that numpy_check.py has put into a folder:
//
//   numpy_case FOLDER
//
// reads FOLDER/a.<type> and FOLDER/b.<type>, and writes FOLDER/promote ("int8 uint8 int16" a line)
// and FOLDER/<operation>.<type>.<type of the result>, of two operands
// FOLDER/<operation>.<type>.<type>.<type of the result>, in raw numbers. All operations of a pair
// of types go into few kernels, to save compilations.
#define _DEFAULT_SOURCE // PATH_MAX
#include "array/strided.h"
#include "array_case.h"
#include "base/file.h"
#include "base/memory.h"
#include "elementwise/analysis.h"
#include "elementwise/copy.h"
#include "elementwise/snippet.h"
#include "sampled.h"

#include <limits.h>

enum { AT_ONCE = 23 }; // operations in one kernel

typedef struct batch {
    sedge_context *context;
    const char *folder;
    sedge_array *a, *b;
    sedge_text *body;
    int count;
    char file[AT_ONCE][128];
    char name[AT_ONCE][8];
    sedge_array *result[AT_ONCE];
} batch;

#define TRY_OR_END(call)                                                     \
    do {                                                                     \
        if ((call) != SEDGE_OK) {                                            \
            (void)fprintf(stderr, "%s: %s\n", #call, sedge_error_message()); \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

static sedge_array *read_array(sedge_context *context, const char *folder, const char *name,
                               sedge_type type)
{
    char path[PATH_MAX];
    char *bytes = NULL;
    size_t length;
    sedge_array *array = NULL;

    (void)snprintf(path, sizeof path, "%s/%s.%s", folder, name, sedge_type_name(type));
    TRY_OR_END(sedge_file_read(&bytes, &length, path, SEDGE_ERR_DATA));
    const int64_t count = (int64_t)length / sedge_type_bytes(type);
    TRY_OR_END(sedge_array_from(&array, context, type, 1, &count, bytes));
    sedge_release(bytes);
    return array;
}

static void write_array(const sedge_array *array, const char *folder, const char *name)
{
    const size_t length = (size_t)(sedge_array_size(array) * sedge_type_bytes(array->type));
    char path[PATH_MAX];
    char *const bytes = malloc(length);

    if (bytes == NULL) exit(1);
    TRY_OR_END(sedge_array_get(array, bytes));
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const file = fopen(path, "wb"); // not flushed to disk: there are hundreds
    if (file == NULL || fwrite(bytes, 1, length, file) != length || fclose(file) != 0) exit(1);
    free(bytes);
}

// Run what was collected.
static void flush(batch *work)
{
    sedge_operand operands[AT_ONCE + 2] = {SEDGE_IN("leaf0", work->a), SEDGE_IN("leaf1", work->b)};

    if (work->count > 0) {
        for (int k = 0; k < work->count; k++)
            operands[2 + k] = SEDGE_OUT(work->name[k], work->result[k]);
        TRY_OR_END(sedge_elementwise(work->context, "numpy", NULL, sedge_text_get(work->body),
                                     2 + work->count, operands));
    }
    for (int k = 0; k < work->count; k++) {
        write_array(work->result[k], work->folder, work->file[k]);
        sedge_array_free(work->result[k]);
    }
    work->count = 0;
    sedge_text_free(work->body);
    TRY_OR_END(sedge_text_create(&work->body));
}

// Its text names the operands leaf0 and leaf1, as the kernel does.
static void add(batch *work, const char *operation, sedge_expression *expression, int operands)
{
    const int k = work->count;
    sedge_analysis analysis;

    if (sedge_expression_prepare(&analysis, expression) != SEDGE_OK) {
        if (strstr(sedge_error_message(), "does not exist for") == NULL) {
            (void)fprintf(stderr, "%s: %s\n", operation, sedge_error_message());
            exit(1);
        }
        return;
    }
    TRY_OR_END(sedge_analysis_write(&analysis));
    (void)snprintf(work->name[k], sizeof work->name[k], "r%d", k);
    (void)snprintf(work->file[k], sizeof work->file[k], "%s.%s%s%s.%s", operation,
                   sedge_type_name(work->a->type), operands == 2 ? "." : "",
                   operands == 2 ? sedge_type_name(work->b->type) : "",
                   sedge_type_name(analysis.type));
    TRY_OR_END(sedge_text_add(work->body, "r%d = %s;\n", k, sedge_text_get(analysis.text)));
    TRY_OR_END(sedge_array_create(&work->result[k], work->context, analysis.type, 1,
                                  sedge_array_shape(work->a)));
    sedge_analysis_free(&analysis);
    work->count++;
    if (work->count == AT_ONCE) flush(work);
}

#define APPLY_1(name) sedge_##name(sedge_use(work->a))
#define APPLY_2(name) sedge_##name(sedge_use(work->a), sedge_use(work->b))
#define ADD_OPERATION(name, operands, kind) \
    if (operands == wanted) add(work, #name, APPLY_##operands(name), operands);

static void run_operations(batch *work, int wanted)
{
    SEDGE_OPERATION_LIST(ADD_OPERATION)
    flush(work);
}

static void run_conversions(batch *work)
{
    for (int t = 0; t < SEDGE_TYPES; t++)
        add(work, "convert", sedge_convert(sedge_use(work->a), (sedge_type)t), 1);
    flush(work);
}

static void write_promotions(const char *folder)
{
    char path[PATH_MAX];
    sedge_text *text = NULL;

    TRY_OR_END(sedge_text_create(&text));
    for (int a = 0; a < SEDGE_TYPES; a++) {
        for (int b = 0; b < SEDGE_TYPES; b++) {
            TRY_OR_END(sedge_text_add(
                text, "%s %s %s\n", sedge_type_name((sedge_type)a), sedge_type_name((sedge_type)b),
                sedge_type_name(sedge_type_promote((sedge_type)a, (sedge_type)b))));
        }
    }
    (void)snprintf(path, sizeof path, "%s/promote", folder);
    TRY_OR_END(sedge_file_write(path, sedge_text_get(text), sedge_text_length(text)));
    sedge_text_free(text);
}

int main(int argc, char **argv)
{
    static const sedge_type mixed[][2] = {
        {SEDGE_INT8, SEDGE_UINT8},        {SEDGE_INT32, SEDGE_FLOAT32},
        {SEDGE_INT64, SEDGE_UINT64},      {SEDGE_UINT32, SEDGE_INT32},
        {SEDGE_INT16, SEDGE_FLOAT32},     {SEDGE_UINT16, SEDGE_INT16},
        {SEDGE_FLOAT32, SEDGE_FLOAT64},   {SEDGE_FLOAT32, SEDGE_COMPLEX64},
        {SEDGE_FLOAT64, SEDGE_COMPLEX64}, {SEDGE_COMPLEX128, SEDGE_INT8},
    };
    sedge_array *a[SEDGE_TYPES];
    sedge_array *b[SEDGE_TYPES];
    batch work = {.context = NULL};

    if (argc != 2) return 2;
    work.context = case_open();
    work.folder = argv[1];
    TRY_OR_END(sedge_text_create(&work.body));
    write_promotions(argv[1]);
    for (int t = 0; t < SEDGE_TYPES; t++) {
        a[t] = read_array(work.context, argv[1], "a", (sedge_type)t);
        b[t] = read_array(work.context, argv[1], "b", (sedge_type)t);
    }
    const bool few = test_is_sampled();
    for (int t = 0; t < SEDGE_TYPES; t++) {
        // Of integers one with a sign and one without, of two widths.
        if (few && t < SEDGE_FLOAT32 && t != SEDGE_INT16 && t != SEDGE_UINT64) continue;
        work.a = a[t];
        work.b = b[t];
        run_operations(&work, 1);
        run_operations(&work, 2);
        run_conversions(&work);
    }
    for (size_t m = 0; m < sizeof mixed / sizeof *mixed; m += few ? 2 : 1) {
        work.a = a[mixed[m][0]];
        work.b = b[mixed[m][1]];
        run_operations(&work, 2);
    }
    sedge_text_free(work.body);
    for (int t = 0; t < SEDGE_TYPES; t++) {
        sedge_array_free(a[t]);
        sedge_array_free(b[t]);
    }
    case_close(work.context);
    return CHECK_END();
}
