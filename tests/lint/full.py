#!/usr/bin/python3
"""A test program that leaves something out in the unit run has a test that leaves nothing out, and no other has one.

full.py ROOT --build DIRECTORY. What leaves something out calls what is in tests/support/effort.h, or the macros of
tests/support/long_case.h. Nothing is left out with COLLIDED_TESTS_FULL in the environment, as collided_full sets it. Which
program a source belongs to is read from the build's compile commands, and the tests from its CTestTestfile.cmake.
"""
import argparse
import json
import pathlib
import re
import sys

LEAVES_OUT = re.compile(r"\b(?:effort|effort_most|long_case|long_cases_run)\(")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
TARGET = re.compile(r"CMakeFiles/([^/]+)\.dir/")
TEST = re.compile(r'^add_test\((?:\[=*\[|"?)([^]"\s]+)(?:\]=*\]|"?) "?([^"\s)]+)', re.M)
FULL = re.compile(r'^set_tests_properties\((?:\[=*\[|"?)([^]"\s]+)(?:\]=*\]|"?) PROPERTIES .*?ENVIRONMENT "[^"]*COLLIDED_TESTS_FULL=1',
                  re.M)


def leaving_out(root, commands):
    """Of each program or library of the tests that leaves something out: a source that says so."""
    found = {}
    for entry in commands:
        path = pathlib.Path(entry["directory"], entry["file"]).resolve()
        target = TARGET.search(entry.get("output") or entry["command"])
        if target and path.is_relative_to(root / "tests") and LEAVES_OUT.search(COMMENT.sub(" ", path.read_text())):
            found.setdefault(target.group(1), path.relative_to(root))
    return found


def registered(texts):
    """The tests that leave nothing out, and the program of each test."""
    programs, full = {}, set()
    for text in texts:
        programs.update((name, pathlib.PurePath(command).name) for name, command in TEST.findall(text))
        full.update(FULL.findall(text))
    return programs, full


def check(sources, texts):
    programs, full = registered(texts)
    whole = {programs[name] for name in full}
    problems = []
    for target, path in sorted(sources.items()):
        if target not in programs.values():
            problems.append(f"{path}: it leaves something out, but {target} is no test's program: what leaves out must be in a program")
        elif target not in whole:
            problems.append(f"{path}: {target} leaves something out, and no test runs all of it: name it in collided_full")
    problems += [f"{name}: {programs[name]} leaves nothing out: its other test is the same"
                 for name in sorted(full) if programs[name] not in sources]
    return problems, whole


def selftest(sources, texts):
    """One test less, one source more or one program more is found, each alone."""
    name = "full_" + next(target for target in sorted(sources) if any(f"full_{target}]" in text for text in texts))
    less = ["".join(line for line in text.splitlines(keepends=True) if f"[{name}]" not in line) for text in texts]
    assert len(check(sources, less)[0]) == 1, name
    assert len(check({**sources, "test_of_no_name": "tests/none.c"}, texts)[0]) == 1
    fewer = {target: path for target, path in sources.items() if "full_" + target != name}
    assert len(check(fewer, texts)[0]) == 1, name
    assert not LEAVES_OUT.search(COMMENT.sub(" ", "/* effort(1, 2) */ best_effort(1, 2);")) and LEAVES_OUT.search("i < effort(1, 2)")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options = parser.parse_args()
    sources = leaving_out(options.root.resolve(), json.loads((options.build / "compile_commands.json").read_text()))
    texts = [path.read_text() for path in sorted((options.build / "tests").rglob("CTestTestfile.cmake"))]
    problems, whole = check(sources, texts)
    for problem in problems:
        print(problem)
    if not problems:
        selftest(sources, texts)
    print(f"full: {len(sources)} programs leave something out, {len(whole)} run in full, {len(problems)} findings")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
