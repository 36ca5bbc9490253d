"""The command line itself: options, help, version, devices, the cache's commands."""

import math
import os
import re
import signal
import subprocess
import unittest

from kit import DECK, PROGRAM, SOURCE, Case, read_json

USAGE, STOPPED = 1, 5


def table(file, name):
    """The rows of a `static const ... NAME[] = {...};` of a file: the first text in each."""
    text = (SOURCE / "src/cli" / file).read_text()
    body = text[text.index(f"{name}[] = {{"):]
    return re.findall(r'^    \{"([a-z]+)"', body[: body.index("\n};")], re.MULTILINE)


COMMANDS = table("command_table.c", "commands")
OPTIONS = table("option.c", "options")
FLAGS = ("quiet", "verbose", "help", "forget")


class Words(Case):
    def test_wrong_words(self):
        self.refuse(USAGE, ["no command"])
        self.refuse(USAGE, ["'fly'", "--help"], "fly")
        self.refuse(USAGE, ["unknown command 'chek'; did you mean 'check'?"], "chek", ranks=[0])
        self.refuse(USAGE, ["missing", "sedge run DECK"], "run", ranks=[0])
        self.refuse(USAGE, ["too many", "sedge run DECK"], "run", "a", "b", ranks=[0])
        self.refuse(USAGE, ["'shake'", "path, list and clear"], "cache", "shake")
        self.refuse(USAGE, ["'fly'"], "help", "fly", ranks=[0])
        self.refuse(USAGE, ["missing", "sedge solve MATRIX"], "solve", ranks=[0])

    def test_wrong_options(self):
        # The option is named, wherever it stands.
        self.refuse(USAGE, ["'--fly'"], "run", "deck.yaml", "--fly")
        self.refuse(USAGE, ["'--fly'"], "run", "--fly", "deck.yaml", ranks=[0])
        self.refuse(USAGE, ["'-x'"], "run", "deck.yaml", "-x", ranks=[0])
        self.refuse(USAGE, ["'--device'", "needs a value"], "run", "deck.yaml", "--device",
                    ranks=[0])
        self.refuse(USAGE, ["--device", "needs a value"], "run", "deck.yaml", "--device=",
                    ranks=[0])
        self.refuse(USAGE, ["--output", "control character"], "run", "deck.yaml", "--output",
                    "a\nb", ranks=[0])
        self.refuse(USAGE, ["--set", "devices"], "devices", "--set", "order=3", ranks=[0])
        self.refuse(USAGE, ["--report", "check"], "check", "deck.yaml", "--report", "f", ranks=[0])
        self.refuse(USAGE, ["--restart", "needs a value"], "run", "deck.yaml", "--restart", "",
                    ranks=[0])
        self.refuse(USAGE, ["--restart", "check"], "check", "deck.yaml", "--restart", "auto",
                    ranks=[0])

    def test_wrong_settings(self):
        deck = self.write("deck.yaml", DECK)
        self.refuse(USAGE, ["--set order", "key.sub=value"], "run", deck, "--set", "order")
        self.refuse(USAGE, ["--set ordre=3", "'ordre'"], "run", deck, "--set", "ordre=3")
        self.refuse(USAGE, ["--set order=x", "whole number"], "run", deck, "--set", "order=x",
                    ranks=[0])
        self.refuse(USAGE, ["sources.3"], "run", deck, "--set", "sources.3.type=dipole", ranks=[0])
        many = [word for i in range(65) for word in ("--set", "order=2")]
        self.refuse(USAGE, ["more than 64"], "run", deck, *many, ranks=[0])
        self.refuse(USAGE, ["more than 64"], "run", deck, *many[2:], "--output", "x", ranks=[0])


