#include "deck_value.h"

#include "base/near.h"
#include "base/plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX  128 // of a choice
#define NAME_BYTES 64  // of a name in the deck, with its end

void deck_path(char out[DECK_PATH_MAX], const char *where, const char *key)
{
    char path[DECK_PATH_MAX];

    (void)snprintf(path, sizeof path, "%.200s%s%.100s", where, *where != '\0' ? "." : "", key);
    memcpy(out, path, sizeof path);
}

// ---- near names ---------------------------------------------------------------------------------

void deck_suggest(char *text, size_t size, const char *word, const char *const *names, int count)
{
    const int nearest = word != NULL ? sedge_near_find(word, names, count) : -1;
    size_t used = strlen(text);

    if (nearest >= 0) {
        (void)snprintf(text + used, size - used, "; did you mean '%s'?", names[nearest]);
        return;
    }
    for (int i = 0; i < count && used + 1 < size; i++) {
        (void)snprintf(text + used, size - used, "%s%.64s", i == 0 ? "; known: " : ", ", names[i]);
        used = strlen(text);
    }
}

sedge_status deck_choose(int *index, const deck_reader *reader, const deck_node *node,
                         const char *where, const char *const *names, int count)
{
    char message[512];

    *index = 0;
    SEDGE_TRY(deck_expect(reader, node, where, DECK_SCALAR));
    for (int i = 0; i < count; i++) {
        if (strcmp(node->text, names[i]) == 0) {
            *index = i;
            return SEDGE_OK;
        }
    }
    (void)snprintf(message, sizeof message, "%.200s '%.64s' is not known", where, node->text);
    deck_suggest(message, sizeof message, node->text, names, count);
    return deck_fail(reader->path, node, "%s", message);
}

// ---- single values ------------------------------------------------------------------------------

bool deck_is_nothing(const deck_node *node)
{
    return node->kind == DECK_SCALAR && node->plain &&
           (node->text[0] == '\0' || strcmp(node->text, "~") == 0 ||
            strcmp(node->text, "null") == 0);
}

sedge_status deck_expect(const deck_reader *reader, const deck_node *node, const char *where,
                         deck_kind kind)
{
    static const char *const kinds[] = {
        [DECK_SCALAR] = "a single value",
        [DECK_SEQUENCE] = "a list, such as [a, b]",
        [DECK_MAPPING] = "a mapping of keys to values, such as {a: 1, b: 2}",
    };
    static const char *const given[] = {
        [DECK_SCALAR] = "a single value", [DECK_SEQUENCE] = "a list", [DECK_MAPPING] = "a mapping"};

    if (deck_is_nothing(node))
        return deck_fail(reader->path, node, "%s has no value; it must be %s", where, kinds[kind]);
    if (node->kind != kind) {
        return deck_fail(reader->path, node, "%s must be %s, not %s", where, kinds[kind],
                         given[node->kind]);
    }
    return SEDGE_OK;
}

double deck_factor(const deck_reader *reader, sedge_dimension dimension)
{
    return reader->si && reader->equation != NULL && reader->equation->si != NULL
               ? reader->equation->si[dimension]
               : 1.0;
}

// Check a value in code units against its row; the message speaks the deck's units.
static sedge_status check_range(const deck_reader *reader, const deck_node *node, const char *where,
                                const deck_key *key, double factor, double value)
{
    const bool limited = key->minimum < key->maximum;
    char low[32];
    char high[32];

    if (key->positive && !(value > 0.0))
        return deck_fail(reader->path, node, "%s %s must be greater than 0", where, node->text);
    if (!limited || (value >= key->minimum && value <= key->maximum)) return SEDGE_OK;
    deck_print_number(low, key->minimum / factor);
    deck_print_number(high, key->maximum / factor);
    if (key->maximum >= 1e100)
        return deck_fail(reader->path, node, "%s %s must be at least %s", where, node->text, low);
    if (key->minimum <= -1e100)
        return deck_fail(reader->path, node, "%s %s must be at most %s", where, node->text, high);
    return deck_fail(reader->path, node, "%s %s is outside %s..%s", where, node->text, low, high);
}

