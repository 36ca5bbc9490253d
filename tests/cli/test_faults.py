"""Bad decks, meshes, places and devices: one clear message, the documented exit code, no hang.

Each is tried in one process without mpirun and on three ranks.
"""

import os
import unittest

from kit import DECK, HEXAHEDRON, SOURCE, Case, Cube, line_of

USAGE, DATA, DEVICE = 1, 2, 3
FILE_DECK = DECK.replace("box: {cells: [2, 2, 2]}", "file: mesh.msh")


class Deck(Case):
    def fault(self, old, new, *parts, code=USAGE, line=True):
        """The deck with `old` replaced; the message names the file and the line of `new`."""
        self.assertIn(old, DECK)
        text = DECK.replace(old, new)
        path = self.write("deck.yaml", text)
        place = [f"{path}:{line_of(text, new)}:"] if line else [str(path)]
        self.refuse(code, [*place, *parts], "run", path)

    def test_unknown_key(self):
        self.fault("order: 2", "ordre: 2", "'ordre'", "order")

    def test_wrong_type(self):
        self.fault("order: 2", "order: 2.5", "whole number", "2.5")

    def test_order_out_of_range(self):
        self.fault("order: 2", "order: 11", "11", "1..10")

    def test_group_without_condition(self):
        self.fault("  zmax: {type: pec}\n", "", "'zmax'", "8 faces", line=False)

    def test_group_without_material(self):
        self.fault("domain: {epsilon: 1}", "glass: {epsilon: 1}", "glass", "domain")

    def test_two_incident_sources(self):
        wave = ("{type: plane-wave, direction: [0, 0, 1], polarisation: [1, 0, 0], "
                "signal: {type: ricker, frequency: 1}}")
        self.fault("initial: {type: cavity-mode}", f"sources: [{wave}, {wave}]", "plane-wave",
                   "two incident sources")

    def test_source_outside_the_mesh(self):
        self.fault("initial: {type: cavity-mode}",
                   "sources: [{type: dipole, position: [9, 0.5, 0.5], direction: [1, 0, 0], "
                   "signal: {type: ricker, frequency: 1}}]", "(9, 0.5, 0.5)", "outside the mesh")

    def test_probe_outside_the_mesh(self):
        self.fault("[0.3, 0.4, 0.2]", "[0.3, 0.4, -0.2]", "'inside'", "(0.3, 0.4, -0.2)",
                   "outside the mesh")

    def test_unknown_device(self):
        self.fault("order: 2", "order: 2\ndevice: abacus", "'abacus'", "auto, cuda, host",
                   line=False)

    def test_not_yaml(self):
        self.fault("order: 2", "order: [2", "YAML", line=False)

    def test_empty_and_binary_and_folder(self):
        self.refuse(USAGE, ["empty.yaml"], "run", self.write("empty.yaml", ""), ranks=[0])
        self.refuse(USAGE, ["binary.yaml", "UTF-8"], "run",
                    self.write("binary.yaml", b"order: \xff\xfe\x00"), ranks=[0])
        self.refuse(USAGE, [f"'{self.folder}' is a folder"], "run", self.folder)
        os.mkfifo(self.folder / "pipe")  # that nobody writes into
        self.refuse(USAGE, ["'pipe' is a pipe", "write what it gives into one"], "run", "pipe",
                    ranks=[0])
        mesh = self.write("deck.yaml", FILE_DECK.replace("mesh.msh", "pipe"))
        self.refuse(DATA, [f"'{self.folder}/pipe' is a pipe"], "run", mesh, ranks=[0])

    def test_missing_deck(self):
        self.refuse(USAGE, ["nowhere.yaml", "No such file"], "run", "nowhere.yaml")


