"""docs_commands.py ROOT BIN: every command that README.md and the pages of docs/ show is run, and what they show of its output is so.

A block of code is one of commands if its lines begin with a program of ours. Lines behind a command that begin with none are its
output: `...` in it stands for any text, as figures differ from run to run. The commands of a page run in one folder, in their order,
beside the README's scene and a daemon of our own. What takes minutes is not run, and is in a table here, with its reason.
"""
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT, BIN = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
# The gallery's commands are run, and its page is drawn, by its own program.
PAGES = ["README.md", "server/physics/README.md",
         *sorted(f"docs/{page.name}" for page in (ROOT / "docs").glob("*.md") if page.name != "gallery.md")]
PROGRAMS = ("collide", "collided", "export", "./dev", "docker")
BUILT = "build/release/bin/"  # before the name of a program that is not installed
WAD = "/usr/share/games/doom/freedoom1.wad"
WAD_HERE = os.path.join(os.environ.get("DOOMWADDIR", os.path.dirname(WAD)), os.path.basename(WAD))
TIMEOUT = 600  # only what hangs takes so long

# (what the command has, why it is not run). Each must be met by a command, or its row is stale.
NOT_RUN = (
    (r"^\./dev ", "builds or measures for minutes; that the command exists is checked"),
    (r"^docker ", "needs an engine for containers; ./dev image runs the same image"),
    (r"^collide view ", "needs a terminal; client_view.py plays with it in one of its own"),
    (r"bin/bench_", "measures for minutes; that the program is built is checked"),
    (r"^export PATH=", "the folder of programs is on the path already"),
)
# (what the command has, what it is run with): the same in less time, or on a port of our own.
SHORTER = (
    (r" -d \d+", ""),
    (r"^(collide bench\b.*)$", r"\1 -d 0.3 --warm-up 0.1"),
    (r"^(.* --find-knee\b.*) -d 0.3\b", r"\1 -d 0.1"),
    (r"^(collide bench rooms\b.* --find-knee)\b", r"\1 --knee-late 2"),
    (r"p9+<\d+ms,", ""),  # a machine under test is no place for a bound on time
    (r"--rate 200\b", "--rate 20"),
    (r"--listen \S+:\d+", "--listen 127.0.0.1:0"),
)


def blocks(text):
    """The code of a page that may be commands: indented by four, with blank lines within, or fenced as sh."""
    found, block, fence = [], [], None
    for line in [*text.split("\n"), "end"]:
        if line.startswith("```"):
            fence = None if fence is not None else line[3:].strip()
            line = "end"
        elif fence is not None:
            line = "    " + line if fence in ("sh", "console") else "end"
        if line.startswith("    "):
            block.append(line[4:])
        elif not line.strip() and block:
            block.append("")
        elif block:
            found.append(block)
            block = []
    return found


def goes_on(command):
    """Whether a command has more lines: behind a pipe or a backslash, or within quotes."""
    if re.search(r"(\\|\|)\s*$", command):
        return True
    try:
        shlex.split(command)
    except ValueError:
        return True
    return False


def commands(block):
    """(a command, the lines of output behind it) of a block, or nothing if it is no block of commands."""
    found, open_line = [], False
    for line in block:
        first = line.split(" ")[0]
        if not line:
            continue
        if first.startswith(BUILT):
            first = PROGRAMS[0]
        if open_line:
            found[-1][0] += "\n" + line
        elif first in PROGRAMS:
            found.append([line, []])
        elif found:
            found[-1][1].append(line)
        else:
            return []
        open_line = (open_line or first in PROGRAMS) and goes_on(found[-1][0])
    return [(re.sub(r"\s+#.*$", "", command), output) for command, output in found]


class Daemon:
    def __init__(self, folder):
        self.port_file = folder / "port"
        self.process = subprocess.Popen([BIN / "collided", "--listen", "127.0.0.1:0", "--port-file", self.port_file],
                                        stderr=subprocess.DEVNULL)
        for _ in range(TIMEOUT * 100):
            if self.port_file.exists() and self.port_file.stat().st_size:
                break
            if self.process.poll() is not None:
                sys.exit(f"docs_commands: the daemon ended with status {self.process.returncode}")
            time.sleep(0.01)
        self.port = int(self.port_file.read_text())

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=TIMEOUT)


def output_fits(shown, said):
    """Whether the lines shown are among those said, one after the other; `...` is any text within a line, alone any lines."""
    pattern = "".join(r"(?:.*\n)*?" if line.strip() == "..." else
                      r"[^\n]*".join(re.escape(part) for part in line.rstrip().split("...")) + r"[ \t]*\n" for line in shown)
    return re.search("^" + pattern, said, re.M) is not None