static sedge_status check_integer(const deck_reader *reader, deck_node *node, const char *where,
                                  const deck_key *key)
{
    char canonical[32];
    char *end = NULL;

    SEDGE_TRY(deck_expect(reader, node, where, DECK_SCALAR));
    const size_t sign = node->text[0] == '-' || node->text[0] == '+';
    const size_t digits = strspn(node->text + sign, "0123456789");
    if (!node->plain || digits == 0 || node->text[sign + digits] != '\0') {
        return deck_fail(reader->path, node, "%s must be a whole number, not %s'%.64s'", where,
                         node->plain ? "" : "the text ", node->text);
    }
    const long long value = strtoll(node->text, &end, 10);
    if (digits > 18) {
        return deck_fail(reader->path, node, "%s %.64s is too large for a whole number", where,
                         node->text);
    }
    SEDGE_TRY(check_range(reader, node, where, key, 1.0, (double)value));
    (void)snprintf(canonical, sizeof canonical, "%lld", value);
    return deck_node_text(node, canonical, true);
}

static sedge_status check_real(const deck_reader *reader, deck_node *node, const char *where,
                               const deck_key *key)
{
    const double factor = deck_factor(reader, key->dimension);
    char canonical[32];
    char *end = NULL;

    SEDGE_TRY(deck_expect(reader, node, where, DECK_SCALAR));
    const double value = sedge_plain_read(node->text, &end);
    // Only decimal numbers: it also takes "inf", "nan" and hexadecimal ones.
    if (!node->plain || *end != '\0' || node->text[0] == '\0' ||
        node->text[strspn(node->text, "0123456789+-.eE")] != '\0') {
        return deck_fail(reader->path, node, "%s must be a number, not %s'%.64s'", where,
                         node->plain ? "" : "the text ", node->text);
    }
    const char digit = node->text[strcspn(node->text, "123456789eE")];
    const bool is_zero = digit < '1' || digit > '9'; // as written, not by underflow
    if (!(value * factor - value * factor == 0.0) || (value * factor == 0.0 && !is_zero)) {
        return deck_fail(reader->path, node, "%s %.64s is too %s for a 64-bit number", where,
                         node->text, value * factor == 0.0 ? "small" : "large");
    }
    SEDGE_TRY(check_range(reader, node, where, key, factor, value * factor));
    deck_print_number(canonical, value);
    return deck_node_text(node, canonical, true);
}

// A number of seconds, or one with its unit: the node gets the seconds.
static sedge_status check_duration(const deck_reader *reader, deck_node *node, const char *where,
                                   const deck_key *key)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1.0}, {"s", 1.0}, {"min", 60.0}, {"h", 3600.0}, {"d", 86400.0}};
    char canonical[32];

    SEDGE_TRY(deck_expect(reader, node, where, DECK_SCALAR));
    const size_t digits = strspn(node->text, "0123456789.");
    const char *const unit = node->text + digits + strspn(node->text + digits, " ");
    for (size_t i = 0; i < sizeof units / sizeof *units && digits > 0; i++) {
        char *end = NULL;
        const double value = sedge_plain_read(node->text, &end);

        if (strcmp(unit, units[i].unit) != 0 || end != node->text + digits) continue;
        SEDGE_TRY(check_range(reader, node, where, key, 1.0, value * units[i].seconds));
        deck_print_number(canonical, value * units[i].seconds);
        return deck_node_text(node, canonical, true);
    }
    return deck_fail(reader->path, node,
                     "%s must be a time such as 90, 90 s, 10 min, 2 h or 1 d, not '%.64s'", where,
                     node->text);
}

static sedge_status check_triple(const deck_reader *reader, deck_node *node, const char *where,
                                 const deck_key *key)
{
    bool zero = true;

    SEDGE_TRY(deck_expect(reader, node, where, DECK_SEQUENCE));
    if (node->count != 3) {
        return deck_fail(reader->path, node, "%s must be three numbers [x, y, z], not %d", where,
                         node->count);
    }
    for (deck_node *child = node->first; child != NULL; child = child->next) {
        SEDGE_TRY(key->type == DECK_VECTOR ? check_real(reader, child, where, key)
                                           : check_integer(reader, child, where, key));
        zero = zero && !(fabs(sedge_plain_read(child->text, NULL)) > 0.0);
    }
    if (key->nonzero && zero)
        return deck_fail(reader->path, node, "%s must not be the zero vector", where);
    return SEDGE_OK;
}

