#include "client/cli/motion/motion.h"

#include "client/cli/motion/motion_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What flies away is followed up to this many times the size of the scene at its start. */
static const double reach_max = 6;

/* Makes room for one more element. */
static bool
room_make(struct run_motion *motion, void **memory, size_t *capacity, size_t count, size_t size)
{
	if (count < *capacity)
		return true;
	size_t grown = *capacity + *capacity / 2 + 4, more = (grown - *capacity) * size;
	if (motion->bytes + more > MOTION_BYTES_MAX) {
		motion->full = true;
		return false;
	}
	void *moved = realloc(*memory, grown * size);
	if (!moved)
		return false;
	*memory = moved;
	*capacity = grown;
	motion->bytes += more;
	return true;
}

/* Whether a piece goes on along the latest, up to its own end. */
static bool
goes_on(const struct motion_piece *latest, const struct motion_piece *piece, double until)
{
	if (piece->cause != PIECE_GOES_ON || piece->jumps || piece->ax != latest->ax || piece->ay != latest->ay)
		return false;
	struct piece_point here = piece_at(latest, piece->t), there = piece_at(latest, until), end = piece_at(piece, until);
	double reach = fmax(fmax(fabs(here.x), fabs(here.y)), fmax(fabs(end.x), fabs(end.y)));
	double most = MOTION_MERGE + 0x1p-47 * reach;
	return fabs(here.x - piece->x) <= most && fabs(here.y - piece->y) <= most && fabs(there.x - end.x) <= most &&
	       fabs(there.y - end.y) <= most;
}

bool
motion_piece_add(struct run_motion *motion, size_t row, const struct motion_piece *piece, double until)
{
	struct motion_track *track = &motion->tracks[row];
	track->until = until;
	if (track->count > 0 && goes_on(&track->pieces[track->count - 1], piece, until))
		return true;
	void *memory = track->pieces;
	bool room = room_make(motion, &memory, &track->capacity, track->count, sizeof *track->pieces);
	track->pieces = memory;
	if (!room)
		return false;
	track->pieces[track->count++] = *piece;
	motion->piece_count++;
	return true;
}

bool
motion_turn_add(struct run_motion *motion, size_t row, double t, double angle, double spin)
{
	struct motion_track *track = &motion->tracks[row];
	if (track->turn_count > 0) {
		const struct motion_turn *latest = &track->turns[track->turn_count - 1];
		if (spin == latest->spin && fabs(latest->angle + (t - latest->t) * spin - angle) <= 0x1p-44 * fmax(1, fabs(angle)))
			return true;
	}
	void *memory = track->turns;
	bool room = room_make(motion, &memory, &track->turn_capacity, track->turn_count, sizeof *track->turns);
	track->turns = memory;
	if (room)
		track->turns[track->turn_count++] = (struct motion_turn){ t, angle, spin };
	return room;
}

static bool
on_piece(void *context, size_t row, const struct motion_piece *piece, double until)
{
	return motion_piece_add(context, row, piece, until);
}

static bool
on_turn(void *context, size_t row, double t, double angle, double spin)
{
	return motion_turn_add(context, row, t, angle, spin);
}

static bool
on_end(void *context, size_t row, double t, double x, double y)
{
	struct run_motion *motion = context;
	(void)x;
	(void)y;
	motion->tracks[row].end = t;
	return true;
}

/* Each circle as it is at the start, so that there is a piece to ask from the first. */
static bool
tracks_begin(struct run_motion *motion)
{
	for (size_t row = 0; row < motion->scene.circle_count; row++) {
		const struct motion_circle *circle = &motion->scene.circles[row];
		const struct motion_piece piece = { .x = circle->x, .y = circle->y };
		motion->tracks[row].end = HUGE_VAL;
		if (!circle->moves && !motion_piece_add(motion, row, &piece, HUGE_VAL))
			return false;
		if ((circle->angle != 0 || circle->spin != 0) && !motion_turn_add(motion, row, 0, circle->angle, circle->spin))
			return false;
	}
	return true;
}

bool
motion_init(struct run_motion *motion, const struct start *start, double dt, char *error, size_t error_size)
{
	*motion = (struct run_motion){ .dt = dt };
	if (!motion_scene_read(&motion->scene, start, error, error_size))
		return false;
	const struct rebuild_taker taker = { .piece = on_piece, .turn = on_turn, .end = on_end, .context = motion };
	motion->tracks = calloc(motion->scene.circle_count + 1, sizeof *motion->tracks);
	motion->rebuild = motion->tracks ? rebuild_create(&motion->scene, dt, &taker) : NULL;
	if (motion->rebuild && tracks_begin(motion))
		return true;
	snprintf(error, error_size, "no memory for the paths");
	return false;
}

void
motion_finish(struct run_motion *motion)
{
	for (size_t row = 0; motion->tracks && row < motion->scene.circle_count; row++) {
		free(motion->tracks[row].pieces);
		free(motion->tracks[row].turns);
	}
	free(motion->tracks);
	rebuild_destroy(motion->rebuild);
	motion_scene_finish(&motion->scene);
	*motion = (struct run_motion){ 0 };
}

bool
motion_frame(struct run_motion *motion, const struct collide_frame *frame)
{
	if (!rebuild_frame(motion->rebuild, frame))
		return false;
	motion->tick = frame->tick;
	motion->hash = frame->hash;
	motion->contacts += frame->collisions;
	motion->duration = (double)(frame->tick - motion->scene.tick) * motion->dt;
	return true;
}

