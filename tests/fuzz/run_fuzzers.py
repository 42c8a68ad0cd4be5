#!/usr/bin/env python3
"""Runs libFuzzer targets one after the other, and prints a table: runs, CPU minutes, edges, and for how long there had been no new edge.

run_fuzzers.py [--seconds S | --runs N] [--fast BIN] [--fresh] BIN FOLDER [TARGET...]: each TARGET (all, unless given: the programs
BIN/fuzz_*) for S seconds (60). With --fast three quarters of them are the program's of that folder, which has no sanitizers; the other one
then begins with all that it found. FOLDER/corpus/TARGET keeps what they find, FOLDER/crashes what is wrong, FOLDER/TARGET.log all that
libFuzzer says. FOLDER/sums.json has sums over all runs of the same program; --fresh begins anew. Times are CPU time of the target, and runs
are new ones: without what was read of earlier runs. Status 1 if something wrong was found.
"""
import argparse
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

CLOCK_TICKS = os.sysconf("SC_CLK_TCK")
HERE = os.path.dirname(os.path.abspath(__file__))
# Longest inputs, in bytes: longer ones are slower and reach nothing else. For others libFuzzer's: its longest seed.
LENGTHS = {"channel": 3072, "config": 600, "session": 4096, "unpack": 1024, "world": 2048, "scene": 2048, "request": 2048, "wad": 1024, "scene_json": 1500}
# So many files of a corpus are reduced to what has edges of its own.
CORPUS_FILES_MAX = 2000
# Of one input, by the clock on the wall: on a busy machine an honest one can take long.
HANG_SECONDS = 600
# Of the time, if there is a program without sanitizers.
FAST_PART = 0.75
# Little memory is kept of what was freed, and short stacks: both are slow. Leaks are looked for at the end alone.
ASAN = "malloc_context_size=6:quarantine_size_mb=8:thread_local_quarantine_size_kb=64"


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        user, system = file.read().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / CLOCK_TICKS


class Run:
    """One run of a target, as it tells of itself."""

    def __init__(self):
        self.runs = self.runs_read = self.edges = 0
        self.seconds = self.seconds_read = self.seconds_last = 0.0

    def hear(self, line, pid):
        if match := re.match(r"#(\d+)\s+(\w+)\s+cov: (\d+)", line):
            kind, edges = match[2], int(match[3])
            self.runs = max(self.runs, int(match[1]))
            if kind == "INITED":  # what was kept of earlier runs is read
                self.runs_read, self.seconds_read = self.runs, cpu_seconds(pid)
            if edges > self.edges:
                self.edges, self.seconds_last = edges, cpu_seconds(pid)
        elif match := re.match(r"stat::number_of_executed_units: (\d+)", line):
            self.runs = int(match[1])

    def end(self, seconds):
        """Leaves out what was read."""
        self.runs -= self.runs_read
        self.seconds = seconds - self.seconds_read
        self.seconds_last = max(self.seconds_last - self.seconds_read, 0.0)


def corpus_reduce(program, corpus, environment):
    if len(os.listdir(corpus)) <= CORPUS_FILES_MAX:
        return
    smaller = corpus + ".smaller"
    shutil.rmtree(smaller, ignore_errors=True)
    os.makedirs(smaller)
    done = subprocess.run([program, "-merge=1", "-detect_leaks=0", smaller, corpus], env=environment, stderr=subprocess.DEVNULL)
    if done.returncode == 0:
        shutil.rmtree(corpus)
        os.rename(smaller, corpus)


