// The code of a program: the prelude, constants and sources put together.
#include "program/program.h"

#include "base/memory.h"
#include "program/constants.h"
#include "text/lines.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SEDGE_VERSION
#error "SEDGE_VERSION is a definition of the build"
#endif

// ---- lines -------------------------------------------------------------------------------------

// What stands behind "#" and `word` on this line, or NULL when it is another line.
static const char *directive(const char *line, const char *word)
{
    while (*line == ' ' || *line == '\t') line++;
    if (*line != '#') return NULL;
    line++;
    line += strspn(line, " \t");
    if (strncmp(line, word, strlen(word)) != 0) return NULL;
    line += strlen(word);
    if (isalnum((unsigned char)*line) || *line == '_') return NULL;
    return line + strspn(line, " \t");
}

static sedge_status add_end(sedge_text *out)
{
    return sedge_text_add_bytes(out, "\n", 1);
}

// Sources stand one behind the other in one program: what joins files is dropped, and the line
// stays empty so that the lines after it keep their numbers.
static sedge_status add_line(sedge_text *out, const char *name, int number, const char *line,
                             size_t length)
{
    const char *const pragma = directive(line, "pragma");
    const char *const include = directive(line, "include");

    if (pragma != NULL && strncmp(pragma, "once", 4) == 0) return add_end(out);
    if (include != NULL && *include == '"') return add_end(out);
    if (include != NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "%s:%d: '%.*s': a kernel source cannot include system headers; the "
                          "prelude gives what there is",
                          name, number, (int)length, line);
    }
    SEDGE_TRY(sedge_text_add_bytes(out, line, length));
    return add_end(out);
}

// The number of the line before the one that a #line names; compilers take up to 2^31 - 1, and
// lines still follow.
static int line_before(int number, const char *line)
{
    enum { MOST = 1 << 30 };
    const long named = strtol(line, NULL, 10);

    return named >= 1 && named <= MOST ? (int)named - 1 : number;
}

static sedge_status add_piece(sedge_text *out, const char *name, const char *text)
{
    SEDGE_TRY(sedge_text_add(out, "#line 1 \"%s\"\n", name));
    for (int number = 1; *text != '\0'; number++) {
        const size_t length = strcspn(text, "\n");
        const char *const line = directive(text, "line");
        SEDGE_TRY(add_line(out, name, number, text, length));
        if (line != NULL) number = line_before(number, line);
        text += length + (text[length] == '\n' ? 1 : 0);
    }
    return SEDGE_OK;
}

// ---- the whole ---------------------------------------------------------------------------------

// A name goes into comments and between quotes.
static sedge_status check_name(const char *name)
{
    for (const char *at = name; *at != '\0'; at++) {
        if (isprint((unsigned char)*at) && *at != '"' && *at != '\\') continue;
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL,
                          "the name of a program or source holds the character code %d: '%s'", *at,
                          name);
    }
    return SEDGE_OK;
}

// Code that was made from a pattern or a tree says so in its first line: the rest of that line.
static sedge_status add_origin(sedge_text *out, const char *text)
{
    const size_t start = strlen(SEDGE_ORIGIN_START);

    if (text == NULL || strncmp(text, SEDGE_ORIGIN_START, start) != 0)
        return sedge_text_add(out, "\n");
    text += start;
    return sedge_text_add(out, ", made from %.*s\n", (int)strcspn(text, "\n"), text);
}

typedef struct source_target {
    const char *name; // in the opening comment
    const char *prelude;
} source_target;

// In random order (SEDGE_ORDER) the host has another prelude.
static sedge_status choose_target(source_target *target, sedge_device_kind kind)
{
    static const source_target targets[] = {
        [SEDGE_DEVICE_HOST] = {"host", "codegen/kernels/program/prelude_host.h"},
        [SEDGE_DEVICE_CUDA] = {"cuda", "codegen/kernels/program/prelude_cuda.h"},
        [SEDGE_DEVICE_OPENCL] = {"opencl", "codegen/kernels/program/prelude_opencl.h"},
    };
    static const source_target in_random_order = {"host in random order",
                                                  "codegen/kernels/program/prelude_random.h"};
    uint64_t seed;
    bool random;

    *target = targets[kind];
    if (!sedge_traits_of(kind)->in_call) return SEDGE_OK;
    SEDGE_TRY(sedge_order_requested(&random, &seed));
    if (random) *target = in_random_order;
    return SEDGE_OK;
}

