"""Damaged checkpoints, meshes, wisdom, cache entries, series: never a crash, never a wrong answer.

    test_damage.py [TRIES [SEED]]
"""

import random
import shutil
import sys
import unittest

from fault_kit import PATIENCE, SOURCE, Fault, Job, check_same, record

TRIES = 3
SEED = 1
USAGE, DATA = 1, 2

MESH_DECK_BOX = "box: {cells: [2, 2, 2]}"


def damage(content, chance):
    """Some bytes of a file, and what was done to it."""
    kind = chance.choice(["truncated", "with flipped bits", "with flipped bits", "with a hole"])
    content = bytearray(content or b"x")  # an earlier try may have left nothing
    if kind == "truncated":
        return bytes(content[: chance.randrange(len(content))]), kind
    if kind == "with a hole":
        start = chance.randrange(len(content))
        content[start: start + 4096] = bytes(len(content[start: start + 4096]))
        return bytes(content), kind
    for _ in range(chance.choice([1, 1, 1, 8])):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    return bytes(content), kind


class Damage(Fault):
    def setUp(self):
        super().setUp()
        self.chance = random.Random(f"{SEED} {self.id()}")

    def finish(self, job):
        code = job.wait(PATIENCE)
        text = job.text()
        job.end()
        self.assertIsNotNone(code, "it hangs")
        return code, text

    def copy_results(self):
        shutil.rmtree(self.results, ignore_errors=True)
        shutil.copytree(self.answer(), self.results)

    def test_checkpoint(self):
        """A restart from a damaged file says so; auto takes the one before."""
        answer = self.answer()
        for _ in range(TRIES):
            self.copy_results()
            newest, older = sorted(self.results.glob("checkpoint-*.h5"),
                                   key=lambda path: -int(path.stem.split("-")[1]))
            content, kind = damage(newest.read_bytes(), self.chance)
            newest.write_bytes(content)
            code, text = self.finish(self.run_job("--quiet", "--restart", newest))
            self.assertIn(code, (0, DATA), text)  # 0: the byte was one of no meaning
            if code != 0:
                self.assertEqual(text.count("sedge: "), 1, text)
                self.assertIn(newest.name, text)
            record(f"a checkpoint {kind}, --restart FILE",
                   "refused with a message, code 2" if code else "the damage is in no data: same")
            if code == 0:
                check_same(self, self.results, answer)
                continue
            code, text = self.finish(self.run_job("--quiet", "--restart", "auto"))
            self.assertEqual(code, 0, text)
            self.assertIn("passed over", text)
            check_same(self, self.results, answer)
            record(f"a checkpoint {kind}, --restart auto",
                   "the one before is taken, the answer is the same, bit for bit")

    def test_series(self):
        """What a restart would go on with is damaged: it says so, or goes on."""
        for _ in range(TRIES):
            self.copy_results()
            for newest in self.results.glob(f"checkpoint-{self.last_step()}.h5"):
                newest.unlink()
            path = self.results / self.chance.choice(["energy.h5", "probes.h5", "slices.h5",
                                                        "fields.hdf.series"])
            content, kind = damage(path.read_bytes(), self.chance)
            path.write_bytes(content)
            code, text = self.finish(self.run_job("--quiet", "--restart", "auto"))
            self.assertIn(code, (0, USAGE, DATA), text)
            if code != 0:
                self.assertEqual(text.count("sedge: "), 1, text)
            record(f"a file of series {kind}, --restart auto",
                   f"refused with a message, code {code}" if code else "goes on")

    def last_step(self):
        return max(int(path.stem.split("-")[1]) for path in self.results.glob("checkpoint-*.h5"))

    def test_mesh(self):
        whole = [path.read_bytes() for path in (SOURCE / "tests/mesh/data").glob("*.msh")]
        for _ in range(2 * TRIES):
            content, kind = damage(self.chance.choice(whole), self.chance)
            path = self.write("damaged.msh", content)
            result = self.sedge("mesh", "info", path)
            self.assertIn(result.code, (0, DATA), result)
            self.assertEqual(len(result.messages), 1 if result.code else 0, result)
            record(f"a mesh {kind}", "refused with a message, code 2" if result.code
                   else "read: the damage is in a place or in what is not looked at")

    def test_cache_and_wisdom(self):
        answer = self.answer()
        cache = self.folder / "cache"
        environment = {"SEDGE_CACHE_DIR": str(cache)}
        code, text = self.finish(self.run_job("--quiet", environment=environment))
        self.assertEqual(code, 0, text)
        wisdom = cache / "wisdom.jsonl"
        if not wisdom.exists():
            wisdom.write_text('{"key":{"what":"tune"},"rigor":1}\n')
            wisdom.chmod(0o600)
        for _ in range(TRIES):
            for path in list(cache.glob("*.sedge")) + [wisdom]:
                content, kind = damage(path.read_bytes(), self.chance)
                path.write_bytes(content)
            shutil.rmtree(self.results)
            code, text = self.finish(self.run_job("--quiet", environment=environment))
            self.assertEqual(code, 0, text)
            check_same(self, self.results, answer)
            record("all cache entries and the wisdom damaged", "compiled anew, same answer")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        TRIES = int(sys.argv[1])
    if len(sys.argv) > 2:
        SEED = int(sys.argv[2])
    unittest.main(argv=sys.argv[:1])
