"""Drivers that fail or hang on one rank: the job ends with the documented code, soon, on all ranks."""

import time
import unittest

from fault_kit import PATIENCE, Fault, Job, check_files_open, check_same, failing_calls, record

from kit import PLATES

DEVICE = 3


class Driver(Fault):
    def setUp(self):
        super().setUp()
        if "opencl    none" in self.succeed("devices").out:
            self.skipTest("no OpenCL")

    def run_opencl(self, *words, **options):
        return self.run_job("--quiet", "--device", "opencl", "--set", "time.steps=20", *words,
                            **options)

    def fault(self, **environment):
        return {"LD_PRELOAD": failing_calls(),
                **{name: str(value) for name, value in environment.items()}}

    def end(self, job, limit):
        """The exit code is the documented one, no process is left; seconds, messages, text."""
        code = job.wait(limit)
        text = job.text()
        while job.left() and time.monotonic() < job.began + limit:
            time.sleep(0.05)
        seconds = time.monotonic() - job.began
        left = job.left()
        job.end()
        self.assertEqual(code, DEVICE, text)
        self.assertEqual(left, set(), f"processes live {limit} s after the start")
        return seconds, [line for line in text.splitlines() if line.startswith("sedge: ")], text

    def test_within_a_step(self):
        """No other rank hears of it but by MPI_Abort: they wait for traces that never come."""
        job = self.run_opencl("--output", "answer")  # also fills the cache
        self.assertEqual(job.wait(PATIENCE), 0, job.text())
        job.end()
        for rank, launch, ranks in ((1, 300, 2), (0, 200, 3)):
            with self.subTest(rank=rank):
                job = self.run_opencl("--output", f"results-{rank}", ranks=ranks,
                                      environment=self.fault(SEDGE_FAIL_LAUNCH=f"{rank}:{launch}"))
                seconds, messages, text = self.end(job, PATIENCE)
                self.assertEqual(len(messages), 1, text)
                self.assertRegex(messages[0], rf"^sedge: rank {rank}: clEnqueueNDRangeKernel.*failed")
                results = self.folder / f"results-{rank}"
                check_files_open(self, results)
                self.assertNotEqual(list(results.glob("checkpoint-*.h5")), [], text)
                record("one rank's device fails within a step",
                       f"its message, code {DEVICE} of mpirun, files whole",
                       f"{seconds:.1f} s with the start")
        job = self.run_opencl("--output", "results-1", "--restart", "auto")
        self.assertEqual(job.wait(PATIENCE), 0, job.text())
        job.end()
        check_same(self, self.folder / "results-1", self.folder / "answer")

    def test_within_a_solve(self):
        """Nor do they where an equation without time is solved: they wait for a sum."""
        deck = self.folder / "solve.yaml"
        deck.write_text(PLATES)
        words = ("run", deck, "--quiet", "--device", "opencl")
        self.succeed(*words)  # fills the cache
        job = Job(words, self.folder, environment=self.fault(SEDGE_FAIL_LAUNCH="1:60"))
        self.addCleanup(job.end)
        seconds, messages, text = self.end(job, PATIENCE)
        self.assertEqual(len(messages), 1, text)
        self.assertRegex(messages[0], "^sedge: rank 1: clEnqueueNDRangeKernel.*failed")
        record("one rank's device fails within a solve", f"its message, code {DEVICE} of mpirun",
               f"{seconds:.1f} s with the start")

    def test_compilers_that_hang(self):
        limit = {"SEDGE_CC_SECONDS": "2", "SEDGE_CACHE_DIR": self.folder / "cache"}
        job = self.run_opencl(environment=self.fault(SEDGE_FAIL_BUILD=1, **limit))
        seconds, messages, text = self.end(job, PATIENCE)
        self.assertEqual(len(messages), 1, text)
        # Or the other rank's, where the machine is busy: it compiles, too.
        self.assertRegex(messages[0],
                         r"rank [01]: OpenCL's compiler did not end within 2 s \(SEDGE_CC_SECONDS\)")
        record("OpenCL's compiler hangs", f"one message, code {DEVICE} on all ranks",
               f"{seconds:.1f} s")
        began = time.monotonic()
        result = self.sedge("build", self.deck, "--device", "cuda", "--arch", "sm_90",
                            environment=self.fault(SEDGE_FAIL_BUILD=0, **limit))
        if "there is no NVRTC" in result.err or "without the CUDA headers" in result.err:
            return
        self.assertEqual(result.code, DEVICE, result)
        self.assertEqual(len(result.messages), 1, result)
        self.assertIn("NVRTC did not end within 2 s (SEDGE_CC_SECONDS)", result.messages[0])
        self.assertLess(time.monotonic() - began, PATIENCE)
        record("NVRTC hangs", f"one message, code {DEVICE}")


if __name__ == "__main__":
    unittest.main()
