"""Numbers from measurements: medians, percentiles, ratios, and which engine was wrong. Nothing here runs anything."""
from statistics import median

# What an engine may do and still count as right.
OVERLAP_MAX = 0.01  # radii
DRIFT_MAX = 1e-3


def percentile(values, part):
    """By nearest rank: the least value that at least `part` of all are not above. With fewer than 100 values the 99th
    percentile is the largest."""
    ordered = sorted(values)
    rank = -(-part * len(ordered) // 1)
    return ordered[min(len(ordered), max(1, int(rank))) - 1]


def pooled(repeats, ticks=None):
    """All ticks of all repeats, the first `ticks` of each."""
    return [ns for repeat in repeats for ns in repeat[:ticks]]


def ticks_common(*cells):
    """The ticks that all repeats of all cells made."""
    return min(len(repeat) for cell in cells for repeat in cell)


def ratio(ours, theirs):
    """Ours by theirs, over the ticks that both made, since an engine's ticks change as its scene does. `median` is the median
    over the repeats of the ratio of the medians of neighbouring runs, with the least and the largest of these ratios. `p99` is
    the ratio of the 99th percentiles. A cell is a list of repeats, each a list of ns per tick."""
    ticks = ticks_common(ours, theirs)
    ratios = [median(mine[:ticks]) / median(other[:ticks]) for mine, other in zip(ours, theirs)]
    return {
        "ticks": ticks,
        "median": median(ratios),
        "least": min(ratios),
        "largest": max(ratios),
        "p99": percentile(pooled(ours, ticks), 0.99) / percentile(pooled(theirs, ticks), 0.99),
    }


def milliseconds(cell):
    """Median over the repeats of their medians, and the 99th percentile of all ticks."""
    return {"median": median(median(repeat) for repeat in cell) / 1e6, "p99": percentile(pooled(cell), 0.99) / 1e6}


def better(cells, names, ticks=None):
    """The name of the cell with the lower median over the ticks that all of them made; None if there is none."""
    there = [name for name in names if cells.get(name)]
    if not there:
        return None
    ticks = ticks or ticks_common(*(cells[name] for name in there))
    return min(there, key=lambda name: median(median(repeat[:ticks]) for repeat in cells[name]))


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
    if (verdict["missed_pairs"] or 0) + (verdict["missed_walls"] or 0) > 0:
        found.append("missed hits")
    if verdict["whole"] and verdict.get("pairs_hit", 0) < verdict.get("pairs", 0):
        found.append("pairs not hit")
    return found
