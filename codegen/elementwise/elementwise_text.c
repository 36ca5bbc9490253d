// The text of an elementwise kernel, made for one job; kernels/elementwise.h is its other half.
#include "array/strided.h"
#include "elementwise/elementwise.h"

#include <string.h>

static bool is_strided(const sedge_member *member)
{
    return member->access >= SEDGE_ACCESS_ROWS;
}

static bool is_single(const sedge_member *member)
{
    return member->access <= SEDGE_ACCESS_CONSTANT;
}

static const char *access_text(const sedge_member *member)
{
    static const char *const texts[] = {
        "number", "one element", "contiguous", "strided, rows contiguous", "strided, one a row",
        "strided"};

    return texts[member->access];
}

// ---- the body ----------------------------------------------------------------------------------

static sedge_status write_opening(sedge_text *out, const sedge_job *job)
{
    SEDGE_TRY(
        sedge_text_add(out, "// %s\n//\n",
                       job->analysis != NULL ? job->body + strspn(job->body, " ") : job->title));
    for (int k = 0; k < job->count; k++) {
        const sedge_member *const member = &job->member[k];
        SEDGE_TRY(sedge_text_add(out, "//   %-8s %-10s %s%s\n", member->name,
                                 sedge_type_name(member->type), access_text(member),
                                 member->written ? ", written" : ""));
    }
    return SEDGE_OK;
}

// The number of the line after the text so far.
static int next_line(const sedge_text *text)
{
    int line = 1;

    for (const char *at = sedge_text_get(text); *at != '\0'; at++) line += *at == '\n';
    return line;
}

// A piece of the caller's, whose lines are counted from 1 in messages.
static sedge_status write_piece(sedge_text *out, const char *name, const char *what,
                                const char *piece)
{
    const size_t length = strlen(piece);

    SEDGE_TRY(sedge_text_add(out, "#line 1 \"%s%s\"\n", name, what));
    SEDGE_TRY(sedge_text_add_bytes(out, piece, length));
    if (length == 0 || piece[length - 1] != '\n') SEDGE_TRY(sedge_text_add(out, "\n"));
    return sedge_text_add(out, "#line %d \"elementwise\"\n", next_line(out) + 1);
}

// Written operands come by pointer, under their names as variables.
static sedge_status write_body(sedge_text *out, const sedge_job *job)
{
    if (job->preamble[0] != '\0')
        SEDGE_TRY(write_piece(out, job->title, ", preamble", job->preamble));
    SEDGE_TRY(sedge_text_add(out, "SEDGE_FUNCTION void sedge_body(sedge_int64 i"));
    for (int k = 0; k < job->count; k++) {
        const sedge_member *const member = &job->member[k];
        SEDGE_TRY(sedge_text_add(out, ", %s%s%s", sedge_type_word(member->type),
                                 member->written ? " *sedge_at_" : " ", member->name));
    }
    SEDGE_TRY(sedge_text_add(out, ")\n{\n"));
    for (int k = 0; k < job->count; k++) {
        const sedge_member *const member = &job->member[k];
        if (!member->written) continue;
        SEDGE_TRY(sedge_text_add(out, "    %s %s", sedge_type_word(member->type), member->name));
        if (job->write_only) {
            SEDGE_TRY(sedge_text_add(out, ";\n"));
        } else {
            SEDGE_TRY(sedge_text_add(out, " = *sedge_at_%s;\n", member->name));
        }
    }
    SEDGE_TRY(sedge_text_add(out, "    {\n"));
    SEDGE_TRY(write_piece(out, job->title, "", job->body));
    SEDGE_TRY(sedge_text_add(out, "    }\n"));
    for (int k = 0; k < job->count; k++) {
        const char *const name = job->member[k].name;
        if (job->member[k].written)
            SEDGE_TRY(sedge_text_add(out, "    *sedge_at_%s = %s;\n", name, name));
    }
    return sedge_text_add(out, "    (void)i;\n}\n\n");
}

// ---- parameters --------------------------------------------------------------------------------

static sedge_status write_parameters(sedge_text *out, const sedge_job *job)
{
    SEDGE_TRY(sedge_text_add(out, "#define SEDGE_PARAMETERS(X) \\\n"));
    for (int k = 0; k < job->count; k++) {
        const sedge_member *const member = &job->member[k];
        const char *const word = sedge_type_word(member->type);
        if (member->array == NULL) {
            SEDGE_TRY(sedge_text_add(out, "    X(%s, sedge_number_%s) \\\n", word, member->name));
        } else {
            SEDGE_TRY(sedge_text_add(out, "    X(SEDGE_GLOBAL %s%s *, sedge_array_%s) \\\n",
                                     member->written ? "" : "const ", word, member->name));
        }
    }
    if (job->iteration.contiguous)
        return sedge_text_add(out, "    X(sedge_int64, sedge_count)\n\n");
    return sedge_text_add(out, "    X(sedge_layout_of_operands, sedge_layout)\n\n");
}

