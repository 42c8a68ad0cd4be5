#include "client/cli/motion/rebuild.h"

#include <math.h>
#include <stdlib.h>

/* Where a circle's path has come to. */
struct body_walk {
	struct motion_piece piece; /* under way */
	double vx, vy;             /* what it has; its piece stands still while it is parked */
	double turn_t, angle, spin;
	double released_t; /* by a contact, which comes before the release is told */
	bool parked, stopped, asleep, ended;
};

struct rebuild {
	const struct motion_scene *scene;
	double dt;
	struct rebuild_taker taker;
	struct body_walk *walks;
	uint64_t tick; /* that has been rebuilt */
	bool failed;
};

struct rebuild *
rebuild_create(const struct motion_scene *scene, double dt, const struct rebuild_taker *taker)
{
	struct rebuild *rebuild = calloc(1, sizeof *rebuild);
	struct body_walk *walks = calloc(scene->circle_count + 1, sizeof *walks);
	if (!rebuild || !walks) {
		free(rebuild);
		free(walks);
		return NULL;
	}
	*rebuild = (struct rebuild){ .scene = scene, .dt = dt, .taker = *taker, .walks = walks, .tick = scene->tick };
	for (size_t row = 0; row < scene->circle_count; row++) {
		const struct motion_circle *circle = &scene->circles[row];
		walks[row] = (struct body_walk){
			.piece = { .x = circle->x, .y = circle->y, .vx = circle->vx, .vy = circle->vy },
			.vx = circle->vx,
			.vy = circle->vy,
			.angle = circle->angle,
			.spin = circle->spin,
			.released_t = -1,
			.asleep = circle->asleep,
		};
	}
	return rebuild;
}

void
rebuild_destroy(struct rebuild *rebuild)
{
	if (rebuild)
		free(rebuild->walks);
	free(rebuild);
}

/* Seconds since the start of the run, at the start of a tick. */
static double
tick_start(const struct rebuild *rebuild, uint64_t tick)
{
	return (double)(tick - 1 - rebuild->scene->tick) * rebuild->dt;
}

/* Ends the piece under way at t; the next goes on from there, as it was. */
static void
piece_cut(struct rebuild *rebuild, size_t row, double t)
{
	struct body_walk *walk = &rebuild->walks[row];
	struct motion_piece *piece = &walk->piece;
	if (!(t > piece->t))
		return;
	if (rebuild->taker.piece && !rebuild->failed && !rebuild->taker.piece(rebuild->taker.context, row, piece, t))
		rebuild->failed = true;
	struct piece_point at = piece_at(piece, t), v = piece_velocity_at(piece, t);
	if (!walk->parked) {
		walk->vx = v.x;
		walk->vy = v.y;
	}
	*piece = (struct motion_piece){ .t = t, .x = at.x, .y = at.y, .vx = v.x, .vy = v.y, .ax = piece->ax, .ay = piece->ay };
}

static void
piece_set(struct body_walk *walk, double vx, double vy, double ax, double ay)
{
	struct motion_piece *piece = &walk->piece;
	walk->vx = vx;
	walk->vy = vy;
	piece->vx = walk->parked ? 0 : vx;
	piece->vy = walk->parked ? 0 : vy;
	piece->ax = walk->parked ? 0 : ax;
	piece->ay = walk->parked ? 0 : ay;
}

/* What is parked moves again, and has gravity as its acceleration, at the start of every tick. */
static void
tick_begin(struct rebuild *rebuild, double t)
{
	const struct motion_scene *scene = rebuild->scene;
	for (size_t row = 0; row < scene->circle_count; row++) {
		const struct motion_circle *circle = &scene->circles[row];
		struct body_walk *walk = &rebuild->walks[row];
		if (!circle->moves || walk->ended || walk->asleep)
			continue;
		if (!walk->parked && walk->piece.ax == circle->ax && walk->piece.ay == circle->ay)
			continue;
		piece_cut(rebuild, row, t);
		walk->parked = walk->stopped = false;
		piece_set(walk, walk->vx, walk->vy, circle->ax, circle->ay);
	}
}

static void
turn_set(struct rebuild *rebuild, size_t row, double t, double angle, double spin)
{
	struct body_walk *walk = &rebuild->walks[row];
	walk->turn_t = t;
	walk->angle = angle;
	walk->spin = spin;
	if (rebuild->taker.turn && !rebuild->failed && !rebuild->taker.turn(rebuild->taker.context, row, t, angle, spin))
		rebuild->failed = true;
}