class Mesh(Case):
    def fault(self, content, *parts, code=DATA, deck=FILE_DECK, ranks=(0, 3)):
        if content is not None:
            self.write("mesh.msh", content)
        path = self.write("deck.yaml", deck)
        self.refuse(code, parts, "run", path, ranks=ranks)

    def test_the_cube_itself_is_fine(self):
        self.write("mesh.msh", Cube(2).text())
        self.succeed("run", self.write("deck.yaml", FILE_DECK))

    def test_missing(self):
        self.fault(None, "mesh.msh", "No such file")
        self.refuse(DATA, ["nowhere.msh"], "mesh", "info", "nowhere.msh")

    def test_truncated(self):
        text = Cube(2).text()
        binary = (SOURCE / "meshes/cube.msh").read_bytes()
        for content in (text, binary):
            for part in (0.05, 0.5, 0.95):
                content_part = content[: int(part * len(content))]
                self.fault(content_part, "mesh.msh", ranks=[3 if part == 0.5 else 0])

    def test_surface_only(self):
        self.fault(Cube(2).text(tetrahedra=False), "mesh.msh", "tetrahedr")

    def test_hexahedra(self):
        corners = [0, 1, 4, 3, 9, 10, 13, 12]
        self.fault(Cube(2).text(extra=[(HEXAHEDRON, 7, corners)]), "mesh.msh", "tetrahedr")

    def test_inverted_element(self):
        cube = Cube(2)
        cube.tetrahedra[5][0:2] = reversed(cube.tetrahedra[5][0:2])
        self.fault(cube.text(), "mesh.msh", "tetrahedron 5", "at (")

    def test_flat_elements(self):
        cube = Cube(2)
        middle = next(n for n, x in enumerate(cube.nodes) if x == [0.5, 0.5, 0.5])
        cube.nodes[middle] = [0.0, 0.0, 0.0]
        self.fault(cube.text(), "mesh.msh", "tetrahedr", "at (")

    def test_periodic_partner_missing(self):
        deck = FILE_DECK.replace("xmin: {type: pec}", "xmin: {type: periodic, partner: nowhere}")
        self.fault(Cube(2).text(), "nowhere", code=USAGE, deck=deck)
        deck = FILE_DECK.replace("xmin: {type: pec}", "xmin: {type: periodic, partner: ymin}")
        deck = deck.replace("  xmax: {type: pec}\n  ymin: {type: pec}\n", "  xmax: {type: pec}\n")
        self.fault(Cube(2).text(), "xmin", "ymin", deck=deck)

    def test_more_ranks_than_elements(self):
        deck = DECK.replace("[2, 2, 2]", "[1, 1, 1]")
        self.fault(None, "7 ranks", "6 elements", code=USAGE, deck=deck, ranks=[7])


class Place(Case):
    def setUp(self):
        super().setUp()
        self.deck = self.write("deck.yaml", DECK)

    def test_output_below_a_file(self):
        """Before the mesh, which is missing here, and in the words of `sedge check`."""
        self.write("file", "")
        deck = self.write("file.yaml", FILE_DECK)
        for command in ("check", "run"):
            self.refuse(USAGE, ["sedge: cannot write into output folder 'file/results': "
                                "'file/results': Not a directory"],
                        command, deck, "--output", "file/results")

    def test_output_in_proc(self):
        """What only a trial can tell, of one who may write everywhere: before kernels."""
        cache = self.folder / "cache"
        self.refuse(USAGE, ["'/proc/results'", "No such file"], "run", self.deck, "--output",
                    "/proc/results", environment={"SEDGE_CACHE_DIR": str(cache)})
        self.assertEqual(list(cache.glob("*.sedge")), [], "found out after the kernels")

    def test_report_in_no_folder(self):
        self.refuse(USAGE, ["'nowhere/report.json'", "No such file"], "run", self.deck, "--report",
                    "nowhere/report.json")
        self.assertFalse((self.folder / "deck-results").exists(), "found out after the run")


class Device(Case):
    def setUp(self):
        super().setUp()
        self.deck = self.write("deck.yaml", DECK)

    def test_unknown(self):
        self.refuse(USAGE, ["abacus", "auto, cuda, host"], "run", self.deck, "--device", "abacus")

    def test_no_opencl_device(self):
        self.refuse(DEVICE, ["'opencl'", "cannot be used"], "run", self.deck, "--device", "opencl",
                    environment={"SEDGE_OPENCL": "no such device"})

    def test_cuda_without_gpu(self):
        self.refuse(DEVICE, ["'cuda'"], "run", self.deck, "--device", "cuda",
                    environment={"CUDA_VISIBLE_DEVICES": ""})

    def test_no_compiler(self):
        empty = {"SEDGE_CC": "/nonexistent", "SEDGE_CACHE_DIR": str(self.folder / "cache")}
        self.refuse(DEVICE, ["'/nonexistent'", "SEDGE_CC"], "run", self.deck, "--device", "host",
                    environment=empty)

    def test_bad_threads(self):
        for threads in ["many", "-1", "100000"]:
            self.refuse(USAGE, [f"SEDGE_THREADS='{threads}' is not a number in 1..4096"], "run",
                        self.deck, "--device", "host", environment={"SEDGE_THREADS": threads})

    def test_bad_transport(self):
        self.refuse(USAGE, ["SEDGE_TRANSPORT", "pigeon", "auto, staged, direct or peer"], "check",
                    self.deck, environment={"SEDGE_TRANSPORT": "pigeon"})

    def test_unusable_cache_is_no_failure(self):
        unusable = {"SEDGE_CACHE_DIR": str(self.write("file", "") / "cache")}
        result = self.sedge("run", self.deck, "--device", "host", environment=unusable)
        self.assertEqual(result.code, 0, result)
        self.assertRegex(result.out, "no kernel cache: .* \\(SEDGE_CACHE_DIR names another folder\\)\n")


if __name__ == "__main__":
    os.environ.setdefault("SEDGE_THREADS", "1")
    unittest.main()
