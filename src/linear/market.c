#include "linear/market.h"

#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

// ---- opening -----------------------------------------------------------------------------------

sedge_status sedge_market_open(sedge_market_file *out, const char *path)
{
    *out = (sedge_market_file){.path = path};
    errno = 0;
    out->compressed = gzopen(path, "rb");
    if (out->compressed == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_DATA, "cannot read '%s': %s", path,
                          errno != 0 ? strerror(errno) : "out of memory");
    }
    return SEDGE_OK;
}

void sedge_market_close(sedge_market_file *from)
{
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

typedef enum symmetry { GENERAL, SYMMETRIC, SKEW, HERMITIAN, SYMMETRIES } symmetry;

static const char *const symmetry_names[SYMMETRIES] = {"general", "symmetric", "skew-symmetric",
                                                       "hermitian"};

// A file while it is read.
typedef struct reader {
    sedge_market_file from;
    char line[SEDGE_MARKET_LINE]; // the last that was taken, without its end
    int64_t lines;                // that were taken
    number_kind kind;
    symmetry form;
    bool is_array;
    int64_t rows, columns;
    double entries; // that the size line announces
} reader;

// The next line. False: there is none, or it holds a NUL or is too long.
static bool take_line(reader *at)
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

static bool take_banner(reader *out)
{
    const char *at = out->line;

    if (!take_word(&at, SEDGE_MARKET_BANNER) || !take_word(&at, "matrix")) return false;
    out->is_array = take_word(&at, "array");
    if (!out->is_array && !take_word(&at, "coordinate")) return false;
    out->kind = (number_kind)take_one_of(&at, kind_names);
    if (out->kind == NUMBER_KINDS || (out->kind == PATTERN && out->is_array)) return false;
    out->form = (symmetry)take_one_of(&at, symmetry_names);
    return out->form < SYMMETRIES && is_line_end(at);
}

// Entries that the file could hold at most: of two bytes each, and compressed as gzip can at best.
static double find_room(const sedge_market_file *from)
{
    enum { BEST_RATIO = 1032, LEAST_BYTES = 2 };
    struct stat about;

    if (stat(from->path, &about) != 0) return 0.0;
    return (double)about.st_size * (gzdirect(from->compressed) != 0 ? 1 : BEST_RATIO) / LEAST_BYTES;
}

// The size line: rows, columns and, of "coordinate", entries. Memory is bounded by the
// file: in a matrix that can be solved for every row has an entry, of which a triangle may be
// stored. `size`: of a vector; 0 stands for a matrix.
static sedge_status read_size_line(reader *at, int64_t size)
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

static sedge_status read_head(reader *at, int64_t size)
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
    return read_size_line(at, size);
}

// ---- entries -----------------------------------------------------------------------------------

static sedge_status fail_entry(const reader *at, const char *what)
{
    SEDGE_TRY(sedge_market_check_stream(&at->from)); // the line may be torn
    return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s', line %lld: '%.60s' %s", at->from.path,
                      (long long)at->lines, at->line, what);
}

// One entry, its row and column from 0.
typedef struct entry {
    int64_t row, column;
    double value;
} entry;

static sedge_status parse_entry(entry *out, const reader *at)
{
    const char *word = at->line;
    int64_t row = 1;
    int64_t column = 1;

    out->value = 1.0;
    if (!at->is_array && !(take_count(&row, &word) && take_count(&column, &word)))
        return fail_entry(at, "does not begin with the row and the column of an entry");
    if (row < 1 || row > at->rows || column < 1 || column > at->columns)
        return fail_entry(at, "lies outside of the matrix");
    out->row = row - 1;
    out->column = column - 1;
    if (at->kind == PATTERN) {
        if (is_line_end(word)) return SEDGE_OK;
        return fail_entry(at, "is more than a row and a column, as the first line's \"pattern\" "
                              "promises");
    }
    if (!take_number(&out->value, &word) || !is_line_end(word)) {
        return fail_entry(at, at->is_array ? "is not one number"
                                           : "is not a row, a column and one number");
    }
    if (at->kind == INTEGER && out->value != floor(out->value)) {
        return fail_entry(at, "has no whole number, as the first line's \"integer\" promises");
    }
    return SEDGE_OK;
}

// The next entry; there is one, or the file is too short.
static sedge_status read_entry(entry *out, reader *at)
{
    do {
        if (take_line(at)) continue;
        if (gzeof(at->from.compressed) == 0) return fail_entry(at, "is too long, or holds a NUL");
        SEDGE_TRY(sedge_market_check_stream(&at->from));
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "'%s' ends before all entries that its size line announces, %.0f",
                          at->from.path, at->entries);
    } while (is_idle(at->line));
    return parse_entry(out, at);
}

// Behind the announced entries are comments and empty lines only, and the checksum of what was
// compressed.
static sedge_status check_rest(reader *at)
{
    while (take_line(at)) {
        if (is_idle(at->line)) continue;
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "'%s' has more entries than its size line announces: '%.60s'",
                          at->from.path, at->line);
    }
    if (gzeof(at->from.compressed) == 0) return fail_entry(at, "is too long, or holds a NUL");
    return sedge_market_check_stream(&at->from);
}

// ---- a vector ----------------------------------------------------------------------------------

static sedge_status read_numbers(double *values, reader *at)
{
    const int64_t count = (int64_t)at->entries;
    entry next;

    for (int64_t k = 0; k < count; k++) {
        SEDGE_TRY(read_entry(&next, at));
        if (at->is_array) {
            values[k] = next.value;
        } else {
            values[next.row] += next.value;
        }
    }
    return check_rest(at);
}