class Run:
    def __init__(self, folder, daemon):
        self.folder = folder
        self.failed = self.count = self.compared = 0
        self.met = set()
        self.missing = set()
        self.environment = dict(os.environ, PATH=f"{BIN}:{os.environ['PATH']}", COLLIDE_CONNECT=f"127.0.0.1:{daemon.port}", NO_COLOR="1")

    def fail(self, page, command, why):
        self.failed += 1
        print(f"{page}: {command}\n    {why}", file=sys.stderr)

    def reason_not_run(self, command):
        for row in NOT_RUN:
            if re.search(row[0], command):
                self.met.add(row)
                return row[1]
        return None

    def one(self, page, command, shown):
        reason = self.reason_not_run(command)
        if reason is not None:
            return
        if (WAD in command and not os.path.exists(WAD_HERE)) or any(re.search(rf"(?<![\w.-]){re.escape(name)}", command) for name in self.missing):
            # What it would write, later commands read.
            self.missing |= set(re.findall(r">\s*([\w.-]+)", command))
            print(f"{page}: left out, Freedoom's maps are not here (DOOMWADDIR): {command}")
            return
        run = command.replace(WAD, shlex.quote(WAD_HERE))
        for pattern, less in SHORTER:
            run = re.sub(pattern, less, run)
        if run.startswith("collided ") and "--print-config" not in run:
            # On a port of its own, until it serves.
            run = run if "--listen" in run else f"{run} --listen 127.0.0.1:0"
            run = f"{run} --port-file served & until [ -s served ]; do kill -0 $!; sleep 0.05; done; kill -TERM $!; wait $!"
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", run], cwd=self.folder, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT, check=False)
        self.count += 1
        if done.returncode not in (0, 128 + signal.SIGPIPE):
            self.fail(page, command, f"ends with status {done.returncode}: {done.stderr.strip()}")
        shown = [line for line in shown if line.strip()]
        if shown:
            self.compared += 1
            if not output_fits(shown, done.stdout + done.stderr):
                self.fail(page, command, "shows\n" + "\n".join(shown) + "\n    but says\n" + (done.stdout + done.stderr).rstrip())


def dev_commands():
    said = subprocess.run(["./dev", "help"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    return set(re.findall(r"^  ([a-z]+)  ", said, re.M))


def spans_without_command():
    """(page, words) of each code span that names a command of collide or ./dev which there is not."""
    said = subprocess.run([BIN / "collide", "help"], stdout=subprocess.PIPE, text=True, check=True).stdout
    known = {"collide": set(re.findall(r"^  ([a-z]+(?: [a-z]+)?)  ", said, re.M)), "./dev": dev_commands()}
    groups = {name.split(" ")[0] for name in known["collide"] if " " in name} - known["collide"]
    found = []
    for page in [*PAGES, "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "server/README.md", "docs/gallery.md"]:
        for program, words in re.findall(r"`(collide|\./dev) ([a-z][a-z ]*[a-z])", (ROOT / page).read_text()):
            first, *rest = words.split(" ")
            name = f"{first} {rest[0]}" if first in groups and rest else first
            if name not in known[program] and name not in groups:
                found.append((page, f"{program} {name}"))
    return found


def main():
    known = dev_commands()
    with tempfile.TemporaryDirectory() as work:
        daemon = Daemon(pathlib.Path(work))
        run = None
        count = compared = failed = 0
        met = set()
        for page in PAGES:
            folder = pathlib.Path(work, page.replace("/", "-"))
            folder.mkdir()
            os.symlink(ROOT / "docs", folder / "docs")
            scene = re.search(r"^```json\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S).group(1)
            for name in ("scene.json", "game.json", "lobby.json"):
                (folder / name).write_text(scene)
            run = Run(folder, daemon)
            for block in blocks((ROOT / page).read_text()):
                for command, shown in commands(block):
                    if command.startswith("./dev "):
                        name = shlex.split(command)[1]
                        if name not in known:
                            run.fail(page, command, f"./dev has no command {name}")
                    if command.startswith(BUILT) and not (BIN / command.split(" ")[0][len(BUILT):]).exists():
                        run.fail(page, command, "there is no such program")
                    run.one(page, command, shown)
            count, compared, failed = count + run.count, compared + run.compared, failed + run.failed
            met |= run.met
            shutil.rmtree(folder)
        for page, words in spans_without_command():
            print(f"{page}: `{words}`: there is no such command", file=sys.stderr)
            failed += 1
        for row in set(NOT_RUN) - met:
            print(f"docs_commands: no command is like {row[0]} any more", file=sys.stderr)
            failed += 1
        if daemon.stop() != 0:
            print("docs_commands: the daemon did not end well", file=sys.stderr)
            failed += 1
    print(f"{count} commands run, {compared} outputs compared, {failed} wrong")
    return 1 if failed or count < 20 else 0


sys.exit(main())
