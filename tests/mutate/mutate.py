"""./dev mutate: how many of a few hundred seeded changes of the program its tests notice.

Changes of operators, constants, conditions and statements are drawn from all places where there may be one (sites.py). All are
compiled into one copy of the tree (tree.py), and each is put in force in the tests that come to it (trial.py). A change that is
proved to have no effect stands in equivalents.txt, with the proof, and does not count.
"""
import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import random
import re
import sys

import sites
import tree
import trial

FOLDERS = ['server/physics', 'server/session', 'server/wire']


def options_read(arguments):
    parser = argparse.ArgumentParser(prog='./dev mutate', description=__doc__.split(':', 1)[1].split('\n\n')[0].strip())
    parser.add_argument('--seed', type=int, default=1, help='of the draw (1)')
    parser.add_argument('--count', type=int, default=300, help='mutants to draw (300)')
    parser.add_argument('--only', action='append', metavar='PATH', help='a file or folder; default: ' + ' '.join(FOLDERS))
    parser.add_argument('--jobs', type=int, default=os.cpu_count(), help='compilers and tests at a time')
    parser.add_argument('--label', default='unit', help='label of the tests, a regular expression (unit)')
    parser.add_argument('--tests', default='', metavar='NAMES', help='only tests of these names, a regular expression')
    parser.add_argument('--again', action='store_true', help='go on: only what the last run of the same draw has not killed')
    parser.add_argument('--keys', metavar='FILE', help='not a draw but these: the keys of an earlier one, a line each')
    parser.add_argument('--seconds', type=float, default=math.inf, help='of tests without a failure after which a mutant has survived')
    parser.add_argument('--idle', action='store_true', help='run the tests only while nothing else wants a core')
    parser.add_argument('--list', action='store_true', help='draw, print, and do nothing')
    parser.add_argument('--clang', default='clang')
    parser.add_argument('--commands', required=True, help=argparse.SUPPRESS)  # compile_commands.json of the tree
    parser.add_argument('--out', required=True, help=argparse.SUPPRESS)
    parser.add_argument('--root', default='.', help=argparse.SUPPRESS)
    parser.add_argument('--equivalents', default=os.path.join(os.path.dirname(os.path.abspath(__file__)), 'equivalents.txt'),
                        help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)


class Includes:
    """What a file depends on of the tree itself, for the cache: the text of each header that it includes, or that one of these
    does. A change of one header then costs the scan of the files that have it only."""

    def __init__(self, root):
        self.places, self.direct = [os.path.join(root, name) for name in ('server', 'tests', 'proto', 'client', '')], {}

    def read(self, path):
        if path not in self.direct:
            with open(path, 'rb') as file:
                text = file.read()
            found = set()
            for match in INCLUDE.finditer(text):
                name = match[1].decode()
                for place in [os.path.dirname(path), *self.places]:
                    if os.path.isfile(os.path.join(place, name)):
                        found.add(os.path.normpath(os.path.join(place, name)))
            self.direct[path] = hashlib.sha256(text).digest(), found
        return self.direct[path]

    def digest(self, path):
        seen, todo = set(), [os.path.normpath(path)]
        while todo:
            one = todo.pop()
            if one not in seen:
                seen.add(one)
                todo += self.read(one)[1]
        return b''.join(self.read(one)[0] for one in sorted(seen))


def find_all(options, root, folders):
    """All sites of the folders, in a fixed order, each once."""
    with open(options.commands) as file:
        entries = json.load(file)
    cache = os.path.join(options.out, 'sites')
    os.makedirs(cache, exist_ok=True)
    tops = {folder if os.path.isdir(os.path.join(root, folder)) else os.path.dirname(folder) for folder in folders}
    own = [entry for entry in entries
           if any(os.path.relpath(entry['file'], root).startswith(top + '/') for top in tops)]
    includes = Includes(root)
    with open(sites.__file__, 'rb') as file:
        finder = file.read()
    jobs = [(root, entry, folders, options.clang, hashlib.sha256(finder + includes.digest(entry['file'])).digest(), cache)
            for entry in own]
    found = {}
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for rows in pool.map(sites.cached_sites, jobs):
            for row in rows:
                found[tuple(row)] = row
    return [found[key] for key in sorted(found)]


