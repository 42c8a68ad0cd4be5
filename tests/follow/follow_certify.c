/* follow_certify FILE: what a recorded stream of paths says, judged by the certificate.
 *
 * The follower of the C library reads it. Of each tick the certificate is given the pieces of path of all circles, and where
 * walls are. So it sees only what was told to a reader, and neither contacts nor states of the engine. Prints what it found;
 * the status is 1 if there is anything.
 *
 * All circles are taken to meet each other and all walls: it is for worlds without filters, sensors and one-sided walls. Pairs
 * that overlap when the list of shapes changes are excused until they have separated, as those of a scene are. A place that
 * does not follow from the one before is a jump. */
#include "certificate/overlap.h"
#include "certificate/wall_motion.h"
#include "client/lib/follow/follower.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A circle as it was known last: those that end in a tick are not in the list after it. */
struct known_circle {
	uint32_t id;
	enum certificate_kind kind;
	double radius;
	struct cert_vec place;
	bool placed; /* it was there after the last tick */
};

struct certifier {
	struct cert_shapes shapes;
	struct cert_paths paths;
	struct cert_sweep sweep;
	struct cert_overlaps overlaps;
	struct certificate_report report;
	struct cert_vec *starts; /* of each body: where it is when the tick begins */
	struct known_circle *known;
	size_t known_count, known_capacity;
	bool begun;
	uint64_t pieces, restarts, jumps;
	double largest_jump;
};

static void *
memory_or_end(void *memory)
{
	if (!memory) {
		fprintf(stderr, "follow_certify: no memory\n");
		exit(2);
	}
	return memory;
}

static void
require(bool good, const char *what)
{
	if (!good) {
		fprintf(stderr, "follow_certify: %s\n", what);
		exit(2);
	}
}

/* ---- shapes */

static struct known_circle *
known_find(struct certifier *certifier, uint32_t id)
{
	for (size_t i = 0; i < certifier->known_count; i++)
		if (certifier->known[i].id == id)
			return &certifier->known[i];
	return NULL;
}

static enum certificate_kind
kind_of(enum collide_kind kind)
{
	return kind == COLLIDE_STATIC      ? CERTIFICATE_STATIC
	       : kind == COLLIDE_KINEMATIC ? CERTIFICATE_KINEMATIC
	                                   : CERTIFICATE_DYNAMIC;
}

/* What the follower has after the tick, with those that are known to have ended in it. */
static void
known_take(struct certifier *certifier, const struct collide_follower *follower)
{
	for (size_t i = 0; i < follower->circle_count; i++) {
		const struct collide_followed_circle *seen = &follower->circles[i].seen;
		struct known_circle *known = known_find(certifier, seen->id);

		if (!known) {
			require(follow_reserve(&certifier->known, &certifier->known_capacity, certifier->known_count + 1,
			                       sizeof *certifier->known),
			        "no memory");
			known = &certifier->known[certifier->known_count++];
			*known = (struct known_circle){ .id = seen->id };
		}
		known->kind = kind_of(seen->kind);
		known->radius = seen->radius;
	}
}

static void
known_place(struct certifier *certifier, const struct collide_follower *follower)
{
	size_t kept = 0;

	for (size_t i = 0; i < certifier->known_count; i++) {
		struct known_circle known = certifier->known[i];
		size_t index;

		known.placed = collide_follower_find(follower, known.id, &index);
		if (!known.placed)
			continue;
		known.place = (struct cert_vec){ follower->circles[index].seen.x, follower->circles[index].seen.y };
		certifier->known[kept++] = known;
	}
	certifier->known_count = kept;
}

static bool
shapes_same(struct certifier *certifier, const struct collide_follower *follower, const struct follow_tick *tick)
{
	const struct cert_shapes *shapes = &certifier->shapes;

	if (!certifier->begun || shapes->body_count != tick->count || shapes->wall_count != follower->segment_count)
		return false;
	for (size_t i = 0; i < tick->count; i++) {
		const struct known_circle *known = known_find(certifier, tick->ids[i]);

		if (shapes->bodies[i].id != tick->ids[i] || !known || shapes->bodies[i].radius != known->radius ||
		    shapes->bodies[i].kind != known->kind)
			return false;
	}
	for (size_t i = 0; i < shapes->wall_count; i++) {
		const struct collide_followed_segment *seen = &follower->segments[i].seen;
		const struct cert_wall *wall = &shapes->walls[i];

		if (wall->id != seen->id || wall->disabled != seen->disabled || wall->radius != seen->radius || wall->v.x != seen->vx ||
		    wall->v.y != seen->vy)
			return false;
	}
	return true;
}

static void
shapes_finish(struct certifier *certifier)
{
	if (!certifier->begun)
		return;
	cert_overlaps_finish(&certifier->overlaps);
	cert_sweep_finish(&certifier->sweep);
	cert_paths_finish(&certifier->paths);
	cert_shapes_finish(&certifier->shapes);
	free(certifier->starts);
}

