// PoCL for tests that compile longer than they compute (CMakeLists.txt): an OpenCL driver that is
// PoCL, which it links, with an option of LLVM's: registers are allocated quickly, not well.
extern void llvm_options(int count, const char *const *words,
                         const char *overview) __asm__("LLVMParseCommandLineOptions")
    __attribute__((weak)); // absent where PoCL hides its LLVM

__attribute__((constructor)) static void hurry(void)
{
    static const char *const words[] = {"pocl", "-optimize-regalloc=false"};

    // LLVM says nothing of an option that it does not know.
    if (llvm_options) llvm_options(2, words, 0);
}
