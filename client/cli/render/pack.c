#include "client/cli/render/pack.h"

#include "client/cli/picture/hue.h"
#include "client/cli/render/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a circle hit, in a code. */
enum { HIT_NOTHING, HIT_CIRCLES, HIT_WALLS };
enum { FLAG_PLACE = 1, FLAG_VELOCITY = 2, FLAG_WHOLE = 4, FLAG_ACCELERATION = 8 };
/* Larger integers are not exact in a double once zigzag has doubled them. */
static const double integer_max = 0x1p52;
/* Corrections within one piece before it is told anew. */
enum { CORRECTIONS_MAX = 8 };

/* One circle's pieces on their way out. */
struct track_packer {
	struct text out;
	struct motion_piece latest; /* as unpacked */
	double ax, ay;              /* the first acceleration that was not 0 */
	size_t next;                /* piece of the motion's */
	uint64_t count;             /* packed, with corrections */
};

struct packer {
	const struct run_motion *motion;
	struct pack_quanta quanta;
	struct track_packer *tracks;
};

/* A piece that begins, in order of time. */
struct beginning {
	double t;
	uint32_t row;
};

struct pack_quanta
pack_quanta_of(const struct run_motion *motion)
{
	double reach = 0, fastest = 0, seconds = 0;
	for (size_t row = 0; row < motion->scene.circle_count; row++) {
		const struct motion_track *track = &motion->tracks[row];
		seconds += motion->scene.circles[row].moves ? fmin(track->end, motion->duration) - track->begin : 0;
		for (size_t i = 0; i < track->count; i++) {
			const struct motion_piece *piece = &track->pieces[i];
			reach = fmax(reach, fmax(fabs(piece->x), fabs(piece->y)));
			fastest = fmax(fastest, fmax(fabs(piece->vx), fabs(piece->vy)));
		}
	}
	double place = fmax(PACK_TOLERANCE / 2, exp2(ceil(log2(fmax(reach, 1))) - 46));
	/* Most pieces last less than twice the mean: their ends are right within half a quantum. */
	double lasting = fmax(2 * seconds / (double)(motion->piece_count + 1), 0x1p-40);
	return (struct pack_quanta){
		.place = place,
		.velocity = place / exp2(ceil(log2(lasting))),
		.time = place / exp2(ceil(log2(fmax(fastest, 1)))),
	};
}

/* ---- Bytes ---- */

static void
put_byte(struct text *out, unsigned byte)
{
	const char character = (char)byte;
	text_append_bytes(out, &character, 1);
}

static void
put_integer(struct text *out, uint64_t value)
{
	for (; value > 127; value >>= 7)
		put_byte(out, (unsigned)(value & 127) | 128);
	put_byte(out, (unsigned)value);
}

static void
put_signed(struct text *out, double value)
{
	put_integer(out, value < 0 ? 2 * (uint64_t)-value - 1 : 2 * (uint64_t)value);
}

static void
put_double(struct text *out, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	for (int i = 0; i < 8; i++)
		put_byte(out, (unsigned)(bits >> (8 * i) & 255));
}

static void
put_float(struct text *out, double value)
{
	float narrow = (float)value;
	uint32_t bits;
	memcpy(&bits, &narrow, sizeof bits);
	for (int i = 0; i < 4; i++)
		put_byte(out, bits >> (8 * i) & 255);
}

/* ---- Pieces ---- */

/* A piece as it will be unpacked, and the integers that say so. */
struct packed {
	struct motion_piece piece; /* unpacked */
	double later;              /* the time's */
	double x, y, vx, vy;
	bool place, velocity, acceleration;
	bool good; /* it can be told by integers */
};

static double
multiple_of(double difference, double quantum)
{
	return floor(difference / quantum + 0.5);
}

static bool
is_integer(double value)
{
	return fabs(value) < integer_max;
}

/* The time is told as a multiple of the quantum after `from`. */
static double
time_pack(const struct packer *packer, struct packed *packed, double from, double t)
{
	packed->later = multiple_of(t - from, packer->quanta.time);
	packed->good = is_integer(packed->later);
	return from + packed->later * packer->quanta.time;
}

/* Where it begins: there the path goes through it, or it is told how far off. */
static void
place_pack(const struct packer *packer, struct packed *packed, const struct motion_piece *latest,
           const struct motion_piece *piece, double t)
{
	double quantum = packer->quanta.place;
	struct piece_point before = piece_at(latest, t), place = piece_at(piece, t);
	packed->place = fabs(place.x - before.x) > quantum || fabs(place.y - before.y) > quantum;
	packed->x = packed->place ? multiple_of(place.x - before.x, quantum) : 0;
	packed->y = packed->place ? multiple_of(place.y - before.y, quantum) : 0;
	packed->good = packed->good && is_integer(packed->x) && is_integer(packed->y);
	packed->piece.t = t;
	packed->piece.x = before.x + packed->x * quantum;
	packed->piece.y = before.y + packed->y * quantum;
}

