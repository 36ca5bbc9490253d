#define _GNU_SOURCE // gnu_get_libc_version
#include "device/host/host_compiler.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/trust.h"
#include "device/backend.h"
#include "device/cpu.h"
#include "device/helper.h"
#include "device/limit.h"

#include <gnu/libc-version.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPTIONS_MAX = 24 };

struct sedge_host_compiler {
    char path[PATH_MAX];
    int64_t seconds;     // a program may take
    sedge_text *version; // what it says of itself
    sedge_text *target;  // what -march=native means
    const char *options[OPTIONS_MAX];
    int options_count;
};

// ---- finding it --------------------------------------------------------------------------------

static bool is_program(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

// Absolute, because the helper works in another folder; links stay, because some compilers go by
// the name under which they are called.
static bool make_absolute(char path[PATH_MAX], const char *given, size_t length)
{
    char here[PATH_MAX] = "";

    if (given[0] != '/' && getcwd(here, sizeof here) == NULL) return false;
    const int written =
        snprintf(path, PATH_MAX, "%s%s%.*s", here, given[0] != '/' ? "/" : "", (int)length, given);
    return written > 0 && written < PATH_MAX;
}

static bool find_program(char path[PATH_MAX], const char *name)
{
    const char *folders = getenv("PATH");

    if (strchr(name, '/') != NULL)
        return make_absolute(path, name, strlen(name)) && is_program(path);
    if (folders == NULL) folders = "/usr/local/bin:/usr/bin:/bin";
    while (*folders != '\0') {
        const size_t length = strcspn(folders, ":");
        if (length > 0 && make_absolute(path, folders, length)) {
            const size_t used = strlen(path);
            const int added = snprintf(path + used, PATH_MAX - used, "/%s", name);
            if (added > 0 && (size_t)added < PATH_MAX - used && is_program(path)) return true;
        }
        folders += length + (folders[length] == ':' ? 1 : 0);
    }
    return false;
}

static sedge_status find_compiler(sedge_host_compiler *compiler)
{
    static const char *const names[] = {"cc", "gcc", "clang"};
    const char *const wish = getenv("SEDGE_CC");

    if (wish != NULL && wish[0] != '\0') {
        if (find_program(compiler->path, wish)) return SEDGE_OK;
        return SEDGE_FAIL(SEDGE_ERR_DEVICE,
                          "no C compiler: looked for '%s' (SEDGE_CC, one name or path); install it "
                          "or set SEDGE_CC",
                          wish);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (find_program(compiler->path, names[i])) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "no C compiler: looked for cc, gcc and clang in PATH; "
                                        "install gcc or set SEDGE_CC");
}

// ---- who it is ---------------------------------------------------------------------------------

// The commands that the compiler would run, and before them what -v prints: in a quarter of the
// time that gcc takes to list a target's options.
static sedge_status ask(const sedge_host_compiler *compiler, sedge_text *out)
{
    const char *argv[] = {compiler->path, "-###", "-march=native", "-S",
                          "-x",           "c",    "/dev/null",     NULL};
    const sedge_helper_command command = {.argv = argv, .seconds = compiler->seconds};
    int exit_status;
    void *nothing = NULL;
    size_t length;

    SEDGE_TRY(sedge_helper_run(&command, &exit_status, out, &nothing, &length));
    sedge_release(nothing);
    if (exit_status == 0) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DEVICE, "'%s -###' ends with status %d: not a C compiler?",
                      compiler->path, exit_status);
}

// A command's words without those that name files: clang's have the helper's folder.
static sedge_status add_words(const char *command, size_t length, sedge_text *out)
{
    const char *const end = command + length;

    while (command < end) {
        const char *const word = command + strspn(command, " ");
        const size_t size = strcspn(word, " \n");
        if (memchr(word, '/', size) == NULL)
            SEDGE_TRY(sedge_text_add(out, "%.*s ", (int)size, word));
        command = word + size;
    }
    return sedge_text_add(out, "\n");
}

