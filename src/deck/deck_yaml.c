#include "deck_yaml.h"

#include "base/memory.h"
#include "base/shown.h"

#include <string.h>
#include <yaml.h>

#define LEVELS_MAX 32
#define NODES_MAX  100000

typedef struct deck_parser {
    yaml_parser_t yaml;
    const char *path;
    const char *setting; // the nodes' origin, if not the file
    int line;            // 0: the nodes' own lines
    int nodes;
} deck_parser;

static int line_of(const deck_parser *parser, yaml_mark_t mark)
{
    return parser->line > 0 ? parser->line : (int)mark.line + 1;
}

// Fail at a place in the text.
static sedge_status fail_at(const deck_parser *parser, yaml_mark_t mark, const char *message,
                            const char *detail)
{
    deck_node *node = NULL;

    SEDGE_TRY(deck_node_create(&node, DECK_SCALAR, line_of(parser, mark), parser->setting));
    const sedge_status status = deck_fail(parser->path, node, "%s%s", message, detail);
    deck_node_free(node);
    return status;
}

// libyaml says of it that this character cannot start a token; where that is, it has stopped.
static bool is_at_tab(const yaml_parser_t *yaml)
{
    return yaml->error == YAML_SCANNER_ERROR && yaml->buffer.pointer < yaml->buffer.last &&
           *yaml->buffer.pointer == '\t';
}

// The next event; the caller deletes it.
static sedge_status next_event(deck_parser *parser, yaml_event_t *event)
{
    if (yaml_parser_parse(&parser->yaml, event)) return SEDGE_OK;
    const yaml_parser_t *const yaml = &parser->yaml;
    const char *const problem = yaml->problem != NULL ? yaml->problem : "it cannot be read";

    if (yaml->error == YAML_MEMORY_ERROR)
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory while reading '%s'", parser->path);
    if (yaml->error == YAML_READER_ERROR) return fail_at(parser, yaml->mark, "not YAML: ", problem);
    if (strcmp(problem, "could not find expected ':'") == 0) { // known a line later
        return fail_at(parser, yaml->context_mark,
                       "not YAML: ", "a key without a colon and a space after it");
    }
    if (strcmp(problem, "mapping values are not allowed in this context") == 0) {
        return fail_at(parser, yaml->problem_mark, "not YAML: ",
                       "a key where none may stand: the line before may lack a colon and a space, "
                       "this one may be indented too far, or a text with a colon lacks quotes");
    }
    return fail_at(parser, yaml->problem_mark,
                   "not YAML: ", is_at_tab(yaml) ? "a tab; lines are indented by spaces" : problem);
}

// What decks do without.
static sedge_status refuse(const deck_parser *parser, const yaml_event_t *event)
{
    const yaml_char_t *anchor = NULL;
    const yaml_char_t *tag = NULL;

    if (event->type == YAML_ALIAS_EVENT) {
        return fail_at(parser, event->start_mark,
                       "decks take no YAML aliases; write the value out instead of *",
                       (const char *)event->data.alias.anchor);
    }
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (anchor != NULL) {
        return fail_at(parser, event->start_mark, "decks take no YAML anchors; remove &",
                       (const char *)anchor);
    }
    if (tag != NULL) {
        return fail_at(parser, event->start_mark, "decks take no YAML tags; remove ",
                       (const char *)tag);
    }
    return SEDGE_OK;
}

static sedge_status scalar_text(char **out, const deck_parser *parser, const yaml_event_t *event)
{
    const char *const value = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;

    *out = NULL;
    if (memchr(value, '\0', length) != NULL)
        return fail_at(parser, event->start_mark, "the text has a NUL character", "");
    if (!sedge_is_shown(value, true)) {
        return fail_at(
            parser, event->start_mark,
            "the text has a control character, or a mark that turns its direction: ", value);
    }
    return deck_copy_string(out, value);
}

static sedge_status parse_node(deck_node **out, deck_parser *parser, const yaml_event_t *event,
                               int level);

static sedge_status parse_sequence(deck_parser *parser, deck_node *node, int level)
{
    for (;;) {
        yaml_event_t event;
        deck_node *child = NULL;

        SEDGE_TRY(next_event(parser, &event));
        const bool end = event.type == YAML_SEQUENCE_END_EVENT;
        const sedge_status status = end ? SEDGE_OK : parse_node(&child, parser, &event, level + 1);
        yaml_event_delete(&event);
        if (end || status != SEDGE_OK) return status;
        deck_child_append(node, child);
    }
}

// The key in `event`; `earlier` becomes the child that already has it.
static sedge_status parse_key(char **key, const deck_parser *parser, const deck_node *map,
                              const yaml_event_t *event)
{
    sedge_status status;

    *key = NULL;
    SEDGE_TRY(refuse(parser, event));
    if (event->type != YAML_SCALAR_EVENT) {
        return fail_at(parser, event->start_mark, "a key must be a word, not a list or a mapping",
                       "");
    }
    SEDGE_TRY(scalar_text(key, parser, event));
    if (**key == '\0') {
        status = fail_at(parser, event->start_mark, "a key is empty", "");
        goto failed;
    }
    const deck_node *const earlier = deck_child(map, *key);
    if (earlier != NULL) {
        deck_node *here = NULL;
        status = deck_node_create(&here, DECK_SCALAR, line_of(parser, event->start_mark),
                                  parser->setting);
        if (status == SEDGE_OK) {
            status = deck_fail(parser->path, here, "duplicate key '%s'; it is already on line %d",
                               *key, earlier->line);
        }
        deck_node_free(here);
        goto failed;
    }
    return SEDGE_OK;
failed:
    sedge_release(*key);
    *key = NULL;
    return status;
}

