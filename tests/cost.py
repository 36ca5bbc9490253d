#!/usr/bin/python3
"""The CPU that tests take, with all processes that they start: `cost.py build -R '^cli_' -j 2`.

A compiler is a child of a helper process that outlives the test (src/device/helper.h), so each test runs below a process
that adopts what its children leave behind and waits for all of it. Compiled kernels are kept nowhere, or in the folder
given by --cache for all tests together. Figures of a loaded machine are larger: compare only what ran at the same time.
"""

import argparse
import concurrent.futures
import ctypes
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER


def run_below(log, *command):
    """Run the command; print its exit code and the seconds of user and system time of it and all that it left behind."""
    if ctypes.CDLL(None, use_errno=True).prctl(SUBREAPER, 1, 0, 0, 0) != 0:
        sys.exit(f"cost.py: prctl: {os.strerror(ctypes.get_errno())}")
    with open(log, "wb") as out:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
    code = None
    while True:
        try:
            number, status = os.wait()
        except ChildProcessError:
            break
        if number == child.pid:
            code = os.waitstatus_to_exitcode(status)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(code, used.ru_utime, used.ru_stime)


def list_tests(build, select):
    command = ["ctest", "--test-dir", build, "--show-only=json-v1", *select]
    tests = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["tests"]
    for test in tests:
        if "command" not in test:
            print(f"          {test['name']}  its program is not built")
            continue
        properties = {each["name"]: each["value"] for each in test.get("properties", [])}
        settings = dict(setting.split("=", 1) for setting in properties.get("ENVIRONMENT", []))
        yield test["name"], test["command"], settings, properties.get("WORKING_DIRECTORY", build)


def measure(name, command, settings, folder, cache):
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="sedge-cost-", dir=memory) as scratch:
        own = {"TMPDIR": scratch, "SEDGE_TEST_SCRATCH": scratch, "SEDGE_CACHE_DIR": cache or scratch + "/cache"}
        os.makedirs(own["SEDGE_CACHE_DIR"], exist_ok=True)
        log = pathlib.Path(scratch, "log")
        done = subprocess.run([sys.executable, __file__, "--below", log, *command], env={**os.environ, **settings, **own},
                              cwd=folder, check=True, stdout=subprocess.PIPE, text=True)
        code, user, system = done.stdout.split()
        seconds = float(user) + float(system)
        print(f"{seconds:8.2f}  {name}" + (f"  exit code {code}" if code != "0" else ""), flush=True)
        if code != "0":
            sys.stderr.buffer.write(log.read_bytes()[-4000:])
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", help="the build folder")
    for option in ("-R", "-E", "-L", "-LE"):
        parser.add_argument(option, metavar="REGEX", help="as ctest has it")
    parser.add_argument("-j", type=int, default=1, metavar="N", help="tests at once")
    parser.add_argument("--cache", metavar="FOLDER", help="compiled kernels that all tests share")
    words = parser.parse_args()
    select = [word for option in ("R", "E", "L", "LE") if getattr(words, option) for word in (f"-{option}", getattr(words, option))]
    cache = os.path.abspath(words.cache) if words.cache else None
    with concurrent.futures.ThreadPoolExecutor(words.j) as pool:
        jobs = [pool.submit(measure, *test, cache) for test in list_tests(os.path.abspath(words.build), select)]
        print(f"{sum(job.result() for job in jobs):8.2f}  together, {len(jobs)} tests")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--below"]:
        run_below(*sys.argv[2:])
    else:
        main()
