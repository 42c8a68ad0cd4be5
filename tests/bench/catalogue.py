"""The scenes and the engines of the benchmark, and what is left out beforehand and why."""
from dataclasses import dataclass
import json
import os
import struct
import subprocess

WAD_FOLDER = os.environ.get("DOOMWADDIR", "/usr/share/games/doom")
WADS = {"E": os.path.join(WAD_FOLDER, "freedoom1.wad"), "M": os.path.join(WAD_FOLDER, "freedoom2.wad")}

# As in scene_file.h.
FLAG_BULLETS, FLAG_SLEEP, FLAG_ELASTIC, FLAG_CLOSED, FLAG_REGIONS, FLAG_PAIRS = (1 << bit for bit in range(6))


@dataclass(frozen=True)
class Scene:
    """One row of the suite. `make` are the words for bench_scenes, or ("map", NAME)."""

    name: str
    title: str
    group: str
    make: tuple
    circles: int
    ticks: int
    settle: int = 0  # ticks before anything is measured or judged
    lead: int = 0  # ticks that are judged but not timed: what comes after them is sustained
    work: str = "step"  # what is timed: a tick, or work of runner.h
    quick: bool = False
    rooms: int = 1
    patience: int = 1  # times the limits, where a few ticks must be had


def gas(letter, travel, count, label, ticks, quick, patience=1):
    return Scene(f"gas_{letter}_{label}", f"gas {letter.upper()}, {count:,}", f"gas {letter.upper()}", ("gas", count, travel, 1),
                 count, ticks, lead=LEAD if letter == "a" else 0, quick=quick, patience=patience)


def rooms(count, circles, quick, patience=1):
    return Scene(f"rooms_{circles}x{count}", f"{count:,} rooms of {circles}", "rooms", ("gas", circles, 0.1, count),
                 circles * count, 40, lead=LEAD, quick=quick, rooms=count, patience=patience)


def rooms_walls(count, circles, quick):
    return Scene(f"rooms_walls_{circles}", f"{count:,} rooms of {circles} with 20 walls and friction", "rooms",
                 ("rooms", circles, 20, count), circles * count, 100, lead=LEAD, quick=quick, rooms=count, patience=2)


def rooms_map(work, quick):
    return Scene(f"rooms_map_{work if work != 'step' else 'tick'}", f"1,000 rooms of 64, all between the same 500 walls: {WORKS[work]}", "rooms",
                 ("alike", 64, 500, 1000), 64000, 60 if work == "step" else 20, lead=LEAD, work=work, quick=quick, rooms=1000, patience=2)


def uneven(name, title, *make, ticks=60, lead=None, quick=False):
    return Scene(name, title, "uneven worlds", make, 10000, ticks, lead=LEAD if lead is None else lead, quick=quick, patience=2)


def works(name, title, make, circles, settle, names):
    """One scene for each work on the same world."""
    return tuple(Scene(f"{name}_{work if work != 'step' else 'tick'}", f"{title}: {WORKS[work]}", "state", make, circles, 400, settle=settle,
                       work=work, quick=f"{name}_{work}" in WORKS_QUICK) for work in names)


WORKS = {
    "step": "a tick", "snapshot": "snapshot", "restore": "restore from bytes", "keep": "keep", "return": "return",
    "eight": "return, and eight ticks forward", "edit": "one velocity set", "add": "velocities added to 16 circles",
    "switch": "a wall switched", "create": "create and destroy",
}
WORKS_QUICK = ("room_restore", "room_eight")
LEAD = 4


