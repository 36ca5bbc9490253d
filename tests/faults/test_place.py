"""Folders that fill up, that nobody may write into, that are limited: a message, the exit code on every
rank, no hang; afterwards the run goes on from its last checkpoint.

    test_place.py [all]
"""

import os
import shutil
import subprocess
import sys
import unittest

from fault_kit import (MPIEXEC, PATIENCE, PROGRAM, Fault, Mounted, can_mount, check_files_open,
                       check_same, record)

USAGE, DEVICE = 1, 3
ALL = False  # every size and rank, not one of a kind


class Place(Fault):
    def fails(self, fault, code, parts, *words, environment=None, ranks=2):
        """One message with all `parts`, this code on all ranks."""
        job = self.run_job("--quiet", *words, environment=environment, ranks=ranks)
        found = job.wait(PATIENCE)
        text = job.text()
        job.end()
        self.assertEqual(found, code, text)
        messages = [line for line in text.splitlines() if line.startswith("sedge: ")]
        self.assertEqual(len(messages), 1, text)
        for part in parts:
            self.assertIn(part, messages[0])
        record(fault, f"one message, code {code} on all ranks")
        return text

    @unittest.skipUnless(can_mount(), "no file system can be mounted here")
    def test_disk_that_fills_up(self):
        # Sizes of a file system that end the run in its set-up, in the middle, near the end.
        answer = self.answer()
        for size in ("60k", "200k", "420k") if ALL else ("200k",):
            with self.subTest(size=size), Mounted(self.results, size) as disk:
                self.fails("the disk of the results is full", USAGE,
                           ["No space left on device", "deck-results"])
                check_files_open(self, self.results)
                disk.again("size=64m")
                self.restart()
                check_same(self, self.results, answer)
                record("a full disk, made larger, --restart auto",
                       "the answer of a run without, bit for bit")

    @unittest.skipUnless(can_mount(), "no file system can be mounted here")
    def test_disk_that_becomes_read_only(self):
        with Mounted(self.results, "64m") as disk:
            disk.again("ro")
            self.fails("the results' folder is read-only", USAGE,
                       ["Read-only file system", "deck-results"])

    @unittest.skipUnless(can_mount(), "no file system can be mounted here")
    def test_cache_that_cannot_be_written(self):
        answer = self.answer()
        cache = self.folder / "cache"
        for size, options in (("4k", "size=4k"), ("1m", "ro")):
            with self.subTest(options=options), Mounted(cache, size) as disk:
                cache.chmod(0o700)
                disk.again(options)
                job = self.run_job(environment={"SEDGE_CACHE_DIR": str(cache)})
                code = job.wait(PATIENCE)
                text = job.text()
                job.end()
                self.assertEqual(code, 0, text)
                check_same(self, self.results, answer)
                record("the cache's disk is full or read-only", "the run goes on without it")

    @unittest.skipUnless(can_mount(), "no file system can be mounted here")
    def test_temporary_folder_that_is_full(self):
        place = self.folder / "temporary"
        with Mounted(place, "8k"):
            place.chmod(0o700)
            self.fails("the compiler's temporary folder is full", DEVICE, ["No space left"],
                       environment={"TMPDIR": str(place), "OMPI_MCA_orte_tmpdir_base": "/tmp",
                                    "SEDGE_CACHE_DIR": str(self.folder / "cache")})

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_folder_of_others(self):
        self.results.mkdir(mode=0o500)
        self.fails("the results' folder is read-only", USAGE, ["Permission denied"])
        self.results.chmod(0o700)

    def test_file_size_limit(self):
        """A batch system's limit of file sizes; it must not kill."""
        answer = self.answer()
        for size in (60, 100) if ALL else (100,):  # blocks of 512 bytes
            with self.subTest(size=size):
                shutil.rmtree(self.results, ignore_errors=True)
                # Open MPI's own shared memory is in files: two ranks speak by sockets here.
                done = subprocess.run(
                    [MPIEXEC, "-n", "2", "--oversubscribe", "/bin/sh", "-c",
                     f"ulimit -f {size} && exec \"$@\"", "sh", PROGRAM, "run", "deck.yaml",
                     "--device", "host", "--quiet"],
                    cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT, timeout=PATIENCE,
                    env={**os.environ, "OMPI_MCA_btl": "self,tcp", "PMIX_MCA_gds": "hash"})
                text = done.stdout.decode()
                self.assertEqual(done.returncode, USAGE, text)
                self.assertIn("File too large", text)
                check_files_open(self, self.results)
                self.restart()
                check_same(self, self.results, answer)
                record("files are limited in size", f"one message, code {USAGE} on all ranks")

    def test_file_size_limit_alone(self):
        """One rank, and a file that HDF5 cannot close: it would crash when MPI ends."""
        words = ["--device", "host", "--quiet", "--set", "order=9"]
        subprocess.run([PROGRAM, "build", "deck.yaml", *words], cwd=self.folder, check=True, timeout=PATIENCE)
        done = subprocess.run(
            ["/bin/sh", "-c", "ulimit -f 280 && exec \"$@\"", "sh", PROGRAM, "run", "deck.yaml", *words],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE,
            env={**os.environ, "OMPI_MCA_btl": "self", "PMIX_MCA_gds": "hash"})
        text = done.stdout.decode()
        self.assertEqual(done.returncode, USAGE, text)
        self.assertEqual(text.count("sedge: "), 1, text)
        self.assertIn("ulimit -f, is 0.14", text)
        record("files are limited in size", f"one message, code {USAGE} on all ranks")

    def test_results_that_vanish(self):
        """The folder is moved away in the run: once the deck is in it, for a folder that vanishes
        before is made anew. So many steps that no job is done before."""
        job = self.run_job("--quiet", "--set", "time.steps=1000000")
        while not (self.results / "deck.yaml").exists() and not job.is_over():
            pass
        self.results.rename(self.folder / "moved")
        code = job.wait(PATIENCE)
        text = job.text()
        job.end()
        self.assertEqual(code, USAGE, text)
        self.assertRegex(text, "(?i)no such file|does not see output folder 'deck-results'")
        record("the results' folder is moved away", f"one message, code {USAGE} on all ranks")


