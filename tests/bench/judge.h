/* judge: what is right and wrong in the states that an engine gave, by geometry alone: nothing here knows an engine.
 *
 * One thread. A judge borrows its scene and owns what it remembers of the frames before. What cannot be proved from states at
 * the ends of ticks is decided for the engine:
 *  - Overlap is told of every frame but the first, which is the scene's own.
 *  - A circle has escaped if its centre is out of the scene's bounds, in a closed room of the walls that had none at the start,
 *    or not a number. It stays escaped, and is not looked at any more.
 *  - A hit is missed where two circles, or a circle and a wall, must have met in a tick and neither changed its path. Both flew
 *    straight, by their positions and by their velocities. Within the tick their paths come nearer than 0.95 of their radii, or
 *    the centre's path crosses the wall. Hits that come a tick late are not missed. Only without gravity.
 *    A circle that is steered flies with the velocity that was set.
 *  - Energy is that of movement and height, relative to the first frame's; spins are left out. It must stay for SCENE_ELASTIC.
 *    Elsewhere it may only fall, if nothing is steered and nothing spins in the first frame.
 *  - A head-on pair (SCENE_PAIRS) has hit if at the last frame the two recede along their line at the start. Its error is the
 *    larger distance of the two velocities from those that elastic impact gives, as a part of the speed of approach. */
#ifndef COLLIDED_TESTS_BENCH_JUDGE_H
#define COLLIDED_TESTS_BENCH_JUDGE_H

#include "bench/scene_file.h"

struct verdict {
	uint64_t frames; /* judged, without the first */
	uint64_t circles;
	uint64_t escapes;                         /* circles that ever did */
	bool rooms_open;                          /* SCENE_REGIONS, but the walls do not close: only the bounds counted */
	double overlap_max;                       /* in radii of the smaller circle, or of the circle at a wall; 0: none */
	double overlap_mean;                      /* of all that overlap, in all frames; 0: none does */
	uint64_t overlaps;                        /* pairs that overlap, all frames together */
	double energy_drift;                      /* the value of largest magnitude of (energy - first) / |first| */
	double energy_gain;                       /* the largest such value; 0: it never rose above the first frame's */
	uint64_t missed_pairs, missed_walls;      /* all ticks together */
	bool misses_judged;                       /* there is no gravity */
	uint64_t pairs_hit;                       /* of SCENE_PAIRS */
	double pair_error_median, pair_error_max; /* of those that hit; 0 if none */
};

struct judge;

/* NULL: no memory. */
struct judge *judge_create(const struct scene *scene);
void judge_destroy(struct judge *judge);
/* The next frame: a state for each circle of the scene, borrowed during the call. The first is the state before any tick.
 * false: no memory. */
bool judge_frame(struct judge *judge, const struct frame_state *states);
/* Of all frames so far. */
struct verdict judge_verdict(const struct judge *judge);

#endif
