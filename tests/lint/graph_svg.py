"""graph_svg: the folders as a picture. A panel shows the layers, and one each folder with folders of its own.

A folder is above those that it uses. An edge is left out where a longer way says the same (transitive reduction). Rows come from the
longest way down, the order in a row from the mean place of the neighbours (Sugiyama's method), all without chance.
"""
import pathlib
from xml.sax.saxutils import escape

BOX_HEIGHT, ROW_HEIGHT, GAP, CHARACTER, MARGIN = 30, 70, 18, 7.6, 24
ORDER_SWEEPS, PLACE_SWEEPS = 12, 40


def parent_of(folder):
    return str(pathlib.PurePosixPath(folder).parent)


def panel_graph(edges, base):
    """The graph seen from `base`: its folders, deeper ones put into them; its own files are a node with its name."""
    def node(folder):
        if base == ".":
            parts = folder.split("/")
            return "/".join(parts[:2])
        if folder == base:
            return base
        return "/".join(folder.split("/")[: base.count("/") + 2]) if folder.startswith(base + "/") else None

    out = {}
    for folder, targets in edges.items():
        name = node(folder)
        if name is None:
            continue
        out.setdefault(name, set())
        for target in targets:
            other = node(target)
            if other is not None and other != name:
                out[name].add(other)
                out.setdefault(other, set())
    return out


def reached(graph, start):
    """All nodes that can be reached from `start` by at least one edge."""
    seen, work = set(), [start]
    while work:
        for target in graph[work.pop()]:
            if target not in seen:
                seen.add(target)
                work.append(target)
    return seen


def levels_of(graph, reach):
    """Rows from the bottom: longest ways. The nodes of a cycle share a row."""
    level = {}

    def level_get(name):
        if name not in level:
            level[name] = 0
            below = [other for other in reach[name] if name not in reach[other]]
            level[name] = 1 + max(map(level_get, below)) if below else 0
        return level[name]

    for name in sorted(graph):
        level_get(name)
    return level


def reduced(graph, reach):
    """Edges that no longer way replaces. Edges within a cycle stay."""
    out = []
    for name in sorted(graph):
        for target in sorted(graph[name]):
            cyclic = name in reach[target]
            others = (other for other in graph[name] if other != target and name not in reach[other])
            if cyclic or not any(target in reach[other] and other not in reach[target] for other in others):
                out.append((name, target))
    return out


def rows_make(graph, level, edges):
    """Rows of nodes from the bottom, and the ways of edges through them; a way passes other rows in nodes without a box."""
    rows = [[] for _ in range(max(level.values(), default=0) + 1)]
    for name in sorted(graph):
        rows[level[name]].append(name)
    ways = []
    for start, end in edges:
        way = [start]
        for row in range(level[start] - 1, level[end], -1):
            way.append((start, end, row))
            rows[row].append(way[-1])
        ways.append(way + [end])
    return rows, ways


def label(node, base):
    """Within a folder the last word is enough; the folder's own files are told as such."""
    if base == ".":
        return node
    return f"{node.rsplit('/', 1)[-1]}/ itself" if node == base else node.rsplit("/", 1)[-1]


def width_of(node):
    """Of the box; of a tuple, which is a way without a box, little."""
    return 6 if isinstance(node, tuple) else CHARACTER * len(node) + 26


def place(rows, ways):
    """{node: x of its middle}."""
    near = {}
    for way in ways:
        for one, other in zip(way, way[1:]):
            near.setdefault(one, []).append(other)
            near.setdefault(other, []).append(one)
    order = {node: float(i) for row in rows for i, node in enumerate(row)}
    for sweep in range(ORDER_SWEEPS):
        for row in rows if sweep % 2 else rows[::-1]:
            inside = set(row)

            def mean(node):
                others = [order[other] for other in near.get(node, ()) if other not in inside]
                return sum(others) / len(others) if others else order[node]

            row.sort(key=lambda node: (mean(node), str(node)))
            for i, node in enumerate(row):
                order[node] = i - len(row) / 2
    x = {}
    for row in rows:
        total = sum(map(width_of, row)) + GAP * (len(row) - 1)
        left = -total / 2
        for node in row:
            x[node] = left + width_of(node) / 2
            left += width_of(node) + GAP
    for sweep in range(PLACE_SWEEPS):
        for row in rows if sweep % 2 else rows[::-1]:
            wanted = [sum(x[o] for o in near[n]) / len(near[n]) if n in near else x[n] for n in row]
            spans = [(width_of(a) + width_of(b)) / 2 + GAP for a, b in zip(row, row[1:])]
            forward, backward = list(wanted), list(wanted)
            for i, span in enumerate(spans):
                forward[i + 1] = max(forward[i + 1], forward[i] + span)
            for i in range(len(spans) - 1, -1, -1):
                backward[i] = min(backward[i], backward[i + 1] - spans[i])
            for node, right, left in zip(row, forward, backward):
                x[node] = (left + right) / 2
    return x