const struct motion_piece *
motion_piece_near(const struct run_motion *motion, size_t row, double t, size_t *hint)
{
	const struct motion_track *track = &motion->tracks[row];
	size_t at = *hint < track->count ? *hint : 0;
	if (track->pieces[at].t > t)
		at = 0;
	/* A few steps on, as when a picture is drawn after the other; else halving. */
	for (int step = 0; step < 8 && at + 1 < track->count && track->pieces[at + 1].t <= t; step++)
		at++;
	size_t low = at, high = track->count;
	while (high - low > 1 && track->pieces[low + 1].t <= t) {
		size_t middle = low + (high - low) / 2;
		if (track->pieces[middle].t <= t)
			low = middle;
		else
			high = middle;
	}
	*hint = low;
	return &track->pieces[low];
}

const struct motion_piece *
motion_piece(const struct run_motion *motion, size_t row, double t)
{
	size_t hint = 0;
	return motion_piece_near(motion, row, t, &hint);
}

bool
motion_there(const struct run_motion *motion, size_t row, double t)
{
	return motion->tracks[row].count > 0 && t >= motion->tracks[row].begin && t < motion->tracks[row].end;
}

static struct motion_turn
turn_at(const struct run_motion *motion, size_t row, double t)
{
	const struct motion_track *track = &motion->tracks[row];
	size_t low = 0, high = track->turn_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (track->turns[middle].t <= t)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? track->turns[low - 1] : (struct motion_turn){ 0 };
}

double
motion_angle(const struct run_motion *motion, size_t row, double t)
{
	struct motion_turn turn = turn_at(motion, row, t);
	return turn.angle + (t - turn.t) * turn.spin;
}

double
motion_spin(const struct run_motion *motion, size_t row, double t)
{
	return turn_at(motion, row, t).spin;
}

static void
extent_add(struct motion_extent *extent, double x, double y, double radius)
{
	extent->x1 = fmin(extent->x1, x - radius);
	extent->x2 = fmax(extent->x2, x + radius);
	extent->y1 = fmin(extent->y1, y - radius);
	extent->y2 = fmax(extent->y2, y + radius);
}

/* Of the shapes that are there first. */
static struct motion_extent
extent_at_start(const struct run_motion *motion)
{
	struct motion_extent extent = { HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL };
	for (size_t i = 0; i < motion->scene.wall_count; i++) {
		const struct motion_wall *wall = &motion->scene.walls[i];
		if (wall->begin > 0)
			continue;
		extent_add(&extent, wall->x1, wall->y1, wall->radius);
		extent_add(&extent, wall->x2, wall->y2, wall->radius);
	}
	for (size_t i = 0; i < motion->scene.circle_count; i++) {
		const struct motion_circle *circle = &motion->scene.circles[i];
		if (motion->tracks[i].begin > 0)
			continue;
		extent_add(&extent, circle->x, circle->y, circle->radius);
	}
	return extent.x1 <= extent.x2 ? extent : (struct motion_extent){ -1, -1, 1, 1 };
}

/* Where a piece begins and ends, and where a parabola turns. */
static void
extent_add_piece(struct motion_extent *extent, const struct motion_piece *piece, double until, double radius)
{
	double times[4] = { piece->t, until, piece->t - piece->vx / piece->ax, piece->t - piece->vy / piece->ay };
	for (int i = 0; i < 4; i++)
		if (times[i] >= piece->t && times[i] <= until) {
			struct piece_point at = piece_at(piece, times[i]);
			extent_add(extent, at.x, at.y, radius);
		}
}

struct motion_extent
motion_extent(const struct run_motion *motion)
{
	struct motion_extent start = extent_at_start(motion), extent = start;
	for (size_t row = 0; row < motion->scene.circle_count; row++) {
		const struct motion_track *track = &motion->tracks[row];
		double over = fmin(track->end, motion->duration);
		for (size_t i = 0; i < track->count; i++)
			extent_add_piece(&extent, &track->pieces[i], i + 1 < track->count ? track->pieces[i + 1].t : over,
			                 motion->scene.circles[row].radius);
	}
	for (size_t i = 0; i < motion->scene.wall_count; i++) {
		const struct motion_wall *wall = &motion->scene.walls[i];
		double times[2] = { wall->begin, fmin(wall->end, motion->duration) };
		for (int k = 0; k < 2; k++) {
			double x = wall->vx * times[k], y = wall->vy * times[k];
			extent_add(&extent, wall->x1 + x, wall->y1 + y, wall->radius);
			extent_add(&extent, wall->x2 + x, wall->y2 + y, wall->radius);
		}
	}
	double size = fmax(start.x2 - start.x1, start.y2 - start.y1), reach = (size > 0 ? size : 1) * (reach_max - 1) / 2;
	double x = start.x1 / 2 + start.x2 / 2, y = start.y1 / 2 + start.y2 / 2;
	return (struct motion_extent){
		fmax(extent.x1, fmin(start.x1, x - reach)),
		fmax(extent.y1, fmin(start.y1, y - reach)),
		fmin(extent.x2, fmax(start.x2, x + reach)),
		fmin(extent.y2, fmax(start.y2, y + reach)),
	};
}

double
motion_speed_mean(const struct run_motion *motion, size_t *moving)
{
	double sum = 0;
	size_t count = 0;
	*moving = 0;
	for (size_t row = 0; row < motion->scene.circle_count; row++) {
		const struct motion_track *track = &motion->tracks[row];
		if (!motion->scene.circles[row].moves)
			continue;
		++*moving;
		for (size_t i = 0; i < track->count; i += 1 + track->count / 16) {
			sum += hypot(track->pieces[i].vx, track->pieces[i].vy);
			count++;
		}
	}
	return count > 0 && sum > 0 ? sum / (double)count : 1;
}
