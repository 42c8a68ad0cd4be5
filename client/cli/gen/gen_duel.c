/* A duel: two teams, each the other's mirror image in the middle of the field, and the bullets that they have fired.
 *
 * Groups: 0 the border, at which bullets bounce; 1 and 2 the fighters; 3 and 4 their bullets; 5 the walls in the field. A
 * bullet begins in the middle of the one that fired it, and does not meet it until it has left it. Bullets of one team pass
 * each other. */
#include "client/cli/gen/gen.h"

#include "client/cli/gen/gen_place.h"

#include <math.h>
#include <stdio.h>

enum { GROUP_FIGHTERS = 1, GROUP_BULLETS = 3, GROUP_WALLS = 5 };

/* In radii of a fighter. */
#define FIELD_WIDTH 80.0
#define FIELD_HEIGHT 45.0
#define BULLET_RADIUS 0.2

/* Of the field's width: how far from its side a team stands, and where its walls begin and end. */
#define CAMP_WIDTH 0.3
#define WALLS_FROM 0.2
#define WALLS_TO 0.48

/* Half of the angle of a fan, as a tangent. */
#define FAN 0.35
/* Bullets are of so many speeds, each so much of the one before. */
#define SPEEDS 3u
#define SLOWER 0.8
#define LIFETIME_S 1.45

struct duel {
	const struct gen_options *options;
	struct random random;
	struct scene_build *build;
	double width, height;
};

/* A wall, and its mirror image. */
static void
walls_add(struct duel *duel, double x, double y, double dx, double dy)
{
	struct build_segment wall = segment_rounded(
		segment_between(x - dx / 2, y - dy / 2, x + dx / 2, y + dy / 2, duel->options->restitution));
	struct build_segment mirrored = segment_rounded(segment_between(duel->width - wall.x1, duel->height - wall.y1,
	                                                                duel->width - wall.x2, duel->height - wall.y2,
	                                                                duel->options->restitution));
	wall.group = mirrored.group = GROUP_WALLS;
	scene_build_segment(duel->build, wall);
	scene_build_segment(duel->build, mirrored);
}

static void
walls_make(struct duel *duel)
{
	struct random *random = &duel->random;
	for (uint64_t i = 0; i < duel->options->segments; i++) {
		double dx, dy;
		random_direction(random, random_between(random, 4, 9) * duel->options->radius, &dx, &dy);
		double x = random_between(random, WALLS_FROM, WALLS_TO) * duel->width;
		double y = random_between(random, 0.1, 0.9) * duel->height;
		walls_add(duel, x, y, dx, dy);
	}
}

/* First one team, then the other. */
static bool
fighters_make(struct duel *duel, char *error, size_t error_size)
{
	double radius = duel->options->radius;
	struct gen_area camp = { radius, radius, CAMP_WIDTH * duel->width, duel->height - radius };
	struct gen_placer placer;
	struct build_circle fighter = { .radius = radius, .mass = 40, .restitution = 0.2, .group = GROUP_FIGHTERS };
	bool placed = gen_placer_init(&placer, duel->build, &duel->random, camp, radius, radius, duel->options->count, error,
	                              error_size);
	for (uint64_t i = 0; i < duel->options->count && placed; i++)
		placed = gen_placer_put(&placer, camp, fighter, error, error_size);
	gen_placer_finish(&placer);
	for (uint64_t i = 0; i < duel->options->count && placed; i++) {
		fighter = duel->build->circles[i];
		fighter.x = round_position(duel->width - fighter.x);
		fighter.y = round_position(duel->height - fighter.y);
		fighter.group = GROUP_FIGHTERS + 1;
		scene_build_circle(duel->build, fighter);
	}
	return placed;
}

/* The bullet of a fan of which `share` is -1 at the right side and 1 at the left. */
static void
bullet_add(struct duel *duel, size_t owner, size_t target, double share, double speed)
{
	const struct build_circle *from = &duel->build->circles[owner], *to = &duel->build->circles[target];
	unsigned team = from->group - GROUP_FIGHTERS;
	double x = to->x - from->x, y = to->y - from->y;
	double dx = x - share * FAN * y, dy = y + share * FAN * x, length = sqrt(dx * dx + dy * dy);
	scene_build_circle(duel->build, (struct build_circle){
										.x = from->x,
										.y = from->y,
										.vx = round_speed(speed * dx / length),
										.vy = round_speed(speed * dy / length),
										.radius = BULLET_RADIUS * duel->options->radius,
										.mass = 0.5,
										.restitution = duel->options->restitution,
										.filter_group = -1 - (int32_t)team,
										.group = GROUP_BULLETS + team,
										/* All fighters, what the others fired, and the walls in the field. */
										.remove_groups = UINT64_C(3) << GROUP_FIGHTERS |
	                                                     UINT64_C(1) << (GROUP_BULLETS + 1 - team) | UINT64_C(1) << GROUP_WALLS,
										.lifetime_s = LIFETIME_S,
										.ignore = COLLIDE__V1__IGNORE__IGNORE_UNTIL_APART,
										.ignored_circle = (uint32_t)owner,
										.tag = owner + 1,
									});
}

/* Each fires at one of the others, and so does its mirror image. */
static void
bullets_make(struct duel *duel)
{
	size_t count = (size_t)duel->options->count, each = (size_t)duel->options->moving;
	for (size_t i = 0; i < count; i++) {
		size_t target = (size_t)random_below(&duel->random, count);
		for (size_t k = 0; k < each; k++) {
			double share = each > 1 ? 2 * (double)k / (double)(each - 1) - 1 : 0, speed = duel->options->speed;
			for (size_t slower = 0; slower < k % SPEEDS; slower++)
				speed *= SLOWER;
			bullet_add(duel, i, count + target, share, speed);
			bullet_add(duel, count + i, target, share, speed);
		}
	}
}

bool
gen_duel(const struct gen_options *options, struct scene_build *build, char *error, size_t error_size)
{
	struct duel duel = { .options = options,
		                 .build = build,
		                 .width = round_position(FIELD_WIDTH * options->radius),
		                 .height = round_position(FIELD_HEIGHT * options->radius) };
	if (options->moving < 1 || options->moving > 100) {
		snprintf(error, error_size, "--moving must be from 1 to 100: the bullets of each fighter");
		return false;
	}
	random_init(&duel.random, options->seed);
	scene_build_box(build, 0, 0, duel.width, duel.height, options->restitution);
	walls_make(&duel);
	if (!fighters_make(&duel, error, error_size))
		return false;
	bullets_make(&duel);
	return true;
}
