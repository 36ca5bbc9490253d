// The template of a matrix product in tiles, and the numbers that the tuner chooses from: BM x BN
// entries of C a block, BK columns of A at a time, TM x TN entries an item. multiply.c says how it
// works; the benchmark of the tuner uses it, too, and a test compiles every choice.
#pragma once

#include "example_tune.h"

// What both forms begin with.
#define MULTIPLY_HEAD                                                                            \
    "$let THREADS = BN / TN * (BM / TM)$\n"                                                      \
    "#define MULTIPLY_LIST(X)                           \\\n"                                    \
    "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, a) \\\n"                                    \
    "    X(const SEDGE_GLOBAL float *SEDGE_RESTRICT, b) \\\n"                                    \
    "    X(SEDGE_GLOBAL float *SEDGE_RESTRICT, c)       \\\n"                                    \
    "    X(int, n)\n"                                                                            \
    "\n"                                                                                         \
    "typedef struct SEDGE_ALIGN(16) pack {\n"                                                    \
    "    float v[4];\n"                                                                          \
    "} pack;\n"                                                                                  \
    "\n"                                                                                         \
    "// Block t has the $BM$ x $BN$ entries of tile (t / tiles, t % tiles); n is a multiple of " \
    "both.\n"

// LX is 0: items in lines across the tile, one slab of A and B in block memory.
static const char multiply_text[] = MULTIPLY_HEAD
    "// LX is $LX$: items lie in lines.\n"
    "$let TX = BN / TN$\n"
    "$let TY = BM / TM$\n"
    "SEDGE_KERNEL(multiply, $THREADS$, MULTIPLY_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (t) {\n"
    "        SEDGE_SHARED(pack, left, $BK * BM / 4$);  // [k][row]\n"
    "        SEDGE_SHARED(pack, right, $BK * BN / 4$); // [k][column]\n"
    "        SEDGE_PRIVATE(float, sum, $THREADS$, $TM * TN$);\n"
    "        const sedge_int64 row = t / (n / $BN$) * $BM$;\n"
    "        const sedge_int64 column = t % (n / $BN$) * $BN$;\n"
    "\n"
    "        SEDGE_ITEMS (y, $TY$, x, $TX$, $THREADS$)\n"
    "            SEDGE_EACH (i, $TM * TN$) SEDGE_MINE(sum, y * $TX$ + x)[i] = 0.0f;\n"
    "        for (int k = 0; k < n; k += $BK$) {\n"
    "            SEDGE_ITEMS (i, $BM$, j, $BK / 4$, $THREADS$) {\n"
    "                const pack p = *(const SEDGE_GLOBAL pack *)(a + (row + i) * n + k + 4 * j);\n"
    "                SEDGE_BLOCKWIDE float *const to =\n"
    "                    (SEDGE_BLOCKWIDE float *)left + 4 * j * $BM$ + i;\n"
    "$for e in 0..4$\n"
    "                to[$e * BM$] = p.v[$e$];\n"
    "$end$\n"
    "            }\n"
    "            SEDGE_ITEMS (i, $BK$, j, $BN / 4$, $THREADS$)\n"
    "                right[i * $BN / 4$ + j] =\n"
    "                    *(const SEDGE_GLOBAL pack *)(b + (sedge_int64)(k + i) * n + column + 4 * "
    "j);\n"
    "            SEDGE_BARRIER();\n"
    "            SEDGE_ITEMS (y, $TY$, x, $TX$, $THREADS$) {\n"
    "                for (int l = 0; l < $BK$; l++) {\n"
    "$for i in 0..TM / 4$\n"
    "                    const pack a$i$ = left[l * $BM / 4$ + $i * TY$ + y];\n"
    "$end$\n"
    "$for j in 0..TN / 4$\n"
    "                    const pack b$j$ = right[l * $BN / 4$ + $j * TX$ + x];\n"
    "$end$\n"
    "$for i in 0..TM$\n"
    "$for j in 0..TN$\n"
    "                    SEDGE_MINE(sum, y * $TX$ + x)[$i * TN + j$] +=\n"
    "                        a$i / 4$.v[$i % 4$] * b$j / 4$.v[$j % 4$];\n"
    "$end$\n"
    "$end$\n"
    "                }\n"
    "            }\n"
    "            SEDGE_BARRIER();\n"
    "        }\n"
    "        SEDGE_ITEMS (y, $TY$, x, $TX$, $THREADS$) {\n"
    "$for i in 0..TM$\n"
    "$for j in 0..TN / 4$\n"
    "            {\n"
    "                const sedge_int64 at = (row + $i / 4 * 4 * TY + i % 4$ + 4 * y) * n + column "
    "+\n"
    "                                       $j * 4 * TX$ + 4 * x;\n"
    "                pack p;\n"
    "                SEDGE_EACH (e, 4)\n"
    "                    p.v[e] = SEDGE_MINE(sum, y * $TX$ + x)[$i * TN + 4 * j$ + e];\n"
    "                *(SEDGE_GLOBAL pack *)(c + at) = p;\n"
    "            }\n"
    "$end$\n"
    "$end$\n"
    "        }\n"
    "    }\n"
    "}\n";

