// The beginning of an elementwise kernel's source: the function of one element, up to the body,
// which is the caller's. Written operands come by pointer, and are variables of their names in the
// body. A template (text/template.h).
// clang-format off
// $formula$
//
$for k in 0..len(name)$
//   $name[k]$: $type_name[k]$, $access[k]$$if written[k]$, written$end$
$end$
#define SEDGE_DIMENSIONS $dimensions$
#define SEDGE_STRIDED    $strided$
#define SEDGE_THREADS    $threads$
#define SEDGE_PACKS      $packs$
#define SEDGE_PACK       $pack$
#define SEDGE_WIDE       $wide$
typedef $if wide$sedge_int64$else$int$end$ sedge_index;

SEDGE_FUNCTION void sedge_body(sedge_int64 i$for k in 0..len(name)$, $type[k]$ $if written[k]$*sedge_at_$end$$name[k]$$end$)
{
$for k in 0..len(name)$
$if written[k]$
    $type[k]$ $name[k]$$if not write_only$ = *sedge_at_$name[k]$$end$;
$end$
$end$
    {
