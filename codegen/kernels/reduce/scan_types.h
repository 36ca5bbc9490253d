// What stands before a scan's formula: its numbers and types. A template (text/template.h).
// clang-format off
#define SCAN_EXCLUSIVE $exclusive$
#define SCAN_SEGMENTED $segmented$
#define SCAN_THREADS   $threads$
$if chained$
#define SCAN_PACK      $pack$
#define SCAN_PACKS     $packs$
#define SCAN_RESIDENT  $resident$
#define SCAN_STAGED    $staged$
#define SCAN_COMMUTES  $commutes$
#define SCAN_JOINT_ITEMS $joint_items$
$else$
#define SCAN_ITEMS     $items$
#define SCAN_TILES     $tiles$
#define SCAN_CHAINS    $chains$
$end$
$if segmented$
typedef $start$ scan_start;
$end$
typedef $value$ formula_value;
typedef $result$ formula_result;
$state$
