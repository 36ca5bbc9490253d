"""Includes: no two folders and no two modules of src, codegen and solvers include each other in a
circle; a module is file.c with file.h. And no folder holds more than MOST_FILES .c files.

    check_includes.py SOURCE     prints what is wrong; exit code 1 if anything is
"""

import pathlib
import re
import sys

MOST_FILES = 22  # src/mesh; no folder is to grow beyond it


def find_circles(graph):
    """The strongly connected components of more than one node (Tarjan's method)."""
    index, low, stack, circles = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph[node]:
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            circle = stack[stack.index(node):]
            del stack[stack.index(node):]
            if len(circle) > 1:
                circles.append(sorted(circle))

    for node in graph:
        if node not in index:
            visit(node)
    return circles


def read_includes(source):
    """{file: files that it includes} of the source files, by paths below `source`."""
    files = {path.relative_to(source) for folder in ("src", "codegen", "solvers")
             for path in (source / folder).rglob("*.[ch]")}
    found = {}
    for path in files:
        found[path] = set()
        text = (source / path).read_text()
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', text, re.MULTILINE):
            # Beside the file, or by its folder's name: "mesh/mesh.h".
            beside = path.parent / name
            matches = [beside] if beside in files else [
                other for other in files if str(other).endswith("/" + name) and
                ("kernels" in other.parts) == ("kernels" in path.parts or name.startswith("kernels/"))]
            if len(matches) > 1:
                sys.exit(f"{path} includes '{name}', which may be any of {sorted(map(str, matches))}")
            found[path].update(matches)
    return found


def gather(includes, name):
    """The graph of what `name` makes of files, without edges from a node to itself."""
    graph = {name(path): set() for path in includes}
    for path, others in includes.items():
        graph[name(path)].update(name(other) for other in others)
    return {node: sorted(others - {node}) for node, others in graph.items()}


def main():
    includes = read_includes(pathlib.Path(sys.argv[1]))
    faults = [f"files include each other: {' '.join(circle)}" for circle in
              find_circles(gather(includes, lambda path: str(path.with_suffix(""))))]
    faults += [f"folders include each other: {' '.join(circle)}" for circle in
               find_circles(gather(includes, lambda path: str(path.parent)))]
    folders = {}
    for path in includes:
        if path.suffix == ".c":
            folders[path.parent] = folders.get(path.parent, 0) + 1
    faults += [f"{folder} has {count} .c files, more than {MOST_FILES}" for folder, count in
               sorted(folders.items()) if count > MOST_FILES]
    if not includes or not any(includes.values()):
        faults.append("no source file includes another: is this the source folder?")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.setrecursionlimit(10000)
    sys.exit(main())
