#define _GNU_SOURCE // fopencookie
#include "linear/market.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// ---- opening -----------------------------------------------------------------------------------

static ssize_t read_some(void *cookie, char *to, size_t bytes)
{
    const int got = gzread(cookie, to, bytes < 1u << 30 ? (unsigned)bytes : 1u << 30);

    return got;
}

sedge_status sedge_market_open(sedge_market_file *out, const char *path)
{
    const cookie_io_functions_t functions = {.read = read_some};

    *out = (sedge_market_file){.path = path};
    errno = 0;
    out->compressed = gzopen(path, "rb");
    if (out->compressed == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "cannot read '%s': %s", path,
                          errno != 0 ? strerror(errno) : "out of memory");
    }
    out->file = fopencookie(out->compressed, "r", functions);
    if (out->file != NULL) return SEDGE_OK;
    (void)gzclose(out->compressed);
    out->compressed = NULL;
    return SEDGE_FAIL(SEDGE_ERR_MEMORY, "cannot read '%s': out of memory", path);
}

void sedge_market_close(sedge_market_file *from)
{
    if (from->file != NULL) (void)fclose(from->file);
    if (from->compressed != NULL) (void)gzclose(from->compressed);
}

sedge_status sedge_market_check_stream(const sedge_market_file *from)
{
    const size_t length = strlen(from->path);
    int code = Z_OK;
    const char *reason = gzerror(from->compressed, &code);

    if (code == Z_OK || code == Z_STREAM_END) return SEDGE_OK;
    if (strncmp(reason, from->path, length) == 0 && strncmp(reason + length, ": ", 2) == 0)
        reason += length + 2; // the path is told once
    return SEDGE_FAIL(SEDGE_ERR_DATA, "cannot read '%s': %s", from->path, reason);
}

// ---- lines and words ---------------------------------------------------------------------------

typedef enum number_kind { REAL, INTEGER, PATTERN, COMPLEX, NUMBER_KINDS } number_kind;

static const char *const kind_names[NUMBER_KINDS] = {"real", "integer", "pattern", "complex"};

// A file as it is looked through.
typedef struct look {
    sedge_market_file from;
    char line[SEDGE_MARKET_LINE]; // the last that was taken, without its end
    int64_t lines;                // that were taken
    number_kind kind;
    bool is_array;
    int64_t rows, columns;
    double entries; // that the size line announces
} look;

// The next line. False: there is none, or it holds a NUL or is too long.
static bool take_line(look *at)
{
    memset(at->line, 1, sizeof at->line);
    if (gzgets(at->from.compressed, at->line, sizeof at->line) == NULL) return false;
    at->lines++;
    const size_t length = strcspn(at->line, "\r\n");
    if (at->line[length] == '\0' && gzeof(at->from.compressed) == 0) return false;
    at->line[length] = '\0';
    return true;
}

static bool is_word_end(char c)
{
    return c == '\0' || isspace((unsigned char)c);
}

static bool is_line_end(const char *at)
{
    return at[strspn(at, " \t")] == '\0';
}

// A comment or nothing.
static bool is_idle(const char *line)
{
    return line[0] == '%' || is_line_end(line);
}

// A whole number, not negative, maybe behind a "+"; false: there is none.
static bool take_count(int64_t *out, const char **at)
{
    char *end = NULL;

    *at += strspn(*at, " \t");
    if (**at == '+') ++*at;
    if (**at < '0' || **at > '9') return false;
    errno = 0;
    *out = strtoll(*at, &end, 10);
    *at = end;
    return errno == 0 && is_word_end(*end);
}

static bool take_number(double *out, const char **at)
{
    char *end = NULL;

    *at += strspn(*at, " \t");
    *out = strtod(*at, &end);
    const bool found = end != *at && is_word_end(*end);
    *at = end;
    return found;
}

// Is `word` the next one of `*at`? It is taken then.
static bool take_word(const char **at, const char *word)
{
    const size_t length = strlen(word);

    *at += strspn(*at, " \t");
    if (strncasecmp(*at, word, length) != 0 || !is_word_end((*at)[length])) return false;
    *at += length;
    return true;
}

// Which of four; 4: none.
static int take_one_of(const char **at, const char *const words[4])
{
    int i = 0;

    while (i < 4 && !take_word(at, words[i])) i++;
    return i;
}

// ---- the head ----------------------------------------------------------------------------------

// CHOLMOD guesses where it does not know a word.
static bool take_banner(look *out)
{
    static const char *const forms[4] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    const char *at = out->line;

    if (!take_word(&at, SEDGE_MARKET_BANNER) || !take_word(&at, "matrix")) return false;
    out->is_array = take_word(&at, "array");
    if (!out->is_array && !take_word(&at, "coordinate")) return false;
    out->kind = (number_kind)take_one_of(&at, kind_names);
    if (out->kind == NUMBER_KINDS || (out->kind == PATTERN && out->is_array)) return false;
    return take_one_of(&at, forms) < 4 && is_line_end(at);
}

