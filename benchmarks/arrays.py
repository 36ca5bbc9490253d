#!/usr/bin/env python3
"""Array operations beside CuPy's, by turns, on one GPU.

    arrays.py SEDGE_BENCH_ARRAYS [--elements N ...] [--json FILE]

The program runs twice a size: with an empty cache of programs (cold) and again (warm). CuPy runs in
processes of its own, likewise cold and warm, with CUB on. Without CuPy only our side is printed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

SAMPLES = 31


def cupy_side(elements, calls):
    """Measure CuPy in this process; JSON lines as sedge-bench-arrays prints them."""
    began = time.perf_counter()
    import cupy

    cupy.cuda.Device().synchronize()
    print(json.dumps({"by": "cupy", "case": "open", "first_ms": 1e3 * (time.perf_counter() - began)}))
    for name, type_ in (("float32", cupy.float32), ("float64", cupy.float64)):
        x = cupy.full(elements, 1, dtype=type_)
        y = cupy.full(elements, 2, dtype=type_)
        z = cupy.empty_like(x)
        a, b = type_(2.5), type_(-1.5)
        kernel = cupy.ElementwiseKernel("T x, T y, T a, T b", "T z", "z = a * x + b * y", "lin_comb")
        cases = (
            ("copy", lambda: cupy.copyto(z, x), 2),
            ("lin_comb", lambda: kernel(x, y, a, b, z), 3),
            ("dot", lambda: cupy.dot(x, y), 2),
            ("sum", lambda: x.sum(), 1),
            ("cumsum", lambda: cupy.cumsum(x), 2),
        )
        for case, call, words in cases:
            began = time.perf_counter()
            call()
            cupy.cuda.Device().synchronize()
            first = time.perf_counter() - began
            for _ in range(20):
                call()
            cupy.cuda.Device().synchronize()
            from_, to = cupy.cuda.Event(), cupy.cuda.Event()
            seconds = []
            for _ in range(SAMPLES):
                from_.record()
                for _ in range(calls):
                    call()
                to.record()
                to.synchronize()
                seconds.append(cupy.cuda.get_elapsed_time(from_, to) * 1e-3 / calls)
            began = time.perf_counter()
            for _ in range(200):
                call()
            host = (time.perf_counter() - began) / 200
            cupy.cuda.Device().synchronize()
            seconds.sort()
            print(json.dumps({
                "by": "cupy", "case": case, "type": name, "elements": elements,
                "least_us": 1e6 * seconds[0], "median_us": 1e6 * seconds[SAMPLES // 2],
                "host_us": 1e6 * host, "first_ms": 1e3 * first,
                "bytes": elements * x.itemsize * words}), flush=True)


def run(command, environment):
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def measure(program, elements, calls, has_cupy):
    """Rows of both sides, cold and warm, by turns."""
    rows = []
    caches = tempfile.mkdtemp(prefix="arrays-")
    environment = dict(os.environ, SEDGE_CACHE_DIR=os.path.join(caches, "sedge"),
                       CUPY_CACHE_DIR=os.path.join(caches, "cupy"), CUPY_ACCELERATORS="cub")
    environment.setdefault("CUDA_PATH", "/usr/local/cuda")
    try:
        for start in ("cold", "warm"):
            sides = [[program, "auto", str(elements), str(calls)]]
            if has_cupy:
                sides.append([sys.executable, __file__, "--cupy", "--elements", str(elements),
                              "--calls", str(calls)])
            for command in sides:
                rows += [dict(row, start=start) for row in run(command, environment)]
    finally:
        shutil.rmtree(caches, ignore_errors=True)
    return rows


def find(rows, **wanted):
    for row in rows:
        if all(row.get(key) == value for key, value in wanted.items()):
            return row
    return None


def print_table(rows, elements):
    copy = find(rows, by="sedge", case="copy", type="float32", start="warm")
    rate = copy["bytes"] / copy["median_us"]
    print(f"\n{elements} elements, warm; copy {rate / 1e6:.2f} TB/s\n")
    print("| case | type | us | TB/s | of copy | host us | CuPy us | CuPy host us | CuPy/ours |"
          " first ms cold | warm | CuPy cold | warm |")
    print("|" + " --- |" * 13)
    for case in ("copy", "lin_comb", "dot", "sum", "cumsum"):
        for type_ in ("float32", "float64"):
            ours = find(rows, by="sedge", case=case, type=type_, start="warm")
            cold = find(rows, by="sedge", case=case, type=type_, start="cold")
            theirs = find(rows, by="cupy", case=case, type=type_, start="warm")
            theirs_cold = find(rows, by="cupy", case=case, type=type_, start="cold")
            here = ours["bytes"] / ours["median_us"]
            cells = [case, type_, f"{ours['median_us']:.1f}", f"{here / 1e6:.2f}", f"{here / rate:.2f}",
                     f"{ours['host_us']:.1f}"]
            if theirs:
                cells += [f"{theirs['median_us']:.1f}", f"{theirs['host_us']:.1f}",
                          f"{theirs['median_us'] / ours['median_us']:.2f}"]
            else:
                cells += ["", "", ""]
            cells += [f"{cold['first_ms']:.1f}", f"{ours['first_ms']:.1f}"]
            cells += [f"{theirs_cold['first_ms']:.1f}", f"{theirs['first_ms']:.1f}"] if theirs else ["", ""]
            print("| " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("--elements", type=int, nargs="+", default=[1 << 27, 64**3])
    parser.add_argument("--calls", type=int, default=10, help="between two events")
    parser.add_argument("--json", help="all rows, to this file")
    parser.add_argument("--cupy", action="store_true", help="measure CuPy in this process")
    given = parser.parse_args()
    if given.cupy:
        cupy_side(given.elements[0], given.calls)
        return
    if given.program is None:
        parser.error("the path of sedge-bench-arrays is wanted")
    has_cupy = subprocess.run([sys.executable, "-c", "import cupy"], stderr=subprocess.DEVNULL,
                              check=False).returncode == 0
    rows = []
    for elements in given.elements:
        here = measure(given.program, elements, given.calls, has_cupy)
        print_table(here, elements)
        rows += here
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
