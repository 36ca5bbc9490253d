// Settings of libgomp, GNU's OpenMP library, which host kernels and PETSc's libraries use.
#pragma once

// Load libgomp so that its waiting threads spin briefly only: on a busy machine they otherwise take
// the processor from those that work, and a kernel takes many times longer. And so that its threads
// have stacks of 8 MiB, which kernels count on: where the limit of stacks is "unlimited" they have
// 2 MiB otherwise. libgomp reads its settings, GOMP_SPINCOUNT and OMP_STACKSIZE, when it is loaded;
// the environment is then as before. A libgomp that the program has loaded keeps its settings, and
// so does one for which the user has set them, or OMP_WAIT_POLICY and GOMP_STACKSIZE. Call this
// before anything else loads libgomp.
void sedge_openmp_load(void);