/* One side of a contact. */
struct struck {
	uint32_t id;
	enum piece_cause cause;
	uint32_t other_id;
	double vx_before, vy_before, vx, vy;
	const double *spin; /* after it; NULL: nothing turns */
};

static void
contact_take(struct rebuild *rebuild, double t, const struct struck *struck)
{
	size_t row;
	if (!motion_scene_circle(rebuild->scene, struck->id, &row))
		return;
	struct body_walk *walk = &rebuild->walks[row];
	bool still = struck->vx_before == 0 && struck->vy_before == 0 && struck->vx == 0 && struck->vy == 0;
	/* What a rule stops at this time keeps its velocity, though its contacts tell none. */
	if (!rebuild->scene->circles[row].moves || walk->ended || still)
		return;
	piece_cut(rebuild, row, t);
	if (walk->stopped) {
		walk->parked = walk->stopped = false;
		walk->released_t = t;
	}
	piece_set(walk, struck->vx, struck->vy, walk->piece.ax, walk->piece.ay);
	size_t other = 0;
	bool found = struck->cause == PIECE_BY_WALL ? motion_scene_wall(rebuild->scene, struck->other_id, &other)
	                                            : motion_scene_circle(rebuild->scene, struck->other_id, &other);
	walk->piece.cause = (uint8_t)(found ? struck->cause : PIECE_GOES_ON);
	walk->piece.other = (uint32_t)other;
	if (struck->spin && *struck->spin != walk->spin)
		turn_set(rebuild, row, t, walk->angle + (t - walk->turn_t) * walk->spin, *struck->spin);
}

static void
contact_both(struct rebuild *rebuild, const struct collide_contacts *contacts, size_t i)
{
	double t = tick_start(rebuild, contacts->tick[i]) + contacts->time[i];
	bool turns = contacts->friction_impulse != NULL, with_circle = contacts->feature[i] == COLLIDE_CIRCLE;
	enum piece_cause cause = with_circle ? PIECE_BY_CIRCLE : PIECE_BY_WALL;
	const struct struck a = { contacts->a[i],           cause,
		                      contacts->b[i],           contacts->a_vx_before[i],
		                      contacts->a_vy_before[i], contacts->a_vx_after[i],
		                      contacts->a_vy_after[i],  turns ? &contacts->a_spin_after[i] : NULL };
	const struct struck b = { contacts->b[i],           cause,
		                      contacts->a[i],           contacts->b_vx_before[i],
		                      contacts->b_vy_before[i], contacts->b_vx_after[i],
		                      contacts->b_vy_after[i],  turns ? &contacts->b_spin_after[i] : NULL };
	contact_take(rebuild, t, &a);
	if (with_circle)
		contact_take(rebuild, t, &b);
}

/* By the resting solver, or free again. What a rule has stopped moves on. */
static void
led_or_free(struct body_walk *walk, const struct motion_circle *circle, bool led, double x, double y)
{
	if (walk->stopped)
		walk->parked = walk->stopped = false;
	piece_set(walk, x, y, led ? 0 : circle->ax, led ? 0 : circle->ay);
}

static void
stop_tell(struct rebuild *rebuild, size_t row, double t)
{
	const struct motion_piece *piece = &rebuild->walks[row].piece;
	if (rebuild->taker.stop && !rebuild->failed && !rebuild->taker.stop(rebuild->taker.context, row, t, piece->x, piece->y))
		rebuild->failed = true;
}

/* For the rest of the tick. */
static void
stand_still(struct body_walk *walk)
{
	walk->parked = true;
	piece_set(walk, walk->vx, walk->vy, 0, 0);
}

static void
change_take(struct rebuild *rebuild, const struct collide_path_changes *changes, size_t i)
{
	size_t row;
	double t = tick_start(rebuild, changes->tick[i]) + changes->time[i], x = changes->vector_x[i], y = changes->vector_y[i];
	if (!motion_scene_circle(rebuild->scene, changes->body[i], &row) || rebuild->walks[row].ended)
		return;
	const struct motion_circle *circle = &rebuild->scene->circles[row];
	struct body_walk *walk = &rebuild->walks[row];
	piece_cut(rebuild, row, t);
	switch ((enum collide_path_kind)changes->kind[i]) {
	case COLLIDE_PATH_PUSHED:
		walk->piece.x += x;
		walk->piece.y += y;
		walk->piece.jumps = true;
		break;
	case COLLIDE_PATH_SUPPORTED: piece_set(walk, walk->vx, walk->vy, x, y); break;
	case COLLIDE_PATH_FREE: piece_set(walk, walk->vx, walk->vy, circle->ax, circle->ay); break;
	case COLLIDE_PATH_LED: led_or_free(walk, circle, true, x, y); break;
	case COLLIDE_PATH_RELEASED:
		if (walk->released_t != t)
			led_or_free(walk, circle, false, x, y);
		walk->released_t = -1; /* it is told once */
		break;
	case COLLIDE_PATH_ASLEEP:
	case COLLIDE_PATH_WOKEN:
		walk->asleep = changes->kind[i] == COLLIDE_PATH_ASLEEP;
		piece_set(walk, 0, 0, 0, 0);
		break;
	case COLLIDE_PATH_KICKED: piece_set(walk, x, y, walk->piece.ax, walk->piece.ay); break;
	case COLLIDE_PATH_STOPPED:
		stop_tell(rebuild, row, t);
		walk->stopped = true;
		stand_still(walk);
		break;
	case COLLIDE_PATH_PARKED:
	case COLLIDE_PATH_CRUSHED: stand_still(walk); break;
	}
}

