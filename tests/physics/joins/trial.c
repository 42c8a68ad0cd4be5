#include "physics/joins/trial.h"

#include "outside/feed.h"
#include "physics/certified.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Each collision rounds a speed; a tick has some hundreds at most. */
#define DRIFT_MAX 1e-9

uint64_t trial_shown_max = 3;

static const char *const flag_names[] = { "BUDGET", "INITIAL_OVERLAP", "CRUSHED", "FAST" };
static const char *const fault_names[] = { "through", "overlap", "jump" };

/* What one run of a trial gave. */
struct outcome {
	bool refused, stray, drift;
	uint32_t flags;
	uint32_t circle; /* the first that something is wrong with, if `wrong` */
	bool wrong;
	struct judge_finding findings[JUDGE_FAULTS];
	bool uncertified;  /* the certificate finds something */
	char outside[160]; /* what the checker from outside finds first */
};

void
trial_init(struct trial *trial)
{
	*trial = (struct trial){ .dt = 1.0 / 64, .ticks = 30, .rounding = JUDGE_ROUNDING };
	scenario_init(&trial->scenario);
}

void
trial_finish(struct trial *trial)
{
	scenario_finish(&trial->scenario);
}

static void
wrong_set(struct outcome *outcome, uint32_t circle)
{
	if (!outcome->wrong)
		outcome->circle = circle;
	outcome->wrong = true;
}

/* Whether each circle is on its side still, and as fast as it was. */
static void
states_check(const struct trial *trial, const struct world *world, struct outcome *outcome)
{
	for (size_t i = 0; i < world_body_count(world); i++) {
		const struct body_state body = world_body(world, i);
		const struct circle_def *start = &trial->scenario.circles[i];
		const double now = hypot(body.vx, body.vy), before = hypot(start->vx, start->vy);
		const double far = hypot(body.x - trial->middle[0], body.y - trial->middle[1]);
		const bool began_inside = hypot(start->x - trial->middle[0], start->y - trial->middle[1]) < trial->whole;
		/* A NaN is wrong too. */
		const bool drifts = trial->elastic && !(fabs(now - before) <= DRIFT_MAX * before);
		const bool strays = trial->whole > 0 && !(began_inside ? far < trial->whole : far > trial->core);
		outcome->drift = outcome->drift || drifts;
		outcome->stray = outcome->stray || strays;
		if (drifts || strays)
			wrong_set(outcome, body.id);
	}
}

/* Nothing begins overlapping; what is told of it may be rounding, as what the judge sees. */
static void
report_check(const struct trial *trial, const struct tick_report *report, struct outcome *outcome)
{
	const struct segment_def *wall = &trial->scenario.segments[0];
	const double rounding = (double)trial->rounding * fmax(fabs(wall->x1), fabs(wall->y1));
	for (size_t i = 0; i < report->shortfall_count; i++) {
		const struct shortfall *shortfall = &report->shortfalls[i];
		outcome->flags |= shortfall->flag;
		if (shortfall->flag & (BODY_FLAG_INITIAL_OVERLAP | BODY_FLAG_CRUSHED) && !(shortfall->amount <= rounding))
			wrong_set(outcome, shortfall->body);
	}
}

/* The two checkers that judge all scenes: the certificate, and the one from outside. They end when a scene has told so many
 * contacts and path changes: among walls at 10,000 radii a tick they take a thousand times what the tick takes. */
#define CHECKED_ROWS 2000u

struct checkers {
	struct certified *certified;
	struct feed *feed;
	size_t rows;
};

static struct checkers
checkers_create(const struct world_def *def)
{
	const struct checkers checkers = { certified_create(def), feed_create(def), 0 };
	assert_non_null(checkers.certified);
	assert_non_null(checkers.feed);
	return checkers;
}

static void
checkers_tick(struct checkers *checkers, const struct world *world, double dt, const struct tick_report *report)
{
	checkers->rows += report->contact_count + report->path_change_count;
	if (checkers->rows > CHECKED_ROWS)
		return;
	assert_int_equal(certified_tick(checkers->certified, world, dt, report), STATUS_OK);
	feed_tick(checkers->feed, world, dt, report);
}