sedge_status sedge_market_read_vector(double **out, const char *path, int64_t size)
{
    reader at = {.lines = 0};

    *out = NULL;
    SEDGE_TRY(sedge_market_open(&at.from, path));
    sedge_status status = read_head(&at, size);
    if (status == SEDGE_OK) status = sedge_allocate(out, size, sizeof **out);
    if (status == SEDGE_OK) status = read_numbers(*out, &at);
    sedge_market_close(&at.from);
    return status;
}

// ---- a matrix ----------------------------------------------------------------------------------

typedef struct entry_list {
    int64_t count, room;
    entry *list;
} entry_list;

// The list grows with what the file holds, not with what it announces.
static sedge_status append(entry_list *to, int64_t row, int64_t column, double value)
{
    if (to->count == to->room) {
        const int64_t room = to->room > 0 ? 2 * to->room : 1024;
        entry *more = NULL;
        SEDGE_TRY(sedge_allocate(&more, room, sizeof *more));
        if (to->count > 0) memcpy(more, to->list, (size_t)to->count * sizeof *more);
        sedge_release(to->list);
        to->list = more;
        to->room = room;
    }
    to->list[to->count++] = (entry){.row = row, .column = column, .value = value};
    return SEDGE_OK;
}

// All entries of both triangles.
static sedge_status read_entries(entry_list *out, reader *at)
{
    const int64_t count = (int64_t)at->entries;
    const double sign = at->form == SKEW && at->kind != PATTERN ? -1.0 : 1.0;
    entry next;

    for (int64_t k = 0; k < count; k++) {
        SEDGE_TRY(read_entry(&next, at));
        SEDGE_TRY(append(out, next.row, next.column, next.value));
        if (at->form != GENERAL && next.row != next.column)
            SEDGE_TRY(append(out, next.column, next.row, sign * next.value));
    }
    return check_rest(at);
}

// counts[i + 1] of i's entries, then where they begin.
static void add_up(int64_t *counts, int64_t size)
{
    for (int64_t i = 0; i < size; i++) counts[i + 1] += counts[i];
}

// The entries' numbers, by columns; those of one column in the file's order.
static sedge_status sort_by_columns(int64_t *order, const entry_list *from, int64_t size)
{
    int64_t *next = NULL;

    SEDGE_TRY(sedge_allocate(&next, size + 1, sizeof *next));
    for (int64_t k = 0; k < from->count; k++) next[from->list[k].column + 1]++;
    add_up(next, size);
    for (int64_t k = 0; k < from->count; k++) order[next[from->list[k].column]++] = k;
    sedge_release(next);
    return SEDGE_OK;
}

// Rows from entries by columns, entries that occur twice kept apart.
static sedge_status fill_rows(sedge_matrix *matrix, const entry_list *from, const int64_t *order)
{
    int64_t *next = NULL;

    SEDGE_TRY(sedge_allocate(&next, matrix->size + 1, sizeof *next));
    for (int64_t k = 0; k < from->count; k++) matrix->offsets[from->list[k].row + 1]++;
    add_up(matrix->offsets, matrix->size);
    memcpy(next, matrix->offsets, (size_t)(matrix->size + 1) * sizeof *next);
    for (int64_t k = 0; k < from->count; k++) {
        const entry *const one = &from->list[order[k]];
        const int64_t place = next[one->row]++;
        matrix->columns[place] = one->column;
        matrix->values[place] = one->value;
    }
    sedge_release(next);
    return SEDGE_OK;
}

// Add up what occurs twice, one behind the other in a row.
static void merge_twins(sedge_matrix *matrix)
{
    int64_t kept = 0;
    int64_t k = 0;

    for (int64_t i = 0; i < matrix->size; i++) {
        const int64_t first = kept;
        const int64_t end = matrix->offsets[i + 1];
        matrix->offsets[i] = first;
        for (; k < end; k++) {
            if (kept > first && matrix->columns[kept - 1] == matrix->columns[k]) {
                matrix->values[kept - 1] += matrix->values[k];
                continue;
            }
            matrix->columns[kept] = matrix->columns[k];
            matrix->values[kept++] = matrix->values[k];
        }
    }
    matrix->offsets[matrix->size] = kept;
}

static sedge_status make_rows(sedge_matrix **out, const entry_list *from, int64_t size)
{
    sedge_status status = SEDGE_OK;
    int64_t *order = NULL;

    SEDGE_TRY_GOTO(status, sedge_allocate(&order, from->count, sizeof *order));
    SEDGE_TRY_GOTO(status, sort_by_columns(order, from, size));
    SEDGE_TRY_GOTO(status, sedge_matrix_create(out, size, 0, size, from->count));
    SEDGE_TRY_GOTO(status, fill_rows(*out, from, order));
    merge_twins(*out);
done:
    sedge_release(order);
    return status;
}

static sedge_status check_shape(const reader *at)
{
    if (at->is_array) {
        return SEDGE_FAIL(SEDGE_ERR_DATA,
                          "'%s' is a dense array: a sparse matrix is \"coordinate\"",
                          at->from.path);
    }
    if (at->rows == at->columns) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_DATA, "'%s' has %lld rows and %lld columns: it is not square",
                      at->from.path, (long long)at->rows, (long long)at->columns);
}

sedge_status sedge_market_read_matrix(sedge_matrix **out, const char *path)
{
    reader at = {.lines = 0};
    entry_list entries = {.count = 0};

    *out = NULL;
    SEDGE_TRY(sedge_market_open(&at.from, path));
    sedge_status status = read_head(&at, 0);
    if (status == SEDGE_OK) status = check_shape(&at);
    if (status == SEDGE_OK) status = read_entries(&entries, &at);
    if (status == SEDGE_OK) status = make_rows(out, &entries, at.rows);
    sedge_release(entries.list);
    sedge_market_close(&at.from);
    return status;
}