def panel_draw(title, graph, top):
    """Lines of SVG with its top at `top`, around x = 0; half its width; its height."""
    reach = {name: reached(graph, name) for name in graph}
    level = levels_of(graph, reach)
    rows, ways = rows_make(graph, level, reduced(graph, reach))
    x = place(rows, ways)
    middle = (min(x[n] - width_of(n) / 2 for n in x) + max(x[n] + width_of(n) / 2 for n in x)) / 2
    x = {node: value - middle for node, value in x.items()}
    half = max(max(x[n] + width_of(n) / 2 for n in x), CHARACTER * len(title) / 2)
    y = {node: top + 40 + (len(rows) - 1 - i) * ROW_HEIGHT for i, row in enumerate(rows) for node in row}
    out = [f'<text class="title" x="{-half:.0f}" y="{top + 16}">{escape(title)}</text>']
    for way in ways:
        path = f"M{x[way[0]]:.0f} {y[way[0]] + BOX_HEIGHT:.0f}"
        for one, other in zip(way, way[1:]):
            start = y[one] + BOX_HEIGHT
            if y[one] == y[other]:  # of a cycle: an arc below
                path += f"C{x[one]:.0f} {start + 30:.0f} {x[other]:.0f} {start + 30:.0f} {x[other]:.0f} {start:.0f}"
                continue
            bend = (y[other] - start) / 2
            path += f"C{x[one]:.0f} {start + bend:.0f} {x[other]:.0f} {y[other] - bend:.0f} {x[other]:.0f} {y[other]:.0f}"
            if isinstance(other, tuple):
                path += f"V{y[other] + BOX_HEIGHT:.0f}"
        out.append(f'<path d="{path}" marker-end="url(#tip)"/>')
    for node in (node for row in rows for node in row if not isinstance(node, tuple)):
        width = width_of(node)
        out.append(f'<rect x="{x[node] - width / 2:.0f}" y="{y[node]:.0f}" width="{width:.0f}" height="{BOX_HEIGHT}" rx="4"/>')
        out.append(f'<text x="{x[node]:.0f}" y="{y[node] + 20:.0f}">{escape(node)}</text>')
    return out, half, 40 + len(rows) * ROW_HEIGHT


def draw(edges):
    """The picture, from {folder: folders that it includes}. Panels under the first stand in columns."""
    bases = sorted({parent_of(folder) for folder in edges if parent_of(folder).count("/") >= 1})
    panels = []
    for base in ["."] + bases:
        title = "All folders: what is above includes what is below" if base == "." else f"Within {base}/"
        graph = {label(name, base): {label(other, base) for other in targets}
                 for name, targets in panel_graph(edges, base).items()}
        panels.append(panel_draw(title, graph, 0))
    room = max(2 * half for _, half, _ in panels)
    columns, body = [], []  # of [left, width, bottom], under the first panel
    top = MARGIN + panels[0][2]
    for i, (lines, half, height) in enumerate(panels):
        left = sum(width + 2 * MARGIN for _, width, _ in columns)
        if i == 0:
            column = [0, 2 * half, MARGIN]
        elif left + 2 * half <= room:
            column = [left, 2 * half, top]
            columns.append(column)
        else:
            column = min(columns, key=lambda one: (one[2], one[0]))
        body += [f'<g transform="translate({MARGIN + column[0] + half:.0f} {column[2]:.0f})">', *lines, "</g>"]
        column[2] += height + MARGIN
    width = max([left + width for left, width, _ in columns] + [room]) + 2 * MARGIN
    height = max([bottom for _, _, bottom in columns] + [top])
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}">',
        "<!-- Made by `./dev graph` from the #include lines. -->",
        "<style>text{font:13px sans-serif;text-anchor:middle;fill:#1b2733}.title{font-weight:bold;text-anchor:start}",
        "rect{fill:#e8eef4;stroke:#5b7083}path{fill:none;stroke:#5b7083}.page{fill:#fff;stroke:none}</style>",
        '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">'
        '<path d="M0 1L7 4L0 7z" style="fill:#5b7083;stroke:none"/></marker></defs>',
        f'<rect class="page" width="{width:.0f}" height="{height:.0f}"/>', *body, "</svg>", ""])
