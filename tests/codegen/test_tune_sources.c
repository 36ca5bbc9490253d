// Wisdom knows when kernels have changed: the hash of a task's sources is another one as soon as
// any source of any program of the task is. The linker puts a function here in the place of the
// tuner; nothing is compiled.
#define _DEFAULT_SOURCE // setenv
#include "kernel_files.h"
#include "reduce_kit.h"

#include "matrices.h"
#include "sparse/sparse_program.h"
#include "text/embedded.h"
#include "tune/tune.h"

static const char folder[] = SEDGE_TEST_DIR "/changed-kernels";

// What the tuner was asked last.
static char asked[SEDGE_HASH_TEXT];
static kernel_files used;

sedge_status tune_nothing(sedge_tune_result **out, const sedge_comm *comm, sedge_device *device,
                          sedge_cache *cache, const sedge_tune_task *task,
                          const sedge_tune_options *options) __asm__("__wrap_sedge_tune");
sedge_status tune_nothing(sedge_tune_result **out, const sedge_comm *comm, sedge_device *device,
                          sedge_cache *cache, const sedge_tune_task *task,
                          const sedge_tune_options *options)
{
    sedge_text *text = NULL;

    (void)comm, (void)device, (void)cache, (void)options;
    *out = NULL;
    used.count = 0;
    (void)snprintf(asked, sizeof asked, "%s", task->source_hash);
    CHECK_OK(sedge_text_create(&text));
    for (int c = 0; c < task->count; c++) CHECK_OK(task->text(task->context, c, text));
    kernel_files_find(&used, sedge_text_get(text));
    sedge_text_free(text);
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "nothing is tuned here");
}

// An operation on the array that asks the tuner.
typedef sedge_status (*ask_tuner)(sedge_array **out, sedge_array *array);

static sedge_status ask_elements(sedge_array **out, sedge_array *array)
{
    return sedge_array_evaluate(out, sedge_multiply(sedge_use(array), sedge_use(array)));
}

// The sums over columns: the only reduction that is tuned.
static sedge_status ask_columns(sedge_array **out, sedge_array *array)
{
    sedge_array *rows = NULL;

    *out = NULL;
    CHECK_OK(sedge_array_reshape(&rows, array, 2, (int64_t[]){1 << 10, 1 << 10}));
    const sedge_status status = sedge_array_reduce(out, SEDGE_SUM, sedge_use(rows), 0);
    sedge_array_free(rows);
    return status;
}

static sedge_status ask_matrix(sedge_array **out, sedge_array *array)
{
    const sedge_sparse_options off = {.has_tune = true, .tune = SEDGE_TUNE_OFF};
    sedge_sparse *sparse = NULL;
    bench_matrix m;

    *out = NULL;
    CHECK_OK(bench_matrix_make(&m, "banded", 2000));
    const sedge_status status =
        sedge_sparse_create(&sparse, sedge_array_context(array), &m.csr, &off);
    CHECK(sparse == NULL);
    bench_matrix_clear(&m);
    return status;
}

static void check_asked(ask_tuner ask, sedge_array *array)
{
    sedge_array *out = NULL;

    asked[0] = '\0';
    CHECK_FAILS(ask(&out, array), SEDGE_ERR_DEVICE, "nothing is tuned here");
    CHECK(out == NULL && asked[0] != '\0');
}

// `least`: sources that the programs have at least.
static void test_sources(ask_tuner ask, sedge_array *array, int least)
{
    char before[SEDGE_HASH_TEXT];

    check_asked(ask, array);
    const kernel_files files = used;
    memcpy(before, asked, sizeof before);
    CHECK(files.count >= least);
    for (int f = 0; f < files.count; f++) {
        kernel_file_change(folder, files.name[f]);
        check_asked(ask, array);
        const bool is_known = strcmp(asked, before) != 0;
        CHECK(is_known);
        if (!is_known) (void)fprintf(stderr, "  '%s' is in no key\n", files.name[f]);
        kernel_file_restore(folder, files.name[f]);
    }
    kernel_file_change(folder, "codegen/kernels/tune/ceiling.h");
    check_asked(ask, array);
    CHECK(strcmp(asked, before) == 0); // of others they know nothing
    kernel_file_restore(folder, "codegen/kernels/tune/ceiling.h");
}

// No matrix has all formats: all sources of them by their names.
static void test_all_formats(sedge_context *context, sedge_array *array)
{
    const sedge_device_kind kind = sedge_device_get_info(sedge_context_device(context))->kind;
    char before[SEDGE_HASH_TEXT], after[SEDGE_HASH_TEXT];
    int count = 0;

    check_asked(ask_matrix, array);
    CHECK_OK(sedge_sparse_source_hash(before, kind));
    CHECK(strcmp(asked, before) == 0);
    for (const sedge_embedded *row = sedge_embedded_kernels; row->name != NULL; row++) {
        if (strncmp(row->name, "codegen/kernels/sparse/", 23) != 0) continue;
        count++;
        kernel_file_change(folder, row->name);
        CHECK_OK(sedge_sparse_source_hash(after, kind));
        const bool is_known = strcmp(before, after) != 0;
        CHECK(is_known);
        if (!is_known) (void)fprintf(stderr, "  '%s' is in no key\n", row->name);
        kernel_file_restore(folder, row->name);
    }
    CHECK(count >= 9);
}

int main(void)
{
    enum { SIZE = 1 << 20 };
    sedge_context *const context = open_context();
    sedge_array *array = NULL;

    if (context == NULL) return CHECK_END();
    CHECK_OK(sedge_array_vector(&array, context, SEDGE_INT32, SIZE)); // with candidates everywhere
    test_sources(ask_elements, array, 3);
    test_sources(ask_columns, array, 3);
    test_sources(ask_matrix, array, 3);
    test_all_formats(context, array);
    sedge_array_free(array);
    sedge_context_free(context);
    return CHECK_END();
}
