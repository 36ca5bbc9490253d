// What kernels use of OpenCL's functions, for tests on PoCL (CMakeLists.txt): PoCL reads the 17
// thousand lines of opencl-c.h twice for each program. This source stands in the prelude.
#define SEDGE_DECLARED __attribute__((overloadable, const))
#define SEDGE_DECLARE_1(name)           \
    float SEDGE_DECLARED name(float a); \
    double SEDGE_DECLARED name(double a);
#define SEDGE_DECLARE_2(name)                    \
    float SEDGE_DECLARED name(float a, float b); \
    double SEDGE_DECLARED name(double a, double b);
#define SEDGE_DECLARE_TEST(name)      \
    int SEDGE_DECLARED name(float a); \
    int SEDGE_DECLARED name(double a);

SEDGE_DECLARE_1(acos)
SEDGE_DECLARE_1(acosh)
SEDGE_DECLARE_1(asin)
SEDGE_DECLARE_1(asinh)
SEDGE_DECLARE_1(atan)
SEDGE_DECLARE_1(atanh)
SEDGE_DECLARE_1(ceil)
SEDGE_DECLARE_1(cos)
SEDGE_DECLARE_1(cosh)
SEDGE_DECLARE_1(exp)
SEDGE_DECLARE_1(fabs)
SEDGE_DECLARE_1(floor)
SEDGE_DECLARE_1(lgamma)
SEDGE_DECLARE_1(log)
SEDGE_DECLARE_1(log10)
SEDGE_DECLARE_1(log1p)
SEDGE_DECLARE_1(sin)
SEDGE_DECLARE_1(sinh)
SEDGE_DECLARE_1(sqrt)
SEDGE_DECLARE_1(tan)
SEDGE_DECLARE_1(tanh)
SEDGE_DECLARE_1(trunc)
SEDGE_DECLARE_2(atan2)
SEDGE_DECLARE_2(copysign)
SEDGE_DECLARE_2(fmax)
SEDGE_DECLARE_2(fmin)
SEDGE_DECLARE_2(fmod)
SEDGE_DECLARE_2(hypot)
SEDGE_DECLARE_2(pow)
SEDGE_DECLARE_TEST(isfinite)
SEDGE_DECLARE_TEST(isinf)
SEDGE_DECLARE_TEST(isnan)
float SEDGE_DECLARED fma(float a, float b, float c);
double SEDGE_DECLARED fma(double a, double b, double c);
size_t SEDGE_DECLARED get_group_id(uint dimension);
size_t SEDGE_DECLARED get_local_id(uint dimension);
void __attribute__((overloadable, convergent)) barrier(cl_mem_fence_flags flags);