SCENES = (
    gas("a", 0.1, 100, "100", 400, False),
    gas("a", 0.1, 1000, "1k", 300, True),
    gas("a", 0.1, 10000, "10k", 200, True),
    gas("a", 0.1, 100000, "100k", 60, False),
    gas("a", 0.1, 1000000, "1m", 10, False, 3),
    Scene("gas_a_10k_mixed", "gas A, 10,000, radii 1 : 10", "gas A", ("mixed", 10000, 0.1, 10), 10000, 200),
    gas("b", 2, 100, "100", 20, False),
    gas("b", 2, 1000, "1k", 20, False),
    gas("b", 2, 10000, "10k", 20, True),
    gas("b", 2, 100000, "100k", 20, False, 2),
    gas("b", 2, 1000000, "1m", 5, False, 3),
    Scene("gas_b_10k_mixed", "gas B, 10,000, radii 1 : 10", "gas B", ("mixed", 10000, 2, 10), 10000, 20),
    Scene("pile_1k", "pile of 1,000, settled", "pile", ("pile", 1000, 0), 1000, 120, settle=900, quick=True),
    Scene("pile_5k", "pile of 5,000, settled", "pile", ("pile", 5000, 0), 5000, 120, settle=900),
    Scene("collapse_1k", "pile of 1,000, collapse: first 5 s", "pile", ("pile", 1000, 0), 1000, 300, quick=True),
    Scene("collapse_5k", "pile of 5,000, collapse: first 5 s", "pile", ("pile", 5000, 0), 5000, 300, patience=3),
    Scene("collapse_5k_late", "pile of 5,000, collapse: 5 to 20 s", "pile", ("pile", 5000, 0), 5000, 900, settle=300, patience=4),
    Scene("pile_5k_asleep", "pile of 5,000, allowed to sleep", "pile", ("pile", 5000, 1), 5000, 120, settle=1800),
    Scene("asleep_100k", "100,000 asleep on shelves, 10 bounce", "pile", ("shelves", 100000, 10), 100010, 120, settle=240),
    Scene("bullets_20", "1,000 bullets, 20 units/s", "bullets", ("bullets", 20), 1000, 60),
    Scene("bullets_200", "1,000 bullets, 200 units/s", "bullets", ("bullets", 200), 1000, 60, quick=True),
    Scene("bullets_2000", "1,000 bullets, 2,000 units/s", "bullets", ("bullets", 2000), 1000, 60, quick=True),
    Scene("pairs", "1,000 pairs head-on, 200 units/s each", "bullets", ("pairs", 1000, 200), 2000, 10, quick=True),
    Scene("map_e1m1", "Freedoom E1M1, 390 walls, 200 fast circles", "maps", ("map", "E1M1"), 200, 120, quick=True),
    Scene("map_e1m5", "Freedoom E1M5, 4,259 walls, 200 fast circles", "maps", ("map", "E1M5"), 200, 120),
    Scene("map_map24", "Freedoom MAP24, 200 fast circles", "maps", ("map", "MAP24"), 200, 120),
    uneven("uneven_100", "5,000 in a dense block, 5,000 over 100 times its width", "uneven", 5000, 5000, 100, quick=True),
    uneven("uneven_10", "5,000 in a dense block, 5,000 over 10 times its width", "uneven", 5000, 5000, 10),
    uneven("clusters_1", "10,000 in one dense block, the world 100 times as wide", "clusters", 10000, 1, 100),
    uneven("clusters_4", "10,000 in 4 dense blocks far apart", "clusters", 10000, 4, 100),
    uneven("clusters_20", "10,000 in 20 dense blocks far apart", "clusters", 10000, 20, 100),
    uneven("clusters_100", "10,000 in 100 dense blocks far apart", "clusters", 10000, 100, 100),
    uneven("forming", "5,000 that become a crowd, 5,000 over 100 times its width", "forming", 5000, 5000, 100, ticks=240, lead=0),
    Scene("fight", "64 and 200 bullets in a small room", "games", ("fight", 1), 264, 120, lead=LEAD),
    Scene("fight_wide", "the same, within walls 1,000 times as wide around it", "games", ("fight", 1000), 264, 120, lead=LEAD),
    Scene("game", "64 steered players, 200 bullets, 300 walls", "games", ("game", 64, 200, 300), 264, 300, lead=LEAD, quick=True),
    Scene("pegs", "500 balls through 1,000 pegs", "games", ("pegs", 500, 1000), 1500, 480, quick=True),
    Scene("crowd_1k", "1,000 through a door", "crowd", ("crowd", 1000), 1000, 120, settle=240, quick=True),
    Scene("crowd_5k", "5,000 through a door", "crowd", ("crowd", 5000), 5000, 120, settle=240),
    rooms(1000, 8, False),
    rooms(1000, 32, False),
    rooms(1000, 128, False),
    rooms(10000, 32, False, 3),
    rooms_walls(4000, 4, False),
    rooms_walls(2000, 32, True),
    rooms_walls(1000, 128, False),
    rooms_map("step", True),
    rooms_map("create", False),
    *works("room", "64 circles, 50 walls", ("rooms", 64, 50, 1), 64, 60, WORKS),
    *works("doors", "64 circles, 1,900 walls", ("rooms", 64, 1900, 1), 64, 60, ("switch",)),
    *works("heap", "heap of 64", ("heap", 64), 64, 300, ("step", "keep", "return", "eight")),
    *works("arena", "264 circles, 304 walls", ("game", 64, 200, 300), 264, 60, ("snapshot", "restore", "create")),
    *works("pile", "pile of 1,000, settled", ("pile", 1000, 0), 1000, 900, ("snapshot", "restore")),
)


@dataclass(frozen=True)
class Engine:
    """What steps the scenes. `command` is made of the folder of programs, this folder and that of npm's packages."""

    name: str
    title: str
    program: str  # what must exist
    words: tuple = ()
    script: bool = False  # JavaScript: its first ticks are the compiler's
    circles_max: int = 10**9
    settling_max: int = 10**9  # circle ticks, where a scene settles before it is measured
    worlds_max: int = 10**9
    needs: str = ""  # the option that names its sources

    def path(self, places):
        return os.path.join(places.node if self.script else places.bin, self.program)

    def command(self, places):
        if self.script:
            return ["sh", os.path.join(places.here, "node", "run.sh"), places.node, *self.words]
        return [self.path(places), *self.words]