/* Puts down what they found. */
static void
checkers_finish(struct checkers *checkers, struct outcome *outcome)
{
	outcome->uncertified = !certified_clean(checkers->certified);
	(void)snprintf(outcome->outside, sizeof outcome->outside, "%s", outside_first(feed_outside(checkers->feed)));
	outcome->wrong = outcome->wrong || outcome->uncertified || outcome->outside[0] != '\0';
	certified_destroy(checkers->certified);
	feed_destroy(checkers->feed);
}

static struct outcome
trial_once(struct trial *trial)
{
	struct outcome outcome = { 0 };
	struct def_problem problem;
	struct world *world = NULL;
	trial->scenario.def.events |= WORLD_EVENTS_PATHS;
	if (world_create(scenario_def(&trial->scenario), &problem, &world) != STATUS_OK) {
		outcome.refused = true;
		return outcome;
	}
	struct judge *judge = judge_create(scenario_def(&trial->scenario), trial->rounding);
	struct checkers checkers = checkers_create(scenario_def(&trial->scenario));
	for (int tick = 0; tick < trial->ticks && !outcome.wrong && judge_clean(judge); tick++) {
		struct tick_report report;
		assert_int_equal(world_step(world, trial->dt, &report), STATUS_OK);
		judge_tick(judge, world, trial->dt, &report);
		if (!trial->judge_alone)
			checkers_tick(&checkers, world, trial->dt, &report);
		states_check(trial, world, &outcome);
		report_check(trial, &report, &outcome);
	}
	for (int i = 0; i < JUDGE_FAULTS; i++) {
		outcome.findings[i] = *judge_findings(judge, (enum judge_fault)i);
		if (outcome.findings[i].count > 0)
			wrong_set(&outcome, outcome.findings[i].circle);
	}
	checkers_finish(&checkers, &outcome);
	judge_destroy(judge);
	world_destroy(world);
	return outcome;
}

static void
circle_print(const struct circle_def *c)
{
	printf("{\"id\":%u,\"x\":%.17g,\"y\":%.17g,\"vx\":%.17g,\"vy\":%.17g,\"radius\":%.17g,\"restitution\":%.17g,"
	       "\"friction\":%.17g,\"angularVelocity\":%.17g,\"filterGroup\":%d,\"mask\":%u}",
	       c->id, c->x, c->y, c->vx, c->vy, c->radius, c->restitution, c->friction, c->angular_velocity, (int)c->filter_group,
	       c->mask);
}

static void
segment_print(const struct segment_def *s)
{
	printf("{\"id\":%u,\"x1\":%.17g,\"y1\":%.17g,\"x2\":%.17g,\"y2\":%.17g,\"restitution\":%.17g,\"friction\":%.17g,"
	       "\"radius\":%.17g,\"oneSided\":%s,\"vx\":%.17g,\"vy\":%.17g,\"category\":%u}",
	       s->id, s->x1, s->y1, s->x2, s->y2, s->restitution, s->friction, s->radius, s->one_sided ? "true" : "false", s->vx,
	       s->vy, s->category);
}

static void
scene_print(const struct trial *trial)
{
	const struct scenario *s = &trial->scenario;
	printf("  {\"gravityX\":%.17g,\"gravityY\":%.17g,\"restitutionMix\":\"RESTITUTION_MIX_MIN\",\"workPerTickMax\":%llu,"
	       "\"circles\":[",
	       s->def.gravity_x, s->def.gravity_y, (unsigned long long)s->def.work_per_tick_max);
	for (size_t i = 0; i < s->circle_count; i++) {
		printf("%s", i > 0 ? "," : "");
		circle_print(&s->circles[i]);
	}
	printf("],\"segments\":[");
	for (size_t i = 0; i < s->segment_count; i++) {
		printf("%s", i > 0 ? "," : "");
		segment_print(&s->segments[i]);
	}
	printf("]}  --dt %.17g --ticks %d\n", trial->dt, trial->ticks);
}

