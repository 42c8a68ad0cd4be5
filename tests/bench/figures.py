"""Numbers from measurements: medians, percentiles, ratios, and which engine was wrong. Nothing here runs anything."""
from statistics import mean, median

# What an engine may do and still count as right.
OVERLAP_MAX = 0.01  # radii
DRIFT_MAX = 1e-3


def percentile(values, part):
    """By nearest rank: the least value that at least `part` of all are not above. With fewer than 100 values the 99th
    percentile is the largest."""
    ordered = sorted(values)
    rank = -(-part * len(ordered) // 1)
    return ordered[min(len(ordered), max(1, int(rank))) - 1]


def ticks_common(*cells):
    """The ticks that all repeats of all cells made."""
    return min(len(repeat) for cell in cells for repeat in cell)


def ratio(ours, theirs):
    """Ours by theirs, over the ticks that both made, since an engine's ticks change as its scene does. Neighbouring runs are compared.
    `mean` is the median over the repeats of the ratio of two means, `least` and `largest` are the extremes. `p99` is the median
    ratio of two 99th percentiles. A cell is a list of repeats, each a list of ns per tick."""
    ticks = ticks_common(ours, theirs)
    pairs = [(mine[:ticks], other[:ticks]) for mine, other in zip(ours, theirs)]
    means = [mean(mine) / mean(other) for mine, other in pairs]
    return {
        "ticks": ticks,
        "mean": median(means),
        "least": min(means),
        "largest": max(means),
        "p99": median(percentile(mine, 0.99) / percentile(other, 0.99) for mine, other in pairs),
    }


def milliseconds(cell):
    """Medians over the repeats of their means, 99th percentiles and slowest ticks."""
    return {"mean": median(mean(repeat) for repeat in cell) / 1e6, "p99": median(percentile(repeat, 0.99) for repeat in cell) / 1e6,
            "max": median(max(repeat) for repeat in cell) / 1e6}


def fastest(ours, builds, part):
    """Ours by the fastest of an engine's builds, {name: cell}, by means or by 99th percentiles: (ratio, name); None if there is
    no build."""
    ratios = [(ratio(ours, cell)[part], name) for name, cell in builds.items() if cell]
    return max(ratios) if ratios else None


def faults(verdict):
    """What is wrong in a verdict of the judge, in words; empty if nothing is. Of a run that was not `whole`, pairs may have been
    about to hit."""
    found = []
    if verdict["escapes"]:
        found.append("escapes")
    if verdict["overlap_max"] > OVERLAP_MAX:
        found.append("overlap")
    if verdict["energy_drift"] is not None and abs(verdict["energy_drift"]) > DRIFT_MAX:
        found.append("energy")
    elif verdict.get("energy_gain") and verdict["energy_gain"] > DRIFT_MAX:
        found.append("energy")
    if (verdict["missed_pairs"] or 0) + (verdict["missed_walls"] or 0) > 0:
        found.append("missed hits")
    if verdict["whole"] and verdict.get("pairs_hit", 0) < verdict.get("pairs", 0):
        found.append("pairs not hit")
    return found
