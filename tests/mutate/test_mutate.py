"""The mutation run on a program of two functions, of which every change is known. What a test notices is killed, what it does
not is told, and what is proved to be equivalent does not count. Comments, strings, macros and static data stay as they are."""
import os
import shutil
import subprocess
import sys
import tempfile

import mutate
import trial

SOURCE = r'''#include "small.h"

#define CHECK(x) ((x) > 0 ? (void)0 : fail(1 + 1))

static const int table[4] = { 1 + 6, 3, 8, 9 };

/* a + b < 1 && c */
int
limit(int x)
{
	CHECK(x + 1);
	say("x < 1 + 1");
	switch (x) {
	case 1 + 1: return table[1];
	}
	return x > TEN;
}

int
forgotten(int x)
{
	return x * 4;
}

int
noticed(int x)
{
	if (x < 0)
		say("never");
	return x;
}
'''

HEADER = r'''
#define TEN 10
void say(const char *text);
void fail(int status);
int limit(int x);
int forgotten(int x);
int noticed(int x);
'''

TEST = r'''
#include "small.h"
#include <stdlib.h>
void
say(const char *text)
{
	if (text[0] != 'x')
		exit(1);
}
void
fail(int status)
{
	exit(status);
}
int
main(void)
{
	return limit(10) == 0 && limit(11) == 1 && limit(2) == 3 && noticed(3) == 3 ? 0 : 1;
}
'''

CMAKE = '''cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES C)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
enable_testing()
add_library(small STATIC server/physics/small.c)
target_include_directories(small PUBLIC server/physics)
target_compile_options(small PRIVATE -Wall -Wextra -Werror)
add_executable(test_small test.c)
target_link_libraries(test_small small)
add_test(NAME test_small COMMAND test_small)
set_tests_properties(test_small PROPERTIES LABELS unit)
'''

EQUIVALENTS = '''# a comment
noticed: if (x < 0) => if (x <= 0)
    nothing that the tests say is 0, and what is said is not looked at
'''


def put(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w') as file:
        file.write(text)


def project_make(root):
    put(f'{root}/server/physics/small.c', SOURCE)
    put(f'{root}/server/physics/small.h', HEADER)
    put(f'{root}/test.c', TEST)
    put(f'{root}/CMakeLists.txt', CMAKE)
    put(f'{root}/equivalents.txt', EQUIVALENTS)
    here = os.path.dirname(os.path.abspath(__file__))
    for name in ('mutant.c', 'mutant.h'):
        os.makedirs(f'{root}/tests/mutate', exist_ok=True)
        shutil.copy(f'{here}/{name}', f'{root}/tests/mutate/{name}')
    subprocess.run(['git', 'init', '-q', root], check=True)
    subprocess.run(['cmake', '-G', 'Ninja', '-S', root, '-B', f'{root}.build'], check=True, stdout=subprocess.DEVNULL)


def arguments_of(root):
    return ['--root', root, '--commands', f'{root}.build/compile_commands.json', '--out', f'{root}.out',
            '--equivalents', f'{root}/equivalents.txt', '--jobs', '1']


def run(root, *options):
    return mutate.main([*arguments_of(root), *options])


EXPECTED = {
    'limit: x > TEN => x >= TEN': 'killed',
    'limit: TEN => TEN + 1': 'killed',
    'limit: say("x < 1 + 1"); => ': 'survived',
    'forgotten: x * 4 => x / 4': 'not reached',
    'noticed: x < 0 => x <= 0': 'equivalent',
    'noticed: x < 0 => 1': 'killed',
    'noticed: x < 0 => 0': 'survived',
}


def name(mutant):
    return f'{mutant.function}: {mutant.old} => {mutant.new}'


def every_site(root):
    options = mutate.options_read(arguments_of(root))
    return mutate.find_all(options, root, mutate.FOLDERS)


def seed_of(root, change):
    """The first seed of which the draw has it; a draw has one change for a place."""
    rows = every_site(root)
    for seed in range(1000):
        if change in {name(mutant) for mutant in mutate.draw(rows, 100, seed, root)}:
            return seed
    raise AssertionError(change)


def goes_on(root):
    """A run that goes on tries only what the last one has not: no test again that a mutant has passed."""
    draw = ['--count', '100', '--seed', str(seed_of(root, 'limit: TEN => TEN + 1'))]
    assert {mutant.state for mutant in run(root, *draw, '--seconds', '0')} <= {'survived', 'not reached', 'equivalent'}
    whole = {mutant.key(): mutant.state for mutant in run(root, *draw, '--again')}
    assert 'killed' in whole.values() and 'survived' in whole.values()
    execute, trial.execute = trial.execute, None
    assert {mutant.key(): mutant.state for mutant in run(root, *draw, '--again')} == whole
    trial.execute = execute


def main():
    if shutil.which('clang') is None:
        print('no clang: left out')
        return 77
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(os.path.realpath(folder), 'small')
        project_make(root)
        every = {f'{row[3]}: {row[5]} => {row[6]}' for row in every_site(root)}
        assert {change.split(':')[0] for change in every} == {'limit', 'forgotten', 'noticed'}
        assert not any(word in change for change in every for word in ('CHECK', 'case', '1 + 6', 'a + b', 'x + 1'))
        for change, state in EXPECTED.items():
            assert change in every, change
            mutants = run(root, '--count', '100', '--seed', str(seed_of(root, change)))
            states = {name(mutant): mutant.state for mutant in mutants}
            assert states[change] == state, (change, states[change])
            assert all(EXPECTED.get(other, one) == one for other, one in states.items()), states
        goes_on(root)
        first = [mutant.key() for mutant in run(root, '--seed', '3', '--count', '5', '--list')]
        assert first == [mutant.key() for mutant in run(root, '--seed', '3', '--count', '5', '--list')]
        assert len(first) == 5
    return 0


if __name__ == '__main__':
    sys.exit(main())