def draw(rows, count, seed, root):
    """So many of them, none within another."""
    order = list(range(len(rows)))
    random.Random(seed).shuffle(order)
    taken, chosen, texts = {}, [], {}
    for index in order:
        row = rows[index]
        path, begin, end = row[:3]
        if len(chosen) == count:
            break
        if any(begin < other_end and other_begin < end for other_begin, other_end in taken.get(path, [])):
            continue
        taken.setdefault(path, []).append((begin, end))
        chosen.append(row)
    for row in chosen:
        if row[0] not in texts:
            with open(os.path.join(root, row[0]), 'rb') as file:
                texts[row[0]] = file.read()
    chosen.sort()
    return [tree.Mutant(number, row, texts[row[0]]) for number, row in enumerate(chosen)]


def keyed(rows, keys, root):
    """Those of these keys: the draw of an earlier tree, as far as its lines still stand."""
    with open(keys) as file:
        wanted = {' '.join(line.split()) for line in file if line.strip()}
    texts, mutants, taken = {}, [], {}
    for row in sorted(rows):
        if row[0] not in texts:
            with open(os.path.join(root, row[0]), 'rb') as file:
                texts[row[0]] = file.read()
        path, begin, end = row[:3]
        mutant = tree.Mutant(len(mutants), row, texts[path])
        if mutant.key() in wanted and not any(begin < last and first < end for first, last in taken.get(path, [])):
            wanted.remove(mutant.key())
            taken.setdefault(path, []).append((begin, end))
            mutants.append(mutant)
    for key in sorted(wanted):
        print(f'not in this tree: {key}')
    return mutants


def equivalents_read(path):
    """Two lines for each: the mutant's key, and the proof behind four blanks."""
    known, key = {}, None
    with open(path) as file:
        for line in file:
            if line.startswith('    ') and key is not None:
                known[key] = line.strip()
            elif line.strip() and not line.startswith('#'):
                key = ' '.join(line.split())
    return known


def show(mutant):
    return (f'{mutant.path}:{mutant.line} in {mutant.function} ({mutant.kind})\n'
            + ''.join(f'  - {line.strip()}\n' for line in mutant.before.split('\n'))
            + ''.join(f'  + {line.strip()}\n' for line in mutant.after.split('\n')))


def report(mutants, options, seconds):
    states = {}
    for mutant in mutants:
        states.setdefault(mutant.state, []).append(mutant)
    left = states.get('survived', []) + states.get('not reached', [])
    killed, equivalent = len(states.get('killed', [])), len(states.get('equivalent', []))
    counted = killed + len(left)
    print()
    for mutant in left:
        print(f'{mutant.state}: {show(mutant)}  key: {mutant.key()}\n')
    score = 100.0 * killed / counted if counted else 0.0
    print(f'seed {options.seed}: {len(mutants)} drawn, {len(states.get("not compiled", []))} do not compile, '
          f'{equivalent} equivalent, {killed} killed, {len(states.get("survived", []))} survived, '
          f'{len(states.get("not reached", []))} not reached by any test; score {score:.1f} % of {counted}; {seconds:.0f} s of CPU')


def main(arguments):
    """Returns the mutants, with what became of each."""
    options = options_read(arguments)
    root = os.path.realpath(options.root)
    options.out = os.path.abspath(options.out)
    folders = [os.path.relpath(os.path.abspath(path), root) for path in options.only] if options.only else FOLDERS
    os.makedirs(options.out, exist_ok=True)
    rows = find_all(options, root, folders)
    mutants = keyed(rows, options.keys, root) if options.keys else draw(rows, options.count, options.seed, root)
    print(f'{len(rows)} changes are possible, {len(mutants)} are drawn', flush=True)
    if options.list:
        for mutant in mutants:
            print(show(mutant))
        return mutants
    known = equivalents_read(options.equivalents)
    last = trial.remembered(options.out) if options.again else {}
    # As deep in the copy as build/release is here: a compiler's cache then knows what is not changed.
    copy = os.path.join(options.out, 'tree')
    build = os.path.join(copy, 'build', 'mutate')
    os.makedirs(build, exist_ok=True)
    with open(os.path.join(build, 'root'), 'w') as file:
        file.write(root)
    for mutant in mutants:
        state, by, passed = last.get(mutant.key(), ['new', '', []])
        mutant.tried, mutant.passed = state != 'new', passed
        if state == 'not compiled':
            mutant.state = state
        elif mutant.key() in known:
            mutant.state = 'equivalent'
        elif state == 'killed':
            mutant.state, mutant.by = state, by
    trial.prepare(root, copy, build, mutants, options)
    trial.remember(mutants, options.out)
    tests = trial.baseline(build, options)
    seconds = trial.run_all(mutants, tests, options)
    trial.remember(mutants, options.out)
    report(mutants, options, seconds)
    return mutants


if __name__ == '__main__':
    main(sys.argv[1:])
