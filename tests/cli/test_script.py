"""sedge.sh test: a part that fails is told at the end, and the others run all the same.

The tools that the script calls are stand-ins, which note their names and fail where they are told to.
"""

import os
import shutil
import subprocess
import unittest

from kit import FOLDER, SOURCE, TIMEOUT, Case

STAND_IN = """#!/bin/sh
name=$(basename "$0")
case "$name $*" in
*build-sanitize*) name="sanitized-$name" ;;
*--build*) name="$name-build" ;;
esac
echo "$name" >>"$CALLS"
cat >/dev/null # a compiler reads the program that is piped to it, or the pipe's other end fails
case " $FAILING " in *" $name "*) echo "$name fails"; exit 1 ;; esac
"""
TOOLS = ["cmake", "ctest", "clang-format-14", "clang-tidy-14", "cc", "dpkg-query"]


class Script(Case):
    def run_test(self, failing):
        """The exit code, what was printed, and which tools were called."""
        tree = self.folder / "tree"
        tools = self.folder / "tools"
        shutil.rmtree(tree, ignore_errors=True)
        tree.mkdir()
        tools.mkdir(exist_ok=True)
        shutil.copy(SOURCE / "sedge.sh", tree)
        (tree / "one.c").write_text("int one;\n")
        (tree / "build").mkdir()
        (tree / "build/compile_commands.json").write_text(f'  "file": "{tree}/one.c"\n')
        (tree / "build-sanitize").mkdir()
        probe = tree / "build-sanitize/probe"
        probe.write_text("#!/bin/sh\n")
        probe.chmod(0o755)
        for name in TOOLS:
            (tools / name).write_text(STAND_IN)
            (tools / name).chmod(0o755)
        # All packages are there.
        (tools / "dpkg-query").write_text('#!/bin/sh\nshift 2\nfor p in "$@"; do echo "ii :$p"; done\n')
        calls = self.folder / "calls"
        calls.write_text("")
        done = subprocess.run([str(tree / "sedge.sh"), "test"], timeout=TIMEOUT,
                              env={**os.environ, "PATH": f"{tools}:/usr/bin:/bin",
                                   "CALLS": str(calls), "FAILING": failing, "SEDGE_JOBS": "1"},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout.decode(), set(calls.read_text().split())

    ALL = {"cmake", "cmake-build", "clang-format-14", "clang-tidy-14", "sanitized-cmake",
           "sanitized-ctest", "ctest"}

    def test_nothing_fails(self):
        code, text, calls = self.run_test("")
        self.assertEqual(code, 0, text)
        self.assertEqual(calls - {"sanitized-cc"}, self.ALL)
        self.assertNotIn("Failed parts", text)

    def test_all_parts_run(self):
        code, text, calls = self.run_test("clang-format-14 clang-tidy-14 sanitized-ctest cmake-build")
        self.assertEqual(code, 1, text)
        self.assertEqual(calls - {"sanitized-cc"}, self.ALL)
        told = text[text.index("Failed parts"):]
        for part in ("clang-format", "compile program and tests", "clang-tidy", "tests with sanitizers"):
            self.assertIn(f"  {part}\n", told)
        self.assertNotIn("  tests\n", told)

    def test_tests_fail(self):
        code, text, _ = self.run_test("ctest")
        self.assertEqual(code, 1, text)
        self.assertTrue(text.endswith("  tests\n"), text)

    def test_without_a_configuration(self):
        """What needs it is not tried, and not told as a failure of its own."""
        code, text, calls = self.run_test("cmake")
        self.assertEqual(code, 1, text)
        self.assertEqual(calls, {"clang-format-14", "cmake", "sanitized-cmake"})
        self.assertTrue(text.endswith("  configure (build/, build-sanitize/)\n"), text)

    def test_without_sanitizers(self):
        """The other build is made and tested."""
        code, text, calls = self.run_test("sanitized-cmake")
        self.assertEqual(code, 1, text)
        self.assertEqual(calls, self.ALL - {"sanitized-ctest"})
        self.assertTrue(text.endswith("  compile with sanitizers (build-sanitize/)\n"), text)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    unittest.main()
