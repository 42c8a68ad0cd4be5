#!/usr/bin/env python3
"""gallery.py COLLIDE [FOLDER]: eleven scenes, run, checked and drawn.

Each scene comes with the sentence that it proves. The sentence is checked here, from the frames that the run printed and the
certificate it made. Writes FOLDER/gallery.md, FOLDER/gallery/*.png and the pictures of other pages; without a folder it only
checks, also that the pictures and the page are those of today's runs. Ends with status 1, and says which, when a sentence does
not hold, a picture is stale, or a page shows one that nothing draws.
"""
import hashlib
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
PNG_BYTES_MAX = 150_000


def rows(columns):
    """A table of a frame, row by row."""
    made = [dict(zip(columns, row)) for row in zip(*columns.values())]
    for row in made:
        row["tick"] = int(row["tick"])
    return made


class Run:
    """What a run printed: its frames, and its summary."""

    def __init__(self, frames, summary, scene):
        self.frames, self.summary, self.scene = frames, summary, scene
        self.last = frames[-1]["bodies"]
        self.contacts = [contact for frame in frames for contact in rows(frame.get("contacts", {}))]
        self.collisions = sum(int(frame.get("collisions", 0)) for frame in frames)
        self.ticks = int(frames[-1]["tick"])

    def energy_drift(self):
        first, last = self.frames[0]["energy"], self.frames[-1]["energy"]
        before = first["kineticBefore"] + first.get("potentialBefore", 0)
        after = last["kineticAfter"] + last.get("potentialAfter", 0)
        return abs(after - before) / first["kineticBefore"]


def holds(condition, what):
    if not condition:
        raise AssertionError(what)


def certified(run):
    holds(re.search(r"^certificate +0 escapes, 0 overlaps, 0 jumps in %d ticks" % run.ticks, run.summary, re.M), "the certificate")
    holds(re.search(r"^shortfalls +none", run.summary, re.M), "no shortfalls")


# ---- the sentences ----

def cradle(run):
    rows = {}
    for y, before, after in zip(run.last["y"], [circle.get("vx", 0) for circle in run.scene["circles"]], run.last["vx"]):
        rows.setdefault(y, ([], []))
        rows[y][0].append(before)
        rows[y][1].append(after)
    for before, after in rows.values():
        holds(after == before[::-1], f"speeds {after} after {before}")
    return {}


def rack(run):
    points = list(zip(run.last["x"], run.last["y"]))
    worst = max(min(math.hypot(x - x2, y + y2) for x2, y2 in points) for x, y in points)
    holds(worst < 1e-6, f"mirrored within {worst}")
    return {"circles": len(points), "collisions": run.collisions, "worst": f"{worst:.0e}"}


def pi(run):
    rows = sorted({circle["y"] for circle in run.scene["circles"]}, reverse=True)
    counts = [sum(1 for contact in run.contacts if contact["pointY"] == y) for y in rows]
    holds(counts == [3, 31, 314, 3141], f"{counts} collisions")
    # The digits stand in the picture, each over the path of its row.
    return {"labels": [f"8.3,{y + 0.2:.6g},{count:,} collisions" for y, count in zip(rows, counts)]}


def wedge(run):
    counts = [sum(1 for contact in run.contacts if contact["a"] == ball) for ball in run.last["id"]]
    holds(set(counts) == {180}, f"{counts} bounces")
    for x, y, vx, vy in zip(run.last["x"], run.last["y"], run.last["vx"], run.last["vy"]):
        holds(abs(math.hypot(vx, vy) - 30) < 1e-9, "the speed")
        holds(x * vx + y * vy > 0, "it comes out again")
    most = max(sum(1 for contact in rows(frame.get("contacts", {})) if contact["a"] == 0) for frame in run.frames)
    return {"balls": len(counts), "most": most}


def bullets(run):
    crossings = sum(1 for contact in run.contacts if contact["feature"] == "FEATURE_CIRCLE")
    holds(crossings > 100, "bullets meet bullets")
    holds(run.energy_drift() < 1e-12, "energy")
    return {"collisions": f"{run.collisions:,}", "crossings": f"{crossings:,}"}


def doom(run):
    holds(run.energy_drift() < 1e-9, "energy")
    return {"collisions": f"{run.collisions:,}", "drift": f"{run.energy_drift():.0e}"}