/* How it goes on: as predicted, if its end is then near enough. */
static void
velocity_pack(const struct packer *packer, struct packed *packed, struct piece_point v, const struct motion_piece *piece,
              double until)
{
	double quantum = packer->quanta.velocity, t = packed->piece.t, h = fmax(until - t, 0);
	struct piece_point velocity = piece_velocity_at(piece, t), place = piece_at(piece, t);
	double x = place.x - packed->piece.x + h * (velocity.x - v.x), y = place.y - packed->piece.y + h * (velocity.y - v.y);
	packed->velocity = !(fabs(x) <= 2 * packer->quanta.place && fabs(y) <= 2 * packer->quanta.place);
	packed->vx = packed->velocity ? multiple_of(velocity.x - v.x, quantum) : 0;
	packed->vy = packed->velocity ? multiple_of(velocity.y - v.y, quantum) : 0;
	packed->good = packed->good && is_integer(packed->vx) && is_integer(packed->vy);
	packed->piece.vx = v.x + packed->vx * quantum;
	packed->piece.vy = v.y + packed->vy * quantum;
}

/* The acceleration is the one before, or the other one that a code can tell. */
static void
acceleration_pack(struct packed *packed, struct track_packer *track, const struct motion_piece *piece)
{
	bool none = piece->ax == 0 && piece->ay == 0, none_before = track->latest.ax == 0 && track->latest.ay == 0;
	bool same = piece->ax == track->latest.ax && piece->ay == track->latest.ay;
	packed->acceleration = !same;
	packed->good = packed->good && (same || none || (none_before && piece->ax == track->ax && piece->ay == track->ay));
	packed->piece.ax = piece->ax;
	packed->piece.ay = piece->ay;
}

static void
put_whole(struct track_packer *track, const struct motion_piece *piece, uint64_t hit)
{
	const double values[] = { piece->t, piece->x, piece->y, piece->vx, piece->vy, piece->ax, piece->ay };
	put_integer(&track->out, 16 * hit + FLAG_WHOLE);
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
		put_double(&track->out, values[i]);
	if (track->ax == 0 && track->ay == 0) {
		track->ax = piece->ax;
		track->ay = piece->ay;
	}
	track->latest = *piece;
	track->count++;
}

static void
put_packed(struct track_packer *track, const struct packed *packed, uint64_t hit, bool timed)
{
	struct text *out = &track->out;
	put_integer(out, 16 * hit + (packed->place ? FLAG_PLACE : 0) + (packed->velocity ? FLAG_VELOCITY : 0) +
	                     (packed->acceleration ? FLAG_ACCELERATION : 0));
	if (timed)
		put_signed(out, packed->later);
	if (packed->place) {
		put_signed(out, packed->x);
		put_signed(out, packed->y);
	}
	if (packed->velocity) {
		put_signed(out, packed->vx);
		put_signed(out, packed->vy);
	}
	track->latest = packed->piece;
	track->count++;
}

static double
piece_until(const struct packer *packer, size_t row, size_t i)
{
	const struct motion_track *track = &packer->motion->tracks[row];
	return i + 1 < track->count ? track->pieces[i + 1].t : fmin(track->end, packer->motion->duration);
}

/* One piece by itself, or a correction of the path that it has. */
static void
put_piece(struct packer *packer, size_t row, const struct motion_piece *piece, double t, double until, bool hits)
{
	const struct motion_scene *scene = &packer->motion->scene;
	struct track_packer *track = &packer->tracks[row];
	const struct motion_piece *latest = &track->latest;
	bool straight = latest->ax == 0 && latest->ay == 0;
	const struct motion_wall *wall = hits && piece->cause == PIECE_BY_WALL ? &scene->walls[piece->other] : NULL;
	const struct motion_circle *fixed = hits && piece->cause == PIECE_BY_CIRCLE ? &scene->circles[piece->other] : NULL;
	uint64_t hit = HIT_NOTHING;
	double from = latest->t, radius = scene->circles[row].radius;
	if (wall)
		hit = HIT_WALLS + (uint64_t)piece->other;
	else if (fixed)
		hit = fixed->moves ? (uint64_t)HIT_CIRCLES : HIT_WALLS + scene->wall_count + (uint64_t)piece->other;
	if (wall && straight && wall->vx == 0 && wall->vy == 0)
		from = latest->t + predict_wall_time(latest, wall, radius + wall->radius);
	else if (fixed && straight && !fixed->moves)
		from = latest->t + predict_point_time(latest, fixed->x, fixed->y, radius + fixed->radius);
	struct packed packed = { 0 };
	double at = time_pack(packer, &packed, from, t);
	place_pack(packer, &packed, latest, piece, at);
	struct piece_point v = piece_velocity_at(latest, at);
	if (wall && wall->vx == 0 && wall->vy == 0)
		predict_wall_reflect(wall, packed.piece.x, packed.piece.y, &v);
	else if (fixed && !fixed->moves)
		predict_point_reflect(packed.piece.x, packed.piece.y, fixed->x, fixed->y, &v);
	velocity_pack(packer, &packed, v, piece, until);
	acceleration_pack(&packed, track, piece);
	if (packed.good)
		put_packed(track, &packed, hit, true);
	else
		put_whole(track, piece, hit);
}

