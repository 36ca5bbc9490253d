// Scalars and values of a generated program: what a work item computes with.
//
// sedge_value holds SEDGE_LANES elements at once: one on a GPU, a SIMD register of the host. Arrays
// of values in global memory are indexed by slot / SEDGE_LANES; SEDGE_LANE picks one element.
#pragma once

#if SEDGE_FP64
typedef double sedge_real;
#define SEDGE_R(x) (x)
#else
typedef float sedge_real;
#define SEDGE_R(x) ((float)(x))
#endif

#if SEDGE_LANES == 1
typedef sedge_real sedge_value;
#define SEDGE_SPLAT(x)   ((sedge_real)(x))
#define SEDGE_LANE(v, l) (v)
#else
typedef sedge_real sedge_value __attribute__((vector_size(SEDGE_LANES * sizeof(sedge_real))));
#define SEDGE_SPLAT(x)   ((sedge_value){0} + (sedge_real)(x))
#define SEDGE_LANE(v, l) ((v)[l])
#endif
#define SEDGE_LANES_LOOP(l) for (int l = 0; l < SEDGE_LANES; l++)

SEDGE_FUNCTION sedge_value sedge_max(sedge_value a, sedge_value b)
{
    sedge_value c = a;
    SEDGE_LANES_LOOP (l)
        SEDGE_LANE(c, l) =
            SEDGE_LANE(a, l) > SEDGE_LANE(b, l) ? SEDGE_LANE(a, l) : SEDGE_LANE(b, l);
    return c;
}

SEDGE_FUNCTION sedge_value sedge_min(sedge_value a, sedge_value b)
{
    return -sedge_max(-a, -b);
}

SEDGE_FUNCTION sedge_value sedge_abs(sedge_value a)
{
    return sedge_max(a, -a);
}

SEDGE_FUNCTION sedge_value sedge_sqrt(sedge_value a)
{
    sedge_value c = a;
    SEDGE_LANES_LOOP (l) SEDGE_LANE(c, l) = (sedge_real)sqrt(SEDGE_LANE(a, l));
    return c;
}

// 1/a. On NVIDIA's chips their approximation and a Newton step, in fp64 two, right but for the last
// bit, for |a| from 1.2e-38 to 8e37, in fp64 from 2.3e-308 to 4e307: a division there has branches,
// and calls for what is small or large.
SEDGE_FUNCTION sedge_value sedge_inverse(sedge_value a)
{
#if SEDGE_TARGET_CUDA && !SEDGE_FP64
    float guess;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(guess) : "f"(a));
    return guess + guess * (1.0f - a * guess);
#elif SEDGE_TARGET_CUDA
    double guess;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(guess) : "d"(a));
    guess = guess + guess * (1.0 - a * guess);
    return guess + guess * (1.0 - a * guess);
#else
    return SEDGE_SPLAT(1.0) / a;
#endif
}