class Help(Case):
    def test_tables_are_found(self):
        self.assertIn("run", COMMANDS)
        self.assertIn("restart", OPTIONS)
        self.assertGreaterEqual(len(OPTIONS), 8)

    def test_main_help_names_all_commands_and_options(self):
        text = self.succeed("--help").out
        self.assertEqual(text, self.succeed("-h").out)
        self.assertEqual(text, self.succeed("help").out)
        for name in COMMANDS:
            known = re.search(rf"^  {name}\b", text, re.MULTILINE)
            self.assertEqual(known is None, "not in version" in self.sedge(name, "x", "y").err, name)
        for name in OPTIONS:
            self.assertRegex(text, rf"--{name}\b")
        for line in text.splitlines():
            self.assertLessEqual(len(line), 100, line)

    def test_each_command_has_one(self):
        for name in COMMANDS:
            text = self.succeed(name, "--help").out
            self.assertTrue(text.startswith(f"Usage: sedge {name}"), text)
        self.assertEqual(text, self.succeed("help", COMMANDS[-1]).out)

    def test_lists_what_the_parser_takes(self):
        for name in ("run", "check", "tune", "cache"):
            text = self.succeed(name, "--help").out
            for option in OPTIONS:
                word = f"--{option}" if option in FLAGS else f"--{option}=1"
                taken = "does not take" not in self.sedge(name, "a", "b", "c", word).err
                self.assertEqual(f"--{option}" in text, taken, (name, option))

    def test_once_on_many_ranks(self):
        self.assertEqual(self.sedge("--version", ranks=3).out.count("sedge"), 1)
        self.assertEqual(self.sedge("help", "deck", ranks=3).out.count("## Sections and keys"), 1)

    def test_help_deck_is_the_page(self):
        page = (SOURCE / "input/keys.md").read_text()
        begin = page.index("\n", page.index("<!-- begin")) + 1
        printed = page[begin: page.index("<!-- end -->")]
        self.assertEqual(self.succeed("help", "deck").out.strip(), printed.strip())
        # With a word its parts, each of them below its heading.
        some = self.succeed("help", "deck", "lumped-port").out
        self.assertLess(some.index("### maxwell: boundaries.NAME"), some.index("`type: lumped-port`"))
        self.assertNotIn("`type: graphene`", some)
        self.refuse(USAGE, ["'flying'"], "help", "deck", "flying", ranks=[0])
        self.refuse(USAGE, ["sedge help [deck [WORD]|COMMAND]"], "help", "run", "deck", ranks=[0])

    def test_variables_are_those_of_the_page(self):
        rows = re.findall(r"^\| (`SEDGE_.*?) \|", (SOURCE / "src/cli/README.md").read_text(), re.MULTILINE)
        printed = re.findall(r"^  (SEDGE_\S+) ", self.succeed("--help").out, re.MULTILINE)
        self.assertEqual(sorted(re.findall(r"`(SEDGE_\S+)`", " ".join(rows))), sorted(printed))

    def test_version(self):
        version = re.search(r"VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text()
                            .split("project(sedge", 1)[1]).group(1)
        self.assertEqual(self.succeed("--version").out, f"sedge {version}\n")


class Tools(Case):
    def test_devices(self):
        text = self.succeed("devices", environment={"SEDGE_THREADS": "3"}).out
        self.assertRegex(text, r"(?m)^cuda ")
        self.assertRegex(text, r"(?m)^host .*3 threads")

    def test_mesh_info(self):
        text = self.succeed("mesh", "info", SOURCE / "meshes/sphere.msh").out
        for word in ("sphere", "outer"):
            self.assertIn(word, text)
        # The ball of radius 3 without that of radius 1, both of flat faces.
        volume = float(re.search(r"(?m)^  air +\d+ +\d+ +([\d.]+)$", text).group(1))
        self.assertTrue(0.95 < volume / (4 / 3 * math.pi * 26) < 1.0, volume)

    def test_cache(self):
        cache = self.folder / "cache"
        environment = {"SEDGE_CACHE_DIR": str(cache)}
        deck = self.write("deck.yaml", DECK)

        def ask(word):
            return self.succeed("cache", word, environment=environment).out

        self.assertEqual(ask("path"), f"{cache}\n")
        self.succeed("run", deck, "--device", "host", environment=environment)
        entries = list(cache.glob("*.sedge"))
        self.assertGreaterEqual(len(entries), 1)
        self.assertIn(entries[0].stem[:8], ask("list"))
        self.assertIn(f"{len(entries)} entr", ask("clear"))
        self.assertEqual(list(cache.glob("*.sedge")), [])
        self.assertEqual(cache.stat().st_mode & 0o777, 0o700)

    def test_output_that_cannot_be_written(self):
        for words in (["--help"], ["run", "--help"], ["help", "run"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, USAGE, words)
            self.assertIn(b"cannot write to standard output", done.stderr)
            self.assertNotIn(b"goes on", done.stderr)

    def test_output_that_is_closed(self):
        # The next file that is opened gets the number of a closed stream.
        done = subprocess.run(["sh", "-c", 'exec "$0" --version >&-', PROGRAM], stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, USAGE)
        self.assertIn(b"cannot write to standard output: Bad file descriptor", done.stderr)
        done = subprocess.run(["sh", "-c", 'exec "$0" devices <&- >&- 2>&-', PROGRAM])
        self.assertEqual(done.returncode, USAGE)

    def ask_nobody(self, *words):
        """The program with a pipe for its output whose reader has gone."""
        read, write = os.pipe()
        os.close(read)
        with open(write, "wb") as pipe:
            done = subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, stdout=pipe,
                                  stderr=subprocess.PIPE)
        return done.returncode, done.stderr.decode()

    def test_reader_that_goes(self):
        """A run ends as it does with a reader, and says once what is lost; a list is not missed."""
        deck = self.write("deck.yaml", DECK)
        code, text = self.ask_nobody("run", deck, "--device", "host")
        self.assertEqual(code, 0, text)
        self.assertRegex(text, r"^sedge: warning: cannot write to standard output: Broken pipe.*\n$")
        self.assertEqual(read_json(self.folder / "deck-results/report.json")["steps"], 20)
        self.assertEqual(self.ask_nobody("devices"), (-signal.SIGPIPE, ""))
        code, text = self.ask_nobody("run", deck, "--device", "host", "--set", "time.wall=0.01")
        self.assertEqual((code, text.count("\n")), (STOPPED, 2), text)


if __name__ == "__main__":
    unittest.main()
