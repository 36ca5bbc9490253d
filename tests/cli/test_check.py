"""`sedge check`: says what a run would do, agrees with it, computes and writes nothing."""

import re
import unittest

from kit import DECK, SOURCE, Case, Cube, read_json

DECKS = sorted((SOURCE / "input").glob("*.yaml"))


class Check(Case):
    def files(self):
        return sorted(path.relative_to(self.folder) for path in self.folder.rglob("*"))

    def number(self, pattern, text):
        found = re.search(pattern, text)
        self.assertIsNotNone(found, (pattern, text))
        return float(found.group(1))

    def test_every_deck_passes_and_nothing_is_written(self):
        environment = {"SEDGE_CACHE_DIR": str(self.folder / "cache")}
        for deck in DECKS:
            text = self.succeed("check", deck, environment=environment).out
            solved = "\nsolver:" in text  # an equation without time
            for word in ("unknowns   " if solved else "steps of dt", "memory",
                         "vertices" if solved else "work", "output", "device", "quality",
                         "worst elements", "materials", "boundaries", "# resolved deck"):
                self.assertIn(word, text, deck)
            self.assertEqual(self.files(), [], deck)
        self.assertEqual(self.sedge("check", DECKS[0], ranks=3).code, 0)
        self.assertEqual(self.succeed("check", DECKS[0], "--quiet").out, "")
        self.assertEqual(self.files(), [])

    def test_agrees_with_run(self):
        deck = self.write("deck.yaml", DECK)
        for words in ([], ["--set", "order=3"], ["--set", "time={end: 0.7}"]):
            text = self.succeed("check", deck, *words).out
            self.succeed("run", deck, "--device", "host", *words, "--quiet")
            report = read_json(self.folder / "deck-results/report.json")
            self.assertEqual(self.number(r"(\d+) steps of dt", text), report["steps"])
            dt = self.number(r"dt = ([\d.e+-]+)", text)
            self.assertAlmostEqual(dt, report["dt"], delta=1e-5 * report["dt"])  # six digits
            self.assertIn(f"{report['dofs']} unknowns", text)
            stage = next(k for k in report["kernels"] if k["name"] == "sedge_stage")
            # Both count the same; the report's is by what the kernels really read.
            gigaflop = self.number(r"about ([\d.e+-]+) Gflop", text)
            self.assertAlmostEqual(gigaflop, 5e-9 * stage["flops"], delta=0.02 * gigaflop)
            gigabyte = self.number(r"and ([\d.e+-]+) GB", text)
            self.assertAlmostEqual(gigabyte, 5e-9 * stage["bytes"], delta=0.1 * gigabyte)

    def test_box_beyond_the_memory(self):
        deck = self.write("deck.yaml", DECK)
        self.refuse(1, ["mesh.box of 6000000000000 tetrahedra takes about 2.7e+06 GB while it is made"], "check", deck,
                    "--set", "mesh.box.cells=[10000,10000,10000]")

    def test_integrator_by_rule(self):
        """The steps that are four times as long, where the highest frequency allows them and the
        simulated time stays what it is."""
        pulse = DECK.replace("initial: {type: cavity-mode}", """\
sources: [{type: dipole, position: [0.4, 0.5, 0.5], direction: [1, 0, 0], signal: {type: ricker, frequency: 0.1}}]""")
        deck = self.write("deck.yaml", pulse)

        def name(*settings, ranks=0):
            words = [word for setting in settings for word in ("--set", setting)]
            return re.search(r"\(cfl 0.8, (\w+)\)", self.succeed("check", deck, *words, ranks=ranks).out).group(1)

        end = "time={end: 10, integrator: auto}"
        self.assertEqual(name(end), "ndblsrk144")
        self.assertEqual(name(end, ranks=2), "ndblsrk144")
        self.assertEqual(name("time={steps: 20, integrator: auto}"), "lsrk45")  # 20 steps
        self.assertEqual(name("time={end: 10, integrator: lsrk45}"), "lsrk45")
        self.assertEqual(name(end, "flux={upwind: 0.5}"), "lsrk45")
        self.assertEqual(name(end, "sources=[]"), "lsrk45")
        self.assertEqual(name("time={end: 100000, integrator: auto}"), "lsrk45")
        self.assertEqual(name(end, "sources.0.signal.frequency=3"), "lsrk45")

    def test_nothing_that_drives(self):
        deck = self.write("deck.yaml", DECK)
        warning = "nothing drives the fields"
        self.assertNotIn(warning, self.succeed("check", deck).out)
        self.assertIn(warning, self.succeed("check", deck, "--set", "initial={}").out)

    def test_a_probe_beside_a_dipole_is_warned_of(self):
        """R is half the longest edge, sqrt(3) / 2, and a field is a point's from 2.4 R on."""
        dipole = DECK.replace("initial: {type: cavity-mode}", """\
sources: [{type: dipole, position: [0.4, 0.5, 0.5], direction: [1, 0, 0], signal: {type: ricker, frequency: 1}}]""")
        deck = self.write("deck.yaml", dipole)
        text = self.succeed("check", deck, ranks=2).out
        self.assertIn("spread over balls of radius 0.433; fields at 2.4 times the radius and beyond "
                      "are those of point sources\n", text)
        self.assertIn("warning            probe 'inside' is at distance 0.332 from a dipole source: it does "
                      "not record the field of a point source, which needs a distance of 1.04\n", text)
        finer = self.succeed("check", deck, "--set", "mesh.box.cells=[8,8,8]").out
        self.assertIn("balls of radius 0.108;", finer)
        self.assertNotIn("probe 'inside' is", finer)

    def test_elements_that_are_as_bad_are_told_once(self):
        """Six tetrahedra fill a cube, all of one quality; of a flat box's cell four have the least."""
        deck = self.write("deck.yaml", DECK)
        text = self.succeed("check", deck, "--set", "mesh.box.cells=[3,3,3]", ranks=2).out
        self.assertIn("worst elements     none: all 162 have the same quality\n", text)
        self.assertNotIn("    element ", text)
        for cells, told in (("[1,1,1]", "none: all 6 have"), ("[1,1,2]", "8 have the least quality, 0.601,")):
            text = self.succeed("check", deck, "--set", f"mesh.box.cells={cells}").out
            self.assertIn(f"worst elements     {told}", text)
            self.assertNotIn("    element ", text)
        text = self.succeed("check", deck, "--set", "mesh.box.cells=[3,3,6]").out
        self.assertRegex(text, r"worst elements     216 have the least quality, 0.6\d\d, one of them at "
                               r"\(0.*\) in 'domain'\n")

    def test_memory_is_what_a_run_takes(self):
        deck = self.write("deck.yaml", DECK)
        spectra = "{a: {surface: xmin, frequencies: {list: [0.1, 0.2]}}, " \
                  "b: {groups: [domain], fields: [E], frequencies: {list: [0.1]}}}"
        less = 0.0
        for words in ["order=4", "time.steps=2"], [f"monitors.spectra={spectra}", "order=3", "time.steps=2"]:
            words = [word for setting in ("mesh.box.cells=[6,6,6]", *words) for word in ("--set", setting)]
            told = self.number(r"memory +([\d.]+) MiB on the device",
                               self.succeed("check", deck, *words).out)
            self.succeed("run", deck, "--device", "host", *words, "--quiet")
            taken = read_json(self.folder / "deck-results/report.json")["memory"]["device_peak"]
            self.assertAlmostEqual(told, taken / 2**20, delta=0.25 * told)
            self.assertGreater(told, 2 * less)
            less = told
        # Layers, total field, poles, slices, probes, ports, snapshots: within 5 % but for pixels outside the mesh, which count.
        for name in ("slab", "dipole-open", "total-field", "waveguide"):
            deck = SOURCE / f"input/{name}.yaml"
            told = self.number(r"memory +([\d.]+) MiB on the device", self.succeed("check", deck).out)
            self.succeed("run", deck, "--device", "host", "--set", "time={steps: 3}", "--set", "sweep={}", "--tune=off", "--quiet",
                         "--output", name)
            taken = read_json(self.folder / name / "report.json")["memory"]["device_peak"]
            with self.subTest(deck=name):
                self.assertAlmostEqual(told, taken / 2**20, delta=0.2 * told)

    def test_memory_of_terms_is_what_they_take(self):
        """One copy of it, the next one and a residual: those that the integrator needs."""
        deck = self.write("deck.yaml", DECK)
        sizes = [word for setting in ("mesh.box.cells=[4,4,4]", "order=3", "time.steps=2", "initial.compare=false") for word in
                 ("--set", setting)]

        def peak(*words):
            self.succeed("run", deck, "--device", "host", "--tune=off", *sizes, *words, "--quiet")
            return read_json(self.folder / "deck-results/report.json")["memory"]["device_peak"] / 2**20

        def poles(tau):
            pole = f"{{strength: 0.1, relaxation_time: {tau}}}"
            return "--set", f"materials.domain={{epsilon: 1, debye: [{', '.join([pole] * 10)}]}}"

        one = 384 * 20 * 10 * 3 * 8 / 2**20
        for integrator, tau, copies in (("lsrk45", 1, 2), ("ndblsrk144", 1, 3), ("lsrk45", 1e-5, 2), ("ader", 1, 1), ("ader", 1e-5, 1.1)):
            words = "--set", f"time.integrator={integrator}"
            with self.subTest(integrator=integrator, tau=tau):
                text = self.succeed("check", deck, *sizes, *words, *poles(tau)).out
                self.assertEqual("by the exponential update" in text, tau < 1)
                told = self.number(r"with 10 poles \(memory: ([\d.]+) MiB on the device\)", text)
                self.assertAlmostEqual(told, copies * one, delta=0.01)
                self.assertAlmostEqual(told, peak(*words, *poles(tau)) - peak(*words), delta=0.2 * one)

    def test_all_groups_without_condition_are_listed(self):
        self.write("mesh.msh", Cube(2).text())
        text = DECK.replace("box: {cells: [2, 2, 2]}", "file: mesh.msh")
        for side in ("ymin", "zmax"):
            text = text.replace(f"  {side}: {{type: pec}}\n", "")
        deck = self.write("deck.yaml", text)
        result = self.sedge("check", deck)
        self.assertEqual(result.code, 1, result)
        self.assertEqual(len(result.messages), 1, result)
        self.assertEqual(re.findall(r"^ +(\w+) .*NO CONDITION", result.out, re.MULTILINE),
                         ["ymin", "zmax"])
        self.assertEqual(self.sedge("run", deck).messages, result.messages)

    def test_wavelengths(self):
        """The main deck is neither coarse nor too fine; lower and higher orders of it are told."""
        line = r"air +shortest wave 1.333, .* points a wavelength, error (about|above) ([\d.e-]+) %(.*)\n"
        errors = {}
        for order, words in ((2, "  (coarse for signals up to 0.75: the error is below 5 % up to 0.29, or with edges "
                                 "0.38 times as long; or raise the order)"), (4, ""),
                             (8, "  (much finer than the wave needs: order 6, or edges 1.8 times as "
                                 "long, would have an error of 0.1 %)")):
            text = self.succeed("check", SOURCE / "input/sphere.yaml", "--set", f"order={order}",
                                ranks=2 if order == 4 else 0).out
            _, errors[order], told = re.search(line, text).groups()
            self.assertEqual(told, words)
        self.assertLess(float(errors[4]), 1)  # "better than one percent", says the deck
        self.assertGreater(float(errors[2]), 5)

    def test_doubts(self):
        """What is allowed and hardly meant gets a warning, in both systems of units; else none does."""
        deck = self.write("deck.yaml", DECK)
        dipole = ("sources=[{type: dipole, position: [0.4, 0.4, 0.4], direction: [1, 0, 0], "
                  "signal: {type: ricker, frequency: FREQUENCY}}]")
        # Without a probe, which would be too near the dipole.
        start = ["--set", "initial={type: zero}", "--set", "monitors.probes.points={}", "--set"]
        units = {"normalised": ([], "lengths / c", 1.0),
                 "si": (["--set", "units=si"], "mesh.scale: 0.001", 299792458.0)}
        for words, question, speed in units.values():
            def check(frequency, end, *settings):
                text = self.succeed("check", deck, *words, *start,
                                    dipole.replace("FREQUENCY", repr(frequency * speed)),
                                    "--set", f"time={{end: {end / speed!r}}}",
                                    *[word for one in settings for word in ("--set", one)]).out
                return [line for line in text.splitlines() if line.startswith("  warning")]

            self.assertEqual(check(1.0, 5.0), [])
            long = check(1e-4, 5e4)
            self.assertEqual(len(long), 1, long)
            for frequency, asked in ((1.0, False), (1e4, True), (1e-6, True)):
                text = self.succeed("check", deck, *words, *start,
                                    dipole.replace("FREQUENCY", repr(frequency * speed))).out
                line = re.search(r"points a wavelength.*", text).group()
                self.assertEqual("are the units right?" in line and question in line, asked, line)
            self.assertIn("times as long as the mesh", long[0])
            self.assertIn(question, long[0])
            early = check(1.0, 1.0, f"sources.0.signal.delay={1.6 / speed!r}")
            self.assertEqual(len(early), 1, early)
            self.assertRegex(early[0], f"ends at t = {1 / speed:.4g}( s)?, before the signal of 'dipole' has its peak at {1.6 / speed:.4g} ")
            for delay, message in ((-1.0, f"has its peak before the run begins, at {-1 / speed:.4g} "),
                                   (0.0, "is cut at t = 0, where up to 1 of its amplitude is lost"), (1.2, "")):
                found = check(1.0, 5.0, f"sources.0.signal.delay={delay / speed!r}")
                self.assertEqual(len(found), 1 if message else 0, found)
                self.assertIn(message, "".join(found))
            for low, high, message in ((0.1, 2.0, ""), (0.01, 2.0, "where the spectrum of the sources is 0.00027 of its peak: fields are noise"),
                                       (0.1, 3.5, "where the spectrum of the sources is 0.00016 of its peak: fields are noise")):
                found = check(1.0, 5.0, f"monitors.frequencies.list=[{low * speed!r}, {high * speed!r}]",
                              "monitors.spectra.s={points: {p: [0.5, 0.5, 0.5]}}", "mesh.box.cells=[9, 9, 9]")
                self.assertEqual(len(found), 1 if message else 0, found)
                self.assertIn(message, "".join(found))
                if message:
                    self.assertIn(f"monitors ask for {(low if low < 0.1 else high) * speed:.4g}", found[0])
            found = check(1.0, 5.0, f"monitors.spectra.s={{groups: [domain], frequencies: {{from: {0.5 * speed}, to: {speed}, count: 100000}}}}",
                          "mesh.box.cells=[16, 16, 16]")  # 2.4 TB
            self.assertEqual(len(found), 1, found)
            self.assertRegex(found[0], r"the host's part, 2\.\d+e\+03 GB here, is more than the \S+ GB that this machine has free")
            self.assertEqual(check(1.0, 1e6), [])
            endless = check(1.0, 1e9)
            self.assertEqual(len(endless), 1, endless)
            self.assertRegex(endless[0], r"time.end \S+( s)? is \S+e\+\d\d time steps: are the units right\?")
            self.assertIn(question, endless[0])
            single = check(1.0, 1e-4)
            self.assertEqual(len(single), 2, single)
            self.assertIn("is one time step, or less: are the units right?", single[0])
            self.assertIn(question, single[0])
            self.assertEqual(single[0].count("are the units right?"), 1, single[0])

    def test_array(self):
        """Of dipoles with the same signal a fault is told once, and radii that differ by rounding are one."""
        deck = self.write("deck.yaml", DECK)
        for delay, end, message in ((2, 1, "before the signal of 'dipole' has its peak at 2 "), (0, 9, "is cut at t = 0"),
                                    (-1, 9, "has its peak before the run begins")):
            signal = f"{{type: ricker, frequency: 1, delay: {delay}}}"
            array = ", ".join(f"{{type: dipole, position: [{x}, 0, 0], direction: [0, 1, 0], signal: {signal}}}" for x in (-0.15, 0, 0.15))
            out = self.succeed("check", deck, "--set", "initial={type: zero}", "--set", "monitors.probes.points={}",
                               "--set", f"time={{end: {end}}}", "--set", f"sources=[{array}]",
                               "--set", "mesh.box={min: [-0.3, -0.2, -0.2], max: [0.3, 0.2, 0.2], cells: [9, 6, 6]}").out
            self.assertEqual(out.count(message), 1, out)
            self.assertIn("spread over balls of radius 0.0577; fields at", out)

    def test_charges(self):
        """A dipole whose signal has a mean leaves charges: the energy may never fall as far as the deck asks for."""
        deck = self.write("deck.yaml", DECK)
        words = ["--set", "initial={type: zero}", "--set", "monitors.probes.points={}", "--set", "time={end: 9}"]
        # Of a pulse of phase 90 a w sqrt(pi) exp(-(pi f w)^2) is left, of at most about a / pi f.
        for signal, stop, left in (("type: gaussian, width: 0.6", 0.5, 1.0), ("type: gaussian, width: 0.6", None, 0),
                                   ("type: gaussian, width: 0.6, frequency: 1", 1e-6, 0), ("type: ricker, frequency: 1", 1e-12, 0),
                                   ("type: gaussian, width: 0.6, frequency: 1, phase: -90", 1e-6, 0.032),
                                   ("type: gaussian, width: 0.6, frequency: 1, phase: -90", 0.1, 0),
                                   ("type: gaussian, width: 1.2, frequency: 1, phase: -90", 1e-6, 0)):
            source = f"sources=[{{type: dipole, position: [0.5, 0.5, 0.5], direction: [0, 0, 1], signal: {{{signal}}}}}]"
            ends = [] if stop is None else ["--set", f"time.stop.energy={stop}"]
            found = re.findall(r"it leaves charges, whose field stays, with about (\S+) of the greatest energy; time.stop.energy",
                               self.succeed("check", deck, *words, *ends, "--set", source).out)
            with self.subTest(signal=signal, stop=stop):
                self.assertEqual(len(found), 1 if left else 0)
                if left:
                    self.assertAlmostEqual(float(found[0]), left, delta=0.1 * left)

    def test_source_beside_far_field(self):
        """The ball of a dipole that reaches through the surface of a far field is missing there in part."""
        deck = self.write("deck.yaml", DECK)
        words = ["--set", "initial={type: zero}", "--set", "monitors.probes.points={}", "--set", "mesh.box.cells=[6, 6, 6]",
                 "--set", "mesh.box.min=[-1.5, -1.5, -1.5]", "--set", "mesh.box.max=[1.5, 1.5, 1.5]",
                 "--set", "mesh.surfaces={outer: {box: {min: [-1, -1, -1], max: [1, 1, 1]}}, "
                          "inner: {box: {min: [-0.5, -0.5, -0.5], max: [0.5, 0.5, 0.5]}}}",
                 "--set", "monitors.frequencies.list=[0.5]", "--set"]
        for place, more, distance, surface in (("[0, 0.5, 0.5]", "", None, ""), ("[0, 0.6, 0.3]", "", "0.4", "outer"),
                                               ("[0.1, -0.2, -0.9]", "", "0.1", "outer"), ("[0, 0, 0]", ", input: inner", None, ""),
                                               ("[0, 0.2, 0.1]", ", input: inner", "0.3", "inner"),
                                               ("[0.9, 0.9, 0.8]", "", "0.1", "outer")):
            source = f"{{type: dipole, position: {place}, direction: [0, 0, 1], signal: {{type: ricker, frequency: 0.5}}}}"
            for ranks in (0, 3):
                out = self.succeed("check", deck, *words, f"monitors.far-field.all={{surface: outer{more}}}", "--set",
                                   f"sources=[{source}]", ranks=ranks).out
                found = re.findall(r"warning +the dipole at .* is (\S+) away from the surface '(\w+)' of monitors.far-field.all, "
                                   r"and spread over a ball of radius 0.433: the part beyond the surface is missing", out)
                with self.subTest(place=place, surface=surface, ranks=ranks):
                    self.assertEqual(found, [(distance, surface)] if surface else [])
        # A surface with a condition cuts the ball itself.
        out = self.succeed("check", deck, *words, "monitors.far-field.all={surface: outer}", "--set", "boundaries.outer.type=pmc",
                           "--set", "sources=[{type: dipole, position: [0, 0.6, 0.3], direction: [0, 0, 1], "
                           "signal: {type: ricker, frequency: 0.5}}]").out
        self.assertNotIn("the part beyond the surface", out)

    def test_source_on_a_wall(self):
        """A current along a conductor on which it lies, or across a magnetic wall, is cancelled by its image."""
        deck = self.write("deck.yaml", DECK)
        words = ["--set", "initial={type: zero}", "--set", "monitors.probes.points={}", "--set", "boundaries.ymax.type=pmc"]
        for place, direction, wall in (("[0, 0.3, 0.6]", "[0, 1, 1]", "xmin"), ("[0, 0.3, 0.6]", "[1, 0, 0]", ""),
                                       ("[0, 0.3, 0.6]", "[1, 0, 1]", ""), ("[0.01, 0.3, 0.6]", "[0, 1, 1]", ""),
                                       ("[0.3, 1, 0.7]", "[0, 1, 0]", "ymax"), ("[0.3, 1, 0.7]", "[1, 0, 0]", "")):
            source = f"{{type: dipole, position: {place}, direction: {direction}, signal: {{type: ricker, frequency: 1}}}}"
            for ranks in (0, 2):
                out = self.succeed("check", deck, *words, "--set", f"sources=[{source}]", ranks=ranks).out
                with self.subTest(place=place, direction=direction, ranks=ranks):
                    self.assertEqual(re.findall(r"warning +the dipole at .* lies on '(\w+)', which is '\w+': its image cancels it", out),
                                     [wall] if wall else [])

    def test_conductivity_that_limits_the_step(self):
        deck = self.write("deck.yaml", DECK)
        for conductivity, warned in ((0.1, False), (1e4, True)):
            text = self.succeed("check", deck, "--set", "initial={type: zero}", "--set",
                                f"materials={{domain: {{conductivity: {conductivity}}}}}").out
            self.assertEqual("the conductivity of 'domain' causes" in text, warned, text)
            self.assertEqual("boundary of type conductor" in text, warned, text)

    def test_units_of_what_is_printed(self):
        """Lengths, times and energies have units in SI, and none in normalised units."""
        normalised = self.write("normalised.yaml", DECK)
        si = self.write("si.yaml", DECK + "units: si\n")
        scale = ["--set", "time={steps: 20}"]
        for deck, metre, second, joule in ((normalised, "", "", ""), (si, " m", " s", " J")):
            text = ran = self.succeed("run", deck, "--device", "host", *scale).out
            self.assertRegex(text, rf"inscribed radius [\d.e+-]+{metre}(,|\n)")
            self.assertRegex(text, rf"steps of dt = [\d.e+-]+{second} to t = [\d.e+-]+{second} ")
            self.assertRegex(text, rf"energy [\d.e+-]+{joule}  [\d.]+ s, ")
            self.assertRegex(text, rf"energy +[\d.e+-]+{joule} at the start, [\d.e+-]+{joule} at the end")
            text = self.succeed("check", deck, "--set", "mesh.box.cells=[3,3,4]", "--set", "initial={type: zero}",
                                "--set", "sources=[{type: dipole, position: [0.4, 0.4, 0.4], direction: [1, 0, 0], "
                                "signal: {type: ricker, frequency: 1}}]").out
            for line in (r"balls of radius [\d.]+U;", r"is at distance [\d.]+U from a dipole source",
                         r"which needs a distance of [\d.]+U\n", r"inscribed radius [\d.]+U to [\d.]+U\n"):
                self.assertRegex(text, line.replace("U", metre))
            for settings, line in ((["time={end: 1e30}"], r"time.end 1e\+30S needs [^ ]+ steps of dt = [\d.e+-]+S, and 1e15 are"),
                                   (["monitors.slices.s={normal: x, at: 2}"], "the plane x = 2U misses the mesh, which reaches from 0 to 1U$"),
                                   (["monitors.frequencies={list: [0.5]}", "monitors.spectra.s={points: {p: [0.5, 0.5, 0.5]}}",
                                     "initial={type: zero}", "sources=[{type: dipole, position: [0.4, 0.4, 0.4], direction: "
                                     "[1, 0, 0], signal: {type: ricker, frequency: 1e15}}]"],
                                    r"the time step of [\d.e+-]+S resolves ")):
                done = self.sedge("check", deck, *scale, *[word for one in settings for word in ("--set", one)])
                self.assertRegex(done.messages[0], line.replace("U", metre).replace("S", second))
        report = read_json(self.folder / "si-results/report.json")
        last = re.findall(r"energy ([\d.e+-]+) J  [\d.]+ s, ", ran)[-1]
        self.assertAlmostEqual(float(last) / report["energy"]["final"], 1.0, delta=1e-5)

    def test_condition_inside(self):
        words = ("check", SOURCE / "input/dielectric.yaml")
        free = re.search(r"interface +(\d+) faces: inside the mesh, needs no condition",
                         self.succeed(*words).out)
        sheet = re.search(r"interface +(\d+) faces: pec, on both sides of (\d+) inside the mesh",
                          self.succeed(*words, "--set", "boundaries.interface={type: pec}").out)
        self.assertEqual({free.group(1)}, set(sheet.groups()))

    def test_what_has_no_group(self):
        """It is refused but for the entries `default`; then a run is that of the mesh with groups."""
        cube = Cube(2)
        whole = self.write("whole.msh", cube.text())
        part = self.write("part.msh", re.sub(r"(?m)^(\d+) (2 2) [346] \d", r"\1 \2 0 1",
                                             cube.text().replace("4 2 7 7", "4 2 0 7")))
        pec = ", ".join(f"{side}: {{type: pec}}" for side in ("xmin", "xmax", "ymin", "ymax", "zmin", "zmax"))
        deck = self.write("deck.yaml", DECK)
        given = ["--set", f"mesh={{file: {part}}}"]
        self.refuse(2, ["are in no volume group", "materials.default"], "check", deck, *given,
                   "--set", f"boundaries={{{pec}}}")
        given += ["--set", "materials={default: {}}"]
        self.refuse(2, ["24 outer faces are in no surface group", "boundaries.default"], "check", deck,
                   *given, "--set", "boundaries={xmin: {type: pec}, xmax: {type: pec}, zmin: {type: pec}}")
        given += ["--set", "boundaries={xmin: {type: pec}, xmax: {type: pec}, zmin: {type: pec}, "
                           "default: {type: pec}}"]
        told = ["  materials.default  for 48 elements in no volume group of the mesh\n",
                "  boundaries.default for 24 outer faces in no surface group of the mesh, one at ("]
        text = self.succeed("check", deck, *given, ranks=2).out
        for line in told + ["    default          48 elements: given\n", "    default          24 faces: pec\n"]:
            self.assertIn(line, text)
        energies = []
        for name, words in (("part", given), ("whole", ["--set", f"mesh={{file: {whole}}}", "--set",
                                                        "materials={domain: {}}", "--set", f"boundaries={{{pec}}}"])):
            out = self.succeed("run", deck, "--device", "host", "--output", self.folder / name, *words).out
            energies.append(read_json(self.folder / name / "report.json")["energy"])
            for line in told:
                self.assertEqual(line in out, name == "part", line)
        self.assertEqual(*energies)
        text = self.succeed("mesh", "info", part).out
        self.assertIn("48 tetrahedra are in no volume group of the file and get the group 'default'; put their",
                      text)
        self.assertIn("24 outer faces are in no surface group of the file, one of them at (", text)
        self.assertNotIn("default", self.succeed("mesh", "info", whole).out)

    def test_an_element_that_is_bent_too_far(self):
        """The middle of an edge that all elements share, moved along it: at the edge's end the derivative of the place
        is 1 - 4 * 0.22 of that of the straight edge."""
        for off, told in ((0.22, True), (0.1, False)):
            move = lambda *x: [0.5 + off] * 3 if x == (0.5, 0.5, 0.5) else x
            mesh = self.write("bent.msh", Cube(1).text(move=move))
            text = self.succeed("check", self.write("deck.yaml", DECK), "--set", f"mesh={{file: {mesh}}}").out
            self.assertEqual(re.findall(r"with straight edges its inscribed radius would be (\S+);", text),
                             ["0.2071"] if told else [], text)

    def test_a_mesh_in_millimetres_taken_for_metres(self):
        words = ("check", SOURCE / "input/waveguide.yaml", "--device", "host")
        question = "are the units right?"
        right = self.succeed(*words).out
        self.assertNotIn(question, right)
        self.assertRegex(right, r"element \d+ +quality [\d.]+, inscribed radius [\d.]+ m, at ")
        words += ("--set", "mesh.scale=1", "--set", "sweep={}", "--set", "sources=[]", "--set",
                  "initial={type: plane-wave, direction: [0, 0, 1], polarisation: "
                  "[1, 0, 0], compare: false, signal: {type: ricker, frequency: 10e9}}", "--set", "monitors={}")
        wrong = self.succeed(*words)
        self.assertRegex(wrong.out, r"air +shortest wave .* points a wavelength, which do not resolve it  " + re.escape(question))
        self.refuse(1, ["points a wavelength: at least 2 are needed", question], *words, "--set",
                    "monitors.spectra={p: {points: {p: [1, 1, 1]}, frequencies: {list: [10e9]}}}")

    def refuse(self, code, words, *command, ranks=0):
        """One message with all of the words, and this exit code."""
        result = self.sedge(*command, ranks=ranks)
        self.assertEqual(result.code, code, result)
        self.assertEqual(len(result.messages), 1, result)
        for word in words:
            self.assertIn(word, result.messages[0])
        return result.out

    def boxes(self, what):
        """A deck for one of the meshes of tests/mesh/data/conform.geo."""
        mesh = SOURCE / f"tests/mesh/data/conform-{what}.msh"
        text = DECK.replace("box: {cells: [2, 2, 2]}", f"file: {mesh}")
        text = re.sub(r"(?s)materials:.*initial:", "materials: {left: {}, right: {}}\nboundaries: "
                      "{left-walls: {type: pec}, right-walls: {type: pec}}\ninitial:", text)
        return self.write("deck.yaml", text), mesh

    def test_volumes_that_are_not_one_mesh(self):
        deck, mesh = self.boxes("touching")
        words = ["conform-touching.msh: the mesh is not conforming: ", "'left' and 'right' touch",
                 "BooleanFragments"]
        self.refuse(2, words, "check", deck)
        self.refuse(2, words, "run", deck, ranks=2)
        self.assertFalse((self.folder / "deck-results").exists())
        for ranks in (0, 2):  # all that there is to know, and the fault
            text = self.refuse(2, words, "mesh", "info", mesh, ranks=ranks)
            self.assertIn("66 tetrahedra", text)
            self.assertRegex(text, r"the mesh has 2 parts that are not connected\n"
                                   r".* 24 tetrahedra from \(0, 0, 0\) to \(1, 1, 1\) of 'left'\n"
                                   r".* 42 tetrahedra .* of 'right'\n")

    def test_volumes_that_are_apart(self):
        deck, mesh = self.boxes("gap")
        self.assertIn("note               the mesh has 2 parts", self.succeed("check", deck).out)
        self.assertIn("the mesh has 2 parts", self.succeed("mesh", "info", mesh).out)
        self.assertNotIn("parts", self.succeed("mesh", "info", SOURCE / "meshes/cube.msh").out)

    def test_waves_through_periodic_sides(self):
        """Plane waves that are not the same on both of two periodic sides."""
        signal = "polarisation: [0, 1, 0], signal: {type: ricker, frequency: 1}"
        source = f"sources=[{{type: plane-wave, direction: [%s], {signal}}}]"
        state = f"initial={{type: plane-wave, direction: [%s], {signal}}}"
        turns = "initial={type: periodic-wave, polarisation: [0, 1, 0], waves: [%s]}"
        text = DECK.replace("[2, 2, 2]}", "[2, 2, 2], max: [1.5, 1, 1], periodic: [x]}")
        text = re.sub("  x(min|max): .*\n", "", text).replace("initial: {type: cavity-mode}\n", "")
        deck = self.write("deck.yaml", text)
        cases = ((source % "3, 0, 4", "with direction (3, 0, 4) is not the same on two periodic sides"),
                 (source % "1, 0, 0", "whose shift is (1.5, 0, 0)"),
                 (state % "1, 0, 1", "must be perpendicular"),
                 (turns % "1, 0, 0", "1.5 waves of the periodic-wave fit into the period"))
        for setting, words in cases:
            self.refuse(1, [words], "check", deck, "--set", setting)
        self.refuse(1, ["with direction"], "run", deck, "--set", source % "3, 0, 4", ranks=2)
        fine = (source % "0, 0, 1", state % "0, 0, -2", turns % "2, 0, 0", turns % "0, 0, 1")
        for setting in fine:
            self.succeed("check", deck, "--set", setting, "--quiet")
        self.refuse(1, ["initial: 0.5 waves of the sine fit into the period (0.5, 0, 0)"], "check",
                    SOURCE / "input/advection.yaml", "--set", "mesh.box.max=[0.5, 1, 1]")

    def test_fails_as_run_does(self):
        deck = self.write("deck.yaml", DECK)
        self.write("file", "")
        faults = (["--output", "file/x"], ["--set", "monitors.probes.points.inside=[2,2,2]"],
                  ["--set", "order=11"],
                  ["--device", "host", "--set", "kernels={variant: bernstein, item_nodes: 2}"])
        for words in faults:
            checked = self.sedge("check", deck, *words)
            ran = self.sedge("run", deck, *words)
            self.assertNotEqual(checked.code, 0, checked)
            self.assertEqual(checked.code, ran.code)
            self.assertEqual(len(checked.messages), 1, checked)


if __name__ == "__main__":
    unittest.main()