OURS = "collided"
ENGINES = (
    Engine(OURS, "collided", "bench_run_collided"),
    Engine("box2d3", "Box2D 3", "bench_run_box2d3", needs="--box2d3"),
    Engine("box2d3-wasm", "Box2D 3 wasm", "installed", ("box2d3-wasm",), script=True, worlds_max=128),
    Engine("chipmunk-ndebug-tree", "Chipmunk NDEBUG, tree", "bench_run_chipmunk_ndebug", ("tree",), needs="--chipmunk"),
    Engine("chipmunk-ndebug-hash", "Chipmunk NDEBUG, hash", "bench_run_chipmunk_ndebug", ("hash",), needs="--chipmunk"),
    Engine("chipmunk-tree", "Chipmunk, tree", "bench_run_chipmunk", ("tree",)),
    Engine("chipmunk-hash", "Chipmunk, hash", "bench_run_chipmunk", ("hash",)),
    Engine("box2d", "Box2D 2.4", "bench_run_box2d"),
    Engine("rapier", "Rapier", "installed", ("rapier",), script=True),
    Engine("rapier-simd", "Rapier SIMD", "installed", ("rapier-simd",), script=True),
    Engine("planck", "planck", "installed", ("planck",), script=True, circles_max=20000, settling_max=2000000),
)
# All builds of an engine: what is promised of it is judged by the fastest of those in the run.
CHIPMUNKS = ("chipmunk-ndebug-tree", "chipmunk-ndebug-hash", "chipmunk-tree", "chipmunk-hash")
BOX2D3S = ("box2d3", "box2d3-wasm")


@dataclass(frozen=True)
class Places:
    """Folders: of the programs, of npm's packages, for scenes and traces; and of this file."""

    bin: str
    node: str
    work: str
    here: str = os.path.dirname(os.path.abspath(__file__))


def skip_reason(scene, engine):
    """Why a cell is left out before anything is run, or None."""
    if scene.circles > engine.circles_max:
        return f"left out: more than {engine.circles_max:,} circles take it most of the run"
    if scene.circles * scene.settle > engine.settling_max:
        return "left out: it takes minutes to settle so many circles"
    if scene.rooms > engine.worlds_max:
        return f"left out: it has room for {engine.worlds_max} worlds"
    return None


def columns_of(definition, kind, names, defaults):
    """Rows of numbers from a list of objects, or an object of columns, as `collide import` writes them."""
    rows = definition.get(kind + "s")
    if rows is None:
        columns = definition[kind + "Columns"]
        # A column of one number is of all.
        rows = [{name: columns[name][i if len(columns[name]) > 1 else 0] for name in names if name in columns}
                for i in range(columns["count"])]
    return [[row.get(name, default) for name, default in zip(names, defaults)] for row in rows]


def map_bytes(definition):
    """The scene file of an imported map."""
    circles = columns_of(definition, "circle", ("x", "y", "vx", "vy", "radius", "mass", "restitution", "friction"),
                         (0, 0, 0, 0, 1, 1, 1, 0))
    walls = columns_of(definition, "segment", ("x1", "y1", "x2", "y2", "restitution", "friction"), (0, 0, 0, 0, 1, 0))
    xs = [x for wall in walls for x in (wall[0], wall[2])]
    ys = [y for wall in walls for y in (wall[1], wall[3])]
    head = struct.pack("<8sII7dQ", b"CLDBENCH", 2, FLAG_BULLETS | FLAG_ELASTIC | FLAG_CLOSED | FLAG_REGIONS, 1 / 60, 0, 0,
                       min(xs), min(ys), max(xs), max(ys), 1)
    return b"".join([head, struct.pack("<2Q", len(circles), len(walls))] + [struct.pack("<8d", *row) for row in circles]
                    + [struct.pack("<6d", *row) for row in walls] + [struct.pack("<2Q", 0, 0)])


def scene_make(scene, places):
    """Writes the scene's file; returns its path, or raises RuntimeError with what is missing."""
    path = os.path.join(places.work, scene.name + ".scene")
    if scene.make[0] != "map":
        subprocess.run([os.path.join(places.bin, "bench_scenes"), *map(str, scene.make), path], check=True)
        return path
    wad, command = WADS[scene.make[1][0]], os.path.join(places.bin, "collide")
    for needed in (wad, command):
        if not os.path.exists(needed):
            raise RuntimeError(f"there is no {needed}")
    done = subprocess.run([command, "import", wad, "--map", scene.make[1], "--circles", str(scene.circles), "--seed", "1",
                           "--radii-per-tick", "5:20"], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with open(path, "wb") as file:
        file.write(map_bytes(json.loads(done.stdout)))
    return path
