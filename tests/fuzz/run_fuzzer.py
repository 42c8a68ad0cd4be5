#!/usr/bin/env python3
"""Runs a libFuzzer target and says what came of it: runs, edges, and for how long there had been no new edge in the end.

run_fuzzer.py SECONDS FOLDER TARGET [SEEDS]: FOLDER/corpus/NAME keeps what it finds, FOLDER/crashes what is wrong, FOLDER/NAME.log all
that libFuzzer says. Times are CPU time of the target. Status 1 if it found something wrong.
"""
import os
import re
import resource
import subprocess
import sys

CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        user, system = file.read().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / CLOCK_TICKS


def main():
    seconds, folder, target, *seeds = sys.argv[1:]
    name = os.path.basename(target)
    corpus, crashes = os.path.join(folder, "corpus", name), os.path.join(folder, "crashes")
    for each in (corpus, crashes):
        os.makedirs(each, exist_ok=True)
    process = subprocess.Popen([target, f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=4096", "-print_final_stats=1",
                                f"-artifact_prefix={crashes}/{name}-", corpus, *seeds], stderr=subprocess.PIPE, text=True, errors="replace")
    edges = runs = last_run = 0
    last_seconds = read_seconds = 0.0
    with open(os.path.join(folder, name + ".log"), "w", encoding="utf-8") as log:
        for line in process.stderr:
            log.write(line)
            log.flush()
            if match := re.match(r"#(\d+)\s+(\w+)\s+cov: (\d+)", line):
                run, kind, found = int(match[1]), match[2], int(match[3])
                runs = max(runs, run)
                if found > edges:
                    edges, last_run, last_seconds = found, run, cpu_seconds(process.pid)
                if kind == "INITED":  # what was kept of earlier runs is read
                    read_seconds = last_seconds
            elif match := re.match(r"stat::number_of_executed_units: (\d+)", line):
                runs = int(match[1])
    status = process.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = used.ru_utime + used.ru_stime
    print(f"{name}: {runs} runs in {total / 60:.1f} CPU minutes ({read_seconds / 60:.1f} of them for inputs of earlier runs), {edges} edges, "
          f"the last new one after {last_run} runs, {(total - last_seconds) / 60:.1f} CPU minutes before the end; "
          + ("found nothing" if status == 0 else f"FOUND SOMETHING: {folder}/{name}.log"), flush=True)
    sys.exit(1 if status else 0)


if __name__ == "__main__":
    main()
