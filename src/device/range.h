// Named ranges of a thread's time on a profiler's time line (NVTX; Nsight Systems shows them beside
// kernels and driver calls). Active only with SEDGE_NVTX=1; otherwise a call costs one comparison.
// Ranges nest: sedge_range_end ends the range that this thread began last.
#pragma once

void sedge_range_begin(const char *name);
void sedge_range_end(void);