static sedge_status write_constants(sedge_text *out, const sedge_job *job)
{
    SEDGE_TRY(sedge_text_add(out, "#define SEDGE_CONSTANTS"));
    for (int k = 0; k < job->count; k++) {
        const sedge_member *const member = &job->member[k];
        if (member->access != SEDGE_ACCESS_CONSTANT) continue;
        SEDGE_TRY(sedge_text_add(out, " \\\n    const %s sedge_number_%s = sedge_array_%s[0];",
                                 sedge_type_word(member->type), member->name, member->name));
    }
    return sedge_text_add(out, "\n\n");
}

static sedge_status write_layout(sedge_text *out, const sedge_job *job)
{
    if (job->iteration.contiguous) return SEDGE_OK;
    SEDGE_TRY(sedge_text_add(out, "typedef struct sedge_layout_of_operands {\n"
                                  "    sedge_int64 count;\n"
                                  "    sedge_index shape[SEDGE_DIMENSIONS];\n"
                                  "    sedge_index stride[SEDGE_STRIDED][SEDGE_DIMENSIONS];\n"));
    if (!job->wide) {
        SEDGE_TRY(sedge_text_add(out, "    unsigned multiplier[SEDGE_DIMENSIONS];\n"
                                      "    unsigned shift[SEDGE_DIMENSIONS];\n"));
    }
    return sedge_text_add(out, "} sedge_layout_of_operands;\n\n");
}

// ---- elements one by one -----------------------------------------------------------------------

// An array's element at index n of the last dimension.
static sedge_status write_place(sedge_text *out, const sedge_member *member)
{
    SEDGE_TRY(sedge_text_add(out, "sedge_array_%s[", member->name));
    if (is_strided(member)) SEDGE_TRY(sedge_text_add(out, "offset[%d]", member->slot));
    if (is_strided(member) && member->access != SEDGE_ACCESS_REPEATED)
        SEDGE_TRY(sedge_text_add(out, " + "));
    if (member->access != SEDGE_ACCESS_REPEATED) SEDGE_TRY(sedge_text_add(out, "(n)"));
    if (member->access == SEDGE_ACCESS_STRIDED) {
        SEDGE_TRY(
            sedge_text_add(out, " * sedge_layout.stride[%d][SEDGE_DIMENSIONS - 1]", member->slot));
    }
    return sedge_text_add(out, "]");
}

static sedge_status write_element(sedge_text *out, const sedge_job *job)
{
    SEDGE_TRY(sedge_text_add(out, "#define SEDGE_ELEMENT(i, n) \\\n    { \\\n"));
    for (int k = 0; k < job->count; k++) {
        const sedge_member *const member = &job->member[k];
        if (!member->written) continue;
        SEDGE_TRY(sedge_text_add(out, "        %s sedge_value_%s", sedge_type_word(member->type),
                                 member->name));
        if (!job->write_only) {
            SEDGE_TRY(sedge_text_add(out, " = "));
            SEDGE_TRY(write_place(out, member));
        }
        SEDGE_TRY(sedge_text_add(out, "; \\\n"));
    }
    SEDGE_TRY(sedge_text_add(out, "        sedge_body(i"));
    for (int k = 0; k < job->count; k++) {
        const sedge_member *const member = &job->member[k];
        SEDGE_TRY(sedge_text_add(out, ", "));
        if (member->written) {
            SEDGE_TRY(sedge_text_add(out, "&sedge_value_%s", member->name));
        } else if (is_single(member)) {
            SEDGE_TRY(sedge_text_add(out, "sedge_number_%s", member->name));
        } else {
            SEDGE_TRY(write_place(out, member));
        }
    }
    SEDGE_TRY(sedge_text_add(out, "); \\\n"));
    for (int k = 0; k < job->count; k++) {
        const sedge_member *const member = &job->member[k];
        if (!member->written) continue;
        SEDGE_TRY(sedge_text_add(out, "        "));
        SEDGE_TRY(write_place(out, member));
        SEDGE_TRY(sedge_text_add(out, " = sedge_value_%s; \\\n", member->name));
    }
    return sedge_text_add(out, "    }\n\n");
}

