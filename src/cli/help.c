#include "cli/help.h"

#include "cli/option.h"
#include "deck/deck.h"
#include "halo/transport.h"

#include <stdio.h>
#include <string.h>

static void print_option(const sedge_option *row)
{
    char form[64];

    (void)snprintf(form, sizeof form, "--%s%s%s", row->name, row->value != NULL ? " " : "",
                   row->value != NULL ? row->value : "");
    if (row->code < 256) {
        printf("  -%c, %-19s%s\n", row->code, form, row->text);
    } else {
        printf("  %-23s%s\n", form, row->text);
    }
}

void sedge_help_print(void)
{
    int commands;
    int options;
    const sedge_command *const command = sedge_commands(&commands);
    const sedge_option *const option = sedge_options(&options);
    char transports[128];

    sedge_transport_names(transports, sizeof transports);
    printf(
        "sedge " SEDGE_VERSION ": discontinuous Galerkin solvers whose kernels are written at run "
        "time\n\nUsage: sedge COMMAND [arguments], under mpirun for several ranks\n\nCommands\n");
    for (int i = 0; i < commands; i++) {
        printf("  %-28s%.*s\n", command[i].usage + strlen("sedge "),
               (int)strcspn(command[i].text, "\n"), command[i].text);
    }
    printf("  %-28sThe version.\n  %-28sThis text; after a command, its own.\n\nOptions\n",
           "--version", "--help");
    for (int i = 0; i < options; i++) print_option(&option[i]);
    printf("\nExit codes\n  0 done; 1 wrong use, deck or output folder; 2 bad mesh or data file; "
           "3 device or\n  compiler trouble, or out of memory; 4 the computation failed; 5 stopped "
           "early with a\n  checkpoint, by a signal or a limit of time; 70 a bug in sedge\n\n"
           "Environment\n"
           "  SEDGE_CACHE_DIR        folder of compiled kernels (default: ~/.cache/sedge)\n"
           "  SEDGE_CACHE_MAX        its largest size in MiB (default: 256)\n"
           "  SEDGE_CACHE_SITE       a shared folder of them, read only, looked into first\n"
           "  SEDGE_CC               the C compiler of the host device (default: cc, gcc, clang)\n"
           "  SEDGE_CC_SECONDS       what a compiler may take for a program (default: 600)\n"
           "  SEDGE_NVRTC            path of libnvrtc (default: the loader's, CUDA_HOME)\n"
           "  SEDGE_CUBLAS           path of libcublas (likewise)\n"
           "  SEDGE_CUSPARSE         path of libcusparse (likewise)\n"
           "  SEDGE_OPENCL           part of the name of the OpenCL devices to use\n"
           "  SEDGE_THREADS          threads a rank of the host device\n"
           "  SEDGE_TUNE             off, fast, patient, exhaustive; deck and --tune go before it\n"
           "  SEDGE_GRAPHS=0         no time step as one graph, as on cuda on one rank or by peer\n"
           "  SEDGE_TRANSPORT        how ranks exchange halos: %s\n"
           "  SEDGE_KERNELS          folder whose files replace the embedded kernel sources\n"
           "  SEDGE_KEEP             folder that gets every program that is compiled, as source\n"
           "  SEDGE_DEBUG=1          line information in kernels, no cache\n"
           "  SEDGE_TRACE=1          print driver calls\n"
           "  SEDGE_NVTX=1           named ranges for profilers (Nsight Systems)\n",
           transports);
}

void sedge_help_print_command(const sedge_command *which)
{
    int options;
    const sedge_option *const option = sedge_options(&options);

    printf("Usage: %s\n\n%s\n\nOptions\n", which->usage, which->text);
    for (int i = 0; i < options; i++)
        if ((option[i].takers & (which->takes | SEDGE_FOR_ALL)) != 0) print_option(&option[i]);
}

// The end of the part of the page that begins here: parts begin with a heading or a kind's name.
static const char *find_part_end(const char *part)
{
    const char *next = part;

    do {
        next = strchr(next, '\n');
        if (next == NULL) return part + strlen(part);
        next++;
    } while (*next != '#' && *next != '`');
    return next;
}

// Print the parts of the page that have the word. Returns how many there are.
static int print_parts(const char *page, const char *word)
{
    const char *heading = NULL; // of the part, where it is not printed yet
    int printed = 0;

    for (const char *part = page, *end; *part != '\0'; part = end) {
        const char *const found = strstr(part, word);

        end = find_part_end(part);
        if (*part == '#') heading = part;
        if (found == NULL || found >= end) continue;
        if (heading != NULL && heading != part)
            printf("%.*s\n\n", (int)strcspn(heading, "\n"), heading);
        printf("%.*s", (int)(end - part), part);
        heading = NULL;
        printed++;
    }
    return printed;
}

sedge_status sedge_help_print_deck(const char *word)
{
    sedge_status status;
    sedge_text *text = NULL;

    SEDGE_TRY_GOTO(status, sedge_text_create(&text));
    SEDGE_TRY_GOTO(status, sedge_deck_document(text));
    if (word == NULL) {
        printf("%s", sedge_text_get(text));
        goto done;
    }
    if (print_parts(sedge_text_get(text), word) == 0)
        status = SEDGE_FAIL(SEDGE_ERR_USAGE, "no section or key of a deck has the word '%s'", word);
done:
    sedge_text_free(text);
    return status;
}
