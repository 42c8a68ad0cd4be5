"""The trial of the mutants: which tests come to each, and whether one of them fails.

A test may take three times the processor time that it takes without a change; more, or memory without end, is a failure too.
"""
import concurrent.futures
import math
import json
import os
import random
import re
import subprocess
import threading
import time

import tree

MEMORY_BYTES = 8 << 30
# Of the wall clock, for what waits for ever: so much, and then twenty times the processor time.
WALL_SECONDS = 20
# Of processor time without a change, beyond which a test is left out.
BASELINE_SECONDS = 600


class Test:
    """A program, how long it takes, which mutants it comes to, and how often it noticed one."""

    def __init__(self, name, command, folder, settings):
        self.name, self.command, self.folder, self.settings = name, command, folder, settings
        self.seconds, self.reached = 0.0, set()
        self.built = stamp(command[0])
        self.counts = {}  # of a place: runs, and kills of them
        self.killed = 0, 0.0  # kills, and the seconds that they took

    def promise(self, mutant):
        """Seconds that a kill is expected to cost: those that kill often and quickly come first. What is known of the mutant's
        file counts most, then of its folder, then of all. A kill ends a test, often long before its end."""
        rate = 0.5
        for place in ('', os.path.dirname(mutant.path), mutant.path):
            runs, kills = self.counts.get(place, (0, 0))
            rate = (kills + 2.0 * rate) / (runs + 2.0)
        return ((1.0 - rate) * self.seconds + rate * self.kill_seconds() + 0.02) / rate

    def kill_seconds(self):
        """That a kill took so far; half of all where none is known."""
        kills, spent = self.killed
        return (spent + 0.5 * self.seconds) / (kills + 1)

    def passed(self):
        """What is remembered of a mutant that it did not notice: its name, and when the program was built."""
        return f'{self.name}@{self.built[1]}'

    def note(self, mutant, killed, seconds):
        """`seconds`: None if they are not known any more."""
        for place in ('', os.path.dirname(mutant.path), mutant.path):
            runs, kills = self.counts.get(place, (0, 0))
            self.counts[place] = runs + 1, kills + killed
        if killed and seconds is not None:
            self.killed = self.killed[0] + 1, self.killed[1] + min(seconds, self.seconds)


PREFIX = []