// A number, three numbers, or three rows of three numbers; an entry of a tensor may be of any size.
// A mapping is an image, whose keys deck_read_grids checks.
static sedge_status check_tensor(const deck_reader *reader, deck_node *node, const char *where,
                                 const deck_key *key)
{
    const deck_key entry = {.name = key->name, .type = DECK_REAL, .dimension = key->dimension};

    if (node->kind == DECK_SCALAR) return check_real(reader, node, where, key);
    if (node->kind == DECK_MAPPING) return SEDGE_OK;
    if (node->kind != DECK_SEQUENCE || node->count != 3) {
        return deck_fail(reader->path, node,
                         "%s must be a number, the diagonal [xx, yy, zz] of a tensor, its three "
                         "rows [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]], or an image {file: ..., "
                         "dataset: ...}",
                         where);
    }
    for (deck_node *row = node->first; row != NULL; row = row->next) {
        if (row->kind != node->first->kind || (row->kind != DECK_SCALAR && row->count != 3)) {
            return deck_fail(reader->path, row,
                             "%s: a tensor has three numbers or three rows of three numbers",
                             where);
        }
        if (row->kind == DECK_SCALAR) SEDGE_TRY(check_real(reader, row, where, &entry));
        for (deck_node *child = row->first; child != NULL; child = child->next)
            SEDGE_TRY(check_real(reader, child, where, &entry));
    }
    return SEDGE_OK;
}

static sedge_status check_boolean(const deck_reader *reader, deck_node *node, const char *where)
{
    SEDGE_TRY(deck_expect(reader, node, where, DECK_SCALAR));
    const bool yes = strcmp(node->text, "true") == 0 || strcmp(node->text, "yes") == 0;
    const bool no = strcmp(node->text, "false") == 0 || strcmp(node->text, "no") == 0;
    if (!node->plain || (!yes && !no)) {
        return deck_fail(reader->path, node, "%s must be true or false, not '%.64s'", where,
                         node->text);
    }
    return deck_node_text(node, yes ? "true" : "false", true);
}

static sedge_status check_text(const deck_reader *reader, deck_node *node, const char *where)
{
    SEDGE_TRY(deck_expect(reader, node, where, DECK_SCALAR));
    node->plain = false;
    return SEDGE_OK;
}

sedge_status deck_check_name(const deck_reader *reader, const deck_node *node, const char *name,
                             bool file)
{
    const size_t length = strlen(name);

    if (length == 0 || length >= NAME_BYTES)
        return deck_fail(reader->path, node, "the name '%.80s' must have 1 to 63 bytes", name);
    for (const char *c = name; *c != '\0'; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            return deck_fail(reader->path, node, "a name has a control character (0x%02x)",
                             (unsigned)(unsigned char)*c);
        }
    }
    if (file && name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_-")] != '\0') {
        return deck_fail(reader->path, node,
                         "the name '%s' may have letters, digits, '_' and '-' only", name);
    }
    return SEDGE_OK;
}

// A list of names or axes without repetition.
static sedge_status check_names(const deck_reader *reader, deck_node *node, const char *where,
                                const deck_key *key)
{
    static const char *const axes[] = {"x", "y", "z"};
    int axis = 0;

    SEDGE_TRY(deck_expect(reader, node, where, DECK_SEQUENCE));
    for (deck_node *child = node->first; child != NULL; child = child->next) {
        if (key->type == DECK_AXES) SEDGE_TRY(deck_choose(&axis, reader, child, where, axes, 3));
        SEDGE_TRY(check_text(reader, child, where));
        SEDGE_TRY(deck_check_name(reader, child, child->text, false));
        for (const deck_node *other = node->first; other != child; other = other->next) {
            if (strcmp(other->text, child->text) == 0)
                return deck_fail(reader->path, child, "%s has '%s' twice", where, child->text);
        }
    }
    if (key->type == DECK_NAMES && node->count != 2)
        return deck_fail(reader->path, node, "%s must be two names, not %d", where, node->count);
    if (key->type == DECK_LISTED && node->count == 0)
        return deck_fail(reader->path, node, "%s is an empty list", where);
    return SEDGE_OK;
}