// ---- packs -------------------------------------------------------------------------------------

// Where all begin at a multiple of it a pack is loaded in pieces of up to 16 bytes.
static sedge_status write_pack_types(sedge_text *out, const sedge_job *job)
{
    for (int k = 0; k < job->count; k++) {
        const sedge_member *const member = &job->member[k];
        const int size = sedge_type_bytes(member->type);
        const int bytes = size * job->pack < 16 ? size * job->pack : 16;
        if (is_single(member)) continue;
        SEDGE_TRY(sedge_text_add(out,
                                 "typedef struct SEDGE_ALIGN(%d) sedge_pack_%s {\n"
                                 "    %s item[SEDGE_PACK];\n} sedge_pack_%s;\n",
                                 job->aligned ? bytes : size, member->name,
                                 sedge_type_word(member->type), member->name));
    }
    return sedge_text_add(out, "\n");
}

static sedge_status write_pack_moves(sedge_text *out, const sedge_job *job)
{
    SEDGE_TRY(sedge_text_add(out, "#define SEDGE_PACK_VARIABLES"));
    for (int k = 0; k < job->count; k++) {
        const char *const name = job->member[k].name;
        if (is_single(&job->member[k])) continue;
        SEDGE_TRY(
            sedge_text_add(out, " \\\n    sedge_pack_%s sedge_packs_%s[SEDGE_PACKS];", name, name));
    }
    SEDGE_TRY(sedge_text_add(out, "\n#define SEDGE_PACK_LOAD(j, p)"));
    for (int k = 0; k < job->count; k++) {
        const char *const name = job->member[k].name;
        if (is_single(&job->member[k]) || (job->member[k].written && job->write_only)) continue;
        SEDGE_TRY(sedge_text_add(out,
                                 " \\\n    sedge_packs_%s[j] = "
                                 "((SEDGE_GLOBAL const sedge_pack_%s *)sedge_array_%s)[p];",
                                 name, name, name));
    }
    SEDGE_TRY(sedge_text_add(out, "\n#define SEDGE_PACK_STORE(j, p)"));
    for (int k = 0; k < job->count; k++) {
        const char *const name = job->member[k].name;
        if (!job->member[k].written) continue;
        SEDGE_TRY(sedge_text_add(out,
                                 " \\\n    ((SEDGE_GLOBAL sedge_pack_%s *)sedge_array_%s)[p] = "
                                 "sedge_packs_%s[j];",
                                 name, name, name));
    }
    return sedge_text_add(out, "\n");
}

static sedge_status write_pack_body(sedge_text *out, const sedge_job *job)
{
    SEDGE_TRY(sedge_text_add(out, "#define SEDGE_PACK_BODY(j, k, i) \\\n    sedge_body(i"));
    for (int k = 0; k < job->count; k++) {
        const sedge_member *const member = &job->member[k];
        if (is_single(member)) {
            SEDGE_TRY(sedge_text_add(out, ", sedge_number_%s", member->name));
        } else {
            SEDGE_TRY(sedge_text_add(out, ", %ssedge_packs_%s[j].item[k]",
                                     member->written ? "&" : "", member->name));
        }
    }
    return sedge_text_add(out, ");\n");
}

// ---- the whole ---------------------------------------------------------------------------------

sedge_status sedge_elementwise_write(sedge_text *out, const sedge_job *job,
                                     const sedge_elementwise_tuning *tuning)
{
    const int dimensions = job->iteration.contiguous ? 0 : job->iteration.dimensions;

    SEDGE_TRY(write_opening(out, job));
    SEDGE_TRY(sedge_text_add(out,
                             "#define SEDGE_DIMENSIONS %d\n#define SEDGE_STRIDED    %d\n"
                             "#define SEDGE_THREADS    %d\n#define SEDGE_PACKS      %d\n"
                             "#define SEDGE_PACK       %d\n#define SEDGE_WIDE       %d\n"
                             "typedef %s sedge_index;\n\n",
                             dimensions, job->strided, tuning->threads, tuning->packs, job->pack,
                             job->wide, job->wide ? "sedge_int64" : "int"));
    SEDGE_TRY(write_body(out, job));
    SEDGE_TRY(write_layout(out, job));
    SEDGE_TRY(write_parameters(out, job));
    SEDGE_TRY(write_constants(out, job));
    SEDGE_TRY(write_element(out, job));
    if (!job->iteration.contiguous || !job->gpu) return SEDGE_OK;
    SEDGE_TRY(write_pack_types(out, job));
    SEDGE_TRY(write_pack_moves(out, job));
    return write_pack_body(out, job);
}