// Commands begin with a space. Behind them gcc has lines with paths.
static sedge_status split_answer(sedge_host_compiler *compiler, const char *line)
{
    bool before = true;

    while (*line != '\0') {
        const size_t length = strcspn(line, "\n");
        if (line[0] == ' ') {
            before = false;
            SEDGE_TRY(add_words(line, length, compiler->target));
        } else if (before) {
            SEDGE_TRY(sedge_text_add(compiler->version, "%.*s\n", (int)length, line));
        }
        line += length + (line[length] == '\n' ? 1 : 0);
    }
    return SEDGE_OK;
}

static void choose_options(sedge_host_compiler *compiler)
{
    // Not -ffast-math: not-a-number must stay visible, and results must not depend on what the
    // compiler reorders. -Bsymbolic: a kernel's names are its own, whatever else is loaded.
    static const char *const always[] = {
        "-O3",
        "-march=native",
        "-fopenmp",
        "-shared",
        "-fPIC",
        "-std=gnu11",
        "-ffp-contract=fast",
        "-fno-math-errno",
        "-fno-trapping-math",
        "-Wl,-Bsymbolic",
    };
    int count = 0;

    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        compiler->options[count++] = always[i];
    if (sedge_cpu_vector_bytes() == 64) compiler->options[count++] = "-mprefer-vector-width=512";
    if (sedge_debug_requested()) compiler->options[count++] = "-g";
    compiler->options_count = count;
}

sedge_status sedge_host_compiler_create(sedge_host_compiler **out)
{
    sedge_status status;
    sedge_host_compiler *compiler = NULL;
    sedge_text *answer = NULL;
    const char *temporary;

    *out = NULL;
    SEDGE_TRY_GOTO(status, sedge_allocate(&compiler, 1, sizeof *compiler));
    SEDGE_TRY_GOTO(status, sedge_text_create(&compiler->version));
    SEDGE_TRY_GOTO(status, sedge_text_create(&compiler->target));
    SEDGE_TRY_GOTO(status, sedge_text_create(&answer));
    SEDGE_TRY_GOTO(status, sedge_compiler_seconds(&compiler->seconds));
    SEDGE_TRY_GOTO(status, find_compiler(compiler));
    SEDGE_TRY_GOTO(status, sedge_trust_program(compiler->path));
    SEDGE_TRY_GOTO(status, sedge_trust_temporary(&temporary)); // the helper works there
    SEDGE_TRY_GOTO(status, ask(compiler, answer));
    SEDGE_TRY_GOTO(status, split_answer(compiler, sedge_text_get(answer)));
    choose_options(compiler);
    *out = compiler;
    compiler = NULL;
done:
    sedge_text_free(answer);
    sedge_host_compiler_free(compiler);
    return status;
}

void sedge_host_compiler_free(sedge_host_compiler *compiler)
{
    if (compiler == NULL) return;
    sedge_text_free(compiler->version);
    sedge_text_free(compiler->target);
    sedge_release(compiler);
}

// Identify the compiler's file by its size and the hash of its first 64 KiB, where the build ID of
// a program is: a wrapper script may report the same version and add options of its own. Path and
// date do not count, so that machines with the same packages share a cache.
static sedge_status add_file(const sedge_host_compiler *compiler, sedge_text *out)
{
    enum { HEAD = 65536 };
    struct stat about;
    char hash[SEDGE_HASH_TEXT];
    char *head = NULL;
    FILE *const file = fopen(compiler->path, "rbe");

    // A file may be executable but not readable: then the version alone identifies it.
    if (file == NULL) return SEDGE_OK;
    sedge_status status = sedge_allocate(&head, HEAD, 1);
    if (status == SEDGE_OK && fstat(fileno(file), &about) == 0) {
        const size_t length = fread(head, 1, HEAD, file);
        const sedge_hash all = sedge_hash_bytes(head, length);
        sedge_hash_print(&all, hash);
        status = sedge_text_add(out, "%lld bytes, %s\n", (long long)about.st_size, hash);
    }
    sedge_release(head);
    (void)fclose(file);
    return status;
}

sedge_status sedge_host_compiler_identity(const sedge_host_compiler *compiler, sedge_text *out)
{
    static const char place[] = "COLLECT_"; // gcc's lines with its own path begin so
    const char *line = sedge_text_get(compiler->version);

    SEDGE_TRY(add_file(compiler, out));
    while (*line != '\0') {
        const size_t length = strcspn(line, "\n");
        if (length > 0 && strncmp(line, place, sizeof place - 1) != 0)
            SEDGE_TRY(sedge_text_add(out, "%.*s\n", (int)length, line));
        line += length + (line[length] == '\n' ? 1 : 0);
    }
    return sedge_text_add(out, "libc %s\n", gnu_get_libc_version());
}

