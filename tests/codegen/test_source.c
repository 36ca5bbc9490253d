// The source of a program: order, names and lines, what is dropped, what is refused.
#define _DEFAULT_SOURCE // setenv
#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "program/program.h"
#include "shelter.h"
#include "text/embedded.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char folder[] = SEDGE_TEST_DIR "/kernels";

static void put(const char *name, const char *text)
{
    char path[512];

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    CHECK_OK(sedge_file_write(path, text, strlen(text)));
}

// The whole source, to be freed; or NULL when it was refused with `status`.
static sedge_text *write_program(const sedge_program_options *options, sedge_device_kind kind,
                                 sedge_status *status)
{
    sedge_text *text = NULL;

    CHECK_OK(sedge_text_create(&text));
    *status = sedge_program_write(text, kind, options);
    if (*status == SEDGE_OK) return text;
    sedge_text_free(text);
    return NULL;
}

static void test_whole_text(void)
{
    const sedge_source sources[] = {
        {"codegen/kernels/one.h", NULL},
        {"two.h", "  #  pragma once\n#include \"one.h\"\nint two[N]; // #include <no.h>"}};
    const sedge_program_options options = {
        .name = "demo-1", .constants = "#define N 4\n", .sources = sources, .count = 2};
    static const char wanted[] = "#line 1 \"codegen/kernels/program/prelude_host.h\"\n"
                                 "\n#include <math.h>\n"
                                 "#line 1 \"constants of demo-1\"\n"
                                 "#define N 4\n"
                                 "#line 1 \"codegen/kernels/one.h\"\n"
                                 "\nint one;\n"
                                 "#line 1 \"two.h\"\n"
                                 "\n\nint two[N]; // #include <no.h>\n";
    sedge_status status;
    sedge_text *const text = write_program(&options, SEDGE_DEVICE_HOST, &status);
    sedge_text *const again = write_program(&options, SEDGE_DEVICE_HOST, &status);
    sedge_text *const cuda = write_program(&options, SEDGE_DEVICE_CUDA, &status);

    CHECK(text != NULL && again != NULL && cuda != NULL);
    if (text == NULL || again == NULL || cuda == NULL) return;
    const char *const body = strstr(sedge_text_get(text), "#line");
    CHECK(body != NULL && strcmp(body, wanted) == 0);
    const char *const opening = sedge_text_get(text);
    CHECK(strncmp(opening, "// Program 'demo-1' for host, made by sedge ", 44) == 0);
    CHECK(strstr(opening, "//   codegen/kernels/one.h\n//   two.h\n") != NULL);
    CHECK(strcmp(sedge_text_get(text), sedge_text_get(again)) == 0);
    CHECK(strstr(sedge_text_get(cuda), "prelude of cuda") != NULL);
    CHECK(strstr(sedge_text_get(cuda), "math.h") == NULL);
    sedge_text_free(text);
    sedge_text_free(again);
    sedge_text_free(cuda);
}

static void test_refusals(void)
{
    const sedge_source system = {"flux.h", "int a;\n\n # include <math.h>\n"};
    const sedge_source missing = {"codegen/kernels/no_such_file.h", NULL};
    const sedge_source named = {"a\"b.h", ""};
    sedge_program_options options = {
        .name = "demo", .constants = "", .sources = &system, .count = 1};
    sedge_text *text = NULL;

    CHECK_OK(sedge_text_create(&text));
    CHECK_FAILS(sedge_program_write(text, SEDGE_DEVICE_HOST, &options), SEDGE_ERR_USAGE,
                "flux.h:3: ' # include <math.h>': a kernel source cannot include system headers");
    options.sources = &missing;
    CHECK_FAILS(sedge_program_write(text, SEDGE_DEVICE_HOST, &options), SEDGE_ERR_USAGE,
                "no kernel source 'codegen/kernels/no_such_file.h'");
    options.sources = &named;
    CHECK_FAILS(sedge_program_write(text, SEDGE_DEVICE_HOST, &options), SEDGE_ERR_INTERNAL,
                "character code 34");
    options = (sedge_program_options){.name = "demo\n", .constants = ""};
    CHECK_FAILS(sedge_program_write(text, SEDGE_DEVICE_HOST, &options), SEDGE_ERR_INTERNAL,
                "character code 10");
    sedge_text_free(text);
}

// Every embedded file is found, unchanged; a file of the same base name in SEDGE_KERNELS wins.
static void test_embedded_and_override(void)
{
    const char *const name = sedge_embedded_kernels[0].name;
    char *text = NULL;

    CHECK(unsetenv("SEDGE_KERNELS") == 0);
    for (const sedge_embedded *row = sedge_embedded_kernels; row->name != NULL; row++) {
        CHECK(strncmp(row->name, "codegen/kernels/", 16) == 0);
        CHECK_OK(sedge_source_get(&text, row->name));
        CHECK(text != NULL && strcmp(text, row->text) == 0);
        sedge_release(text);
    }
    CHECK_FAILS(sedge_source_get(&text, "one.h"), SEDGE_ERR_USAGE, "no kernel source 'one.h'");
    CHECK(setenv("SEDGE_KERNELS", folder, 1) == 0);
    CHECK(name != NULL);
    if (name == NULL) return;
    put(strrchr(name, '/') + 1, "int instead;\n");
    CHECK_OK(sedge_source_get(&text, name));
    CHECK(text != NULL && strcmp(text, "int instead;\n") == 0);
    sedge_release(text);
    char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, strrchr(name, '/') + 1);
    CHECK(unlink(path) == 0);
    CHECK(setenv("SEDGE_KERNELS", "/nonexistent", 1) == 0);
    CHECK_FAILS(sedge_source_get(&text, name), SEDGE_ERR_USAGE,
                "SEDGE_KERNELS='/nonexistent' is not a readable folder");
    CHECK(setenv("SEDGE_KERNELS", folder, 1) == 0);
}

// What others could have written is not compiled.
static void test_override_of_others(void)
{
    const char *const name = sedge_embedded_kernels[0].name;
    char path[512];
    char *text = NULL;

    if (name == NULL) return;
    if (!others_come(folder)) {
        printf("sources of others: not tried, they cannot come to %s\n", folder);
        return;
    }
    put(strrchr(name, '/') + 1, "int instead;\n");
    (void)snprintf(path, sizeof path, "%s/%s", folder, strrchr(name, '/') + 1);
    CHECK(chmod(path, 0666) == 0);
    CHECK_FAILS(sedge_source_get(&text, name), SEDGE_ERR_USAGE, "SEDGE_KERNELS: ");
    CHECK(strstr(sedge_error_message(), "others may write to it") != NULL && text == NULL);
    CHECK(chmod(path, 0644) == 0 && chmod(folder, 0777) == 0);
    CHECK_FAILS(sedge_source_get(&text, name), SEDGE_ERR_USAGE, "others may write to it");
    CHECK(chmod(folder, 0755) == 0);
    CHECK_OK(sedge_source_get(&text, name));
    sedge_release(text);
    CHECK(unlink(path) == 0);
}

int main(void)
{
    CHECK_OK(sedge_folder_make(folder));
    CHECK(setenv("SEDGE_KERNELS", folder, 1) == 0);
    put("prelude_host.h", "#pragma once\n#include <math.h>\n");
    put("prelude_cuda.h", "// prelude of cuda\n");
    put("one.h", "#pragma once\nint one;\n");
    test_whole_text();
    test_refusals();
    test_embedded_and_override();
    test_override_of_others();
    return CHECK_END();
}
