"""The changed tree: a copy of the sources with all mutants compiled in, of which one is in force in a run.

So a few hundred mutants cost one build, and then only the runs of the tests that come to them.
"""
import json
import os
import re
import shutil
import subprocess


# Of files with a change in them: warnings are no errors, and an index beyond an array ends the program. The CI's sanitizers see that
# too, and of a constant index the compiler itself.
RELAXED = '-O2;-w;-Wno-error;-fsanitize=bounds;-fsanitize-undefined-trap-on-error'


class Mutant:
    """A chosen site with its number in the changed tree."""

    def __init__(self, number, site, text):
        self.number = number
        self.path, self.begin, self.end, self.function, self.kind, self.old, self.new, self.is_statement = site
        self.line = text.count(b'\n', 0, self.begin) + 1
        first, last = text.rfind(b'\n', 0, self.begin) + 1, text.find(b'\n', self.end)
        self.before = text[first:last].decode()
        shown = f'({self.new})' if self.kind == 'constant' and ' ' in self.new else self.new
        self.after = text[first:self.begin].decode() + shown + text[self.end:last].decode()
        self.state, self.by, self.tried, self.passed = 'new', '', False, []

    def key(self):
        """What it is by itself, whatever its file is called and wherever it stands in it."""
        return ' '.join(f'{self.function}: {squeeze(self.before)} => {squeeze(self.after)}'.split())

    def compiled(self):
        """The expression or statement that does the one or the other."""
        if self.is_statement:
            return f'{{ if (!mutant_is({self.number})) {self.old} }}'
        return f'(mutant_is({self.number}) ? ({flat(self.new)}) : ({self.old}))'


def flat(text):
    return ' '.join(re.sub(r'/\*.*?\*/|//[^\n]*', ' ', text, flags=re.S).split())


def squeeze(text):
    return ' '.join(text.split())


def run(command, log, **options):
    with open(log, 'ab') as file:
        return subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, check=False, **options).returncode


def copy_sources(root, tree, changed):
    """Brings the copy up to date but for those that will be changed; files that are as they were keep their times, so that
    little is built again."""
    listed = subprocess.run(['git', '-C', root, 'ls-files', '-co', '--exclude-standard', '-z'], capture_output=True, check=True).stdout
    names = {name.decode() for name in listed.split(b'\0') if name}
    for folder, folders, files in os.walk(tree):
        if folder == tree and 'build' in folders:
            folders.remove('build')
        for file in files:
            if os.path.relpath(os.path.join(folder, file), tree) not in names:
                os.remove(os.path.join(folder, file))
    for name in names - changed:
        source = os.path.join(root, name)
        if os.path.isfile(source):
            with open(source, 'rb') as file:
                put(os.path.join(tree, name), file.read(), os.stat(source).st_mode)


def put(path, content, mode=None):
    if os.path.exists(path):
        with open(path, 'rb') as file:
            if file.read() == content:
                return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(content)
    if mode is not None:
        os.chmod(path, mode)


def write_mutants(root, tree, mutants):
    """Puts all that are not given up into the copy. Lines keep their numbers."""
    by_path = {}
    for mutant in mutants:
        by_path.setdefault(mutant.path, []).append(mutant)
    for path, own in by_path.items():
        with open(os.path.join(root, path), 'rb') as file:
            text = file.read()
        for mutant in sorted(own, key=lambda one: -one.begin):
            if mutant.state != 'not compiled':
                text = text[:mutant.begin] + mutant.compiled().encode() + text[mutant.end:]
        head = f'#include "{tree}/tests/mutate/mutant.h"\n#line 1\n'
        # What a change may leave unused, or make always true, is no error here: a system's header has no warnings.
        if path.endswith('.h'):
            head = '#pragma GCC system_header\n' + head
        put(os.path.join(tree, path), head.encode() + text)
    write_options(root, tree, {path for path in by_path if path.endswith('.c')})


