#!/usr/bin/env python3
"""graph.py ROOT [--build DIR] [--check] [--svg FILE]: the include and the link graph, folder by folder, and every cycle.

The include graph is read from the #include lines of proto, server and client. The link graph is read by nm from the objects that
DIR/compile_commands.json names: one file needs another if it uses a symbol that the other defines. With --check FOLDER it prints
cycles only. It then fails on a cycle between any folders, on a cycle of files in FOLDER that tests/lint/cycles.txt does not list, and
on a listed one that is gone. --svg writes the picture of the folders; --current fails if FILE is another one.
"""
import argparse
import collections
import json
import pathlib
import re
import shlex
import subprocess
import sys

import graph_svg

TREES = ("proto", "server", "client")
REASONS = "tests/lint/cycles.txt"
# The places that the compiler looks in, after the file's own folder; as layers.sh has them.
PLACES = ("server", ".", "client/lib", "proto")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"')
GENERATED = "generated"


def folder_of(path):
    return GENERATED if path == GENERATED else str(pathlib.PurePosixPath(path).parent)


def stem_of(path):
    """box.c and box.h are one."""
    return re.sub(r"\.[ch]$", "", path)


def include_read(root):
    """{file: files that it includes}; code made from the schema is one file, `generated`."""
    files = sorted(str(path.relative_to(root)) for tree in TREES for path in (root / tree).rglob("*.[ch]"))
    known = set(files)
    edges = {}
    for name in files:
        edges[name] = set()
        for line in (root / name).read_text().splitlines():
            match = INCLUDE.match(line)
            if not match:
                continue
            wanted = match.group(1)
            places = (folder_of(name),) + PLACES
            found = [str(pathlib.PurePosixPath(place) / wanted) for place in places]
            found = [path for path in found if path in known]
            if found:
                edges[name].add(found[0])
            elif wanted.endswith(".pb-c.h"):
                edges[name].add(GENERATED)
            else:
                sys.exit(f"graph: {name}: cannot tell where \"{wanted}\" is")
    return edges


def objects_read(paths):
    """{object: (symbols that it defines for others, symbols that it uses)}, by one call of nm."""
    out = {path: (set(), set()) for path in paths}
    lines = subprocess.run(["nm", "-P", "-g", "-A", *paths], capture_output=True, text=True, check=True).stdout if paths else ""
    for line in lines.splitlines():
        path, _, symbol = line.rpartition(": ")  # a path may have spaces
        name, kind = symbol.split()[:2]
        out[path][1 if kind in "Uwv" else 0].add(name)
    return out


def link_read(root, build):
    """{file: files that define symbols it uses}, and how many objects are not built."""
    names, missing = {}, 0
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        path = pathlib.Path(entry["directory"]) / words[words.index("-o") + 1]
        source = pathlib.Path(entry["file"])
        if root not in source.resolve().parents:
            continue  # of another engine: ./dev bench was told its folder
        generated = build.resolve() in source.resolve().parents
        name = GENERATED if generated else str(source.resolve().relative_to(root))
        if not generated and not name.startswith(tuple(tree + "/" for tree in TREES)):
            continue
        if path.exists():
            names[str(path)] = name
        else:
            missing += 1
    objects = [(names[path], *symbols) for path, symbols in objects_read(list(names)).items()]
    owner = {symbol: name for name, defined, _ in objects for symbol in defined}
    edges = collections.defaultdict(set)
    for name, _, used in objects:
        edges[name] |= {owner[symbol] for symbol in used if symbol in owner} - {name}
    return dict(edges), missing


def merged(edges, key):
    """The same graph with its nodes put together: {node: Counter of nodes}."""
    out = collections.defaultdict(collections.Counter)
    for name, targets in edges.items():
        out[key(name)].update(key(target) for target in targets if key(target) != key(name))
    return out