def execute(test, settings, seconds):
    """Whether the program ended well, within its bounds, and the processor time that it took."""
    # The first failure ends the program.
    environment = dict(os.environ, MALLOC_PERTURB_='165', CMOCKA_MESSAGE_OUTPUT='STDOUT', CMOCKA_TEST_ABORT='1',
                       **test.settings, **settings)
    command = [*PREFIX, 'prlimit', f'--cpu={seconds}', f'--as={MEMORY_BYTES}', '--core=0', *test.command]
    with subprocess.Popen(command, cwd=test.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        bound = threading.Timer((WALL_SECONDS + 20 * seconds) * (20 if PREFIX else 1), process.kill)
        bound.start()
        # Not the waiting of subprocess, which does not tell the time of this one process.
        _, status, usage = os.wait4(process.pid, 0)
        bound.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode == 0, usage.ru_utime + usage.ru_stime


def prepare(root, copy, build, mutants, options):
    """The changed tree, built as far as its tests need it."""
    by_path = {mutant.path for mutant in mutants}
    tree.copy_sources(root, copy, by_path | {'CMakeLists.txt'})
    tree.write_mutants(root, copy, mutants)
    tree.configure(root, copy, build)
    listed = tree.list_programs(build, {name for name, _, _, _ in tree.list_tests(build, options.label, options.tests)})
    known = subprocess.run(['ninja', '-C', build, '-t', 'targets', 'all'], capture_output=True, text=True, check=True).stdout
    targets = sorted(name for name in listed if re.search(rf'^(bin/)?{re.escape(name)}: ', known, re.M))
    print(f'building {len(targets)} programs', flush=True)
    tree.build_all(copy, build, mutants, targets, options.jobs)


def stamp(path):
    """Of a program as it is now."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    return [status.st_size, status.st_mtime_ns]


def known_places(out):
    try:
        with open(os.path.join(out, 'places.json')) as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


def baseline(build, options):
    """The tests of the label that pass without a change, with what they take and where they come. That of a program which is
    not built anew is known from the last run."""
    known = known_places(options.out)
    place = os.path.join(build, 'reached')
    tree.clear(place)

    def look(test):
        """What is known of a test, or None if it fails."""
        if test.built and test.name in known and known[test.name][0] == test.built:
            return known[test.name]
        own = os.path.join(place, test.name)
        os.makedirs(own)
        good, seconds = execute(test, {'MUTANTS_REACHED': own}, BASELINE_SECONDS) if test.built else (False, 0.0)
        if not good:
            print(f'left out, as it fails without a change: {test.name}', flush=True)
            return None
        reached = set()
        for file in os.listdir(own):
            with open(os.path.join(own, file), 'rb') as stream:
                reached.update(number for number, byte in enumerate(stream.read()) if byte)
        return [test.built, seconds, sorted(reached)]

    tests = [Test(*row) for row in tree.list_tests(build, options.label, options.tests)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for test, found in zip(tests, pool.map(look, tests)):
            if found:
                known[test.name] = found
                test.seconds, test.reached = found[1], set(found[2])
    with open(os.path.join(options.out, 'places.json'), 'w') as file:
        json.dump(known, file)
    tests = [test for test in tests if test.reached]
    print(f'{len(tests)} programs come to code of the draw, {sum(test.seconds for test in tests):.0f} s in all', flush=True)
    return tests


def judge(mutant, tests, lock, seconds):
    """Runs the tests that come to it and have not passed yet, the most promising first. It has survived when none of them that
    fits into so many seconds is left."""
    waiting = [test for test in tests if mutant.number in test.reached]
    if not waiting:
        return 'not reached', ''
    before, spent = set(mutant.passed), 0.0
    waiting = [test for test in waiting if test.passed() not in before]
    while True:
        waiting = [test for test in waiting if spent + test.seconds <= seconds]
        if not waiting:
            return 'survived', ''
        with lock:
            test = min(waiting, key=lambda one: one.promise(mutant))
        waiting.remove(test)
        good, taken = execute(test, {'MUTANT_IN_FORCE': str(mutant.number)}, math.ceil(3.0 * test.seconds) + 1)
        with lock:
            test.note(mutant, not good, taken)
        if not good:
            return 'killed', test.name
        spent += test.seconds
        mutant.passed.append(test.passed())


def remember(mutants, out):
    """What is known so far, by the mutants' keys."""
    rows = {mutant.key(): [mutant.state, mutant.by, mutant.passed] for mutant in mutants
            if mutant.state != 'new' or mutant.passed}
    with open(os.path.join(out, 'result.json'), 'w') as file:
        json.dump(rows, file, indent=1)


def remembered(out):
    try:
        with open(os.path.join(out, 'result.json')) as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


def run_all(mutants, tests, options):
    """All that are still new. Returns the seconds of processor time."""
    lock, before = threading.Lock(), os.times()
    # What is known of the last run says which tests come first.
    named = {test.name: test for test in tests}
    for mutant in mutants:
        if mutant.state == 'killed' and mutant.by in named:
            named[mutant.by].note(mutant, True, None)
        for name in mutant.passed:
            if name.split('@')[0] in named:
                named[name.split('@')[0]].note(mutant, False, None)
    PREFIX[:] = ['chrt', '--idle', '0'] if options.idle else []
    # In any order, so that what a run that is broken off has told is a sample too.
    todo = [mutant for mutant in mutants if mutant.state == 'new']
    random.Random(options.seed).shuffle(todo)
    todo.sort(key=lambda mutant: mutant.tried)  # those that have survived before come last
    begun, done = time.time(), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(judge, mutant, tests, lock, options.seconds): mutant for mutant in todo}
        for future in concurrent.futures.as_completed(futures):
            mutant = futures[future]
            mutant.state, mutant.by = future.result()
            done += 1
            remember(mutants, options.out)
            print(f'[{done}/{len(todo)} {time.time() - begun:.0f} s] {mutant.state} {mutant.by} '
                  f'{mutant.path}:{mutant.line} {mutant.function}', flush=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system