/* The path unpacked must be near enough up to the end of the piece. Where it leaves it, it is put right. */
static void
piece_follow(struct packer *packer, size_t row, const struct motion_piece *piece, double until)
{
	const struct track_packer *track = &packer->tracks[row];
	for (int correction = 0; correction < CORRECTIONS_MAX; correction++) {
		struct piece_point there = piece_at(&track->latest, until), wanted = piece_at(piece, until);
		double off = fmax(fabs(there.x - wanted.x), fabs(there.y - wanted.y)), most = 2 * packer->quanta.place;
		if (off <= most || !(until > track->latest.t))
			return;
		put_piece(packer, row, piece, track->latest.t + (until - track->latest.t) * 0.75 * most / off, until, false);
	}
	put_whole(&packer->tracks[row], piece, HIT_NOTHING);
}

/* Whether two dynamic circles hit each other there and nothing else. */
static bool
is_pair(const struct packer *packer, size_t row, const struct motion_piece *piece)
{
	if (piece->cause != PIECE_BY_CIRCLE)
		return false;
	const struct motion_scene *scene = &packer->motion->scene;
	size_t other = piece->other, next = packer->tracks[other].next;
	if (!scene->circles[row].dynamic || !scene->circles[other].dynamic || next == 0 ||
	    next >= packer->motion->tracks[other].count)
		return false;
	const struct motion_piece *mirrored = &packer->motion->tracks[other].pieces[next];
	return mirrored->t == piece->t && mirrored->cause == PIECE_BY_CIRCLE && mirrored->other == row && row != other;
}

/* Both sides of a collision. false: it cannot be told by integers. */
static bool
put_pair(struct packer *packer, size_t a, size_t b)
{
	const struct motion_scene *scene = &packer->motion->scene;
	struct track_packer *tracks[2] = { &packer->tracks[a], &packer->tracks[b] };
	const size_t rows[2] = { a, b };
	const struct motion_piece *pieces[2];
	struct packed packed[2] = { { .good = true }, { .good = true } };
	struct piece_point v[2], at[2];
	double from = predict_pair_time(&tracks[0]->latest, &tracks[1]->latest,
	                                scene->circles[a].radius + scene->circles[b].radius);
	for (int k = 0; k < 2; k++)
		pieces[k] = &packer->motion->tracks[rows[k]].pieces[tracks[k]->next];
	double t = time_pack(packer, &packed[0], from, pieces[0]->t);
	for (int k = 0; k < 2; k++) {
		place_pack(packer, &packed[k], &tracks[k]->latest, pieces[k], t);
		v[k] = piece_velocity_at(&tracks[k]->latest, t);
		at[k] = (struct piece_point){ packed[k].piece.x, packed[k].piece.y };
	}
	predict_pair_reflect(at[0], at[1], scene->circles[a].mass, scene->circles[b].mass, &v[0], &v[1]);
	for (int k = 0; k < 2; k++) {
		velocity_pack(packer, &packed[k], v[k], pieces[k], piece_until(packer, rows[k], tracks[k]->next));
		acceleration_pack(&packed[k], tracks[k], pieces[k]);
	}
	if (!packed[0].good || !packed[1].good)
		return false;
	for (int k = 0; k < 2; k++) {
		put_packed(tracks[k], &packed[k], HIT_WALLS + scene->wall_count + rows[1 - k], k == 0);
		piece_follow(packer, rows[k], pieces[k], piece_until(packer, rows[k], tracks[k]->next++));
	}
	return true;
}

static void
put_next(struct packer *packer, size_t row)
{
	struct track_packer *track = &packer->tracks[row];
	const struct motion_piece *piece = &packer->motion->tracks[row].pieces[track->next];
	double until = piece_until(packer, row, track->next);
	if (track->next > 0 && is_pair(packer, row, piece) &&
	    put_pair(packer, row < piece->other ? row : piece->other, row < piece->other ? piece->other : row))
		return;
	if (track->next++ == 0)
		put_whole(track, piece, HIT_NOTHING);
	else
		put_piece(packer, row, piece, piece->t, until, true);
	piece_follow(packer, row, piece, until);
}