static sedge_status check_numbers(const deck_reader *reader, deck_node *node, const char *where,
                                  const deck_key *key)
{
    SEDGE_TRY(deck_expect(reader, node, where, DECK_SEQUENCE));
    if (node->count == 0) return deck_fail(reader->path, node, "%s is an empty list", where);
    for (deck_node *child = node->first; child != NULL; child = child->next)
        SEDGE_TRY(check_real(reader, child, where, key));
    return SEDGE_OK;
}

static sedge_status check_weights(const deck_reader *reader, deck_node *node, const char *where,
                                  const deck_key *key)
{
    char path[DECK_PATH_MAX];

    SEDGE_TRY(deck_expect(reader, node, where, DECK_MAPPING));
    if (node->count > SEDGE_MAX_WEIGHTS) {
        return deck_fail(reader->path, node, "%s names %d surfaces, and at most %d are possible",
                         where, node->count, SEDGE_MAX_WEIGHTS);
    }
    for (deck_node *child = node->first; child != NULL; child = child->next) {
        deck_path(path, where, child->key);
        SEDGE_TRY(check_real(reader, child, path, key));
    }
    return SEDGE_OK;
}

// Split "a b c" in place; the number of words.
static int split_words(char *words, const char *out[WORDS_MAX])
{
    int count = 0;
    char *state = NULL;

    for (char *word = words; *word != '\0' && count < WORDS_MAX;) {
        state = word + strcspn(word, " ");
        out[count++] = word;
        if (*state == '\0') break;
        *state = '\0';
        word = state + 1;
    }
    return count;
}

static sedge_status check_choice(const deck_reader *reader, deck_node *node, const char *where,
                                 const deck_key *key)
{
    char words[256];
    const char *names[WORDS_MAX];
    int index = 0;

    deck_choices(key, words, sizeof words);
    const int count = split_words(words, names);
    SEDGE_TRY(deck_choose(&index, reader, node, where, names, count));
    node->plain = false;
    return SEDGE_OK;
}
sedge_status deck_value_check(const deck_reader *reader, deck_node *node, const char *where,
                              const deck_key *key)
{
    switch (key->type) {
    case DECK_TEXT:
        return check_text(reader, node, where);
    case DECK_NAME:
        SEDGE_TRY(check_text(reader, node, where));
        return deck_check_name(reader, node, node->text, false);
    case DECK_CHOICE:
        return check_choice(reader, node, where, key);
    case DECK_BOOLEAN:
        return check_boolean(reader, node, where);
    case DECK_INTEGER:
        return check_integer(reader, node, where, key);
    case DECK_REAL:
        return check_real(reader, node, where, key);
    case DECK_TENSOR:
        return check_tensor(reader, node, where, key);
    case DECK_DURATION:
        return check_duration(reader, node, where, key);
    case DECK_VECTOR:
    case DECK_INTEGERS:
        return check_triple(reader, node, where, key);
    case DECK_AXES:
    case DECK_NAMES:
    case DECK_LISTED:
        return check_names(reader, node, where, key);
    case DECK_NUMBERS:
        return check_numbers(reader, node, where, key);
    case DECK_WEIGHTS:
        return check_weights(reader, node, where, key);
    case DECK_SIGNAL:
        break; // deck_check.h
    case DECK_SECTION:
        return deck_expect(reader, node, where, DECK_MAPPING);
    case DECK_LIST:
        return deck_expect(reader, node, where, DECK_SEQUENCE);
    }
    return SEDGE_FAIL(SEDGE_ERR_INTERNAL, "a key has the type %d", (int)key->type);
}

// ---- values of checked nodes --------------------------------------------------------------------

