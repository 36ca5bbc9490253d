// Which transport is taken: of those that are right the fastest; one that is wrong, silent or does
// not open is left, with a line on stderr, and refused where it is requested.
#define _DEFAULT_SOURCE // usleep, dup2
#include "check.h"
#include "fake_peer.h"
#include "halo_case.h"

#include "base/file.h"
#include "base/memory.h"

#include <mpi.h>

#include <fcntl.h>
#include <unistd.h>

static bool messages_are_slow;

// What stands before MPI's own. The pause is far longer than a loaded machine lets a process wait,
// as is that of FAKE_SLOW.
int MPI_Startall(int count, MPI_Request requests[])
{
    if (messages_are_slow) (void)usleep(200000);
    return PMPI_Startall(count, requests);
}

// What is printed on stderr between the two calls goes into a file of this rank.
typedef struct listener {
    char path[512];
    int before;
} listener;

static void listen(listener *l, const sedge_comm *comm)
{
    (void)snprintf(l->path, sizeof l->path, "%s/choice-%d-%d.txt", SEDGE_TEST_DIR,
                   sedge_comm_size(comm), sedge_comm_rank(comm));
    (void)fflush(stderr);
    l->before = dup(STDERR_FILENO);
    const int file = open(l->path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    CHECK(file >= 0 && dup2(file, STDERR_FILENO) == STDERR_FILENO);
    (void)close(file);
}

static char *heard(listener *l)
{
    char *text = NULL;
    size_t length;

    (void)fflush(stderr);
    CHECK(dup2(l->before, STDERR_FILENO) == STDERR_FILENO);
    (void)close(l->before);
    CHECK_OK(sedge_file_read(&text, &length, l->path, SEDGE_ERR_DATA));
    return text;
}

// `warning` NULL: nothing is printed.
static void test_choice(const sedge_comm *comm, sedge_device *device, fake_fault fault,
                        const char *name, const char *warning)
{
    sedge_halo *halo = NULL;
    halo_case c;
    listener l;

    fake_set_fault(fault);
    halo_case_create(&c, comm, device, 0, 3000);
    const sedge_halo_plan plan = halo_case_plan(&c);
    listen(&l, comm);
    const sedge_status status =
        sedge_halo_create_with(&halo, comm, device, &plan, NULL, &fake_peer, NULL);
    char *const text = heard(&l);
    CHECK_OK(status);
    CHECK(strcmp(sedge_halo_transport(halo), name) == 0);
    if (sedge_comm_is_root(comm) && warning != NULL) {
        CHECK(strstr(text, "sedge: warning: transport 'peer' is not used: ") != NULL);
        CHECK(strstr(text, warning) != NULL);
    } else {
        CHECK(text != NULL && text[0] == '\0');
    }
    sedge_release(text);
    sedge_halo_free(halo);
    halo_case_clear(&c);
}

static void test_requested(const sedge_comm *comm, sedge_device *device, fake_fault fault,
                           sedge_status wanted, const char *message)
{
    sedge_halo *halo = NULL;
    halo_case c;

    fake_set_fault(fault);
    halo_case_create(&c, comm, device, 0, 3000);
    const sedge_halo_plan plan = halo_case_plan(&c);
    CHECK_FAILS(
        sedge_halo_create_with(&halo, comm, device, &plan, &sedge_transport_peer, &fake_peer, NULL),
        wanted, message);
    CHECK(halo == NULL);
    halo_case_clear(&c);
}

int main(void)
{
    sedge_comm *comm = NULL;
    sedge_device *device = NULL;

    if (!halo_world_open(&comm, &device)) return CHECK_END();
    fake_start(1);
    test_choice(comm, device, FAKE_SLOW, "direct", NULL);
    messages_are_slow = true;
    test_choice(comm, device, FAKE_RIGHT, "peer", NULL);
    messages_are_slow = false;
    test_choice(comm, device, FAKE_WRONG, "direct", "wrong bytes came from rank ");
    test_choice(comm, device, FAKE_CLOSED, "direct", "the fake's memory stays closed");
    test_choice(comm, device, FAKE_SILENT, "direct", "a peer's flag did not come within");
    test_requested(comm, device, FAKE_WRONG, SEDGE_ERR_COMPUTE, "wrong bytes came from rank ");
    test_requested(comm, device, FAKE_CLOSED, SEDGE_ERR_DEVICE, "the fake's memory stays closed");
    CHECK(fake_lost() == 0);
    fake_stop();
    halo_world_close(comm, device);
    return CHECK_END();
}
