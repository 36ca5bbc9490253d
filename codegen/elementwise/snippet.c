// Elementwise kernels from a user's piece of C.
#include "elementwise/snippet.h"
#include "array/strided.h"
#include "base/memory.h"
#include "elementwise/elementwise.h"

#include <ctype.h>
#include <string.h>

static sedge_status check_word(const char *name)
{
    bool fine = isalpha((unsigned char)name[0]) || name[0] == '_';

    for (const char *at = name; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at) && *at != '_') fine = false;
    if (strcmp(name, "i") == 0 || strncmp(name, "sedge_", 6) == 0) fine = false;
    if (fine) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE,
                      "operand '%s': a name is a word of C, not i and not sedge_...", name);
}

static sedge_status add_number(sedge_member *member, const sedge_job *job,
                               const sedge_operand *operand)
{
    if (operand->written || operand->array != NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernel '%s': operand '%s' is a number, but %s",
                          job->title, operand->name,
                          operand->written ? "it is marked as written" : "it has an array");
    }
    member->type = operand->type;
    return sedge_number_convert(member->number, operand->type, operand->value);
}

static sedge_status add_operand(sedge_job *job, const sedge_operand *operand)
{
    sedge_member *const member = &job->member[job->count];

    SEDGE_TRY(check_word(operand->name));
    for (int k = 0; k < job->count; k++) {
        if (strcmp(job->member[k].name, operand->name) != 0) continue;
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernel '%s' has two operands '%s'", job->title,
                          operand->name);
    }
    member->name = operand->name;
    member->array = operand->array;
    member->written = operand->written;
    job->count++;
    if (operand->is_number) return add_number(member, job, operand);
    if (operand->array == NULL) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE,
                          "kernel '%s': operand '%s' is an array that was not created: NULL; a "
                          "number is given by SEDGE_NUMBER(\"%s\", type, value)",
                          job->title, operand->name, operand->name);
    }
    member->type = operand->array->type;
    if (operand->array->context == job->context) return SEDGE_OK;
    return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernel '%s': operand '%s' is of another context",
                      job->title, operand->name);
}

// All written arrays have one shape, to which the others are broadcast. `*shaped` is one of them.
static sedge_status check_operands(const sedge_array **shaped, const sedge_job *job)
{
    *shaped = NULL;
    for (int k = 0; k < job->count && *shaped == NULL; k++)
        if (job->member[k].written) *shaped = job->member[k].array;
    if (*shaped == NULL)
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernel '%s' writes no array", job->title);
    for (int k = 0; k < job->count; k++) {
        const sedge_array *const array = job->member[k].array;
        if (array == NULL) continue;
        if (job->member[k].written)
            SEDGE_TRY(sedge_target_check(array, (*shaped)->dimensions, (*shaped)->shape));
        SEDGE_TRY(sedge_target_check(*shaped, array->dimensions, array->shape));
        for (int other = 0; other < job->count; other++) {
            const sedge_member *const member = &job->member[other];
            if (other == k || !member->written) continue;
            SEDGE_TRY(sedge_overlap_check(member->array, array));
            if (!job->member[k].written || sedge_array_size(array) == 0 ||
                sedge_array_address(array) != sedge_array_address(member->array))
                continue;
            return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernel '%s' writes one array as '%s' and as '%s'",
                              job->title, job->member[k].name, member->name);
        }
    }
    return SEDGE_OK;
}

// The key with all texts behind it, each with its end; the caller releases it.
static sedge_status write_snippet_key(unsigned char **key, int *bytes, const sedge_job *job)
{
    const char *texts[3 + SEDGE_OPERANDS] = {job->title, job->preamble, job->body};
    int64_t room = SEDGE_JOB_KEY + SEDGE_OPERANDS;

    for (int k = 0; k < job->count; k++) texts[3 + k] = job->member[k].name;
    for (int t = 0; t < 3 + job->count; t++) room += (int64_t)strlen(texts[t]) + 1;
    if (room > INT32_MAX) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernel '%s' has a source of %lld bytes", job->title,
                          (long long)room);
    }
    SEDGE_TRY(sedge_allocate(key, room, 1));
    *bytes = sedge_job_key(*key, job, 'S');
    for (int k = 0; k < job->count; k++) (*key)[(*bytes)++] = job->member[k].written;
    for (int t = 0; t < 3 + job->count; t++) {
        const int length = (int)strlen(texts[t]) + 1;
        memcpy(*key + *bytes, texts[t], (size_t)length);
        *bytes += length;
    }
    return SEDGE_OK;
}

static sedge_status run_snippet(sedge_job *job)
{
    sedge_status status;
    unsigned char *key = NULL;
    int bytes;

    SEDGE_TRY(write_snippet_key(&key, &bytes, job));
    SEDGE_TRY_GOTO(status, sedge_job_run(job, key, bytes));
done:
    sedge_release(key);
    return status;
}

sedge_status sedge_elementwise(sedge_context *context, const char *name, const char *preamble,
                               const char *body, int count, const sedge_operand *operands)
{
    const sedge_array *shaped;
    sedge_job job;

    if (count < 1 || count > SEDGE_OPERANDS) {
        return SEDGE_FAIL(SEDGE_ERR_USAGE, "kernel '%s' has %d operands; 1..%d are allowed", name,
                          count, SEDGE_OPERANDS);
    }
    job.context = context;
    job.title = name;
    job.preamble = preamble != NULL ? preamble : "";
    job.body = body;
    job.analysis = NULL;
    job.gpu = sedge_job_needs_gpu_form(context);
    job.write_only = false;
    job.count = 0;
    for (int k = 0; k < count; k++) SEDGE_TRY(add_operand(&job, &operands[k]));
    SEDGE_TRY(check_operands(&shaped, &job));
    if (sedge_array_size(shaped) == 0) return SEDGE_OK;
    sedge_job_plan(&job, shaped->dimensions, shaped->shape, false);
    return run_snippet(&job);
}