// The value of -march in gcc's command, or "native".
static void find_march(const sedge_host_compiler *compiler, char *march, size_t size)
{
    const char *at = strstr(sedge_text_get(compiler->target), "-march=");

    (void)snprintf(march, size, "native");
    if (at == NULL) return;
    at += strlen("-march=");
    const size_t length = strcspn(at, " \"\n");
    if (length > 0 && length < size) (void)snprintf(march, size, "%.*s", (int)length, at);
}

sedge_status sedge_host_compiler_arch(const sedge_host_compiler *compiler, sedge_text *out)
{
    sedge_status status;
    sedge_text *model = NULL;
    sedge_text *features = NULL;
    char march[64];
    char hash[SEDGE_HASH_TEXT];

    SEDGE_TRY_GOTO(status, sedge_text_create(&model));
    SEDGE_TRY_GOTO(status, sedge_text_create(&features));
    SEDGE_TRY_GOTO(status, sedge_cpu_model(model));
    SEDGE_TRY_GOTO(status, sedge_cpu_features(features));
    SEDGE_TRY_GOTO(status, sedge_text_add(features, "\n%s", sedge_text_get(compiler->target)));
    const sedge_hash all = sedge_hash_bytes(sedge_text_get(features), sedge_text_length(features));
    sedge_hash_print(&all, hash);
    find_march(compiler, march, sizeof march);
    SEDGE_TRY_GOTO(status, sedge_text_add(out, "native: %s, %s, features %.16s",
                                          sedge_text_get(model), march, hash));
done:
    sedge_text_free(model);
    sedge_text_free(features);
    return status;
}

sedge_status sedge_host_compiler_options(const sedge_host_compiler *compiler, sedge_text *out)
{
    for (int i = 0; i < compiler->options_count; i++)
        SEDGE_TRY(sedge_text_add(out, "%s%s", i > 0 ? " " : "", compiler->options[i]));
    return sedge_text_add(out, " -lm");
}

// ---- running it --------------------------------------------------------------------------------

sedge_status sedge_host_compiler_run(const sedge_host_compiler *compiler, const char *source,
                                     const char *keep_name, void **out, size_t *length,
                                     sedge_text *log)
{
    sedge_status status;
    const char *argv[OPTIONS_MAX + 8];
    const sedge_helper_command command = {.argv = argv,
                                          .seconds = compiler->seconds,
                                          .input_name = "kernel.c",
                                          .input = source,
                                          .output_name = "kernel.so"};
    sedge_text *printed = NULL;
    int exit_status;
    int count = 0;
    const double began = sedge_clock();

    argv[count++] = compiler->path;
    for (int i = 0; i < compiler->options_count; i++) argv[count++] = compiler->options[i];
    argv[count++] = "-o";
    argv[count++] = command.output_name;
    argv[count++] = command.input_name;
    argv[count++] = "-lm";
    argv[count] = NULL;
    SEDGE_TRY(sedge_keep_source(source, keep_name, "c"));
    SEDGE_TRY_GOTO(status, sedge_text_create(&printed));
    SEDGE_TRY_GOTO(status, sedge_helper_run(&command, &exit_status, printed, out, length));
    if (sedge_trace_requested()) {
        sedge_trace(compiler->path, began, "%s, status %d",
                    keep_name != NULL ? keep_name : "source", exit_status);
    }
    if (log != NULL) {
        SEDGE_TRY_GOTO(
            status, sedge_text_add_bytes(log, sedge_text_get(printed), sedge_text_length(printed)));
    }
    if (exit_status > 128) {
        status = SEDGE_FAIL(SEDGE_ERR_DEVICE, "the compiler '%s' was killed by signal %d",
                            compiler->path, exit_status - 128);
    } else if (exit_status != 0) {
        status = sedge_compile_failure(compiler->path, keep_name, sedge_text_get(printed));
    }
done:
    if (status != SEDGE_OK) {
        sedge_release(*out);
        *out = NULL;
        *length = 0;
    }
    sedge_text_free(printed);
    return status;
}