int64_t deck_integer(const deck_node *node)
{
    return strtoll(node->text, NULL, 10);
}

double deck_real(const deck_reader *reader, const deck_node *node, sedge_dimension dimension)
{
    return sedge_plain_read(node->text, NULL) * deck_factor(reader, dimension);
}

void deck_vector(double out[3], const deck_reader *reader, const deck_node *node,
                 sedge_dimension dimension)
{
    const deck_node *child = node->first;

    for (int i = 0; i < 3; i++, child = child->next) out[i] = deck_real(reader, child, dimension);
}

// Entry i, k of a tensor: of three numbers, the diagonal, or of three rows.
static double find_entry(const deck_reader *reader, const deck_node *node, int i, int k,
                         sedge_dimension dimension)
{
    const deck_node *row = node->first;

    for (int n = 0; n < i; n++) row = row->next;
    if (row->kind == DECK_SCALAR) return i == k ? deck_real(reader, row, dimension) : 0.0;
    const deck_node *entry = row->first;
    for (int n = 0; n < k; n++) entry = entry->next;
    return deck_real(reader, entry, dimension);
}

bool deck_tensor(double t[6], const deck_reader *reader, const deck_node *node,
                 sedge_dimension dimension)
{
    bool symmetric = true;

    for (int i = 0; i < 3 && node->kind == DECK_SCALAR; i++) {
        t[i] = deck_real(reader, node, dimension);
        t[3 + i] = 0.0;
    }
    for (int i = 0; i < 3 && node->kind != DECK_SCALAR; i++) {
        const int j = (i + 1) % 3;
        const int k = (i + 2) % 3;
        t[i] = find_entry(reader, node, i, i, dimension);
        t[3 + i] = find_entry(reader, node, j, k, dimension);
        const double other = find_entry(reader, node, k, j, dimension);
        symmetric = symmetric && !(t[3 + i] < other) && !(t[3 + i] > other);
    }
    return symmetric;
}

bool deck_boolean(const deck_node *node)
{
    return strcmp(node->text, "true") == 0;
}

static void signal_values(double *values, const deck_reader *reader, const deck_node *map,
                          sedge_dimension amplitude)
{
    const char *const type = deck_child(map, "type")->text;
    int number = 0;

    while (strcmp(sedge_signal_kinds[number]->name, type) != 0) number++;
    const sedge_signal_kind *const kind = sedge_signal_kinds[number];
    for (int i = 0; i < SEDGE_SIGNAL_VALUES; i++) values[i] = 0.0;
    values[0] = number;
    values[1] = deck_real(reader, deck_child(map, "amplitude"), amplitude);
    for (int i = 0; i < kind->parameter_count; i++) {
        const sedge_signal_parameter *const p = &kind->parameters[i];
        values[p->place] =
            deck_real(reader, deck_child(map, p->parameter.name), p->parameter.dimension);
    }
}

void deck_values(double *values, const deck_reader *reader, const deck_node *map,
                 const sedge_parameter *parameters, int count)
{
    for (int i = 0; i < count; i++) {
        const sedge_parameter *const p = &parameters[i];
        const deck_node *const node = deck_child(map, p->name);

        switch (p->type) {
        case SEDGE_PARAMETER_REAL:
        case SEDGE_PARAMETER_INTEGER:
            // The number that stands for a tensor is set when terms are read.
            values[0] = node->kind == DECK_SCALAR ? deck_real(reader, node, p->dimension) : 0.0;
            break;
        case SEDGE_PARAMETER_VECTOR:
        case SEDGE_PARAMETER_INTEGERS:
            deck_vector(values, reader, node, p->dimension);
            break;
        case SEDGE_PARAMETER_WEIGHTS: // deck_read_boundaries
            for (int k = 0; k < 2 * SEDGE_MAX_WEIGHTS; k++) values[k] = 0.0;
            break;
        case SEDGE_PARAMETER_SIGNAL:
            signal_values(values, reader, node, p->dimension);
            break;
        case SEDGE_PARAMETER_SURFACE: // deck_read_sources
            values[0] = -1.0;
            break;
        }
        values += sedge_parameter_size(p);
    }
}
