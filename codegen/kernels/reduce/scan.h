// Scans: out[i] combines the elements up to i (inclusive) or before i (exclusive), in segments that
// begin where `starts` is not 0. For reduce/scan.c, which writes before it
//
//   formula_value, formula_state, formula_result   an element, what is combined, an element of
//                                        the result
//   scan_map(x, i), formula_combine(a, b), formula_neutral(), formula_finish(s)
//   SCAN_EXCLUSIVE, SCAN_SEGMENTED       0 or 1; scan_start is the type of `starts`
//   SCAN_THREADS                         threads of a block
//
// and behind it the kernels: scan_chained.h on cuda, scan_phases.h elsewhere.
//
// Elements are combined in their order, and in a grouping that depends on these numbers alone: the
// result has the same bits every time, also in floating point.
#pragma once

// What is combined: in segments, with a mark that there is a start in it, after which what came
// before does not count.
#if SCAN_SEGMENTED
typedef struct scan_item {
    formula_state value;
    int start;
} scan_item;

SEDGE_FUNCTION scan_item scan_join(const scan_item a, const scan_item b)
{
    const formula_state both = formula_combine(a.value, b.value);
    scan_item out;
    out.value = b.start ? b.value : both; // no branch: marks are hard to predict
    out.start = a.start | b.start;
    return out;
}

SEDGE_FUNCTION scan_item scan_nothing(void)
{
    scan_item out;
    out.value = formula_neutral();
    out.start = 0;
    return out;
}

#define SCAN_STARTS(X)   X(const SEDGE_GLOBAL scan_start *SEDGE_RESTRICT, starts)
#define SCAN_VALUE(item) ((item).value)
#else
typedef formula_state scan_item;
#define scan_join(a, b) formula_combine(a, b)
#define scan_nothing()  formula_neutral()
#define SCAN_STARTS(X)
#define SCAN_VALUE(item) (item)
#endif

#define SCAN_FORMAL(type, name) , type name
#define SCAN_ACTUAL(type, name) , name

// Element i with its mark.
SEDGE_FUNCTION scan_item scan_take(const formula_value x, sedge_int64 i SCAN_STARTS(SCAN_FORMAL))
{
#if SCAN_SEGMENTED
    scan_item out;
    out.value = scan_map(x, i);
    out.start = starts[i] != 0;
    return out;
#else
    return scan_map(x, i);
#endif
}

// The result at i, where `item` is what has been combined up to there.
SEDGE_FUNCTION formula_result scan_give(const scan_item item,
                                        sedge_int64 i SCAN_STARTS(SCAN_FORMAL))
{
#if SCAN_SEGMENTED && SCAN_EXCLUSIVE
    if (starts[i] != 0) return formula_finish(formula_neutral());
#endif
    (void)i;
    return formula_finish(SCAN_VALUE(item));
}

#define SCAN_LIST(X)                                          \
    X(const SEDGE_GLOBAL formula_value *SEDGE_RESTRICT, from) \
    X(SEDGE_GLOBAL formula_result *SEDGE_RESTRICT, to)        \
    X(sedge_int64, count)                                     \
    SCAN_STARTS(X)
