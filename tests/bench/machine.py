"""What was measured on, and how much else it did meanwhile."""
import os
import re
import resource
import subprocess
import time

QUIET_SHARE = 0.05  # of the machine, that others may use while figures for publishing are taken


def first_line(*command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        return done.stdout.decode(errors="replace").splitlines()[0].strip()
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None


def file_value(path, pattern):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            found = re.search(pattern, file.read(), re.M)
            return found.group(1).strip() if found else None
    except OSError:
        return None


def description(bin_folder, root):
    """Processor, memory, system, compiler and commit; None for what cannot be told."""
    cache = os.path.join(bin_folder, "..", "CMakeCache.txt")
    compiler = file_value(cache, r"^CMAKE_C_COMPILER:[A-Z]+=(.*)$")
    memory = file_value("/proc/meminfo", r"^MemTotal:\s+(\d+)")
    return {
        "processor": file_value("/proc/cpuinfo", r"^model name\s*:\s*(.*)$") or os.uname().machine,
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(int(memory) / 2**20, 1) if memory else None,
        "system": file_value("/etc/os-release", r'^PRETTY_NAME="(.*)"'),
        "kernel": os.uname().release,
        "compiler": first_line(compiler, "--version") if compiler else None,
        "build": file_value(cache, r"^CMAKE_BUILD_TYPE:[A-Z]+=(.*)$"),
        "node": first_line("node", "--version"),
        "commit": first_line("git", "-C", root, "describe", "--always", "--dirty"),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }


def ticks_busy():
    """Of all processors since the start of the machine, in seconds: at work, or taken by others of the host."""
    with open("/proc/stat", encoding="ascii") as file:
        numbers = [int(word) for word in file.readline().split()[1:9]]
    user, nice, system, _idle, _iowait, irq, softirq, steal = numbers
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def own_seconds():
    """Processor time of this process and all of its children that have ended."""
    return sum(usage.ru_utime + usage.ru_stime
               for usage in (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


class Watch:
    """From its making on: how long, and what part of the machine others used."""

    def __init__(self):
        self.begin = (time.monotonic(), ticks_busy(), own_seconds())

    def end(self):
        seconds = time.monotonic() - self.begin[0]
        others = ticks_busy() - self.begin[1] - (own_seconds() - self.begin[2])
        share = max(0.0, others / (seconds * os.cpu_count())) if seconds > 0 else 0.0
        return {"seconds": round(seconds, 1), "others_share": round(share, 3), "quiet": share <= QUIET_SHARE}