static void
outcome_print(const struct outcome *outcome, const char *what, uint64_t index)
{
	printf("%s, scene %llu, circle %u:", what, (unsigned long long)index, outcome->circle);
	for (int i = 0; i < JUDGE_FAULTS; i++) {
		const struct judge_finding *f = &outcome->findings[i];
		if (f->count > 0)
			printf(" %s (circle %u, wall %u, tick %llu, time %.17g, %.3g deep)", fault_names[i], f->circle, f->segment,
			       (unsigned long long)f->tick, f->time, f->depth);
	}
	for (int i = 0; i < 4; i++)
		printf("%s%s", outcome->flags & 1u << i ? " " : "", outcome->flags & 1u << i ? flag_names[i] : "");
	printf("%s%s%s%s%s\n", outcome->stray ? " stray" : "", outcome->drift ? " drift" : "",
	       outcome->uncertified ? " not certified" : "", outcome->outside[0] ? " from outside: " : "", outcome->outside);
}

/* The scene with the one circle, if that is wrong too; else as it is. */
static void
fault_show(struct trial *trial, const struct outcome *outcome, const char *what, uint64_t index)
{
	struct trial alone = *trial;
	size_t at = 0;
	outcome_print(outcome, what, index);
	while (at + 1 < trial->scenario.circle_count && trial->scenario.circles[at].id != outcome->circle)
		at++;
	alone.scenario.circles = &trial->scenario.circles[at];
	alone.scenario.circle_count = 1;
	scene_print(trial_once(&alone).wrong ? &alone : trial);
}

bool
trial_run(struct trial *trial, struct tally *tally, const char *what, uint64_t index)
{
	/* The restitution of a pair is the lesser of the two, so that a scene's wall decides for all. */
	trial->scenario.def.restitution_mix = RESTITUTION_MIX_MIN;
	const struct outcome outcome = trial_once(trial);
	tally->scenes++;
	tally->balls += trial->scenario.circle_count;
	tally->refused += outcome.refused;
	tally->strays += outcome.stray;
	tally->drifts += outcome.drift;
	tally->uncertified += outcome.uncertified;
	tally->outside += outcome.outside[0] != '\0';
	for (int i = 0; i < 4; i++)
		tally->told[i] += (outcome.flags >> i) & 1u;
	for (int i = 0; i < JUDGE_FAULTS; i++) {
		tally->faults[i] += outcome.findings[i].count > 0;
		if (i != JUDGE_JUMP && outcome.findings[i].count > 0)
			for (size_t k = 0; k < trial->scenario.circle_count; k++)
				if (trial->scenario.circles[k].id == outcome.findings[i].circle)
					tally->deepest = fmax(tally->deepest, outcome.findings[i].depth / trial->scenario.circles[k].radius);
	}
	tally->bad += outcome.wrong;
	if (outcome.wrong && tally->shown++ < trial_shown_max)
		fault_show(trial, &outcome, what, index);
	return !outcome.wrong;
}

void
tally_print(const struct tally *t)
{
	printf("%s: %llu scenes, %llu balls, %llu refused; wrong %llu: through %llu, overlap %llu, jump %llu, stray %llu, "
	       "drift %llu, not certified %llu, from outside %llu; told",
	       t->name, (unsigned long long)t->scenes, (unsigned long long)t->balls, (unsigned long long)t->refused,
	       (unsigned long long)t->bad, (unsigned long long)t->faults[JUDGE_THROUGH],
	       (unsigned long long)t->faults[JUDGE_OVERLAP], (unsigned long long)t->faults[JUDGE_JUMP],
	       (unsigned long long)t->strays, (unsigned long long)t->drifts, (unsigned long long)t->uncertified,
	       (unsigned long long)t->outside);
	for (int i = 0; i < 4; i++)
		printf(" %s %llu", flag_names[i], (unsigned long long)t->told[i]);
	printf("; deepest %.3g radii\n", t->deepest);
	(void)fflush(stdout);
}

void
tally_add(struct tally *total, const struct tally *part)
{
	total->scenes += part->scenes;
	total->balls += part->balls;
	total->refused += part->refused;
	total->bad += part->bad;
	total->strays += part->strays;
	total->drifts += part->drifts;
	total->uncertified += part->uncertified;
	total->outside += part->outside;
	for (int i = 0; i < JUDGE_FAULTS; i++)
		total->faults[i] += part->faults[i];
	for (int i = 0; i < 4; i++)
		total->told[i] += part->told[i];
	total->deepest = fmax(total->deepest, part->deepest);
}

void
tally_judge(const struct tally *tally)
{
	assert_true(tally->balls > 0);
	assert_int_equal(tally->bad, 0);
}
