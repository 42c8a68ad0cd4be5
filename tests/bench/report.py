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


def energy_text(verdict):
    """The drift where none may be; else what was gained, where nothing may be."""
    gain = verdict.get("energy_gain")
    return number(verdict["energy_drift"]) if gain is None else f"gained {number(gain)}" if gain else "0"


def cell_words(cell):
    """The columns of one cell, as HEADS has them."""
    verdict, ratio = cell["verdict"], cell["ours_by_this"]
    return [
        number(cell["mean_ms"]),
        number(cell["p99_ms"]),
        number(cell["max_ms"]),
        number(ratio["mean"]) if ratio else "–",
        number(ratio["p99"]) if ratio else "–",
        f"{min(cell['ticks'])}/{verdict['frames']}",
        energy_text(verdict),
        number(verdict["overlap_max"]),
        f"{verdict['escapes']:,}" + ("?" if verdict["rooms_open"] else ""),
        missed_text(verdict),
    ]


HEADS = ["ms/tick", "p99", "max", "ours ÷ this", "of p99", "ticks timed/judged", "energy", "overlap", "escapes", "missed: pairs + walls"]


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


ROW = "  %-21s %9s %9s %9s %11s %8s %19s %14s %9s %8s  %s"


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
        lines.append(ROW % ("", *HEADS))
        for title, words, note in scene_rows(scene, summary["engines"]):
            if words is None:
                lines.append("  %-21s %s" % (title, note))
            else:
                lines.append(ROW % (title, *words) + (f"  ({note})" if note else ""))
    lines += ["", "== what is promised =="]
    for goal in (goal for goal in summary["goals"] if goal["met"] is not None):
        aim = f", goal {number(goal['goal'])}" if goal["goal"] is not None else ""
        by = f", by {summary['engines'][goal['by']]['title']}" if goal["by"] else ""
        lines.append("  %-8s %-75s %9s  (at most %s%s%s)" % (goal_word(goal), goal["what"], number(goal["value"]),
                                                             number(goal["bound"]), aim, by))
    lines.append(f"  {sum(goal['met'] is None for goal in summary['goals'])} more are about scenes that were not run")
    return "\n".join(lines) + "\n"


def markdown(summary, command, picture):
    """What goes between the marks of docs/performance.md."""
    lines = [f"Made by `{command}`. " + " ".join(machine_lines(summary)), ""]
    if not summary["run"]["quiet"]:
        lines += ["**The machine was not quiet: these figures are only to show the form.**", ""]
    lines += [f"![Time of each engine by ours, scene by scene]({picture})", "", "### What is promised", "",
              "| | measured | at most | goal | | by |", "|---|--:|--:|--:|---|---|"]
    for goal in summary["goals"]:
        lines.append(f"| {goal['what']} | {number(goal['value'])} | {number(goal['bound'])} | {number(goal['goal'])} | "
                     f"{goal_word(goal)} | {summary['engines'][goal['by']]['title'] if goal['by'] else ''} |")
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


def ratio_words(part):
    """Bold where we lose."""
    return "–" if not part else f"**{number(part['ratio'])}**" if part["ratio"] > 1 else number(part["ratio"])


def fault_words(scene, names):
    found = {fault for name in names for fault in scene["cells"].get(name, {}).get("faults", [])}
    return ", ".join(sorted(found)) or "–"


def readme(summary, families):
    """What goes between the marks of README.md: for each scene ours by the fastest builds of others. Times of a machine that was not
    quiet are left out."""
    quiet = summary["run"]["quiet"]
    heads = ["ours, ms: mean, p99"] if quiet else []
    heads += [f"by {family}: mean, p99" for family in families] + [f"wrong in {family}" for family in families]
    machine, run = summary["machine"], summary["run"]
    about = (f"From a {run['kind']} run of `./dev bench` with {run['repeats']} repeats: {machine['processor']}, commit {machine['commit']}, "
             f"{machine['date']}.")
    busy = "" if quiet else f" Others used {100 * run['others_share']:.0f} % of the machine meanwhile, so it has ratios only."
    lines = [about + busy, "", "| | " + " | ".join(heads) + " |",
             "|---|" + "--:|" * (len(heads) - len(families)) + "---|" * len(families)]
    for scene in summary["scenes"]:
        ours = scene["cells"].get("collided", {})
        if "mean_ms" not in ours or not any(scene["fastest"].values()):
            continue
        words = [f"{number(ours['mean_ms'])}, {number(ours['p99_ms'])}"] if quiet else []
        for family in families:
            parts = scene["fastest"][family] or {}
            words.append(", ".join(ratio_words(parts.get(part)) for part in ("mean", "p99")))
        words += [fault_words(scene, names) for names in families.values()]
        lines.append(f"| {scene['title']} | " + " | ".join(words) + " |")
    return "\n".join(lines) + "\n"