// Warps of 32 / LX x LX items, and two slabs: one is copied while the other is used.
static const char multiply_warp_text[] = MULTIPLY_HEAD
    "$let LY = 32 / LX$\n"
    "$let WX = BN / (LX * TN)$\n"
    "$let WARPS = THREADS / 32$\n"
    "$let STRIDE = BK / 4 + 1$\n"
    "// Copies of the next slab are on their way while this one is worked on. A warp has $LY * TM$ "
    "rows\n"
    "// and $LX * TN$ columns, its $LY$ x $LX$ items lie side by side: they read neighbouring "
    "packs, or\n"
    "// the same one. Four columns of A are a pack, and rows are one pack longer than they need "
    "be, so\n"
    "// that neighbours' packs are in different banks.\n"
    "SEDGE_KERNEL_RESIDENT(multiply, $THREADS$, 512, MULTIPLY_LIST)\n"
    "{\n"
    "    SEDGE_OUTER (t) {\n"
    "        SEDGE_SHARED(pack, left, $2 * BM * STRIDE$);  // [buffer][row][k]\n"
    "        SEDGE_SHARED(pack, right, $2 * BK * BN / 4$); // [buffer][k][column]\n"
    "        SEDGE_PRIVATE(float, sum, $THREADS$, $TM * TN$);\n"
    "        const sedge_int64 row = t / (n / $BN$) * $BM$;\n"
    "        const sedge_int64 column = t % (n / $BN$) * $BN$;\n"
    "\n"
    "        SEDGE_ITEMS (w, $WARPS$, l, 32, $THREADS$)\n"
    "            SEDGE_EACH (i, $TM * TN$) SEDGE_MINE(sum, w * 32 + l)[i] = 0.0f;\n"
    "        const SEDGE_GLOBAL float *next_a = a + row * n;\n"
    "        const SEDGE_GLOBAL float *next_b = b + column;\n"
    "        for (int k = -$BK$; k < n; k += $BK$) {\n"
    "            const int now = k / $BK$ & 1;\n"
    "            const int next = 1 - now;\n"
    "            if (k + $BK$ < n) {\n"
    "                SEDGE_ITEMS (i, $BM$, j, $BK / 4$, $THREADS$)\n"
    "                    SEDGE_COPY_PACK(left + (next * $BM$ + i) * $STRIDE$ + j,\n"
    "                                    (const SEDGE_GLOBAL pack *)(next_a + i * n) + j);\n"
    "                SEDGE_ITEMS (i, $BK$, j, $BN / 4$, $THREADS$)\n"
    "                    SEDGE_COPY_PACK(right + (next * $BK$ + i) * $BN / 4$ + j,\n"
    "                                    (const SEDGE_GLOBAL pack *)(next_b + i * n) + j);\n"
    "                next_a += $BK$;\n"
    "                next_b += $BK$ * (sedge_int64)n;\n"
    "            }\n"
    "            if (k >= 0) {\n"
    "                SEDGE_ITEMS (w, $WARPS$, l, 32, $THREADS$) {\n"
    "                    const int y = w / $WX$ * $LY * TM$ + l / $LX$;\n"
    "                    const int x = w % $WX$ * $LX * TN / 4$ + l % $LX$;\n"
    "                    SEDGE_EACH (s, $BK / 4$) {\n"
    "$for h in 0..TM step 4$\n"
    "                        {\n"
    "$for i in h..h + 4$\n"
    "                            const pack a$i$ = left[(now * $BM$ + y + $i * LY$) * $STRIDE$ + "
    "s];\n"
    "$end$\n"
    "$for e in 0..4$\n"
    "                            {\n"
    "$for j in 0..TN / 4$\n"
    "                                const pack b$j$ =\n"
    "                                    right[(now * $BK$ + 4 * s + $e$) * $BN / 4$ + x + $j * "
    "LX$];\n"
    "$end$\n"
    "$for i in h..h + 4$\n"
    "$for j in 0..TN$\n"
    "                                SEDGE_MINE(sum, w * 32 + l)[$i * TN + j$] +=\n"
    "                                    a$i$.v[$e$] * b$j / 4$.v[$j % 4$];\n"
    "$end$\n"
    "$end$\n"
    "                            }\n"
    "$end$\n"
    "                        }\n"
    "$end$\n"
    "                    }\n"
    "                }\n"
    "            }\n"
    "            SEDGE_COPY_WAIT();\n"
    "            SEDGE_BARRIER();\n"
    "        }\n"
    "        SEDGE_ITEMS (w, $WARPS$, l, 32, $THREADS$) {\n"
    "            const sedge_int64 y = row + w / $WX$ * $LY * TM$ + l / $LX$;\n"
    "            const sedge_int64 x = column + w % $WX$ * $LX * TN$ + 4 * (l % $LX$);\n"
    "            SEDGE_GLOBAL float *const to = c + y * n + x;\n"
    "$for i in 0..TM$\n"
    "$for j in 0..TN / 4$\n"
    "            {\n"
    "                pack p;\n"
    "                SEDGE_EACH (e, 4)\n"
    "                    p.v[e] = SEDGE_MINE(sum, w * 32 + l)[$i * TN + 4 * j$ + e];\n"
    "                *(SEDGE_GLOBAL pack *)(to + (sedge_int64)$i * LY$ * n + $4 * j * LX$) = p;\n"
    "            }\n"
    "$end$\n"
    "$end$\n"
    "        }\n"
    "    }\n"
    "}\n";

