#include "barriers.h"

#include "device/host/host_order.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define BARRIERS_MOST 256
#define ITEMS_MOST    1024

// The barrier to which an item of the kernel comes after `before` others.
typedef struct barrier_place {
    void (*kernel)(long long, void **);
    int before;
    char file[64];
    int line;
} barrier_place;

// Where an item was last: how many barriers it has come to in this block of this launch.
typedef struct barrier_item {
    int64_t launch;
    long long block;
    int met;
} barrier_item;

static barrier_place places[BARRIERS_MOST];
static int place_count;
static bool records;
static int left_out = -1;
static sedge_order real; // its functions before
static void (*kernel)(long long, void **);
static int64_t launches;
static barrier_item items[ITEMS_MOST];

// What --wrap makes of the names.
sedge_status barriers_create_order(sedge_order **out,
                                   uint64_t seed) __asm__("__wrap_sedge_order_create");
sedge_status barriers_create_real(sedge_order **out,
                                  uint64_t seed) __asm__("__real_sedge_order_create");

// The place, -1 where it is not listed. It is listed now, if places are recorded.
static int find_place(int before, const char *file, int line)
{
    const char *const slash = strrchr(file, '/');

    for (int i = 0; i < place_count; i++)
        if (places[i].kernel == kernel && places[i].before == before) return i;
    if (!records || place_count == BARRIERS_MOST) return -1;
    barrier_place *const place = &places[place_count];
    *place = (barrier_place){.kernel = kernel, .before = before, .line = line};
    (void)snprintf(place->file, sizeof place->file, "%s", slash != NULL ? slash + 1 : file);
    return place_count++;
}

static void barrier(sedge_order *order, const char *file, int line)
{
    barrier_item *const item = &items[order->item];

    if (item->launch != launches || item->block != order->block)
        *item = (barrier_item){launches, order->block, 0};
    const int place = find_place(item->met++, file, line);
    if (place < 0 || place != left_out) real.barrier(order, file, line);
}

static void run(sedge_order *order, void (*body)(long long, void **), void **arguments,
                long long blocks, int threads)
{
    kernel = body;
    launches++;
    real.run(order, body, arguments, blocks, threads);
}

sedge_status barriers_create_order(sedge_order **out, uint64_t seed)
{
    SEDGE_TRY(barriers_create_real(out, seed));
    real = **out;
    (*out)->barrier = barrier;
    (*out)->run = run;
    return SEDGE_OK;
}

void barriers_record(void)
{
    place_count = 0;
    records = true;
    left_out = -1;
}

int barriers_count(const char *file)
{
    int count = 0;

    if (place_count == BARRIERS_MOST) return -1;
    for (int i = 0; i < place_count; i++) count += strcmp(places[i].file, file) == 0;
    return count;
}

int barriers_leave_out(const char *file, int which)
{
    records = false;
    left_out = -1;
    for (int i = 0; i < place_count && which >= 0; i++) {
        if (strcmp(places[i].file, file) != 0 || which-- > 0) continue;
        left_out = i;
        return places[i].line;
    }
    return 0;
}
