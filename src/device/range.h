// Named ranges of a thread's time on a profiler's time line (NVTX; Nsight Systems shows them beside
// kernels and driver calls). Only with SEDGE_NVTX=1; else a call is a comparison. They nest: the
// end is that of the range which this thread began last.
#pragma once

void sedge_range_begin(const char *name);
void sedge_range_end(void);