def write_options(root, tree, paths):
    """The same for files that are compiled, for good: the rest of the tree keeps its options, and so its objects."""
    known = os.path.join(tree, 'build', 'relaxed')
    if os.path.exists(known):
        with open(known) as file:
            paths = paths | set(file.read().split())
    put(known, '\n'.join(sorted(paths)).encode())
    with open(os.path.join(root, 'CMakeLists.txt'), 'rb') as file:
        text = file.read()
    for path in sorted(paths):
        folder = os.path.dirname(path)
        while folder and not os.path.exists(os.path.join(root, folder, 'CMakeLists.txt')):
            folder = os.path.dirname(folder)
        text += (f'set_source_files_properties("{tree}/{path}" DIRECTORY "{os.path.join(tree, folder)}" '
                 f'PROPERTIES COMPILE_OPTIONS "{RELAXED}")\n').encode()
    put(os.path.join(tree, 'CMakeLists.txt'), text)


def configure(root, tree, build):
    """Writes the build's files; one object more is linked with every program."""
    log = os.path.join(build, 'configure.log')
    os.makedirs(build, exist_ok=True)
    thing = os.path.join(build, 'mutant.o')
    include = '-I' + os.path.join(tree, 'tests')
    if run(['cc', '-O2', '-fPIE', include, '-c', os.path.join(tree, 'tests/mutate/mutant.c'), '-o', thing], log) != 0:
        raise SystemExit(f'mutate: see {log}')
    options = ['-DCMAKE_BUILD_TYPE=Release', '-DBUILD_TESTING=ON', f'-DCMAKE_EXE_LINKER_FLAGS={thing}']
    if run(['cmake', '-G', 'Ninja', '-S', tree, '-B', build, *options], log) != 0:
        raise SystemExit(f'mutate: see {log}')


def build_all(tree, build, mutants, targets, jobs):
    """Builds until every mutant that is left compiles: a line with an error takes its mutants with it."""
    log = os.path.join(build, 'build.log')
    for _ in range(20):
        if os.path.exists(log):
            os.remove(log)
        if run(['cmake', '--build', build, '-j', str(jobs), '--', '-k', '0', *targets], log) == 0:
            return
        with open(log, errors='replace') as file:
            text = file.read()
        bad = {(os.path.normpath(match[1]), int(match[2]))
               for match in re.finditer(r'^([^\s:]+):(\d+):\d+: (?:fatal )?error', text, re.M)}
        dropped = 0
        for mutant in mutants:
            lines = range(mutant.line, mutant.line + mutant.old.count('\n') + 1)
            if mutant.state != 'not compiled' and any(name.endswith('/' + mutant.path) and line in lines for name, line in bad):
                mutant.state = 'not compiled'
                dropped += 1
        # Or a file warns of what it gets from a changed header.
        failed = {os.path.relpath(match[1], tree) for match in re.finditer(r' -c (\S+\.c)$', text, re.M)}
        with open(os.path.join(tree, 'build', 'relaxed')) as file:
            warned = failed - set(file.read().split())
        if dropped == 0 and not warned:
            raise SystemExit(f'mutate: the changed tree does not build, see {log}')
        write_options(tree_root(build), tree, warned)
        write_mutants(tree_root(build), tree, mutants)
    raise SystemExit(f'mutate: the changed tree does not build, see {log}')


def tree_root(build):
    with open(os.path.join(build, 'root')) as file:
        return file.read()


def list_tests(build, label, names):
    """The tests of the labels and names, each with its command, folder and environment; without a command where the program is not
    built yet."""
    listed = subprocess.run(['ctest', '--test-dir', build, '--show-only=json-v1'], capture_output=True, check=True).stdout
    tests = []
    for test in json.loads(listed)['tests']:
        properties = {item['name']: item['value'] for item in test.get('properties', [])}
        if re.search(names, test['name']) and any(re.fullmatch(label, one) for one in properties.get('LABELS', [])):
            tests.append((test['name'], test.get('command', [test['name']]), properties.get('WORKING_DIRECTORY', build),
                          dict(item.split('=', 1) for item in properties.get('ENVIRONMENT', []))))
    return tests


def list_programs(build, names):
    """The programs of the tests of these names, whether they are built or not: ctest tells no command of one that is not there."""
    programs = set()
    for folder, folders, files in os.walk(build):
        folders[:] = [name for name in folders if name != 'CMakeFiles']
        if 'CTestTestfile.cmake' in files:
            with open(os.path.join(folder, 'CTestTestfile.cmake')) as file:
                for name, command in re.findall(r'^add_test\((?:\[=*\[|"?)([^]"\s]+)(?:\]=*\]|"?) "?([^"\s)]+)', file.read(), re.M):
                    if name in names:
                        programs.add(os.path.basename(command))
    return programs


def clear(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