def cycles(edges):
    """Strongly connected components of two nodes and more, each sorted (Tarjan, without recursion)."""
    number, low, on_stack, stack, found = {}, {}, set(), [], []
    for start in sorted(edges):
        if start in number:
            continue
        work = [(start, iter(sorted(edges.get(start, ()))))]
        number[start] = low[start] = len(number)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    component = []
                    while not component or component[-1] != node:
                        component.append(stack.pop())
                        on_stack.discard(component[-1])
                    if len(component) > 1:
                        found.append(sorted(component))
            elif following not in number:
                number[following] = low[following] = len(number)
                stack.append(following)
                on_stack.add(following)
                work.append((following, iter(sorted(edges.get(following, ())))))
            elif following in on_stack:
                low[node] = min(low[node], number[following])
    return sorted(found)


def graph_print(title, edges):
    print(f"{title}:")
    for folder in sorted(edges):
        targets = ", ".join(f"{name} {count}" for name, count in sorted(edges[folder].items()))
        print(f"  {folder:<26} -> {targets or 'none'}")
    print()


def reasons_read(path):
    """{(file, ...): reason} from lines `FILE FILE... : REASON`."""
    out = {}
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            names, reason = line.split(" : ", 1)
            out[tuple(sorted(names.split()))] = reason
    return out


def folder_cycles(kind, edges):
    found = cycles(edges)
    print(f"cycles of folders, {kind} graph: {len(found) or 'none'}")
    for cycle in found:
        print(f"  {' '.join(cycle)}")
    return [(f"a cycle of folders in the {kind} graph", cycle) for cycle in found]


def file_cycles(kind, edges, reasons):
    found = cycles(edges)
    print(f"cycles of files, {kind} graph: {len(found) or 'none'}")
    for cycle in found:
        print(f"  {' '.join(cycle)}\n    {reasons.get(tuple(cycle), 'no reason is told')}")
    return [(f"a cycle of files without a reason in {REASONS}", cycle) for cycle in found if tuple(cycle) not in reasons], found


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("root", type=pathlib.Path)
    arguments.add_argument("--build", type=pathlib.Path)
    arguments.add_argument("--check", metavar="FOLDER", nargs="+")
    arguments.add_argument("--svg", metavar="FILE", type=pathlib.Path)
    arguments.add_argument("--current", metavar="FILE", type=pathlib.Path)
    asked = arguments.parse_args()
    root = asked.root.resolve()
    includes = include_read(root)
    links, missing = link_read(root, asked.build) if asked.build else ({}, 0)
    include_folders, link_folders = merged(includes, folder_of), merged(links, folder_of)
    if not asked.check:
        graph_print("Folders by #include, with the number of lines", include_folders)
        if links:
            graph_print("Folders by symbols that the linker resolves, with the number of pairs of files", link_folders)
    folder_bad, bad = folder_cycles("include", include_folders) + folder_cycles("link", link_folders), []
    reasons = reasons_read(root / REASONS)
    wrong, include_found = file_cycles("include", includes, reasons)
    bad += wrong
    wrong, link_found = file_cycles("link", links, reasons)
    bad += wrong
    if not asked.check:
        stems = [" ".join(cycle) for cycle in cycles(merged(includes, stem_of))]
        print(f"for comparison, #include with NAME.c and NAME.h taken as one: {len(stems) or 'no'} cycles", *stems, sep="\n  ")
    if missing:
        print(f"{missing} objects are not built, and left out of the link graph")
    elif links:
        gone = set(reasons) - {tuple(cycle) for cycle in include_found + link_found}
        bad += [(f"{REASONS} lists a cycle that is gone", cycle) for cycle in sorted(gone)]
    picture = graph_svg.draw({folder: set(targets) for folder, targets in include_folders.items()})
    if asked.svg:
        asked.svg.write_text(picture)
    inside = tuple(folder.rstrip("/") + "/" for folder in asked.check or ())
    bad = folder_bad + [(what, cycle) for what, cycle in bad if any(name.startswith(inside) for name in cycle)]
    failed = [f"{what}: {' '.join(cycle)}" for what, cycle in bad] if asked.check else []
    if asked.current and asked.current.read_text() != picture:
        failed.append(f"{asked.current} is not up to date: ./dev graph --write")
    for line in failed:
        print(f"graph: {line}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
