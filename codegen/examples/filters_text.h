// The template of a filter bank and the shapes that the tuner chooses from. filters.c says how it
// works; a test compiles every choice.
#pragma once

#include "example_tune.h"

static const char filters_text[] =
    "$let threads = rows * columns$\n"
    "$let tall = rows * pixels$ // of the tile\n"
    "$let high = tall + size - 1$\n"
    "$let wide = columns + size - 1$\n"
    "$let left = side - size + 1$ // pixels of a side of the output\n"
    "$let tiles = (left + columns - 1) / columns$\n"
    "$let floors = (left + tall - 1) / tall$\n"
    "#define FILTER_LIST(X) \\\n"
    "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, image) \\\n"
    "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, bank) \\\n"
    "    X(SEDGE_GLOBAL float *SEDGE_RESTRICT, out) \\\n"
    "    X(int, lines)\n"
    "\n"
    "typedef struct SEDGE_ALIGN(16) pack {\n"
    "    float v[4];\n"
    "} pack;\n"
    "\n"
    "// Lines of a filter, and taps of a line. The host unrolls them; on a GPU all taps at once "
    "would\n"
    "// not fit into registers, and `lines`, which is $size$, is an argument, so that they are "
    "not.\n"
    "#if SEDGE_TARGET_HOST\n"
    "#define FILTER_LOOP(i) SEDGE_EACH (i, $size$)\n"
    "#else\n"
    "#define FILTER_LOOP(i) for (int i = 0; i < lines; i++)\n"
    "#endif\n"
    "\n"
    "// One tap of all filters and pixels of an item.\n"
    "#define FILTER_TAP \\\n"
    "$for k in 0..group step 4$\n"
    "    const pack w$k$ = taps[(p * $size$ + q) * $group / 4$ + $k / 4$]; \\\n"
    "$end$\n"
    "$for j in 0..pixels$\n"
    "    const float v$j$ = part[at + (p + $j$) * $wide$ + q]; \\\n"
    "$for k in 0..group$\n"
    "    sum$j$_$k$ += w$k / 4 * 4$.v[$k % 4$] * v$j$; \\\n"
    "$end$\n"
    "$end$\n"
    "\n"
    "//   image [$side$][$side$], bank [$filters$][$size$][$size$], out "
    "[$filters$][$left$][$left$]\n"
    "// A block has a tile of $tall$ x $columns$ pixels of $group$ filters' output. The last tiles "
    "of\n"
    "// a line and of a column reach back over the ones before, and write the same numbers again:\n"
    "// so nothing has to ask where the image ends.\n"
    "SEDGE_KERNEL(filters, $threads$, FILTER_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (b) {\n"
    "        SEDGE_SHARED(float, part, $high * wide$); // of the image\n"
    "        SEDGE_SHARED(pack, taps, $group / 4 * size * size$); // [line][tap][filter]\n"
    "        const int across = (int)(b % $tiles$) * $columns$;\n"
    "        const int down = (int)(b / $tiles$ % $floors$) * $tall$;\n"
    "        const int column = across < $left - columns$ ? across : $left - columns$;\n"
    "        const int top = down < $left - tall$ ? down : $left - tall$;\n"
    "        const int first = (int)(b / $tiles * floors$) * $group$;\n"
    "\n"
    "        SEDGE_ITEMS (y, $high$, x, $wide$, $threads$)\n"
    "            part[y * $wide$ + x] = image[(top + y) * $side$ + column + x];\n"
    "        SEDGE_ITEMS (t, $size * size$, k, $group$, $threads$)\n"
    "            ((SEDGE_BLOCKWIDE float *)taps)[t * $group$ + k] =\n"
    "                bank[(first + k) * $size * size$ + t];\n"
    "        SEDGE_BARRIER();\n"
    "        SEDGE_ITEMS (y, $rows$, x, $columns$, $threads$) {\n"
    "            const int at = (y * $pixels$) * $wide$ + x;\n"
    "$for j in 0..pixels$\n"
    "$for k in 0..group$\n"
    "            float sum$j$_$k$ = 0.0f;\n"
    "$end$\n"
    "$end$\n"
    "            FILTER_LOOP (p) {\n"
    "$if unroll$\n"
    "$for q in 0..size$\n"
    "                {\n"
    "                    const int q = $q$;\n"
    "                    FILTER_TAP\n"
    "                }\n"
    "$end$\n"
    "$else$\n"
    "                FILTER_LOOP (q) {\n"
    "                    FILTER_TAP\n"
    "                }\n"
    "$end$\n"
    "            }\n"
    "$for j in 0..pixels$\n"
    "            {\n"
    "                SEDGE_GLOBAL float *const to =\n"
    "                    out + (top + y * $pixels$ + $j$) * $left$ + column + x;\n"
    "$for k in 0..group$\n"
    "                to[(sedge_int64)(first + $k$) * $left * left$] = sum$j$_$k$;\n"
    "$end$\n"
    "            }\n"
    "$end$\n"
    "        }\n"
    "    }\n"
    "}\n";

// Threads of a block (down, across), pixels below each other and filters of an item, whether
// taps of a line are unrolled on a GPU; then the problem: pixels of a filter's side, filters,
// pixels of the image's.
enum { ROWS, COLUMNS, PIXELS, GROUP, UNROLL, SIZE, FILTERS, SIDE };

static const example_choice filters_choices[] = {
    {"8x32 p1 g8 u", {8, 32, 1, 8, 1}},   {"8x32 p2 g8 u", {8, 32, 2, 8, 1}},
    {"8x32 p4 g4 u", {8, 32, 4, 4, 1}},   {"4x32 p4 g8 u", {4, 32, 4, 8, 1}},
    {"4x64 p2 g8 u", {4, 64, 2, 8, 1}},   {"2x64 p4 g8 u", {2, 64, 4, 8, 1}},
    {"1x128 p1 g8 u", {1, 128, 1, 8, 1}}, {"1x128 p4 g4 u", {1, 128, 4, 4, 1}},
    {"8x32 p1 g8", {8, 32, 1, 8, 0}},     {"8x32 p2 g8", {8, 32, 2, 8, 0}},
    {"8x32 p4 g8", {8, 32, 4, 8, 0}},     {"4x32 p2 g16", {4, 32, 2, 16, 0}},
    {"16x16 p2 g8", {16, 16, 2, 8, 0}},
};

static inline int filters_threads(const int *number)
{
    return number[ROWS] * number[COLUMNS];
}

// A tile of the image with what the filters reach beyond it, and the taps.
static inline int filters_shared_bytes(const int *number)
{
    const int high = number[ROWS] * number[PIXELS] + number[SIZE] - 1;
    const int wide = number[COLUMNS] + number[SIZE] - 1;

    return (int)sizeof(float) *
           ((high * wide + 3) / 4 * 4 + number[GROUP] * number[SIZE] * number[SIZE]);
}

static inline const char *filters_choose_text(const int *number)
{
    (void)number;
    return filters_text;
}

static const example_template filters_template = {
    .name = "filters",
    .text = filters_choose_text,
    .names = {"rows", "columns", "pixels", "group", "unroll", "size", "filters", "side"},
    .choices = filters_choices,
    .count = (int)(sizeof filters_choices / sizeof filters_choices[0]),
    .threads = filters_threads,
    .shared_bytes = filters_shared_bytes,
};
