// The source of an elementwise kernel, made for one job; kernels/elementwise/elementwise.h is its
// other half.
#include "elementwise/elementwise.h"
#include "text/template.h"

#include <string.h>

// The operands, as lists for the templates.
typedef struct operand_lists {
    const char *name[SEDGE_OPERANDS], *type[SEDGE_OPERANDS], *type_name[SEDGE_OPERANDS];
    const char *access[SEDGE_OPERANDS];
    int64_t written[SEDGE_OPERANDS], single[SEDGE_OPERANDS], slot[SEDGE_OPERANDS];
    int64_t alignment[SEDGE_OPERANDS]; // of a pack, bytes
} operand_lists;

static void list_operands(operand_lists *out, const sedge_job *job)
{
    static const char *const accesses[] = {"number", "constant", "contiguous",
                                           "rows",   "repeated", "strided"};

    for (int k = 0; k < job->count; k++) {
        const sedge_member *const member = &job->member[k];
        const int size = sedge_type_bytes(member->type);
        const int bytes = size * job->pack < 16 ? size * job->pack : 16;
        out->name[k] = member->name;
        out->type[k] = sedge_type_word(member->type);
        out->type_name[k] = sedge_type_name(member->type);
        out->access[k] = accesses[member->access];
        out->written[k] = member->written;
        out->single[k] = member->access <= SEDGE_ACCESS_CONSTANT;
        out->slot[k] = member->slot;
        out->alignment[k] = job->aligned ? bytes : size;
    }
}

// A piece of the caller's, whose lines are counted from 1 in messages.
static sedge_status write_piece(sedge_text *out, const char *name, const char *what,
                                const char *piece)
{
    const size_t length = strlen(piece);

    SEDGE_TRY(sedge_text_add(out, "#line 1 \"%s%s\"\n", name, what));
    SEDGE_TRY(sedge_text_add_bytes(out, piece, length));
    return length == 0 || piece[length - 1] != '\n' ? sedge_text_add(out, "\n") : SEDGE_OK;
}

// 0: all operands are contiguous.
static int dimensions_of(const sedge_job *job)
{
    return job->iteration.contiguous ? 0 : job->iteration.dimensions;
}

static sedge_status write_body(sedge_text *out, const sedge_job *job,
                               const sedge_elementwise_tuning *tuning, const operand_lists *lists)
{
    const sedge_binding values[] = {
        SEDGE_BIND_TEXT("formula",
                        job->analysis != NULL ? job->body + strspn(job->body, " ") : job->title),
        SEDGE_BIND_INTEGER("dimensions", dimensions_of(job)),
        SEDGE_BIND_INTEGER("strided", job->strided),
        SEDGE_BIND_INTEGER("threads", tuning->threads),
        SEDGE_BIND_INTEGER("packs", tuning->packs),
        SEDGE_BIND_INTEGER("pack", job->pack),
        SEDGE_BIND_INTEGER("wide", job->wide),
        SEDGE_BIND_INTEGER("write_only", job->write_only),
        SEDGE_BIND_TEXTS("name", lists->name, job->count),
        SEDGE_BIND_TEXTS("type", lists->type, job->count),
        SEDGE_BIND_TEXTS("type_name", lists->type_name, job->count),
        SEDGE_BIND_TEXTS("access", lists->access, job->count),
        SEDGE_BIND_INTEGERS("written", lists->written, job->count),
    };
    const sedge_pattern pattern = {.name = "codegen/kernels/elementwise/elementwise_body.h",
                                   .bindings = values,
                                   .count = sizeof values / sizeof *values};

    if (job->preamble[0] != '\0')
        SEDGE_TRY(write_piece(out, job->title, ", preamble", job->preamble));
    SEDGE_TRY(sedge_template_write(out, &pattern));
    return write_piece(out, job->title, "", job->body);
}

sedge_status sedge_elementwise_write(sedge_text *out, const sedge_job *job,
                                     const sedge_elementwise_tuning *tuning)
{
    const int dimensions = dimensions_of(job);
    operand_lists lists;

    list_operands(&lists, job);
    const sedge_binding values[] = {
        SEDGE_BIND_INTEGER("dimensions", dimensions),
        SEDGE_BIND_INTEGER("wide", job->wide),
        SEDGE_BIND_INTEGER("in_packs", dimensions == 0 && job->gpu),
        SEDGE_BIND_INTEGER("write_only", job->write_only),
        SEDGE_BIND_TEXTS("name", lists.name, job->count),
        SEDGE_BIND_TEXTS("type", lists.type, job->count),
        SEDGE_BIND_TEXTS("access", lists.access, job->count),
        SEDGE_BIND_INTEGERS("written", lists.written, job->count),
        SEDGE_BIND_INTEGERS("single", lists.single, job->count),
        SEDGE_BIND_INTEGERS("slot", lists.slot, job->count),
        SEDGE_BIND_INTEGERS("alignment", lists.alignment, job->count),
    };
    const sedge_pattern pattern = {.name = "codegen/kernels/elementwise/elementwise_operands.h",
                                   .bindings = values,
                                   .count = sizeof values / sizeof *values};

    SEDGE_TRY(write_body(out, job, tuning, &lists));
    return sedge_template_write(out, &pattern);
}
