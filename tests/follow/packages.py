#!/usr/bin/env python3
"""packages.py SOURCE VERSION: the packages of client/follow as others get them. Their versions are the project's. Each stands alone but for what
it says that it needs: a follower without collide-follow-quantized reads paths, and refuses streams within a tolerance. In JavaScript that
is what npm packs and installs, without a registry."""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PATHS, NEAR = "gas-acted", "within-gas"  # of golden/
PYTHON = """
import sys
from collide_wire import Delimited
from collide_follow import Follower, FollowError
more = {}
if len(sys.argv) > 2:
    from collide_follow_quantized import Quantized
    more = dict(quantized=Quantized)
follower = Follower(**more)
with open(sys.argv[1], "rb") as file:
    data, stream = file.read(), Delimited()
try:
    for at in range(0, len(data), 7):
        for update in stream.take(data[at:at + 7]):
            follower.update(update)
    print(follower.tick, [circle.x.hex() for circle in follower.circles.values()][:3])
except FollowError:
    print("refused")
"""
JAVASCRIPT = """
import { readFileSync } from "node:fs";
import { Delimited } from "collide-wire";
import { Follower, FollowError } from "collide-follow";
const [path, both] = process.argv.slice(2);
const more = both ? { quantized: (await import("collide-follow-quantized")).Quantized } : {};
const follower = new Follower(more), stream = new Delimited(), data = readFileSync(path);
try {
  for (let at = 0; at < data.length; at += 7) {
    for (const update of stream.take(data.subarray(at, at + 7))) follower.update(update);
  }
  console.log(follower.tick, follower.circles.size);
} catch (error) {
  if (!(error instanceof FollowError)) throw error;
  console.log("refused");
}
"""


def told(command, folder, **more):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=600, cwd=folder, **more).stdout.strip()


def versions(follow, version):
    """Of every package, and of those that it needs."""
    found = []
    for path in glob.glob(os.path.join(follow, "javascript/*/package.json")):
        with open(path, encoding="utf-8") as file:
            package = json.load(file)
        names = package["files"] + [package["main"], package["types"], package["exports"]["."]["default"]]
        assert all(os.path.exists(os.path.join(os.path.dirname(path), name)) for name in names), path
        found += [package["version"], *package.get("dependencies", {}).values()]
    for path in glob.glob(os.path.join(follow, "python/*/pyproject.toml")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        names = re.search(r"py-modules = \[(.*)\]", text).group(1).replace('"', "").split(", ")
        assert all(os.path.exists(os.path.join(os.path.dirname(path), name + ".py")) for name in names), path
        found += re.findall(r'version = "(.*)"', text) + re.findall(r'"collide-[a-z]+==([^"]*)"', text)
    assert len(found) == 13 and set(found) == {version}, found


def spoilt(golden, folder):
    """A key of which the coder is surer than any can be: its range would become empty, and be widened for ever."""
    with open(os.path.join(golden, NEAR + ".stream"), "rb") as file:
        data = file.read()
    end = 2 + (data[0] & 127 | data[1] << 7)  # of the first update, with its length in two bytes
    field = re.search(rb"\x82\x01\xc0\x0a", data)  # Key.coder: 336 pairs of 2 bytes each
    assert data[0] > 127 > data[1] and field.end() + 1344 < end
    path = os.path.join(folder, "spoilt.stream")
    with open(path, "wb") as file:
        file.write(data[:field.end()] + b"\x00\x80" * 672 + data[field.end() + 1344:end])
    return path


def judge(name, read, golden, spoilt_path):
    """`read(path, both)`: what a follower prints."""
    streams = {kind: os.path.join(golden, kind + ".stream") for kind in (PATHS, NEAR)}
    alone, both = read(streams[PATHS], False), read(streams[PATHS], True)
    assert alone == both and alone.startswith("1"), (name, alone, both)  # 119 or 120 ticks
    assert read(streams[NEAR], False) == "refused", name
    assert read(streams[NEAR], True).startswith("1"), name
    assert read(spoilt_path, True) == "refused", name
    print("%s: %s" % (name, alone))


def main(source, version):
    follow, golden = os.path.join(source, "client/follow"), os.path.join(source, "tests/follow/golden")
    versions(follow, version)
    with tempfile.TemporaryDirectory() as folder:
        def python(path, both):
            needed = ["collide_wire", "collide_follow"] + ["collide_follow_quantized"] * both
            environment = dict(os.environ, PYTHONPATH=os.pathsep.join(os.path.join(follow, "python", name) for name in needed))
            return told([sys.executable, "-B", "-c", PYTHON, path] + ["both"] * both, folder, env=environment)

        bad = spoilt(golden, folder)
        judge("Python", python, golden, bad)
        if not shutil.which("node") or not shutil.which("npm"):
            print("there is no node with npm: the packages in JavaScript were not installed")
            return
        for name in ("collide-wire", "collide-follow", "collide-follow-quantized"):
            told(["npm", "pack", "--silent", "--pack-destination", folder], os.path.join(follow, "javascript", name))
        app = os.path.join(folder, "app")
        os.mkdir(app)
        with open(os.path.join(app, "app.mjs"), "w", encoding="utf-8") as file:
            file.write(JAVASCRIPT)
        with open(os.path.join(app, "package.json"), "w", encoding="utf-8") as file:
            file.write("{}")
        told(["npm", "install", "--offline", "--no-audit", "--no-fund", "--loglevel=error"] + glob.glob(os.path.join(folder, "*.tgz")), app)
        judge("JavaScript", lambda path, both: told(["node", "app.mjs", path] + ["both"] * both, app), golden, bad)


if __name__ == "__main__":
    main(*sys.argv[1:])
