"""sedge solve: files of all kinds, preconditioners, ranks, what it leaves, and its refusals."""

import gzip
import json
import os
import re
import resource
import struct
import subprocess
import sys
import unittest

from kit import PROGRAM, SOURCE, Case, read_json

USAGE, DATA, COMPUTE = 1, 2, 4
HOST = ("--device", "host", "--tune", "off")


def laplacian(side):
    """(rows, lower triangle) of the 5-point Laplacian on a square."""
    entries = []
    for row in range(side * side):
        if row >= side:
            entries.append((row, row - side, -1.0))
        if row % side > 0:
            entries.append((row, row - 1, -1.0))
        entries.append((row, row, 4.0))
    return side * side, entries


def market(size, entries, kind="real symmetric"):
    lines = [f"%%MatrixMarket matrix coordinate {kind}", "% made by a test",
             f"{size} {size} {len(entries)}"]
    for row, column, value in entries:
        lines.append(f"{row + 1} {column + 1}" + ("" if "pattern" in kind else f" {value:g}"))
    return "\n".join(lines) + "\n"


def full(entries):
    return entries + [(column, row, value) for row, column, value in entries if row != column]


def petsc_matrix(size, entries):
    """The bytes that PETSc's MatView writes."""
    rows = [sorted((c, v) for r, c, v in full(entries) if r == row) for row in range(size)]
    count = sum(map(len, rows))
    return (struct.pack(">4i", 1211216, size, size, count)
            + struct.pack(f">{size}i", *map(len, rows))
            + struct.pack(f">{count}i", *(c for row in rows for c, _ in row))
            + struct.pack(f">{count}d", *(v for row in rows for _, v in row)))


def petsc_vector(values):
    return struct.pack(">2i", 1211214, len(values)) + struct.pack(f">{len(values)}d", *values)