class Alone(Fault):
    """One rank of two meets a fault that the other does not."""

    RUN = ("run", "deck.yaml", "--device", "host", "--quiet")

    def fails(self, code, part, environment=(), words=(), command=RUN):
        one = [PROGRAM, *command]
        other = ["env", *environment, *one, *words]
        done = subprocess.run(
            [MPIEXEC, "--oversubscribe", "-n", "1", *one, ":", "-n", "1", *other],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=PATIENCE)
        text = done.stdout.decode()
        self.assertEqual(done.returncode, code, text)
        messages = [line for line in text.splitlines() if line.startswith("sedge: ")]
        self.assertEqual(len(messages), 1, text)
        self.assertIn(part, messages[0])
        record("one rank alone fails before the time loop", "one message, its code on all ranks")

    def test_alone(self):
        new = f"SEDGE_CACHE_DIR={self.folder}/cache"
        self.fails(USAGE, "--nonsense", words=["--nonsense"])
        self.fails(DEVICE, "'/nonexistent'", ["SEDGE_CC=/nonexistent"])
        self.fails(USAGE, "SEDGE_GRAPHS='often' is not 0 or 1", ["SEDGE_GRAPHS=often"])
        self.fails(USAGE, "SEDGE_TRANSPORT='pigeon' is no transport: auto, staged, direct or peer",
                   ["SEDGE_TRANSPORT=pigeon"])
        self.fails(USAGE, "SEDGE_THREADS='none'", ["SEDGE_THREADS=none"], command=["devices"])
        if not ALL:
            return
        self.fails(USAGE, "SEDGE_THREADS", ["SEDGE_THREADS=none"])
        self.fails(USAGE, "SEDGE_CACHE_MAX", ["SEDGE_CACHE_MAX=none"])
        self.fails(USAGE, "TMPDIR", ["TMPDIR=/nonexistent", new])
        self.fails(USAGE, "order", words=["--set", "order=11"])

    def test_alone_in_a_solve(self):
        solve = ["solve", "unit.mtx", "--device", "host", "--quiet"]
        (self.folder / "unit.mtx").write_text(
            "%%MatrixMarket matrix coordinate real symmetric\n8 8 8\n"
            + "".join(f"{row} {row} 1\n" for row in range(1, 9)))
        (self.folder / "kernels/sparse_csr.h").mkdir(parents=True)
        self.fails(USAGE, "SEDGE_TUNE='quick'", ["SEDGE_TUNE=quick"], command=solve)
        self.fails(USAGE, "sparse_csr.h' is not used: it is not a regular file",
                   [f"SEDGE_KERNELS={self.folder}/kernels"], command=solve)

    def test_memory(self):
        """A job that is too large for one rank's address space. (With less MPI does not start.)"""
        one = [PROGRAM, "run", "deck.yaml", "--device", "host", "--quiet", "--set", "order=9",
               "--set", "mesh.box.cells=[12,12,12]", "--set", "time.steps=1"]
        limited = ["/bin/sh", "-c", "ulimit -v 430080 && exec \"$@\"", "sh", *one]
        done = subprocess.run(
            [MPIEXEC, "--oversubscribe", "-n", "1", *one, ":", "-n", "1", *limited],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=PATIENCE)
        text = done.stdout.decode()
        self.assertEqual(done.returncode, DEVICE, text)
        messages = [line for line in text.splitlines() if line.startswith("sedge: ")]
        self.assertEqual(len(messages), 1, text)
        self.assertIn("rank 1: out of host memory", messages[0])
        record("one rank alone has too little memory", "one message, its code on all ranks")


if __name__ == "__main__":
    ALL = sys.argv[1:] == ["all"]
    unittest.main(argv=sys.argv[:1])
