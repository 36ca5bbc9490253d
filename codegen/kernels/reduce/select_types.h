// What stands before select.h: its numbers and types. A template (text/template.h).
// clang-format off
#define SELECT_COMPRESS   $compress$
#define SELECT_TAKE       $take$
#define SELECT_THREADS    $threads$
#define SELECT_ITEMS      $items$
#define SELECT_DIMENSIONS $dimensions$
typedef $unit$ select_unit;
typedef $index$ $if compress$select_mask$else$select_index$end$;
#define SELECT_WALK(X)$for d in 0..dimensions$ X(sedge_int64, size$d$) X(sedge_int64, stride$d$)$end$