/* At one time damping, pushes and wakings come first, then contacts, then the other changes. */
static bool
change_is_next(const struct collide_frame *frame, size_t contact, size_t change)
{
	const struct collide_contacts *contacts = &frame->contacts;
	const struct collide_path_changes *changes = &frame->path_changes;
	if (change == changes->count || contact == contacts->count)
		return change < changes->count;
	if (changes->tick[change] != contacts->tick[contact])
		return changes->tick[change] < contacts->tick[contact];
	uint32_t kind = changes->kind[change];
	bool first = kind == COLLIDE_PATH_PUSHED || kind == COLLIDE_PATH_KICKED || kind == COLLIDE_PATH_WOKEN;
	return changes->time[change] < contacts->time[contact] || (changes->time[change] == contacts->time[contact] && first);
}

static void
end_take(struct rebuild *rebuild, const struct collide_ends *ends, size_t i)
{
	size_t row;
	double t = tick_start(rebuild, ends->tick[i]) + ends->time[i];
	if (!motion_scene_circle(rebuild->scene, ends->body[i], &row) || rebuild->walks[row].ended)
		return;
	piece_cut(rebuild, row, t);
	rebuild->walks[row].ended = true;
	if (rebuild->taker.end && !rebuild->failed && !rebuild->taker.end(rebuild->taker.context, row, t, ends->x[i], ends->y[i]))
		rebuild->failed = true;
}

/* The paths go on from the state that the frame tells. */
static void
state_take(struct rebuild *rebuild, const struct collide_frame *frame)
{
	const struct collide_bodies *bodies = &frame->bodies;
	double t = tick_start(rebuild, frame->tick + 1);
	for (size_t i = 0; i < bodies->count; i++) {
		size_t row;
		if (!motion_scene_circle(rebuild->scene, bodies->id[i], &row))
			continue;
		const struct motion_circle *circle = &rebuild->scene->circles[row];
		struct body_walk *walk = &rebuild->walks[row];
		if (bodies->angle && (bodies->angle[i] != walk->angle || bodies->angular_velocity[i] != walk->spin))
			turn_set(rebuild, row, t, bodies->angle[i], bodies->angular_velocity[i]);
		if (!circle->moves || walk->ended)
			continue;
		piece_cut(rebuild, row, t);
		walk->piece.x = bodies->x[i];
		walk->piece.y = bodies->y[i];
		walk->parked = walk->stopped = false;
		piece_set(walk, bodies->vx[i], bodies->vy[i], walk->asleep ? 0 : circle->ax, walk->asleep ? 0 : circle->ay);
	}
}

bool
rebuild_frame(struct rebuild *rebuild, const struct collide_frame *frame)
{
	const struct collide_contacts *contacts = &frame->contacts;
	const struct collide_path_changes *changes = &frame->path_changes;
	size_t contact = 0, change = 0, end = 0;
	while (rebuild->tick < frame->tick && !rebuild->failed) {
		uint64_t tick = ++rebuild->tick;
		tick_begin(rebuild, tick_start(rebuild, tick));
		for (;;) {
			if (change_is_next(frame, contact, change)) {
				if (changes->tick[change] > tick)
					break;
				change_take(rebuild, changes, change++);
			} else if (contact < contacts->count && contacts->tick[contact] <= tick) {
				contact_both(rebuild, contacts, contact++);
			} else {
				break;
			}
		}
		while (end < frame->ends.count && frame->ends.tick[end] <= tick)
			end_take(rebuild, &frame->ends, end++);
	}
	state_take(rebuild, frame);
	return !rebuild->failed;
}