static void
shapes_begin(struct certifier *certifier, const struct collide_follower *follower, const struct follow_tick *tick)
{
	size_t count = tick->count, wall_count = follower->segment_count;
	struct certificate_circle *circles = memory_or_end(calloc(count + 1, sizeof *circles));
	struct certificate_segment *segments = memory_or_end(calloc(wall_count + 1, sizeof *segments));
	struct cert_vec *velocities = memory_or_end(calloc(count + 1, sizeof *velocities));
	double *spins = memory_or_end(calloc(count + 1, sizeof *spins)), dt = follower->world.dt;

	shapes_finish(certifier);
	for (size_t i = 0; i < count; i++) {
		const struct known_circle *known = known_find(certifier, tick->ids[i]);

		/* One that came and ended in the same tick is not known: it is left out of all pairs. */
		circles[i] = (struct certificate_circle){
			.id = tick->ids[i], .radius = known ? known->radius : 1e-9, .mass = 1, .category = 1, .mask = known ? UINT32_MAX : 0
		};
		if (known)
			circles[i].kind = known->kind;
	}
	for (size_t i = 0; i < wall_count; i++) {
		const struct collide_followed_segment *seen = &follower->segments[i].seen;
		double way_x = dt * seen->vx, way_y = dt * seen->vy; /* it has moved on already */

		segments[i] = (struct certificate_segment){ .id = seen->id,
			                                        .x1 = seen->x1 - way_x,
			                                        .y1 = seen->y1 - way_y,
			                                        .x2 = seen->x2 - way_x,
			                                        .y2 = seen->y2 - way_y,
			                                        .category = 1,
			                                        .mask = UINT32_MAX,
			                                        .radius = seen->radius,
			                                        .vx = seen->vx,
			                                        .vy = seen->vy,
			                                        .disabled = seen->disabled };
	}
	certifier->starts = memory_or_end(calloc(count + 1, sizeof *certifier->starts));

	const struct certificate_scene scene = {
		.circles = circles, .circle_count = count, .segments = segments, .segment_count = wall_count
	};

	require(cert_shapes_init(&certifier->shapes, &scene, certifier->starts, velocities, spins) &&
	            cert_paths_init(&certifier->paths, count) && cert_sweep_init(&certifier->sweep, &certifier->shapes),
	        "no memory");
	cert_overlaps_init(&certifier->overlaps);
	for (size_t i = 0; i < count; i++)
		certifier->paths.crushed[i] = HUGE_VAL;
	certifier->begun = true;
	certifier->restarts++;
	free(circles);
	free(segments);
	free(velocities);
	free(spins);
}

/* ---- paths */

static struct cert_vec
piece_at(const struct cert_piece *piece, double time)
{
	struct cert_motion motion = cert_piece_motion(piece, time);

	return motion.d;
}

/* From one place to where the path goes on. */
static void
jump_look(struct certifier *certifier, size_t body, double time, struct cert_vec from, struct cert_vec to)
{
	double off = cert_length(cert_sub(from, to)), radius = certifier->shapes.bodies[body].radius;

	if (off <= 0x1p-46 * cert_max(cert_max(cert_reach(from), cert_reach(to)), radius))
		return;
	if (certifier->jumps++ == 0)
		printf("tick %" PRIu64 ": circle %" PRIu32 " jumps by %.3g at time %.9g\n",
		       certifier->report.start_tick + certifier->report.ticks, certifier->shapes.bodies[body].id, off, time);
	certifier->largest_jump = cert_max(certifier->largest_jump, off / radius);
}

/* The pieces of one circle, in order. */
static void
body_take(struct certifier *certifier, const struct follow_tick *tick, size_t body, double dt)
{
	struct cert_paths *paths = &certifier->paths;
	const struct known_circle *known = known_find(certifier, tick->ids[body]);
	struct cert_vec end = { tick->pieces[body].x, tick->pieces[body].y };
	double reach = 0;

	paths->first[body] = paths->piece_count;
	if (known && known->placed)
		jump_look(certifier, body, 0, known->place, end);
	for (size_t i = body, after = 1; after != 0; i = after) {
		const struct follow_piece *piece = &tick->pieces[i];
		struct cert_vec place = { piece->x, piece->y };

		after = piece->next;
		jump_look(certifier, body, piece->t0, end, place);
		if (piece->gone)
			break;

		struct cert_piece *own = &paths->pieces[paths->piece_count];

		*own = (struct cert_piece){ .t0 = piece->t0,
			                        .t1 = after == 0 ? dt : tick->pieces[after].t0,
			                        .p = place,
			                        .v = { piece->vx, piece->vy },
			                        .a = { piece->ax, piece->ay },
			                        .body = (uint32_t)body };
		end = piece_at(own, own->t1);
		reach = cert_max(reach, cert_max(cert_reach(place), cert_reach(end)));
		paths->piece_count += own->t1 > own->t0;
	}
	paths->p[body] = end;
	paths->slop[body] = 0x1p-50 * reach;
}

