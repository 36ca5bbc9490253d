// What stands before a reduction's formula: its numbers, its types, and those of the expression's
// leaves. Leaf k is an array, read in packs, or a number. A template (text/template.h).
// clang-format off
#define REDUCE_FORM      $form$
#define REDUCE_ELEMENTS  $elements$
#define REDUCE_ROWS_FAST $rows_fast$
#define REDUCE_ROWS      $rows$
#define REDUCE_LANES     $lanes$
#define REDUCE_PACK      $pack$
#define REDUCE_UNROLL    $unroll$
#define REDUCE_RUN       $run$
#define REDUCE_RESIDENT  $resident$
#define REDUCE_STREAMED  $streamed$
#define REDUCE_STRIPED   $striped$
#define REDUCE_LAST      $last$
#define REDUCE_TILES     $tiles$
#define REDUCE_PIECES    $pieces$
#define REDUCE_FINISH_THREADS $finish_threads$
#define REDUCE_FINISH_MANY    $finish_many$
typedef $value$ formula_value;
typedef $result$ formula_result;
$state$
$for a in 0..len(array)$
$let k = array[a]$
typedef $array_type[a]$ reduce_type$k$;
typedef struct SEDGE_ALIGN($pack * array_bytes[a]$) reduce_pack$k$ {
    reduce_type$k$ w[$pack$];
} reduce_pack$k$;
$end$
#define REDUCE_ARRAYS(X)$for a in 0..len(array)$ X($array[a]$)$end$
#define REDUCE_POINTERS(X)$for a in 0..len(array)$ X(const SEDGE_GLOBAL reduce_type$array[a]$ *SEDGE_RESTRICT, array$array[a]$)$end$
#define REDUCE_NUMBERS(X)$for n in 0..len(number)$ X($number_type[n]$, leaf$number[n]$)$end$
