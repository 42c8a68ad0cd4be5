"""The summary as a picture: for each scene the time of every engine by ours, on a logarithmic scale. A full dot did the work, a
ring did not: it lost circles, hits or energy, or let circles overlap."""
from html import escape
import math

from catalogue import OURS

COLOURS = {
    "collided": "#111111", "chipmunk-tree": "#d95f02", "chipmunk-hash": "#e6ab02", "box2d": "#7570b3", "rapier": "#1b9e77",
    "rapier-simd": "#66a61e", "planck": "#e7298a", "box2d3": "#1f78b4", "box2d3-wasm": "#a6cee3", "chipmunk-ndebug-tree": "#a63603",
    "chipmunk-ndebug-hash": "#b15928",
}
ROW, RIGHT, TOP, SCALE_WIDTH = 20, 24, 74, 606
DOT = 5
LETTER = 7  # the width of one, on the safe side


def points_of(summary):
    """(scene's title, [(engine, time by ours, whether it was right)])."""
    for scene in summary["scenes"]:
        points = []
        for name, cell in scene["cells"].items():
            ratio = cell.get("ours_by_this")
            if ratio and ratio["mean"] > 0:
                points.append((name, 1 / ratio["mean"], not cell["faults"]))
        if points:
            # Ours is drawn last, over the others.
            yield scene["title"], sorted(points, key=lambda point: point[0] == OURS)


def decades(values):
    """Powers of ten around all values."""
    low = math.floor(math.log10(min(values)))
    high = math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def circle(x, y, colour, full):
    fill = colour if full else "none"
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{DOT}" fill="{fill}" stroke="{colour}" stroke-width="2"/>'


def legend(names, engines):
    x, lines = 16, []
    for name in names:
        title = engines[name]["title"]
        lines.append(circle(x, 44, COLOURS.get(name, "#666666"), True))
        lines.append(f'<text x="{x + 10}" y="48">{escape(title)}</text>')
        x += 34 + 7 * len(title)
    return lines


def svg(summary):
    rows = list(points_of(summary))
    values = [value for _, points in rows for _, value, _ in points] or [1]
    low, high = decades(values)
    left = 28 + LETTER * max([37, *(len(title) for title, _ in rows)])
    width = left + SCALE_WIDTH + RIGHT
    span = SCALE_WIDTH / (high - low)
    height = TOP + ROW * len(rows) + 40

    def place(value):
        return left + (math.log10(value) - low) * span

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        '<text x="16" y="22" font-size="15">Time per tick by that of collided: to the right is slower. '
        'A ring: it lost circles, hits or energy, or they overlap.</text>',
    ]
    lines += legend([name for name in summary["engines"] if any(name == n for _, points in rows for n, _, _ in points)],
                    summary["engines"])
    bottom = TOP + ROW * len(rows)
    for power in range(low, high + 1):
        x = place(10.0**power)
        lines.append(f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{bottom}" stroke="{"#888888" if power == 0 else "#dddddd"}"/>')
        lines.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{10.0**power:g} ×</text>')
    for index, (title, points) in enumerate(rows):
        y = TOP + ROW * index + ROW / 2
        lines.append(f'<text x="{left - 14}" y="{y + 4:.1f}" text-anchor="end">{escape(title)}</text>')
        lines += [circle(place(value), y, COLOURS.get(name, "#666666"), full) for name, value, full in points]
    return "\n".join(lines + ["</svg>"]) + "\n"