static sedge_status add_opening(sedge_text *out, const source_target *target,
                                const sedge_program_options *options)
{
    SEDGE_TRY(check_name(options->name));
    SEDGE_TRY(sedge_text_add(out, "// Program '%s' for %s, made by sedge %s from\n//   %s\n",
                             options->name, target->name, SEDGE_VERSION, target->prelude));
    SEDGE_TRY(sedge_text_add(out, "//   constants of %s\n", options->name));
    for (int i = 0; i < options->count; i++) {
        SEDGE_TRY(check_name(options->sources[i].name));
        SEDGE_TRY(sedge_text_add(out, "//   %s", options->sources[i].name));
        SEDGE_TRY(add_origin(out, options->sources[i].text));
    }
    return SEDGE_OK;
}

// What a kernel's block memory may be is written before the prelude, which has a default.
static sedge_status add_shared_bytes(sedge_text *out, sedge_device_kind kind,
                                     const sedge_program_options *options)
{
    enum { PACK = 16, MOST = 1 << 24 };

    if (options->shared_bytes < 0 || options->shared_bytes > MOST) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "program '%s': %d bytes of block memory are outside 0..%d", options->name,
                          options->shared_bytes, MOST);
    }
    if (!sedge_traits_of(kind)->fixed_scratch || options->shared_bytes == 0) return SEDGE_OK;
    return sedge_text_add(out, "#define SEDGE_PRELUDE_SHARED_BYTES %d\n",
                          (options->shared_bytes + PACK - 1) / PACK * PACK);
}

// The prelude may include system headers: it is the one place that knows the target.
static sedge_status add_prelude(sedge_text *out, const char *name)
{
    sedge_status status;
    char *text = NULL;

    SEDGE_TRY_GOTO(status, sedge_source_get(&text, name));
    SEDGE_TRY_GOTO(status, sedge_text_add(out, "#line 1 \"%s\"\n", name));
    for (const char *at = text; *at != '\0';) {
        const size_t length = strcspn(at, "\n");
        const char *const pragma = directive(at, "pragma");
        if (pragma == NULL || strncmp(pragma, "once", 4) != 0)
            SEDGE_TRY_GOTO(status, sedge_text_add_bytes(out, at, length));
        SEDGE_TRY_GOTO(status, add_end(out));
        at += length + (at[length] == '\n' ? 1 : 0);
    }
done:
    sedge_release(text);
    return status;
}

static sedge_status add_source(sedge_text *out, const sedge_source *source)
{
    sedge_status status;
    char *found = NULL;

    if (source->text != NULL) return add_piece(out, source->name, source->text);
    SEDGE_TRY_GOTO(status, sedge_source_get(&found, source->name));
    SEDGE_TRY_GOTO(status, add_piece(out, source->name, found));
done:
    sedge_release(found);
    return status;
}

// The constants that the prelude or the sources mention, under their name, in front of the sources.
static sedge_status add_constants(sedge_text *out, const sedge_program_options *options,
                                  const sedge_text *sources)
{
    sedge_status status;
    sedge_text *used = NULL;
    char name[512];

    if (snprintf(name, sizeof name, "constants of %s", options->name) >= (int)sizeof name) {
        return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "the program's name is too long: '%s'",
                          options->name);
    }
    SEDGE_TRY_GOTO(status, sedge_text_create(&used));
    const char *const texts[] = {sedge_text_get(out), sedge_text_get(sources)};
    SEDGE_TRY_GOTO(status,
                   sedge_constants_write(used, options->constants != NULL ? options->constants : "",
                                         texts, 2));
    SEDGE_TRY_GOTO(status, add_piece(out, name, sedge_text_get(used)));
done:
    sedge_text_free(used);
    return status;
}

sedge_status sedge_program_write(sedge_text *out, sedge_device_kind kind,
                                 const sedge_program_options *options)
{
    sedge_status status;
    source_target target;
    sedge_text *sources = NULL;

    SEDGE_TRY(choose_target(&target, kind));
    SEDGE_TRY(add_opening(out, &target, options));
    SEDGE_TRY(add_shared_bytes(out, kind, options));
    SEDGE_TRY(add_prelude(out, target.prelude));
    SEDGE_TRY_GOTO(status, sedge_text_create(&sources));
    for (int i = 0; i < options->count; i++)
        SEDGE_TRY_GOTO(status, add_source(sources, &options->sources[i]));
    SEDGE_TRY_GOTO(status, add_constants(out, options, sources));
    SEDGE_TRY_GOTO(status,
                   sedge_text_add_bytes(out, sedge_text_get(sources), sedge_text_length(sources)));
done:
    sedge_text_free(sources);
    return status;
}