def target_run(name, program, seconds, options):
    """Its Run, and whether it found nothing wrong."""
    corpus, crashes = os.path.join(options.folder, "corpus", name), os.path.join(options.folder, "crashes")
    for each in (corpus, crashes):
        os.makedirs(each, exist_ok=True)
    environment = dict(os.environ, ASAN_OPTIONS=ASAN)
    corpus_reduce(program, corpus, environment)
    seeds = [os.path.join(options.folder, "seeds", name), *(os.path.join(HERE, kind, name) for kind in ("corpus", "inputs"))]
    length = LENGTHS.get(name)
    words = [path for path in (os.path.join(folder, name + ".dict") for folder in (HERE, os.path.join(options.folder, "seeds")))
             if os.path.exists(path)]
    # Counting how often each feature was met, to prefer what meets rare ones (entropic), takes half of the time; names of functions more.
    command = [program, *([f"-runs={options.runs}", "-seed=1"] if options.runs else [f"-max_total_time={seconds}"]), f"-timeout={HANG_SECONDS}",
               f"-report_slow_units={HANG_SECONDS}", "-rss_limit_mb=4096", "-detect_leaks=0", "-print_final_stats=1", "-entropic=0", "-print_funcs=0",
               f"-artifact_prefix={crashes}/{name}-", *([f"-max_len={length}"] if length else []),
               *(f"-dict={path}" for path in words[:1]), corpus, *filter(os.path.isdir, seeds)]
    run = Run()
    with open(os.path.join(options.folder, name + ".log"), "a", encoding="utf-8") as log:
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, errors="replace", env=environment)
        for line in process.stderr:
            log.write(line)
            log.flush()
            run.hear(line, process.pid)
        _, status, used = os.wait4(process.pid, 0)
    run.end(used.ru_utime + used.ru_stime)
    return run, status == 0


def sums_add(sums, name, program, run):
    """Adds a run to those of the same program; returns the sums. An edge is new if no run before has met it."""
    with open(program, "rb") as file:
        made = hashlib.sha256(file.read()).hexdigest()
    row = sums.get(name)
    if not row or row["program"] != made:
        row = {"program": made, "runs": 0, "seconds": 0.0, "edges": 0, "quiet": 0.0}
    new = run.edges > row["edges"]
    row["quiet"] = run.seconds - run.seconds_last if new else row["quiet"] + run.seconds
    row["runs"] += run.runs
    row["seconds"] += run.seconds
    row["edges"] = max(row["edges"], run.edges)
    sums[name] = row
    return row


def programs(options):
    """What is run of a target: what it is called, the folder, and its part of the time."""
    if options.fast and not options.runs:
        return ((", fast", options.fast, FAST_PART), ("", options.bin, 1 - FAST_PART))
    return (("", options.bin, 1),)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--fast")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("bin")
    parser.add_argument("folder")
    parser.add_argument("targets", nargs="*")
    options = parser.parse_args()
    there = sorted(os.path.basename(path)[5:] for path in glob.glob(os.path.join(options.bin, "fuzz_*")) if not path.endswith("fuzz_seeds"))
    if unknown := [name for name in options.targets if name not in there]:
        sys.exit(f"no such target: {' '.join(unknown)}; there are: {' '.join(there)}")
    os.makedirs(options.folder, exist_ok=True)
    subprocess.run([os.path.join(options.bin, "fuzz_seeds"), os.path.join(options.folder, "seeds")], check=True)
    path, sums, wrong = os.path.join(options.folder, "sums.json"), {}, []
    if os.path.exists(path) and not options.fresh:
        with open(path, encoding="utf-8") as file:
            sums = json.load(file)
    print("| target | runs | CPU minutes | edges | CPU minutes since the last new edge | in all: runs | CPU minutes | since the last new edge |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|", flush=True)
    for name in options.targets or there:
        good = True
        open(os.path.join(options.folder, name + ".log"), "w", encoding="utf-8").close()
        for kind, folder, part in programs(options):
            program = os.path.join(folder, "fuzz_" + name)
            run, nothing = target_run(name, program, max(round(part * options.seconds), 1), options)
            row = sums_add(sums, name + kind, program, run)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(sums, file, indent=1)
            print(f"| `{name}`{kind} | {run.runs:,} | {run.seconds / 60:.2f} | {run.edges:,} | {(run.seconds - run.seconds_last) / 60:.2f} | "
                  f"{row['runs']:,} | {row['seconds'] / 60:.2f} | {row['quiet'] / 60:.2f} |"
                  + ("" if nothing else f" FOUND SOMETHING: {options.folder}/{name}.log"), flush=True)
            good = good and nothing
        if not good:
            wrong.append(name)
    print(f"{len(options.targets or there) - len(wrong)} fuzzers found nothing, {len(wrong)} found something"
          + (f": {' '.join(wrong)} ({options.folder}/crashes)" if wrong else ""))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