enum { MULTIPLY_BM, MULTIPLY_BN, MULTIPLY_BK, MULTIPLY_TM, MULTIPLY_TN, MULTIPLY_LX };

static const example_choice multiply_choices[] = {
    {"64x64x8 4x4", {64, 64, 8, 4, 4, 0}},          {"32x32x8 4x4", {32, 32, 8, 4, 4, 0}},
    {"32x64x16 4x4", {32, 64, 16, 4, 4, 0}},        {"64x64x16 8x4", {64, 64, 16, 8, 4, 0}},
    {"64x64x16 8x8", {64, 64, 16, 8, 8, 0}},        {"128x64x8 8x8", {128, 64, 8, 8, 8, 0}},
    {"128x128x8 8x8", {128, 128, 8, 8, 8, 0}},      {"128x128x16 8x8", {128, 128, 16, 8, 8, 0}},
    {"128x128x8 8x8 w4", {128, 128, 8, 8, 8, 4}},   {"128x128x8 8x8 w8", {128, 128, 8, 8, 8, 8}},
    {"128x128x16 8x8 w4", {128, 128, 16, 8, 8, 4}}, {"128x128x16 8x8 w8", {128, 128, 16, 8, 8, 8}},
    {"64x128x16 8x8 w4", {64, 128, 16, 8, 8, 4}},   {"64x64x16 8x8 w4", {64, 64, 16, 8, 8, 4}},
    {"64x64x16 8x4 w8", {64, 64, 16, 8, 4, 8}},     {"64x64x16 4x8 w4", {64, 64, 16, 4, 8, 4}},
};

static inline int multiply_threads(const int *number)
{
    return number[MULTIPLY_BM] / number[MULTIPLY_TM] * (number[MULTIPLY_BN] / number[MULTIPLY_TN]);
}

// A tile of A and one of B; two of each with warps, where rows of A are longer.
static inline int multiply_shared_bytes(const int *number)
{
    const int bm = number[MULTIPLY_BM], bn = number[MULTIPLY_BN], bk = number[MULTIPLY_BK];

    return (int)sizeof(float) *
           (number[MULTIPLY_LX] > 0 ? 2 * (bm * (bk + 4) + bk * bn) : bk * (bm + bn));
}

static inline const char *multiply_choose_text(const int *number)
{
    return number[MULTIPLY_LX] > 0 ? multiply_warp_text : multiply_text;
}

static const example_template multiply_template = {
    .name = "multiply",
    .text = multiply_choose_text,
    .names = {"BM", "BN", "BK", "TM", "TN", "LX"},
    .choices = multiply_choices,
    .count = (int)(sizeof multiply_choices / sizeof multiply_choices[0]),
    .threads = multiply_threads,
    .shared_bytes = multiply_shared_bytes,
};