class Solve(Case):
    def setUp(self):
        super().setUp()
        self.size, self.entries = laplacian(12)
        self.matrix = self.write("a.mtx", market(self.size, self.entries))

    def report(self, *words, code=0, **options):
        path = self.folder / "report.json"
        result = self.sedge("solve", *words, *HOST, "--report", path, **options)
        self.assertEqual(result.code, code, result)
        return read_json(path)

    def test_formats_agree(self):
        right = [1.0 + (i % 3) for i in range(self.size)]
        array = "\n".join(["%%MatrixMarket matrix array real general", f"{self.size} 1",
                           *map(str, right)]) + "\n"
        files = {
            "general.mtx": market(self.size, full(self.entries), "real general").encode(),
            "whole.mtx": market(self.size, self.entries, "integer symmetric").encode(),
            "signed.mtx": re.sub(r"(?<![-\w])(?=\d)", "+", market(self.size, self.entries)).encode(),
            "packed.mtx.gz": gzip.compress(market(self.size, self.entries).encode()),
            "packed-without-a-name": gzip.compress(market(self.size, self.entries).encode()),
            "binary.dat": petsc_matrix(self.size, self.entries),
        }
        vector = self.write("b.mtx", array)
        binary = self.write("b.dat", petsc_vector(right))
        wanted = self.report(self.matrix, "--rhs", vector)
        self.assertIn(b"\n+144 +144 +4\n", files["signed.mtx"])
        for name, content in files.items():
            got = self.report(self.write(name, content), "--rhs", binary)
            self.assertEqual(got["residual"], wanted["residual"], name)
            self.assertEqual(got["iterations"], wanted["iterations"], name)
            self.assertEqual((got["rows"], got["entries"]), (144, 672), name)

    def test_vector_of_few_entries(self):
        right = [0] * self.size
        right[6], right[99] = 2, -1
        array = "\n".join(["%%MatrixMarket matrix array real general", f"{self.size} 1",
                           *map(str, right)]) + "\n"
        head = "%%MatrixMarket matrix coordinate real general\n"
        few = head + f"{self.size} 1 2\n7 1 2\n100 1 -1\n"
        wanted = self.report(self.matrix, "--rhs", self.write("array.mtx", array))
        got = self.report(self.matrix, "--rhs", self.write("few.mtx", few))
        self.assertGreater(got["iterations"], 1)
        for key in ("residual", "iterations"):
            self.assertEqual(got[key], wanted[key], key)
        wide = self.write("wide.mtx", head + f"{self.size} 2 1\n7 2 2\n")
        self.refuse(DATA, ["wide.mtx", "2 columns", "asks for 144 and 1"], "solve", self.matrix,
                    "--rhs", wide, *HOST, ranks=(0,))

    def test_pattern_is_ones(self):
        # Diagonal ones and one pair: eigenvalues 0 and 2 in that block, so not definite.
        entries = [(i, i, 1) for i in range(4)]
        found = self.report(self.write("p.mtx", market(4, entries, "pattern symmetric")))
        self.assertEqual((found["iterations"], found["converged"]), (1, True))

    def test_preconditioners_and_ranks(self):
        counts = {}
        for name in ("none", "jacobi", "block-jacobi", "chebyshev", "amg"):
            extra = ("--block", "12") if name == "block-jacobi" else ()
            for ranks in (0, 2):
                found = self.report(self.matrix, "--preconditioner", name, *extra, ranks=ranks)
                self.assertEqual(found["reason"], "converged")
                self.assertEqual(found["preconditioner"]["name"], name)
                self.assertEqual(found["ranks"], max(ranks, 1))
                self.assertLessEqual(found["residual"]["true"], found["residual"]["target"])
                counts[name, ranks] = found["iterations"]
        for name in ("none", "jacobi", "chebyshev"):
            self.assertLessEqual(abs(counts[name, 0] - counts[name, 2]), 1, counts)
        self.assertLess(counts["chebyshev", 0], counts["jacobi", 0])
        self.assertLess(counts["amg", 0], counts["jacobi", 0])
        found = self.report(self.matrix, "--preconditioner", "amg")
        self.assertGreater(found["preconditioner"]["amg"]["calls"], 0)

    def test_precision(self):
        found = self.report(self.matrix, "--precision", "fp32", "--tolerance", "1e-5")
        self.assertEqual((found["precision"], found["converged"]), ("fp32", True))
        for words in (("block-jacobi", "--block", "12"), ("chebyshev",), ("amg",)):
            better = self.report(self.matrix, "--precision", "fp32", "--tolerance", "1e-5", "--preconditioner", *words)
            self.assertLess(better["iterations"], found["iterations"], words)
        found = self.report(self.matrix, "--precision", "fp32", "--tolerance", "1e-12", code=COMPUTE)
        self.assertEqual(found["reason"], "residuals apart")
        self.assertLess(found["residual"]["recursive"], found["residual"]["true"])

    def test_numbers_beyond_fp32(self):
        head = "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 1\n3 3 "
        right = "%%MatrixMarket matrix array real general\n3 1\n0\n"
        fits = self.write("fits.mtx", head + "1e30\n")
        for entry in ("1e+300", "-1e+300", "1e-40"):
            path = self.write("far.mtx", head + entry + "\n")
            self.refuse(DATA, [f"'{path}': the entry {entry} in row 3, column 3 does not fit fp32"],
                        "solve", path, *HOST, "--precision", "fp32", ranks=(0, 2))
        for numbers, part in (("1\n-1e39\n", "number 3, -1e+39, "), ("1e-40\n0\n", "number 2, 1e-40, ")):
            path = self.write("b.mtx", right + numbers)
            self.refuse(DATA, [f"'{path}': {part}", "does not fit fp32"], "solve", fits, *HOST,
                        "--rhs", path, "--precision", "fp32", ranks=(0,))
            self.report(fits, "--rhs", path)
        self.report(fits, "--precision", "fp32")
        self.report(fits, "--rhs", self.write("b.mtx", right + "1e-40\n1\n"), "--precision", "fp32")

    def test_forms(self):
        for form in ("standard", "single-reduction", "pipelined", "persistent"):
            found = self.report(self.matrix, "--form", form)
            self.assertEqual((found["cg"]["form"], found["converged"]), (form, True))

    def test_lost_digits(self):
        """What the pipelined form makes of a bad condition is not believed, and told."""
        size = 200
        entries = [(i, j, (2.0 if i == j else -1.0) * 10 ** (2 * (i + j) / size))
                   for i in range(size) for j in (i - 1, i) if j >= 0]
        path = self.write("tilted.mtx", market(size, entries))
        words = (path, "--preconditioner", "none")
        found = self.report(*words, "--form", "pipelined")
        self.assertEqual((found["converged"], found["cg"]["form"]), (True, "standard"))
        self.assertEqual(found["cg"]["first_form"], "pipelined")
        self.assertEqual(found["kept"], found["iterations"])
        self.assertLess(found["cg"]["doubted"]["iterations"], found["iterations"])
        self.assertLessEqual(found["residual"]["true"], found["residual"]["target"])
        out = self.succeed("solve", *words, *HOST, "--form", "pipelined").out
        self.assertIn("went on in the standard form after", out)
        self.assertIn("the pipelined form lost its digits (", out)
        found = self.report(*words, "--form", "standard")
        self.assertEqual((found["converged"], found["cg"]["doubted"]), (True, None))

    def test_singular(self):
        """A pure Neumann problem whose right-hand side does not add up to zero."""
        size = 50
        entries = [(i, i, 1.0 if i in (0, size - 1) else 2.0) for i in range(size)]
        entries += [(i, i - 1, -1.0) for i in range(1, size)]
        right = ["%%MatrixMarket matrix array real general", f"{size} 1"]
        vector = self.write("b.mtx", "\n".join([*right, *(str(1 + i % 7) for i in range(size))]) + "\n")
        path = self.write("neumann.mtx", market(size, entries))
        found = self.report(path, "--rhs", vector, code=COMPUTE)
        self.assertEqual(found["reason"], "divergence")
        self.assertLess(found["kept"], found["iterations"])
        self.assertLess(found["iterations"], 1000)
        self.assertLessEqual(found["residual"]["true"], found["residual"]["initial"])
        done = self.sedge("solve", path, "--rhs", vector, *HOST)
        self.assertIn(f"the solution is that of iteration {found['kept']}, the best", done.out)
        self.assertIn("the operator is singular", done.err)

    def test_no_blocks(self):
        entries = [(0, 0, 4.0), (1, 0, -1.0), (1, 1, 4.0), (2, 2, 4.0), (3, 2, -1.0), (3, 3, 4.0),
                   (4, 4, 4.0)]
        words = (self.write("five.mtx", market(5, entries)), "--preconditioner", "block-jacobi")
        self.assertEqual(self.report(*words)["preconditioner"]["block"], 1)
        out = self.succeed("solve", *words, *HOST).out
        self.assertIn("block-jacobi, blocks of 1: the matrix shows no larger ones", out)
        self.assertNotIn("no larger ones", self.succeed("solve", *words, *HOST, "--block", "1").out)

    def test_output(self):
        try:
            import h5py
        except ImportError:
            self.skipTest("no h5py")
        for ranks in (0, 3):
            path = self.folder / f"x-{ranks}.h5"
            self.succeed("solve", self.matrix, *HOST, "--output", path, ranks=ranks)
            with h5py.File(path) as file:
                x = file["x"][:]
                history = file["history"][:]
                self.assertEqual(file.attrs["reason"], "converged")
                self.assertEqual(len(history), file.attrs["iterations"] + 1)
                self.assertAlmostEqual(history[0], 12.0, places=9)  # ||ones||, 144 of them
                self.assertLessEqual(history[-1], file.attrs["target"])
            self.assertEqual(len(x), self.size)
            for row in range(self.size):  # in the file's order on any number of ranks
                value = sum(v * x[c] for r, c, v in full(self.entries) if r == row)
                self.assertAlmostEqual(value, 1.0, places=6)

    def test_picture(self):
        try:
            import h5py  # noqa: F401
            import matplotlib.image
        except ImportError:
            self.skipTest("no h5py, no matplotlib")
        for name in ("none", "chebyshev"):
            self.succeed("solve", self.matrix, *HOST, "--preconditioner", name, "--output",
                         f"{name}.h5")
        plot = [sys.executable, SOURCE / "src/run/sedge-plot"]
        done = subprocess.run([*plot, "none.h5", "chebyshev.h5"], cwd=self.folder, check=True,
                              capture_output=True, text=True)
        self.assertEqual(done.stdout, "none.png\n")
        pixels = matplotlib.image.imread(self.folder / "none.png")[:, :, :3]
        colours = {tuple(colour) for colour in pixels.reshape(-1, 3).round(1)}
        self.assertGreater(len(colours), 20)  # two lines, a grid, text
        done = subprocess.run([*plot, "a.mtx"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot read 'a.mtx'", done.stderr)
        (self.folder / "none.h5").rename(self.folder / "odd.png")  # the picture's own name
        done = subprocess.run([*plot, "odd.png"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("would overwrite 'odd.png'", done.stderr)

    def test_does_not_converge(self):
        self.refuse(COMPUTE, ["is not solved", "iteration limit", "3 iterations", "target"], "solve",
                    self.matrix, *HOST, "--iterations", "3", "--quiet")
        shifted = [(r, c, v - (7.0 if r == c else 0.0)) for r, c, v in self.entries]
        path = self.write("indefinite.mtx", market(self.size, shifted))
        self.refuse(COMPUTE, ["negative curvature", "not positive definite"], "solve", path, *HOST,
                    "--preconditioner", "none", "--quiet")
        self.refuse(COMPUTE, ["row 1 is -3", "Jacobi"], "solve", path, *HOST, "--quiet")
        found = self.report(path, "--preconditioner", "none", code=COMPUTE)
        self.assertEqual((found["exit_code"], found["converged"]), (COMPUTE, False))

    def test_its_process(self):
        """Threads of OpenMP spin briefly, unless the user has chosen, and the environment is as the
        user has set it. The compiler's parent is the helper, whose parent is the program."""
        compiler = self.write("looking-cc", "#!/bin/sh\n"
                              "program=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$PPID/status)\n"
                              "tr '\\0' '\\n' < /proc/$program/environ | grep -a ^GOMP > seen.environ\n"
                              "cat /proc/$program/comm > seen.comm\nexec cc \"$@\"\n"
                              .replace("seen", str(self.folder / "seen")))
        compiler.chmod(0o755)
        for given, spins in ((None, 1000), ("77", 77)):
            done = self.sedge("solve", self.matrix, *HOST, "--quiet", environment={
                "SEDGE_CC": str(compiler), "SEDGE_CACHE_DIR": str(self.folder / f"cache-{given}"),
                "GOMP_SPINCOUNT": given, "OMP_WAIT_POLICY": None, "OMP_DISPLAY_ENV": "verbose"})
            self.assertEqual(done.code, 0, done)
            self.assertIn(f"GOMP_SPINCOUNT = '{spins}'", done.err)
            seen = f"GOMP_SPINCOUNT={given}\n" if given else ""
            self.assertEqual((self.folder / "seen.environ").read_text(), seen)
            self.assertEqual((self.folder / "seen.comm").read_text(), "sedge\n")

    def test_results_are_not_inputs(self):
        """What would overwrite an input, by whatever name, is refused, and the input stays."""
        right = self.write("b.mtx", "%%MatrixMarket matrix array real general\n144 1\n" + "1\n" * 144)
        (self.folder / "link.mtx").symlink_to("a.mtx")
        (self.folder / "twin.mtx").hardlink_to(self.matrix)
        (self.folder / "here").symlink_to(".")
        before = {path: path.read_bytes() for path in (self.matrix, right)}
        for words, part in (
                (("--output", "a.mtx"), "--output 'a.mtx' is the matrix itself"),
                (("--output", "./here/a.mtx"), "is the matrix itself"),
                (("--output", "link.mtx"), "is the matrix itself"),
                (("--output", "twin.mtx"), "is the matrix itself"),
                (("--report", "a.mtx"), "--report 'a.mtx' is the matrix itself"),
                (("--rhs", "b.mtx", "--output", "./b.mtx"), "is the right-hand side itself"),
                (("--rhs", "b.mtx", "--report", "b.mtx"), "is the right-hand side itself"),
                (("--output", "new", "--report", "here/new"), "--output and --report are both")):
            self.refuse(USAGE, [part], "solve", self.matrix, *HOST, *words, ranks=(0,))
            self.assertFalse((self.folder / "new").exists())
        for path, content in before.items():
            self.assertEqual(path.read_bytes(), content)

    def test_output_is_whole(self):
        """A new name and a rename: no link is written through, and a failure leaves the old file."""
        precious = self.write("precious", "mine\n")
        place = self.folder / "x.h5"
        place.symlink_to(precious)
        self.succeed("solve", self.matrix, *HOST, "--output", place)
        self.assertEqual(precious.read_text(), "mine\n")
        self.assertFalse(place.is_symlink())
        self.assertEqual(place.read_bytes()[:4], b"\x89HDF")
        whole = place.read_bytes()
        limit = (120000, 120000)  # bytes: less than what is reserved, more than compilers write
        done = subprocess.run(
            [PROGRAM, "solve", self.matrix, *HOST, "--output", place], cwd=self.folder,
            capture_output=True, text=True, env={**os.environ, "OMPI_MCA_ess_singleton_isolated": "1"},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
        self.assertEqual(done.returncode, USAGE, done)
        self.assertIn("File too large", done.stderr)
        self.assertEqual(place.read_bytes(), whole)
        self.assertEqual([path.name for path in self.folder.glob("x.h5*")], ["x.h5"])

    def test_symmetry_by_rows(self):
        """Each difference counts by the scale of its own rows, however large other entries are."""
        entries = full(self.entries)
        scale = [10.0 ** ((7 * row) % 13 - 6) for row in range(self.size)]

        def scaled(change=0.0):  # of one entry in rows of scale 1e-6, beside diagonals up to 4e12
            row = scale.index(1e-6)
            return [(r, c, f"{v * scale[r] * scale[c] * (1 + change * (r == row and c == row + 1)):.17g}")
                    for r, c, v in entries]

        head = f"%%MatrixMarket matrix coordinate real general\n{self.size} {self.size} {len(entries)}\n"
        for change, good in ((0.0, True), (1e-12, True), (1e-6, False), (-1.0, False)):
            lines = "".join(f"{r + 1} {c + 1} {v}\n" for r, c, v in scaled(change))
            path = self.write("scaled.mtx", head + lines)
            result = self.sedge("solve", path, *HOST, "--quiet")
            self.assertEqual("not symmetric" not in result.err, good, (change, result))
            self.assertEqual(result.code == DATA, not good, (change, result))

    def test_amg_looks_before(self):
        """PETSc's AMG hung or crashed on matrices that are not positive definite."""
        ring = [(i, i - 1, 1) for i in range(1, 7)] + [(6, 0, 1)]
        shifted = [(r, c, v - (1.0 if r == c else 0.0)) for r, c, v in self.entries]
        for entries, size, part, ranks in (
                ([(2, 0, 1), (2, 1, 1), (2, 2, 1)], 3, "diagonal entry of row 1 is 0: AMG", (0, 3)),
                ([(0, 0, 3)], 2, "diagonal entry of row 2 is 0: AMG", (0, 2)),
                ([], 1, "diagonal entry of row 1 is 0: AMG", (0,)),
                (ring, 7, " is 0: AMG needs positive ones", (2,)),
                (self.entries[:-1] + [(self.size - 1, self.size - 1, -4)], self.size,
                 "diagonal entry of row 144 is -4: AMG", (2,)),
                (ring + [(i, i, 1) for i in range(7)], 7, "the matrix is not positive definite: p.Ap is -",
                 (0, 2)),
                (shifted, self.size, "the matrix is not positive definite: p.Ap is -", (0, 3))):
            path = self.write("bad.mtx", market(size, entries))
            self.refuse(COMPUTE, [part], "solve", path, *HOST, "--preconditioner", "amg", ranks=ranks)

    def test_amg_of_a_singular_matrix(self):
        """It is let pass, and CG tells, as with other preconditioners; 0.3 I is no harder."""
        degree = [0.0] * self.size
        beside = [(r, c, v) for r, c, v in self.entries if r != c]
        for row, column, value in beside:
            degree[row] -= value
            degree[column] -= value
        path = self.write("neumann.mtx", market(self.size, beside + [
            (i, i, degree[i]) for i in range(self.size)]))
        for name in ("jacobi", "amg"):
            self.refuse(COMPUTE, [f"'{path}' is not solved: negative curvature"], "solve", path, *HOST,
                        "--preconditioner", name, ranks=(0,))
        path = self.write("few.mtx", market(60, [(i, i, 0.3) for i in range(60)]))
        self.assertEqual(self.report(path, "--preconditioner", "amg")["iterations"], 1)

    def test_says_what_it_does(self):
        out = self.succeed("solve", self.matrix, *HOST).out
        for part in ("144 rows, 672 entries", "preconditioner: jacobi", "converged after", "residual"):
            self.assertIn(part, out)
        self.assertEqual(self.succeed("solve", self.matrix, *HOST, "--quiet").out, "")

    def test_bad_files(self):
        text = market(self.size, self.entries)
        lines = text.splitlines()
        packed = gzip.compress(text.encode())

        def head(numbers):
            return f"%%MatrixMarket matrix coordinate {numbers} general\n2 2 2\n"
        bad = {
            "empty.mtx": ("", "is empty"),
            "words.mtx": ("hello world\n", "neither a Matrix Market file"),
            "bare.mtx": ("\n".join(lines[2:]) + "\n", "begins with %%MatrixMarket"),
            "short.mtx": ("\n".join(lines[:50]), "ends before all entries"),
            "outside.mtx": (text.replace("\n144 144 4\n", "\n144 145 4\n"), "line 411: '144 145 4' lies outside of the matrix"),
            "more.mtx": (text + "144 144 1\n", "more entries than its size line announces: '144 144 1'"),
            "letters.mtx": (text.replace("\n144 144 4\n", "\nfour 144 4\n"), "line 411: 'four 144 4' does not begin with the row"),
            "complex.mtx": ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n",
                            "complex"),
            "array.mtx": ("%%MatrixMarket matrix array real general\n1 1\n1\n", "dense array"),
            "oblong.mtx": ("%%MatrixMarket matrix coordinate real general\n3 2 1\n1 1 1\n",
                           "3 rows and 2 columns"),
            "skew.mtx": ("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 1\n2 1 2\n",
                         "skew-symmetric: |a_ij - a_ji| is 4 for row 1, column 2"),
            "general.mtx": ("%%MatrixMarket matrix coordinate real general\n"
                            "2 2 3\n1 1 4\n2 1 1.5\n2 2 3\n", "not symmetric: |a_ij - a_ji| is 1.5"),
            "huge.mtx": ("%%MatrixMarket matrix coordinate real general\n"
                         "99999999999 99999999999 9999999999999\n1 1 1\n",
                         "ends before all entries that its size line announces, 9999999999999"),
            "sizes.mtx": ("%%MatrixMarket matrix coordinate real general\n2 -2 1\n1 1 1\n",
                          "the size line '2 -2 1'"),
            "banner.mtx": ("%%MatrixMarket matrix coordinat real general\n1 1 1\n1 1 1\n",
                           "the first line"),
            "few.mtx": ("%%MatrixMarket matrix coordinate real general\n9 9 1\n1 1 1\n",
                        "9 rows, but 1 entries only"),
            "nan.mtx": ("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 nan\n",
                        "row 1, column 1 is not a finite number"),
            "column.dat": (petsc_matrix(2, [(0, 0, 1.0), (1, 7, 1.0)]), "column 7 of row 1"),
            "nought.mtx": (text.replace("\n144 144 4\n", "\n0 144 4\n"), "'0 144 4' lies outside"),
            "whole.mtx": (head("integer") + "1 1 2\n2 2 2.5\n",
                          "line 4: '2 2 2.5' has no whole number"),
            "places.mtx": (head("pattern") + "1 1\n2 2 7\n",
                           "line 4: '2 2 7' is more than a row and a column"),
            "without.mtx": (head("real") + "\n% two\n1 1 2\n2 2\n",
                            "line 6: '2 2' is not a row, a column and one number"),
            "signs.mtx": (head("real") + "1 1 2\n++2 2 1\n", "line 4: '++2 2 1' does not begin with"),
            "negative.mtx": (head("real") + "1 1 2\n+-2 2 1\n", "line 4: '+-2 2 1' does not begin"),
            "apart.mtx": (head("real") + "1 1 2\n2 2 + 1\n", "line 4: '2 2 + 1' is not a row"),
            "behind.mtx": (head("real") + "1 1 2\n2 2 1.0D0\n", "line 4: '2 2 1.0D0' is not a row"),
            "cut.gz": (packed[:400], "unexpected end of file"),
            "cut-8.gz": (packed[:-8], "unexpected end of file"),  # checksum and length
            "cut-12.gz": (packed[:-12], "unexpected end of file"),
            "tail.gz": (gzip.compress((text + "% more\n" * 20000).encode())[:-8],
                        "unexpected end of file"),  # far behind the last entry
            "cut-1.gz": (packed[:-1], "unexpected end of file"),
            "sum.gz": (packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:], "incorrect data check"),
            "cut.dat": (petsc_matrix(self.size, self.entries)[:700], "PETSc"),
        }
        # A sanitizer's allocator would end the program where the system's says no.
        environment = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")
                                       + ":allocator_may_return_null=1"}
        for name, (content, part) in bad.items():
            path = self.write(name, content)
            self.refuse(DATA, [f"'{path}'", part], "solve", path, *HOST,
                        ranks=(0, 2) if name in ("short.mtx", "cut.dat") else (0,),
                        environment=environment)
        self.refuse(DATA, ["none.mtx", "No such file"], "solve", "none.mtx", *HOST)
        os.mkfifo(self.folder / "pipe")  # that nobody writes into
        pipe = ["'pipe' is a pipe, not a regular file", "write what it gives into one"]
        self.refuse(DATA, pipe, "solve", "pipe", *HOST)
        self.refuse(DATA, pipe, "solve", "none.mtx", "--rhs", "pipe", *HOST, ranks=(0,))
        self.refuse(DATA, ["'/dev/stdin' is a device"], "solve", "/dev/stdin", *HOST, ranks=(0,))
        self.refuse(DATA, ["'.' is a folder, not a regular file"], "solve", ".", *HOST, ranks=(0,))
        vector = self.write("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n")
        self.refuse(DATA, ["b.mtx", "3 rows", "asks for 144"], "solve", self.matrix, "--rhs", vector,
                    *HOST, ranks=(0,))

    def test_places_of_results(self):
        """A place that cannot be written to is told before hours are spent."""
        os.mkfifo(self.folder / "pipe")
        for option in ("--output", "--report"):
            for place, part in (("none/x", "No such file"), (".", "Is a directory"),
                                ("pipe", "not a regular file")):
                self.refuse(USAGE, [f"cannot write '{place}'", part], "solve", "none.mtx", *HOST,
                            option, place, ranks=(0,))
        kept = self.write("kept.h5", "what was there")
        self.refuse(DATA, ["No such file"], "solve", "none.mtx", *HOST, "--output", kept, ranks=(0,))
        self.assertEqual((self.folder / "kept.h5").read_text(), "what was there")

    def test_residual_below_all_numbers(self):
        """Squares of the residual vanish: what is wrong is the tolerance, not the preconditioner."""
        found = self.report(self.matrix, "--tolerance", "0", "--form", "standard", code=COMPUTE)
        self.assertEqual(found["reason"], "residuals apart")

    def test_wrong_options(self):
        for words, parts in (
            (("--tolerance", "small"), ["--tolerance 'small'", ">= 0"]),
            (("--tolerance", "-1"), ["'-1'"]),
            (("--tolerance", "1"), ["--tolerance '1' is not below 1"]),
            (("--iterations", "1.5"), ["--iterations '1.5'", "whole number"]),
            (("--preconditioner", "ilu"), ["'ilu'", "block-jacobi"]),
            (("--precision", "fp16"), ["'fp16'", "fp64 and fp32"]),
            (("--form", "fast"), ["'fast'", "pipelined"]),
            (("--tune", "exhaustive"), ["--tune 'exhaustive'", "off, fast and patient"]),
            (("--block", "65", "--preconditioner", "block-jacobi"), ["'65'", "1 to 64"]),
            (("--block", "2", "--preconditioner", "amg"), ["--block goes with"]),
            (("--set", "order=3"), ["does not take --set"]),
        ):
            self.refuse(USAGE, parts, "solve", self.matrix, *HOST, *words, ranks=(0,))

    def test_json_is_json(self):
        found = self.report(self.matrix, "--iterations", "0", code=COMPUTE)
        self.assertEqual(found["iterations"], 0)
        json.dumps(found, allow_nan=False)


if __name__ == "__main__":
    unittest.main(verbosity=2)
