#!/usr/bin/env python3
"""outside_manual.py COLLIDE COLLIDED SHARE_FOLDER SCHEMA_FOLDER: manual pages and completions say what the programs' helps say.

man's formatter has nothing to warn of, bash completes what it should, and zsh and fish read their files, where they are installed.
"""
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

COLLIDE, COLLIDED, SHARE, SCHEMA = map(os.path.abspath, sys.argv[1:5])
WORK = tempfile.TemporaryDirectory()
subprocess.run(["protoc", "-I", SCHEMA, "--python_out", WORK.name, "collide/v1/collide.proto"], check=True)
sys.path.insert(0, WORK.name)
from collide.v1 import collide_pb2  # noqa: E402

PAGES = ("man/man1/collide.1", "man/man8/collided.8", "man/man5/collide-scene.5")
COMPLETIONS = {"bash": ("bash-completion/completions/collide", "bash-completion/completions/collided"),
               "zsh": ("zsh/vendor-completions/_collide", "zsh/vendor-completions/_collided"),
               "fish": ("fish/vendor_completions.d/collide.fish", "fish/vendor_completions.d/collided.fish")}


def output(*words, **options):
    done = subprocess.run(words, capture_output=True, check=False, timeout=600, **options)
    assert done.returncode == 0, (words, done)
    return done.stdout.decode()


def share(name):
    with open(os.path.join(SHARE, name), encoding="utf-8") as file:
        return file.read()


def plain(page):
    """A page's text without what is roff's."""
    return page.replace("\\-", "-").replace("\\e", "\\").replace("\\(aq", "'").replace("\\(dq", '"').replace("\\(ha", "^")


def commands():
    """All names; of those in a group there are two words."""
    return re.findall(r"^  (\w+(?: \w+)?)  ", output(COLLIDE, "help").split("Commands:")[1].split("\n\n")[0], re.M)


def first_words():
    return list(dict.fromkeys(name.split()[0] for name in commands()))


def options(command):
    """Those of its help: (letter or "", name)."""
    return re.findall(r"^  (?:-(\w), |    )(--[\w-]+)", output(COLLIDE, *command.split(), "--help"), re.M)


def complete(program, *words):
    """What bash offers for the last of the words."""
    line = " ".join(f"'{word}'" for word in (program, *words))
    script = f"""source "$1"; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _{program}; printf '%s\\n' "${{COMPREPLY[@]}}" """
    return output("bash", "-c", script, "bash", os.path.join(SHARE, "bash-completion/completions", program), cwd=WORK.name).split()


class Pages(unittest.TestCase):
    def test_nothing_to_warn_of(self):
        for page in PAGES:
            path = os.path.join(SHARE, page)
            if shutil.which("groff"):
                done = subprocess.run(["groff", "-k", "-man", "-ww", "-z", "-Tutf8", path], capture_output=True, check=True)
                self.assertEqual(done.stderr, b"", page)
            if shutil.which("mandoc"):
                # It knows no page's date, and that paragraphs may be empty is a matter of style to it.
                done = subprocess.run(["mandoc", "-T", "lint", "-W", "error", path], capture_output=True, check=False)
                self.assertEqual(done.stdout, b"", page)

    def test_they_have_every_option(self):
        page = plain(share(PAGES[0]))
        self.assertGreater(len(commands()), 16)
        for command in commands():
            part = page.split(f".SS \"collide {command}")[1].split(".SS")[0]
            for letter, name in options(command):
                if name != "--help":
                    self.assertRegex(part, rf'\.B "{"-" + letter + ", " if letter else ""}{name}[ "]', command)
        flags = re.findall(r"^  (--[\w-]+)", output(COLLIDED, "--help"), re.M)
        self.assertGreater(len(flags), 20)
        for flag in flags:
            if flag != "--help":
                self.assertIn(f'.B "{flag}', plain(share(PAGES[1])))

    def test_scenes_have_every_field(self):
        page = plain(share(PAGES[2]))
        for name in "Scene", "Circle", "Segment", "GroupRelation", "Bounds", "CircleColumns", "SegmentColumns":
            part = page.split(f'.SS "{name}"')[1].split(".SS")[0]
            for field in collide_pb2.DESCRIPTOR.message_types_by_name[name].fields:
                self.assertIn(f'.B "{field.json_name} (', part)
        for name in "BodyKind", "RestitutionMix", "FrictionMix", "RelationKind", "MovementResponse", "Ignore":
            for value in collide_pb2.DESCRIPTOR.enum_types_by_name[name].values:
                self.assertIn(f'.B "{value.name}"', page)
        # With what the schema says of them.
        self.assertIn("Coulomb's coefficient, 0 .. 1e6", page)
        self.assertIn("never moves; its velocities must be 0", page)


