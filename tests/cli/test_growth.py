"""A long run with slivers, a dispersive medium, absorbing layers and local time steps: its energy only falls. A
short one of those of benchmarks/growth.py."""

import subprocess
import sys
import unittest

from kit import FOLDER, PROGRAM, SOURCE


class Growth(unittest.TestCase):
    def test_levels(self):
        done = subprocess.run([sys.executable, SOURCE / "benchmarks" / "growth.py", "short", PROGRAM, FOLDER / "growth"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
