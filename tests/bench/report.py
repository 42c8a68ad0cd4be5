"""The summary as text for a terminal and as Markdown for docs/performance.md."""


def number(value):
    """Three digits that count, without an exponent where it can be had."""
    if value is None:
        return "–"
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if abs(value) < 1e-3:
        return f"{value:.1e}"
    return f"{value:.3g}"


def missed_text(verdict):
    if "pairs" in verdict:
        early = "" if verdict["whole"] else f" in {verdict['frames']} ticks"
        return f"hit {verdict['pairs_hit']} of {verdict['pairs']}{early}, error {number(verdict['pair_error_median'])}"
    if verdict["missed_pairs"] is None:
        return "–"
    circles, walls = verdict["missed_pairs"], verdict["missed_walls"]
    return f"{circles:,} + {walls:,}" if circles or walls else "0"


def cell_words(cell):
    """The columns of one cell, as HEADS has them."""
    verdict, ratio = cell["verdict"], cell["ours_by_this"]
    return [
        number(cell["median_ms"]),
        number(cell["p99_ms"]),
        number(ratio["median"]) if ratio else "–",
        number(ratio["p99"]) if ratio else "–",
        f"{min(cell['ticks'])}/{verdict['frames']}",
        number(verdict["energy_drift"]),
        number(verdict["overlap_max"]),
        f"{verdict['escapes']:,}" + ("?" if verdict["rooms_open"] else ""),
        missed_text(verdict),
    ]


HEADS = ["ms/tick", "p99", "ours ÷ this", "of p99", "ticks timed/judged", "energy", "overlap", "escapes", "missed: pairs + walls"]


def scene_rows(scene, engines):
    """Words of each engine's row: (title, columns or None, text if there are none)."""
    for name, cell in scene["cells"].items():
        title = engines[name]["title"]
        if "skipped" in cell:
            yield title, None, cell["skipped"]
        else:
            yield title, cell_words(cell), "; ".join(cell["notes"])


def machine_lines(summary):
    machine, run = summary["machine"], summary["run"]
    yield (f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gib']} GiB, {machine['system']}, Linux "
           f"{machine['kernel']}; {machine['compiler']}, {machine['build']}; node {machine['node']}; "
           f"commit {machine['commit']}, {machine['date']}.")
    yield (f"{run['kind']} run of {run['seconds'] / 60:.0f} minutes, {run['repeats']} repeats; others used "
           f"{100 * run['others_share']:.0f} % of the machine meanwhile.")


def goal_word(goal):
    if goal["met"] is None:
        return "not run"
    return "met" if goal["met"] else "missed"


def text(summary):
    """For a terminal."""
    lines = list(machine_lines(summary))
    lines.append(", ".join(f"{engine['title']} {engine['version']}" for engine in summary["engines"].values() if engine["version"]))
    for scene in summary["scenes"]:
        lines += ["", f"== {scene['title']} =="]
        lines.append("  %-16s %9s %9s %11s %8s %19s %9s %9s %8s  %s" % ("", *HEADS))
        for title, words, note in scene_rows(scene, summary["engines"]):
            if words is None:
                lines.append("  %-16s %s" % (title, note))
            else:
                lines.append("  %-16s %9s %9s %11s %8s %19s %9s %9s %8s  %s" % (title, *words) + (f"  ({note})" if note else ""))
    lines += ["", "== what is promised =="]
    for goal in (goal for goal in summary["goals"] if goal["met"] is not None):
        aim = f", goal {number(goal['goal'])}" if goal["goal"] is not None else ""
        lines.append("  %-8s %-62s %9s  (at most %s%s)" % (goal_word(goal), goal["what"], number(goal["value"]),
                                                           number(goal["bound"]), aim))
    lines.append(f"  {sum(goal['met'] is None for goal in summary['goals'])} more are about scenes that were not run")
    return "\n".join(lines) + "\n"


def markdown(summary, command, picture):
    """What goes between the marks of docs/performance.md."""
    lines = [f"Made by `{command}`. " + " ".join(machine_lines(summary)), ""]
    if not summary["run"]["quiet"]:
        lines += ["**The machine was not quiet: these figures are only to show the form.**", ""]
    lines += [f"![Time of each engine by ours, scene by scene]({picture})", "", "### What is promised", "",
              "| | measured | at most | goal | |", "|---|--:|--:|--:|---|"]
    for goal in summary["goals"]:
        lines.append(f"| {goal['what']} | {number(goal['value'])} | {number(goal['bound'])} | {number(goal['goal'])} | "
                     f"{goal_word(goal)} |")
    group = None
    for scene in summary["scenes"]:
        if scene["group"] != group:
            group = scene["group"]
            lines += ["", f"### {group[0].upper() + group[1:]}"]
        lines += ["", f"**{scene['title']}**", "", "| engine | " + " | ".join(HEADS) + " |", "|---|" + "--:|" * len(HEADS)]
        for title, words, note in scene_rows(scene, summary["engines"]):
            if words is None:
                lines.append(f"| {title} | {note} |" + " |" * (len(HEADS) - 1))
            else:
                lines.append(f"| {title}{f' ({note})' if note else ''} | " + " | ".join(words) + " |")
    lines += ["", "### Engines", ""]
    for engine in summary["engines"].values():
        about = engine["settings"] or [engine["missing"] or "nothing was run"]
        about = ". ".join(text[0].upper() + text[1:] for text in about)
        lines.append(f"- {engine['title']} {engine['version'] or ''}: {about}.".replace(" :", ":"))
    return "\n".join(lines) + "\n"