// Entries that the file could hold at most: of two bytes each, and compressed as gzip can at best.
static double find_room(const sedge_market_file *from)
{
    enum { BEST_RATIO = 1032, LEAST_BYTES = 2 };
    struct stat about;

    if (stat(from->path, &about) != 0) return 0.0;
    return (double)about.st_size * (gzdirect(from->compressed) != 0 ? 1 : BEST_RATIO) / LEAST_BYTES;
}

// The size line: rows, columns and, of "coordinate", entries. CHOLMOD believes what stands there,
// and returns what is no object for numbers beyond its own. Memory is bounded by the file: in a
// matrix that can be solved for every row has an entry, of which a triangle may be stored.
static sedge_status check_size_line(look *at, int64_t size)
{
    const char *const path = at->from.path;
    const char *word = at->line;
    int64_t counts[3] = {0};
    int found = 0;

    while (found < 3 && take_count(&counts[found], &word)) found++;
    if (found != (at->is_array ? 2 : 3) || !is_line_end(word)) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s': the size line '%.60s' is not of %s whole numbers",
                          path, at->line, at->is_array ? "two" : "three");
    }
    if (counts[0] < 1 || counts[1] < 1) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' has %lld rows and %lld columns", path,
                          (long long)counts[0], (long long)counts[1]);
    }
    at->rows = counts[0];
    at->columns = counts[1];
    at->entries = at->is_array ? (double)counts[0] * (double)counts[1] : (double)counts[2];
    if (at->entries > find_room(&at->from)) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "'%s' ends before all entries that its size line announces, %.0f", path,
                          at->entries);
    }
    if (size > 0) {
        if (counts[0] == size && counts[1] == 1) return SEDGE_OK;
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "'%s' has %lld rows and %lld columns: the matrix asks for %lld and 1",
                          path, (long long)counts[0], (long long)counts[1], (long long)size);
    }
    if (!at->is_array && (counts[0] - 1) / 2 > counts[2]) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "'%s' has %lld rows, but %lld entries only: it is singular", path,
                          (long long)counts[0], (long long)counts[2]);
    }
    return SEDGE_OK;
}

static sedge_status check_head(look *at, int64_t size)
{
    if (!take_line(at) || !take_banner(at)) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "'%s': the first line is not \"%s matrix\" with \"coordinate\" or "
                          "\"array\", a kind of numbers and a symmetry",
                          at->from.path, SEDGE_MARKET_BANNER);
    }
    if (at->kind == COMPLEX) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' has complex numbers: real ones can be solved for",
                          at->from.path);
    }
    do {
        if (!take_line(at)) {
            return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' ends before its size line, or is damaged",
                              at->from.path);
        }
    } while (is_idle(at->line));
    return check_size_line(at, size);
}

// ---- entries -----------------------------------------------------------------------------------

static sedge_status fail_entry(const look *at, const char *what)
{
    SEDGE_TRY(sedge_market_check_stream(&at->from)); // the line may be torn
    return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s', line %lld: '%.60s' %s", at->from.path,
                      (long long)at->lines, at->line, what);
}

static sedge_status check_entry(const look *at)
{
    const char *word = at->line;
    int64_t row = 1;
    int64_t column = 1;
    double value = 0.0;

    if (!at->is_array && !(take_count(&row, &word) && take_count(&column, &word)))
        return fail_entry(at, "does not begin with the row and the column of an entry");
    if (row < 1 || row > at->rows || column < 1 || column > at->columns)
        return fail_entry(at, "lies outside of the matrix");
    if (at->kind == PATTERN) {
        if (is_line_end(word)) return SEDGE_OK;
        return fail_entry(at, "is more than a row and a column, as the first line's \"pattern\" "
                              "promises");
    }
    if (!take_number(&value, &word) || !is_line_end(word)) {
        return fail_entry(at, at->is_array ? "is not one number"
                                           : "is not a row, a column and one number");
    }
    if (at->kind == INTEGER && value != floor(value)) {
        return fail_entry(at, "has no whole number, as the first line's \"integer\" promises");
    }
    return SEDGE_OK;
}

static sedge_status check_entries(look *at)
{
    double found = 0.0;

    while (found < at->entries && take_line(at)) {
        if (is_idle(at->line)) continue;
        SEDGE_TRY(check_entry(at));
        found += 1.0;
    }
    if (found < at->entries && gzeof(at->from.compressed) == 0)
        return fail_entry(at, "is too long, or holds a NUL");
    return sedge_market_check_stream(&at->from);
}

sedge_status sedge_market_check(const char *path, int64_t size)
{
    look at = {.lines = 0};

    SEDGE_TRY(sedge_market_open(&at.from, path));
    sedge_status status = check_head(&at, size);
    if (status == SEDGE_OK) status = check_entries(&at);
    sedge_market_close(&at.from);
    return status;
}
