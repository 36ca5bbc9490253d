// What the tests of text makers share: results as plain text, golden files, seeded damage.
#pragma once

#include "base/file.h"
#include "base/memory.h"
#include "check.h"
#include "text/pattern.h"

#include <stdlib.h>
#include <string.h>

typedef sedge_status (*text_maker)(sedge_text *, const sedge_pattern *);

// What stands behind the comment line and the first #line, or NULL when those are not there.
static inline const char *text_body(const char *text)
{
    const char *const line = strstr(text, "\n#line 1 \"");
    const char *const end = line != NULL ? strchr(line + 1, '\n') : NULL;

    return strncmp(text, "// Made from ", 13) == 0 && end != NULL ? end + 1 : NULL;
}

// The pattern gives `wanted`, behind its opening lines.
static inline void check_made(text_maker make, const sedge_pattern *pattern, const char *wanted,
                              int line)
{
    sedge_text *text = NULL;

    CHECK_OK(sedge_text_create(&text));
    const sedge_status status = make(text, pattern);
    const char *const body = status == SEDGE_OK ? text_body(sedge_text_get(text)) : NULL;
    if (body == NULL || strcmp(body, wanted) != 0) {
        check_failures++;
        (void)fprintf(stderr, "%s:%d: wanted:\n%s\ngot:\n%s\n", __FILE__, line, wanted,
                      body != NULL ? body : sedge_error_message());
    }
    sedge_text_free(text);
}

// The pattern is refused with a message that holds `message`, and nothing is appended.
static inline void check_refused(text_maker make, const sedge_pattern *pattern, const char *message,
                                 int line)
{
    sedge_text *text = NULL;

    CHECK_OK(sedge_text_create(&text));
    CHECK_OK(sedge_text_add(text, "before"));
    const sedge_status status = make(text, pattern);
    if (status != SEDGE_ERR_USAGE || strstr(sedge_error_message(), message) == NULL) {
        check_failures++;
        (void)fprintf(stderr, "%s:%d: wanted '%s', got '%s' (%s)\n", __FILE__, line, message,
                      status == SEDGE_OK ? sedge_text_get(text) : sedge_error_message(),
                      sedge_status_text(status));
    }
    if (status != SEDGE_OK) CHECK(strcmp(sedge_text_get(text), "before") == 0);
    sedge_text_free(text);
}

// A generator of seeded damage (xorshift).
static inline unsigned text_random(unsigned *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

// Truncations, changed bytes, and pieces put in: each is made or refused with a message.
static inline void check_damage(text_maker make, const sedge_pattern *pattern,
                                const char *const *pieces, int piece_count, int rounds)
{
    const size_t length = strlen(pattern->text);
    sedge_pattern damaged = *pattern;
    char *copy = NULL;
    unsigned seed = 20240611;

    CHECK_OK(sedge_allocate(&copy, (int64_t)length + 1024, 1));
    damaged.text = copy;
    for (int round = 0; round < rounds + (int)length; round++) {
        sedge_text *text = NULL;
        memcpy(copy, pattern->text, length + 1);
        if (round < (int)length) copy[round] = '\0';
        const int changes = round < (int)length ? 0 : 1 + (int)(text_random(&seed) % 4);
        for (int i = 0; i < changes; i++) {
            const size_t now = strlen(copy);
            const size_t at = now > 0 ? text_random(&seed) % now : 0;
            if (text_random(&seed) % 2 == 0 && now > 0) {
                copy[at] = (char)(1 + text_random(&seed) % 255);
                continue;
            }
            const char *const piece = pieces[text_random(&seed) % (unsigned)piece_count];
            memmove(copy + at + strlen(piece), copy + at, now - at + 1);
            memcpy(copy + at, piece, strlen(piece));
        }
        CHECK_OK(sedge_text_create(&text));
        const sedge_status status = make(text, &damaged);
        CHECK(status == SEDGE_OK || status == SEDGE_ERR_USAGE);
        if (status != SEDGE_OK) {
            CHECK(strncmp(sedge_error_message(), pattern->name, strlen(pattern->name)) == 0);
            CHECK(sedge_text_length(text) == 0);
        }
        sedge_text_free(text);
    }
    sedge_release(copy);
}

// `text` is what the golden file tests/codegen/golden/NAME holds; SEDGE_UPDATE_GOLDEN=1 makes it
// so.
static inline void check_golden(const char *name, const char *text)
{
    const char *const update = getenv("SEDGE_UPDATE_GOLDEN");
    char path[512];
    char *held = NULL;
    size_t length = 0;

    (void)snprintf(path, sizeof path, SEDGE_SOURCE_DIR "/tests/codegen/golden/%s", name);
    if (update != NULL && strcmp(update, "1") == 0)
        CHECK_OK(sedge_file_write(path, text, strlen(text)));
    CHECK_OK(sedge_file_read(&held, &length, path, SEDGE_ERR_DATA));
    if (held != NULL && strcmp(held, text) != 0) {
        check_failures++;
        (void)fprintf(stderr,
                      "%s differs from what is made now (SEDGE_UPDATE_GOLDEN=1 updates it):\n%s",
                      path, text);
    }
    sedge_release(held);
}