static void
paths_take(struct certifier *certifier, const struct collide_follower *follower, const struct follow_tick *tick)
{
	struct cert_paths *paths = &certifier->paths;

	require(follow_reserve(&paths->pieces, &paths->piece_capacity, tick->piece_count, sizeof *paths->pieces), "no memory");
	paths->piece_count = 0;
	for (size_t i = 0; i < tick->count; i++) {
		size_t index;

		certifier->starts[i] = (struct cert_vec){ tick->pieces[i].x, tick->pieces[i].y };
		body_take(certifier, tick, i, follower->world.dt);
		if (collide_follower_find(follower, tick->ids[i], &index)) {
			struct cert_vec told = { follower->circles[index].seen.x, follower->circles[index].seen.y };

			jump_look(certifier, i, follower->world.dt, paths->p[i], told);
			paths->p[i] = told;
		}
	}
	paths->first[tick->count] = paths->piece_count;
	certifier->pieces += paths->piece_count;
}

static void
walls_compare(struct certifier *certifier, const struct collide_follower *follower)
{
	for (size_t i = 0; i < certifier->shapes.wall_count; i++) {
		const struct cert_wall *wall = &certifier->shapes.walls[i];
		const struct collide_followed_segment *seen = &follower->segments[i].seen;
		struct cert_vec told = { seen->x1, seen->y1 };

		if (!(cert_length(cert_sub(told, wall->p1)) <= 0x1p-40 * cert_max(wall->reach, 1)))
			certifier->jumps++;
	}
}

static void
on_tick(void *context, const struct collide_follower *follower)
{
	struct certifier *certifier = context;
	const struct follow_tick *tick = &follower->past[(follower->past_next + follower->history - 1) % follower->history];

	known_take(certifier, follower);

	bool same = shapes_same(certifier, follower, tick);

	if (!same)
		shapes_begin(certifier, follower, tick);
	certifier->report.ticks++;
	cert_walls_begin(&certifier->shapes, &(struct certificate_tick){ .dt = follower->world.dt }, &certifier->report);
	paths_take(certifier, follower, tick);

	const struct cert_scan scan = { .shapes = &certifier->shapes,
		                            .paths = &certifier->paths,
		                            .sweep = &certifier->sweep,
		                            .start_p = same ? NULL : certifier->starts,
		                            .dt = follower->world.dt,
		                            .report = &certifier->report };

	require(cert_sweep_fill(&certifier->sweep, &certifier->shapes, &certifier->paths, follower->world.dt) &&
	            cert_overlaps_scan(&certifier->overlaps, &scan),
	        "no memory");
	cert_walls_finish(&certifier->shapes);
	walls_compare(certifier, follower);
	known_place(certifier, follower);
}

/* ---- the file */

static uint8_t *
file_read(const char *path, size_t *count)
{
	FILE *file = fopen(path, "rb");

	require(file && fseek(file, 0, SEEK_END) == 0, "the file cannot be read");

	long size = ftell(file);
	uint8_t *bytes = memory_or_end(malloc((size_t)size + 1));

	rewind(file);
	*count = fread(bytes, 1, (size_t)size, file);
	fclose(file);
	return bytes;
}

int
main(int argc, char **argv)
{
	static struct certifier certifier;
	size_t count, updates = 0, at = 0;
	struct collide_error error;

	require(argc == 2, "usage: follow_certify FILE");

	uint8_t *bytes = file_read(argv[1], &count);
	struct collide_follower *follower = memory_or_end(collide_follower_create(2));

	collide_follower_on_tick(follower, on_tick, &certifier);
	while (at < count) {
		size_t length = 0;

		for (unsigned shift = 0; at < count; shift += 7) {
			length |= (size_t)(bytes[at] & 127) << shift;
			if (bytes[at++] < 128)
				break;
		}
		require(length <= count - at, "the file is cut off");
		if (!collide_follower_update(follower, bytes + at, length, &error)) {
			printf("update %zu is refused: %s\n", updates, error.text);
			return 1;
		}
		if (certifier.report.ticks == 0)
			certifier.report.start_tick = collide_follower_world(follower).tick;
		at += length;
		updates++;
	}

	const struct certificate_report *report = &certifier.report;

	if (report->first_problem[0] != '\0')
		printf("%s\n", report->first_problem);
	printf("%" PRIu64 " ticks, %" PRIu64 " pieces, %" PRIu64 " lists of shapes: %" PRIu64
	       " overlaps (largest %.3g radii), %" PRIu64 " escapes, %" PRIu64 " jumps (largest %.3g radii)\n",
	       report->ticks, certifier.pieces, certifier.restarts, report->overlaps, report->largest_overlap_radii,
	       report->escapes, certifier.jumps, certifier.largest_jump);
	shapes_finish(&certifier);
	free(certifier.known);
	collide_follower_destroy(follower);
	free(bytes);
	return report->overlaps > 0 || report->escapes > 0 || certifier.jumps > 0;
}
