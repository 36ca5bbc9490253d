"""Compilers and device libraries that are missing, broken, that hang or vanish: message, code, no hang.

    test_compiler.py [all]
"""

import os
import pathlib
import sys
import time
import unittest

from fault_kit import PATIENCE, Fault, record

USAGE, DEVICE = 1, 3
ALL = False  # every fault, not one of a kind


class Compiler(Fault):
    def script(self, *lines):
        """A compiler that knows its version and, for the rest, does these lines."""
        path = self.write("broken-cc", "\n".join([
            "#!/bin/sh", "for word in \"$@\"; do", "  case $word in -###) exit 0;; esac",
            "done", *lines, ""]))
        path.chmod(0o755)
        return path

    def fails(self, fault, compiler, *parts, limit=PATIENCE, kept=0, **more):
        environment = {"SEDGE_CC": str(compiler), "SEDGE_CACHE_DIR": str(self.folder / "cache"),
                       **more}
        job = self.run_job("--quiet", environment=environment)
        began = time.monotonic()
        code = job.wait(limit)
        text = job.text()
        left = set()
        while job.left() and time.monotonic() < began + limit:
            time.sleep(0.05)
        left = job.left()
        job.end()
        self.assertEqual(code, DEVICE, text)
        self.assertEqual(left, set(), "processes are left")
        messages = [line for line in text.splitlines() if line.startswith("sedge: ")]
        self.assertEqual(len(messages), 1, text)
        for part in parts:
            self.assertIn(part, text)
        self.assertNotIn("\x1b", text)
        record(fault, f"one message, code {code} on all ranks")
        self.assertEqual(len(list((self.folder / "cache").glob("*.sedge"))), kept)

    def test_it_fails(self):
        self.fails("the compiler speaks to the terminal",
                   self.script(r"printf '\033]0;title\007error: \033[2J\n'", "exit 1"),
                   "error: \\x1b[2J")
        if not ALL:
            return
        self.fails("the compiler is /bin/false", "/bin/false", "ends with status 1")
        self.fails("the compiler fails", self.script("echo 'kernel.c:7: error: no'", "exit 1"),
                   "broken-cc cannot compile", "kernel.c:7: error: no")
        self.fails("the compiler crashes", self.script("kill -SEGV $$"), "was killed by signal 11")

    def test_it_writes_nothing_or_garbage(self):
        self.fails("the compiler writes garbage", self.script("echo garbage >kernel.so"),
                   "cannot load compiled kernels")
        if not ALL:
            return
        self.fails("the compiler writes nothing", "/bin/true", "kernel.so")
        self.fails("the compiler writes without end", self.script("exec cat /dev/zero >kernel.so"),
                   "was killed by signal 25")
        self.fails("the compiler writes another program", self.script(
            "echo 'int nothing;' >other.c", "exec cc -shared -fPIC other.c -o kernel.so"),
            "has no kernel", kept=2)  # whole as far as the cache can know; its key has this compiler

    def test_it_hangs(self):
        self.fails("the compiler hangs", self.script("sleep 1000 & sleep 1000"),
                   "did not end within 2 s", "broken-cc", SEDGE_CC_SECONDS="2")
        if not ALL:
            return
        path = self.write("broken-cc", "#!/bin/sh\nexec sleep 1000\n")
        path.chmod(0o755)
        self.fails("the compiler hangs when asked for its version", path,
                   "did not end within 2 s", "broken-cc", SEDGE_CC_SECONDS="2")

    @unittest.skipUnless(sys.argv[1:] == ["all"], "only where all are asked for")
    def test_it_vanishes(self):
        path = self.write("broken-cc", "#!/bin/sh\nrm -f \"$0\"\nexit 0\n")
        path.chmod(0o755)
        # Gone when a rank starts it, or between that and the shell's opening of it.
        self.fails("the compiler vanishes", path, "broken-cc")


class Library(Fault):
    def fails(self, fault, device, *parts, **environment):
        job = self.run_job("--quiet", "--device", device, environment=environment)
        code = job.wait(PATIENCE)
        text = job.text()
        job.end()
        self.assertEqual(code, DEVICE, text)
        self.assertEqual(text.count("sedge: "), 1, text)
        for part in parts:
            self.assertIn(part, text)
        record(fault, f"one message, code {code} on all ranks")

    def test_damaged_drivers(self):
        """A CUDA driver that the loader finds first and cannot load; OpenCL without drivers. (PETSc
        itself may need libOpenCL, so that the program does not start without it.)"""
        self.write("libcuda.so.1", "no library\n")
        self.fails("the CUDA driver is missing or damaged", "cuda", "'cuda'",
                   LD_LIBRARY_PATH=str(self.folder))
        vendors = self.folder / "vendors"
        vendors.mkdir()
        self.fails("OpenCL has no driver", "opencl", "'opencl'", OCL_ICD_VENDORS=str(vendors))
        (vendors / "broken.icd").write_text(str(self.write("libbroken.so", "no library\n")))
        self.fails("OpenCL's driver is damaged", "opencl", "'opencl'",
                   OCL_ICD_VENDORS=str(vendors))

    def test_wishes(self):
        self.fails("SEDGE_OPENCL names no device", "opencl", "no such device",
                   SEDGE_OPENCL="no such device")
        result = self.sedge("build", self.deck, "--arch", "sm_90",
                            environment={"SEDGE_NVRTC": str(self.write("libnvrtc.so", "no\n"))})
        self.assertEqual(result.code, DEVICE, result)
        self.assertEqual(len(result.messages), 1, result)
        record("SEDGE_NVRTC names no library", f"one message, code {DEVICE} on all ranks")


if __name__ == "__main__":
    assert pathlib.Path(os.environ["SEDGE_PROGRAM"]).exists()
    ALL = sys.argv[1:] == ["all"]
    unittest.main(argv=sys.argv[:1])