static int
beginning_compare(const void *left, const void *right)
{
	const struct beginning *a = left, *b = right;
	if (a->t != b->t)
		return a->t < b->t ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

/* All pieces in order of time: a collision is predicted from both circles as they are by then. */
static bool
tracks_pack(struct packer *packer)
{
	const struct run_motion *motion = packer->motion;
	size_t count = 0;
	struct beginning *order = calloc(motion->piece_count + 1, sizeof *order);
	packer->tracks = calloc(motion->scene.circle_count + 1, sizeof *packer->tracks);
	if (!order || !packer->tracks) {
		free(order);
		return false;
	}
	for (size_t row = 0; row < motion->scene.circle_count; row++)
		for (size_t i = 0; i < motion->tracks[row].count; i++)
			order[count++] = (struct beginning){ motion->tracks[row].pieces[i].t, (uint32_t)row };
	qsort(order, count, sizeof *order, beginning_compare);
	for (size_t i = 0; i < count; i++) {
		/* The other side of a collision may have been packed with its partner. */
		const struct track_packer *track = &packer->tracks[order[i].row];
		const struct motion_track *from = &motion->tracks[order[i].row];
		if (track->next < from->count && from->pieces[track->next].t <= order[i].t)
			put_next(packer, order[i].row);
	}
	free(order);
	return true;
}

static void
put_shapes(const struct run_motion *motion, struct text *out)
{
	const struct motion_scene *scene = &motion->scene;
	struct hues hues;
	hues_begin(&hues);
	for (size_t row = 0; row < scene->circle_count; row++)
		hues_add(&hues, scene->circles[row].x, scene->circles[row].y);
	put_integer(out, scene->circle_count);
	for (size_t row = 0; row < scene->circle_count; row++) {
		const struct motion_circle *circle = &scene->circles[row];
		put_integer(out, circle->id);
		put_integer(out, (circle->moves ? 0U : 1U) + (circle->sensor ? 2U : 0U) + (circle->dynamic ? 4U : 0U));
		put_integer(out, (uint64_t)hue_of_circle(&hues, scene, row));
		put_double(out, circle->radius);
		put_double(out, circle->mass);
		put_double(out, motion->tracks[row].begin);
		put_double(out, motion->tracks[row].end);
	}
	put_integer(out, scene->wall_count);
	for (size_t i = 0; i < scene->wall_count; i++) {
		const struct motion_wall *wall = &scene->walls[i];
		bool moving = wall->vx != 0 || wall->vy != 0;
		bool always = wall->begin <= 0 && isinf(wall->end);
		const double values[] = { wall->x1, wall->y1, wall->x2, wall->y2, wall->radius, wall->vx, wall->vy };
		put_integer(out, (wall->sensor ? 1U : 0U) + (wall->one_sided ? 2U : 0U) + (wall->disabled ? 4U : 0U) +
		                     (moving ? 8U : 0U) + (always ? 0U : 16U));
		for (size_t k = 0; k < (moving ? 7U : 5U); k++)
			put_double(out, values[k]);
		if (!always) {
			put_double(out, wall->begin);
			put_double(out, wall->end);
		}
	}
}

static void
put_turns(const struct motion_track *track, struct text *out)
{
	put_integer(out, track->turn_count);
	for (size_t i = 0; i < track->turn_count; i++) {
		put_double(out, track->turns[i].t);
		put_float(out, remainder(track->turns[i].angle, 2 * 3.141592653589793));
		put_float(out, track->turns[i].spin);
	}
}

void
pack_motion(const struct run_motion *motion, const struct pack_quanta *quanta, struct text *out)
{
	struct packer packer = { .motion = motion, .quanta = *quanta };
	size_t circles = motion->scene.circle_count;
	put_shapes(motion, out);
	for (size_t row = 0; row < circles; row++)
		put_turns(&motion->tracks[row], out);
	out->failed = out->failed || !tracks_pack(&packer);
	for (size_t row = 0; row < circles && !out->failed; row++) {
		put_integer(out, packer.tracks[row].count);
		put_integer(out, packer.tracks[row].out.count);
		out->failed = out->failed || packer.tracks[row].out.failed;
	}
	for (size_t row = 0; row < circles && !out->failed; row++)
		text_append_bytes(out, packer.tracks[row].out.characters, packer.tracks[row].out.count);
	for (size_t row = 0; packer.tracks && row < circles; row++)
		text_finish(&packer.tracks[row].out);
	free(packer.tracks);
}