// To YAML {type:pec} is a key `type:pec` without a value.
static sedge_status check_colon(const deck_parser *parser, yaml_mark_t mark, const char *key,
                                const deck_node *value)
{
    if (value->kind != DECK_SCALAR || !value->plain || value->text[0] != '\0') return SEDGE_OK;
    if (strchr(key, ':') == NULL) return SEDGE_OK;
    return fail_at(parser, mark, "a space is missing after the colon of ", key);
}

static sedge_status parse_mapping(deck_parser *parser, deck_node *node, int level)
{
    for (;;) {
        yaml_event_t event;
        char *key = NULL;
        deck_node *child = NULL;

        SEDGE_TRY(next_event(parser, &event));
        const bool end = event.type == YAML_MAPPING_END_EVENT;
        const yaml_mark_t mark = event.start_mark;
        sedge_status status = end ? SEDGE_OK : parse_key(&key, parser, node, &event);
        yaml_event_delete(&event);
        if (end || status != SEDGE_OK) return status;

        status = next_event(parser, &event);
        if (status == SEDGE_OK) {
            status = parse_node(&child, parser, &event, level + 1);
            yaml_event_delete(&event);
        }
        if (status == SEDGE_OK && child != NULL) status = check_colon(parser, mark, key, child);
        if (status != SEDGE_OK || child == NULL) {
            deck_node_free(child);
            sedge_release(key);
            return status;
        }
        child->key = key;
        child->line = line_of(parser, mark); // of the key: a block value begins on the next one
        deck_child_append(node, child);
    }
}

static sedge_status parse_node(deck_node **out, deck_parser *parser, const yaml_event_t *event,
                               int level)
{
    deck_node *node = NULL;
    sedge_status status;

    *out = NULL;
    SEDGE_TRY(refuse(parser, event));
    if (level > LEVELS_MAX) {
        return fail_at(parser, event->start_mark, "the deck is nested more than 32 levels deep",
                       "");
    }
    if (++parser->nodes > NODES_MAX)
        return fail_at(parser, event->start_mark, "the deck has more than 100000 values", "");
    const deck_kind kind = event->type == YAML_SCALAR_EVENT           ? DECK_SCALAR
                           : event->type == YAML_SEQUENCE_START_EVENT ? DECK_SEQUENCE
                                                                      : DECK_MAPPING;
    SEDGE_TRY_GOTO(
        status, deck_node_create(&node, kind, line_of(parser, event->start_mark), parser->setting));
    if (kind == DECK_SCALAR) {
        node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
        SEDGE_TRY_GOTO(status, scalar_text(&node->text, parser, event));
    } else if (kind == DECK_SEQUENCE) {
        SEDGE_TRY_GOTO(status, parse_sequence(parser, node, level));
    } else {
        SEDGE_TRY_GOTO(status, parse_mapping(parser, node, level));
    }
    *out = node;
    node = NULL;
done:
    deck_node_free(node);
    return status;
}

// The events around the one document.
static sedge_status parse_stream(deck_node **out, deck_parser *parser)
{
    bool more = true;

    while (more) {
        yaml_event_t event;
        sedge_status status = SEDGE_OK;

        SEDGE_TRY(next_event(parser, &event));
        switch ((int)event.type) {
        case YAML_NO_EVENT:
        case YAML_STREAM_END_EVENT:
            more = false;
            break;
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_END_EVENT:
            break;
        case YAML_DOCUMENT_START_EVENT:
            if (*out != NULL) {
                status = fail_at(parser, event.start_mark,
                                 "a deck is one YAML document; a second one begins here", "");
            }
            break;
        default:
            status = parse_node(out, parser, &event, 0);
            break;
        }
        yaml_event_delete(&event);
        if (status != SEDGE_OK) return status;
    }
    if (*out != NULL) return SEDGE_OK;
    if (parser->setting != NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "--set %s: there is no value after '='",
                          parser->setting);
    }
    return deck_fail(parser->path, NULL, "the deck is empty");
}

sedge_status deck_yaml_parse(deck_node **out, const char *path, const char *setting, int line,
                             const char *text, size_t length)
{
    static const char mark[] = "\xef\xbb\xbf"; // a byte order mark, of which there is one in UTF-8
    deck_parser parser = {.path = path, .setting = setting, .line = line};

    *out = NULL;
    if (length >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0) {
        text += strlen(mark); // libyaml would count it as a column
        length -= strlen(mark);
    }
    if (!yaml_parser_initialize(&parser.yaml))
        return SEDGE_FAIL(SEDGE_ERR_MEMORY, "out of memory for the YAML parser");
    yaml_parser_set_encoding(&parser.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser.yaml, (const unsigned char *)text, length);
    const sedge_status status = parse_stream(out, &parser);
    yaml_parser_delete(&parser.yaml);
    if (status != SEDGE_OK) {
        deck_node_free(*out);
        *out = NULL;
    }
    return status;
}
