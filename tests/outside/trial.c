#include "outside/trial.h"
#include "outside/feed.h"

#include <stdlib.h>
#include <string.h>

/* A scene is left when it has told so many contacts and path changes: it is one of endless blows, and has been seen. */
#define ROWS_MAX 20000u
/* Rounds of the shrinking. */
#define ROUNDS_MAX 6

struct trial
trial_run(struct draft *draft)
{
	struct trial trial = { 0 };
	struct def_problem problem;
	struct world *world = NULL;
	size_t rows = 0;

	if (world_create(draft_def(draft), &problem, &world) != STATUS_OK) {
		trial.refused = true;
		return trial;
	}
	struct feed *feed = feed_create(draft_def(draft));
	if (!feed)
		abort();
	while (trial.ticks < draft->ticks && rows < ROWS_MAX && !trial.failed) {
		struct tick_report report;
		trial.failed = world_step(world, draft->dt, &report) != STATUS_OK;
		if (trial.failed)
			break;
		trial.ticks++;
		rows += report.contact_count + report.path_change_count;
		feed_tick(feed, world, draft->dt, &report);
	}
	trial.report = *outside_report(feed_outside(feed));
	trial.found = outside_found(feed_outside(feed));
	feed_destroy(feed);
	world_destroy(world);
	return trial;
}

/* Whether the kind is still found; if so the scene needs no more ticks than that. */
static bool
still(struct draft *draft, enum outside_finding finding)
{
	const struct trial trial = trial_run(draft);

	if (!(trial.found >> finding & 1))
		return false;
	draft->ticks = (unsigned)trial.report.first_tick[finding];
	return true;
}

/* Tries the change; takes it back if it changes too much. */
typedef void (*change_fn)(struct draft *draft, size_t index);

static bool
change_try(struct draft *draft, change_fn change, size_t index, enum outside_finding finding)
{
	struct draft tried;

	draft_copy(&tried, draft);
	change(&tried, index);
	const bool kept = still(&tried, finding);
	if (kept) {
		struct draft old = *draft;
		*draft = tried;
		tried = old;
	}
	draft_finish(&tried);
	return kept;
}

static void
circle_drop(struct draft *draft, size_t index)
{
	draft->circle_count--;
	memmove(&draft->circles[index], &draft->circles[index + 1], (draft->circle_count - index) * sizeof *draft->circles);
}

static void
wall_drop(struct draft *draft, size_t index)
{
	draft->wall_count--;
	memmove(&draft->walls[index], &draft->walls[index + 1], (draft->wall_count - index) * sizeof *draft->walls);
}

/* All of one feature, or of what a scene has. */
static void
feature_drop(struct draft *draft, size_t index)
{
	const struct circle_def plain = circle_def_default();

	for (size_t i = 0; i < draft->circle_count; i++) {
		struct circle_def *c = &draft->circles[i];
		switch (index) {
		case 0: c->friction = c->rolling_resistance = 0; break;
		case 1: c->linear_damping = c->angular_damping = 0; break;
		case 2: c->gravity_scale = 1; break;
		case 3: c->response = RESPONSE_BOUNCE; break;
		case 4: c->surface_speed = c->angular_velocity = c->moment_of_inertia = 0; break;
		case 5:
			c->category = plain.category;
			c->mask = plain.mask;
			break;
		case 6:
			c->group = 0;
			c->filter_group = 0;
			break;
		case 7: c->mass = 1; break;
		case 8: c->restitution = 1; break;
		case 17: c->stop_groups = 0; break;
		case 18: c->remove_groups = 0; break;
		case 19: c->report_groups = 0; break;
		case 20:
			c->lifetime_ticks = 0;
			c->lifetime_s = 0;
			break;
		case 21:
			c->ignore = IGNORE_NONE;
			c->ignored_circle = 0;
			break;
		case 22: c->tag = 0; break;
		default: break;
		}
	}
	for (size_t i = 0; i < draft->wall_count; i++) {
		struct segment_def *w = &draft->walls[i];
		switch (index) {
		case 0: w->friction = w->rolling_resistance = 0; break;
		case 4: w->surface_speed = 0; break;
		case 5:
			w->category = plain.category;
			w->mask = plain.mask;
			break;
		case 6:
			w->group = 0;
			w->filter_group = 0;
			break;
		case 8: w->restitution = 1; break;
		case 9: w->vx = w->vy = 0; break;
		case 10: w->one_sided = false; break;
		case 11: w->radius = 0; break;
		case 23: w->disabled = false; break;
		default: break;
		}
	}
	switch (index) {
	case 6: draft->relation_count = 0; break;
	case 12: draft->def.gravity_x = draft->def.gravity_y = 0; break;
	case 13: draft->def.sleep_after = 0; break;
	case 14: draft->def.speed_max = draft->def.restitution_threshold = 0; break;
	case 24: draft->def.has_bounds = false; break;
	case 15: draft->def.events_per_body_max = 10000; break;
	case 16:
		draft->def.restitution_mix = RESTITUTION_MIX_MAX;
		draft->def.friction_mix = FRICTION_MIX_GEOMETRIC;
		break;
	default: break;
	}
}

#define FEATURES 25

void
trial_shrink(struct draft *draft, enum outside_finding finding)
{
	bool changed = still(draft, finding);

	for (int round = 0; changed && round < ROUNDS_MAX; round++) {
		changed = false;
		for (size_t i = draft->circle_count; i-- > 0;)
			changed = change_try(draft, circle_drop, i, finding) || changed;
		for (size_t i = draft->wall_count; i-- > 0;)
			changed = change_try(draft, wall_drop, i, finding) || changed;
		for (size_t i = 0; i < FEATURES && round == 0; i++)
			changed = change_try(draft, feature_drop, i, finding) || changed;
	}
}