class Completion(unittest.TestCase):
    def test_bash(self):
        with open(os.path.join(WORK.name, "scene.json"), "w", encoding="ascii") as file:
            file.write("{}")
        self.assertEqual(complete("collide", ""), first_words())
        self.assertEqual(complete("collide", "re"), [name for name in commands() if name.startswith("re")])
        self.assertEqual(complete("collide", "world", "s"), ["set", "step", "send", "snapshot"])
        self.assertEqual(complete("collide", "world", "set", "--clock", "p"), ["paused"])
        self.assertEqual(complete("collide", "rep"), ["replay"])
        self.assertEqual(complete("collide", "--v"), ["--version"])
        for command in commands():
            offered = complete("collide", *command.split(), "--")
            self.assertEqual(sorted(offered), sorted(name for _, name in options(command)), command)
        self.assertEqual(complete("collide", "run", "sc"), ["scene.json"])
        self.assertEqual(complete("collide", "run", "--png", "sc"), ["scene.json"])
        self.assertEqual(complete("collide", "run", "--format", ""), ["table", "json", "none"])
        self.assertEqual(complete("collide", "run", "-f", "j"), ["json"])
        self.assertEqual(complete("collide", "run", "--format", "=", "n"), ["none"])
        self.assertEqual(complete("collide", "run", "--format", "="), ["table", "json", "none"])
        self.assertEqual(complete("collide", "run", "--ticks", ""), [])
        self.assertEqual(complete("collide", "gen", "ga"), ["gas", "galperin", "galton"])
        self.assertEqual(complete("collide", "help", "ver"), ["verify", "version"])
        self.assertEqual(complete("collide", "ping", ""), [])
        self.assertEqual(complete("collided", "--log-l"), ["--log-level"])
        self.assertEqual(complete("collided", "--log-level", "w"), ["warning"])
        self.assertEqual(complete("collided", "--port-file", "sc"), ["scene.json"])

    def test_it_is_what_the_command_prints(self):
        for shell, (name, _) in COMPLETIONS.items():
            self.assertEqual(output(COLLIDE, "completion", shell), share(name))

    def test_shells_read_them(self):
        for shell, names in COMPLETIONS.items():
            for name in names:
                if shutil.which(shell):
                    output(shell, "-n", os.path.join(SHARE, name))

    @unittest.skipUnless(shutil.which("fish"), "there is no fish")
    def test_fish(self):
        def offered(line):
            script = f"source $argv[1]; complete -C '{line}'"
            return {found.split("\t")[0] for found in output("fish", "--no-config", "-c", script, os.path.join(SHARE, COMPLETIONS["fish"][0]),
                                                             cwd=WORK.name, env=os.environ | {"HOME": WORK.name}).splitlines()}
        self.assertLessEqual({"respond", "replay"}, offered("collide re"))
        self.assertEqual(offered("collide run --format "), {"table", "json", "none"})
        self.assertLessEqual({"gas", "galton"}, offered("collide gen ga"))
        self.assertLessEqual({"--ticks", "--threads"}, offered("collide run --t"))

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh")
    def test_zsh(self):
        """As someone types, on a terminal: zsh completes nowhere else."""
        shell, terminal = pty.fork()
        if shell == 0:
            os.execvpe("zsh", ["zsh", "-f", "-i"], os.environ | {"HOME": WORK.name, "TERM": "dumb", "PS1": "", "PROMPT_EOL_MARK": ""})
        self.addCleanup(os.waitpid, shell, 0)
        self.addCleanup(os.kill, shell, signal.SIGKILL)

        def shown(typed, until):
            """What comes up to a text."""
            os.write(terminal, typed.encode())
            text = ""
            while until not in text:
                if not select.select([terminal], [], [], 30)[0]:
                    self.fail(f"{typed!r}: {text!r}")
                text += os.read(terminal, 65536).decode()
            return text

        path = os.path.join(SHARE, COMPLETIONS["zsh"][0])
        shown(f"autoload -Uz compinit; compinit -u -D; source '{path}'; PATH='{os.path.dirname(COLLIDE)}':$PATH; print re''ady\n", "ready\r\n")
        for typed, rest in ("collide wor", "ld "), ("collide world sn", "apshot "), ("collide run --table ti", "cks "), \
                           ("collide run --tabl", "e="):
            shown("\x15" + typed, typed)
            shown("\t", rest)
        shown("\x15collide gen gal", "collide gen gal")
        self.assertRegex(shown("\t", "galton"), "galperin +galton")


unittest.main(argv=sys.argv[:1])