def galton(run):
    columns, walls = run.scene["circleColumns"], run.scene["segments"]
    # The bins' walls stand on the floor.
    tops = [max(wall.get("y1", 0), wall.get("y2", 0)) for wall in walls
            if wall.get("x1", 0) == wall.get("x2", 0) and min(wall.get("y1", 0), wall.get("y2", 0)) == 0]
    top = min(tops)
    balls = [x for x, y, kind in zip(run.last["x"], run.last["y"], columns["kind"]) if kind == "BODY_KIND_DYNAMIC" and y < top]
    middle = sum(1 for x in balls if abs(x) < 5)
    mean = sum(balls) / len(balls)
    holds(len(balls) >= 40 and abs(mean) < 1.5 and middle > 0.6 * len(balls), f"{len(balls)} balls, mean {mean}, middle {middle}")
    return {"balls": len(balls), "middle": middle}


def chain(run):
    before = [circle["vx"] for circle in run.scene["circles"]]
    holds(run.last["vx"] == before, f"speeds {run.last['vx']} after {before}")
    joints = sum(1 for x1, x2 in zip([c["x"] for c in run.scene["circles"]], run.last["x"])
                 for s in run.scene["segments"] if x1 < s["x2"] < x2)
    return {"joints": joints}


def loop(run):
    """The same seven bounces, round by round."""
    places = [(contact["pointX"], contact["pointY"]) for contact in run.contacts]
    worst = max(math.hypot(x - first[0], y - first[1]) for i, (x, y) in enumerate(places) for first in [places[i % 7]])
    holds(len(places) > 380 and len({tuple(round(c, 6) for c in place) for place in places}) == 7 and worst < 1e-9,
          f"{len(places)} bounces, off by {worst}")
    holds(run.energy_drift() < 1e-10, f"drift {run.energy_drift()}")
    return {"bounces": run.collisions, "rounds": len(places) // 7, "worst": f"{worst:.0e}"}


def crowd(run):
    outside = sum(1 for x in run.last["x"] if x > 0)
    holds(outside >= 3, f"{outside} got out")
    return {"collisions": f"{run.collisions:,}", "outside": outside}


def duel(run):
    columns, ends = run.scene["circleColumns"], [end for frame in run.frames for end in rows(frame.get("ends", {}))]
    walls, fighters = run.scene["segments"], columns["group"].count(1)
    width, height = max(wall.get("x2", 0) for wall in walls[:4]), max(wall.get("y2", 0) for wall in walls[:4])

    def mirrored(circle):
        return (circle + fighters) % (2 * fighters) if circle < 2 * fighters else circle ^ 1

    by_circle = {end["body"]: end for end in ends}
    worst = 0
    for end in ends:
        other = by_circle[mirrored(end["body"])]
        worst = max(worst, abs(end["tick"] - other["tick"]) + abs(end["time"] - other["time"]),
                    abs(end["x"] + other["x"] - width), abs(end["y"] + other["y"] - height))
    holds(worst < 1e-6, f"mirrored within {worst}")
    # Nothing has a contact after its end.
    for contact in run.contacts:
        for side in (contact["a"], contact["b"]) if contact["feature"] == "FEATURE_CIRCLE" else (contact["a"],):
            end = by_circle.get(side)
            holds(end is None or (contact["tick"], contact["time"]) <= (end["tick"], end["time"]), f"{side} hits after its end")
    hits = sum(1 for end in ends if end["reason"] == "END_REASON_CONTACT")
    holds(len(ends) == len(columns["x"]) - 2 * fighters and hits > 90, f"{len(ends)} ends, {hits} hits")
    return {"bullets": len(ends), "hits": hits, "worst": f"{worst:.0e}"}


# ---- the scenes: name, title, sentence, where the scene comes from, how it is run, its check, pixels across ----

WAD = "/usr/share/games/doom/freedoom1.wad"
# Of Freedoom 0.12.1, which Debian 12 has: the pictures are of its maps. Debian 13 has 0.13.0, of which E1M1 is another.
WAD_SHA256 = "84c3a912f2973892a8025d09d65f5053b1ee2304968a5a172526d683a185b885"
SCENES = [
    ("cradle", "Newton's cradle", "One, two, three or four come in, as many leave, with exactly their speed, to the last bit, and the "
     "others stand still: balls that touch are resolved as one.", "cradle.json", "--ticks 36 --dt 1/20", cradle, 860),
    ("rack", "A break that stays symmetric", "{circles} balls, {collisions} collisions, and the two halves of the table are still mirror "
     "images to {worst} of a length unit: what happens at the same time has no order.",
     "gen break --count 36 --speed 60 --gap 0.5", "--ticks 150", rack, 900),
    ("pi", "Galperin's billiard", "A ball as heavy as the small one, 100, 10,000 and 1,000,000 times as heavy pushes it against the wall: "
     "3, 31, 314 and 3,141 collisions, the digits of pi, none lost and none added.", "pi.json", "--dt 1 --ticks 14", pi, 860),
    ("wedge", "Wedges of one degree", "{balls} balls shot into wedges of one degree bounce 180 times each, as geometry has it, {most} times in "
     "one tick, and come out at the speed at which they went in.", "wedge.json",
     "--dt 1/20 --ticks 47", wedge, 800),
    ("bullets", "Bullets through bullets", "Bullets at 1,600 radii per tick: {collisions} collisions, {crossings} of them bullet against "
     "bullet, no wall crossed and no bullet passed through.", "gen bullets --count 70 --speed 4800", "--ticks 2", bullets, 700),
    ("e1m1", "Through a map of Doom", "80 circles at twenty radii per tick in E1M1 of Freedoom: {collisions} collisions, none outside, "
     "energy constant to {drift}.", f"import {WAD} --map E1M1 --circles 80 --radius 12 --radii-per-tick 20", "--ticks 24", doom, 760),
    ("galton", "Galton's board", "{balls} balls have fallen through twelve rows of pegs, {middle} of them into the four bins in the "
     "middle; pegs and balls never overlap.", "gen galton --count 80", "--ticks 1500", galton, 600),
    ("chain", "No ghost bumps", "Ten balls of restitution 0 slide over {joints} joints between pieces of wall, fall a step, and slide "
     "on: their horizontal speeds have not changed by a bit.", "chain.json", "--ticks 185", chain, 860),
    ("loop", "A thousand radii per tick", "A ball at 1,200 radii per tick in a room only twenty radii wide. It bounces {bounces} times in five "
     "ticks, {rounds} times round the same star. No bounce is further than {worst} of a radius from that of the first round.", "loop.json",
     "--ticks 5", loop, 620),
    ("crowd", "A crowd at a door", "200 people head for one door behind a pillar: {collisions} collisions, {outside} have got through, "
     "none through another.", "gen crowd", "--ticks 700", crowd, 900),
    ("duel", "Bullets that end at a hit", "Two teams, each the other's mirror image, fire {bullets} bullets: {hits} end at the moment of a hit, the "
     "others by age. Each end is the mirror image of another, within {worst} of a length unit and a second.",
     "gen duel", "--ticks 100", duel, 900),
]


def command(collide, *words, **more):
    done = subprocess.run([collide, *words], capture_output=True, check=False, timeout=280, **more)
    holds(done.returncode == 0, f"collide {' '.join(words)}: {done.stderr.decode()}")
    return done


def wad_here():
    return os.path.join(os.environ.get("DOOMWADDIR", os.path.dirname(WAD)), os.path.basename(WAD))


def wad_lack(text):
    """Why what this text has from Freedoom's maps cannot be compared here, or None."""
    if WAD not in text:
        return None
    if not os.path.exists(wad_here()):
        return "Freedoom's maps are not here (DOOMWADDIR)"
    with open(wad_here(), "rb") as file:
        digest = hashlib.sha256(file.read()).hexdigest()
    return None if digest == WAD_SHA256 else "another Freedoom is here than 0.12.1"


def scene_text(collide, source):
    if source.endswith(".json"):
        with open(os.path.join(HERE, source), "rb") as file:
            return file.read()
    return command(collide, *(wad_here() if word == WAD else word for word in source.split())).stdout


def note_of(path):
    """What a picture says of its run: a PNG's chunk of text, a GIF's comment, an SVG's description."""
    with open(path, "rb") as file:
        data = file.read()
    found = re.search(rb"collide: [ -~]+? (state|answers) hash [0-9a-f]{16}", data)
    return found[0].decode() if found else None


def note_put(png, note):
    """A chunk of text before the last one."""
    with open(png, "rb") as file:
        data = file.read()
    body = b"tEXtDescription\0" + note.encode()
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    with open(png, "wb") as file:
        file.write(data[:-12] + chunk + data[-12:])


def palette(png):
    """A quarter of the bytes for colours that look alike, where pngquant is installed. It drops the note."""
    if shutil.which("pngquant"):
        note = note_of(png)
        subprocess.run(["pngquant", "--force", "--strip", "--speed", "1", "--output", png, "96", png], check=True)
        if note is not None:
            note_put(png, note)


def draw(collide, recording, png, width, labels):
    """As wide as it may be within PNG_BYTES_MAX."""
    words = [word for label in labels for word in ("--label", label)]
    while True:
        command(collide, "replay", recording, "--format", "none", "--png", png, "--png-width", str(width), *words)
        palette(png)
        if os.path.getsize(png) <= PNG_BYTES_MAX:
            break
        width = width * 9 // 10


class Stale(AssertionError):
    pass


def scene_prove(collide, scene, folder):
    """Simulated once, recorded, its sentence checked. Drawn into `folder`, or, without one, compared with the picture here."""
    name, _, sentence, source, flags, check, width = scene
    text = scene_text(collide, source)
    with tempfile.TemporaryDirectory() as work:
        recording = os.path.join(work, "recording")
        done = command(collide, "run", "-", "--local", "--certify", "--format", "json", "--record", recording, *flags.split(), input=text)
        frames = [json.loads(line) for line in done.stdout.splitlines()]
        run = Run(frames, done.stderr.decode(), json.loads(text))
        certified(run)
        told = check(run)
        labels = told.pop("labels", [])
        if folder is not None:
            draw(collide, recording, os.path.join(folder, "gallery", name + ".png"), width, labels)
        else:
            small = os.path.join(work, "small.png")
            command(collide, "replay", recording, "--format", "none", "--png", small, "--png-width", "100")
            fresh(os.path.join(HERE, name + ".png"), note_of(small))
    return sentence.format(**told), labels


def fresh(picture, note):
    if note is None or note_of(picture) != note:
        raise Stale(f"{picture} is of another run:\n  it says   {note_of(picture)}\n  now it is {note}")


# ---- pictures of other pages: file, where its scene comes from, command, what makes it small for a comparison ----

DEMO = f"import {WAD} --map E1M1 --circles 500 --seed 1 --radii-per-tick 20"
PICTURES = [
    ("e1m1.png", DEMO, "run - --local --ticks 600 --dt 1/60 --format none --png {} --png-width 1200", ("--png-width", "100")),
    ("collide.gif", f"import {WAD} --map E1M1 --circles 120 --seed 3 --radius 16 --radii-per-tick 7",
     "render - --local --ticks 72 --dt 1/60 --speed 1/4 --width 540 --fps 20 -o {}", ("--width", "60", "--fps", "1")),
]


def picture_prove(collide, picture, folder):
    name, source, words, small = picture
    text = scene_text(collide, source)
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(folder if folder is not None else work, name)
        command(collide, *words.format(path).split(), *(small if folder is None else ()), input=text)
        if folder is None:
            fresh(os.path.join(HERE, "..", name), note_of(path))
        elif name.endswith(".png"):
            palette(path)
    return f"collide {source} | collide {words.format(name)}"

# ---- pictures that pages draw by commands of their own: page, file ----

SHOWN = [("physics.md", "one-tick.svg"), ("queries.md", "queries.png")]
# By `./dev bench`, which test_figures.py compares, and by `./dev graph`, which the test lint_graph does.
OTHERS = {"docs/performance.svg", "docs/folders.svg"}


def shown_commands(page, name):
    """The lines of the page's block that ends in the picture."""
    with open(os.path.join(HERE, "..", page), encoding="utf-8") as file:
        blocks = re.findall(r"(?:^    .*\n)+", file.read(), re.M)
    found = [block for block in blocks if re.search(rf"--(png|svg) {re.escape(name)}\b", block)]
    holds(len(found) == 1, f"docs/{page} has {len(found)} blocks that draw {name}")
    return re.sub("^    ", "", found[0], flags=re.M)


def shown_prove(collide, shown, folder):
    page, name = shown
    with tempfile.TemporaryDirectory() as work:
        os.symlink(os.path.join(HERE, ".."), os.path.join(work, "docs"))
        done = subprocess.run(["bash", "-euc", shown_commands(page, name).replace(WAD, f'"{wad_here()}"')], cwd=work, capture_output=True,
                              check=False, timeout=280, env=dict(os.environ, PATH=f"{os.path.dirname(collide)}:{os.environ['PATH']}"))
        holds(done.returncode == 0, f"docs/{page} draws no {name}: {done.stderr.decode()}")
        drawn = os.path.join(work, name)
        if folder is None:
            fresh(os.path.join(HERE, "..", name), note_of(drawn))
        else:
            if name.endswith(".png"):
                palette(drawn)
            shutil.copy(drawn, os.path.join(folder, name))
    return f"as docs/{page} shows it"


def pictures_without_command():
    """What pages show, and neither this program draws nor another that a test holds."""
    drawn = {f"docs/gallery/{scene[0]}.png" for scene in SCENES} | {f"docs/{name}" for name, *_ in PICTURES}
    drawn |= {f"docs/{name}" for _, name in SHOWN} | OTHERS
    root = os.path.join(HERE, "..", "..")
    found = set()
    for page in ["README.md", "server/README.md", "docs/README.md", *(f"docs/{name}" for name in os.listdir(os.path.join(root, "docs")))]:
        if page.endswith(".md"):
            with open(os.path.join(root, page), encoding="utf-8") as file:
                found |= {os.path.normpath(os.path.join(os.path.dirname(page), link))
                          for link in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", file.read())}
    return sorted(found - drawn)


def main():
    collide, folder = os.path.abspath(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None
    if folder is not None:
        os.makedirs(os.path.join(folder, "gallery"), exist_ok=True)
    page = ["# Eleven scenes", "", "What the engine is for, each with the sentence that it proves. `./dev gallery` runs them, checks every",
            "sentence and every path (`--certify`: no overlap, no wall crossed, no jump), and draws this page.", ""]
    failed = []
    left_out = []

    def attempt(name, source, prove, *arguments):
        try:
            lack = wad_lack(source(*arguments[0]) if callable(source) else source)
            if lack is not None:
                print(f"{name}: left out, {lack}", file=sys.stderr)
                (left_out if folder is None else failed).append(name)
                return None
            return prove(collide, *arguments, folder)
        except Stale as problem:
            print(f"{name}: STALE, ./dev gallery draws it anew: {problem}", file=sys.stderr)
        except AssertionError as problem:
            print(f"{name}: NOT PROVED: {problem}", file=sys.stderr)
        failed.append(name)
        return None

    for scene in SCENES:
        name, title, _, source, flags, _, _ = scene
        proved = attempt(name, source, scene_prove, scene)
        if proved is None:
            continue
        said, labels = proved
        print(f"{name}: {said}")
        made = f"collide {source} |\n    collide run -" if not source.endswith(".json") else f"collide run docs/gallery/{source}"
        shown = "".join(f' \\\n      --label "{label}"' for label in labels)
        page += [f"## {title}", "", said, "", f"![{title}](gallery/{name}.png)", "",
                 f"    {made} --local --certify {flags} --png {name}.png{shown}", ""]
    page += ["## Pictures of other pages", "", "`./dev gallery` draws these too, and those of [physics.md](physics.md) and",
             "[queries.md](queries.md). Each file holds a line about its run: counts, the engine's semantics, a hash. The test `gallery` runs all of",
             "them again and compares.", ""]
    for picture in PICTURES:
        made = attempt(picture[0], picture[1], picture_prove, picture)
        if made is not None:
            print(f"{picture[0]}: {made}")
            page += [f"[{picture[0]}]({picture[0]}):", "", f"    {made}".replace(" | ", " |\n    "), ""]
    page += ["## A page that plays", "", "The demo's run as one HTML file of 1.68 MB: 500 circles, 600 ticks, 162,230 collisions. At ten random times,",
             "and at the pieces of those ticks, 14,663 of its places are the engine's to 6.1e-10 of a length unit, on a map 3,648 wide",
             "(`client_page_demo.sh`).", "",
             f"    collide {DEMO} |", "    collide render - --local --ticks 600 --dt 1/60 -o demo.html", "",
             "Headless Chromium without a GPU drew two seconds of it 59 times a second, on two busy cores. A frame took 20 ms of processor time in",
             "all its processes. A gas of 500 circles was drawn 54 times, with 19 ms: the best of four runs on cores that were busy otherwise. Most of",
             "that is the browser's own drawing in software, and wide trails were half of it. So those of more than 200 circles are one pixel",
             "wide; before that, the best of four runs in turns was 45 times, with 22 ms. `page_browser.js` measures that:", "",
             "    node tests/integration/node/page_browser.js build/release/bin/collide demo.json", ""]
    for shown in SHOWN:
        made = attempt(shown[1], shown_commands, shown_prove, shown)
        if made is not None:
            print(f"{shown[1]}: {made}")
    for picture in pictures_without_command():
        print(f"{picture}: a page shows it, and no command here draws it", file=sys.stderr)
        failed.append(picture)
    text = "\n".join(page)
    if folder is not None and not failed:
        with open(os.path.join(folder, "gallery.md"), "w", encoding="utf-8") as file:
            file.write(text)
    if folder is None and not failed and not left_out:
        with open(os.path.join(HERE, "..", "gallery.md"), encoding="utf-8") as file:
            if file.read() != text:
                print("docs/gallery.md: STALE, ./dev gallery writes it anew", file=sys.stderr)
                failed.append("gallery.md")
    return 1 if failed else 0


sys.exit(main())
