// Settings of libgomp, GNU's OpenMP library, which host kernels and PETSc's libraries use.
#pragma once

// Load libgomp so that its waiting threads spin briefly only: on a busy machine they otherwise take
// the processor from those that work, and a kernel takes many times longer. libgomp reads its
// setting, GOMP_SPINCOUNT, when it is loaded; the environment is then as before. A libgomp that the
// program has loaded keeps its settings, and so does one for which the user has set GOMP_SPINCOUNT
// or OMP_WAIT_POLICY. Call this before anything else loads libgomp.
void sedge_openmp_limit_spinning(void);
