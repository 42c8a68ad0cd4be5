#include "client/cli/commands/world_replay.h"

#include "client/cli/run/motion_picture.h"
#include "client/cli/terminal/interrupt.h"
#include "client/cli/worlds/world_player.h"

#include "physics/describe.h"

#include <stdio.h>
#include <stdlib.h>

struct replaying {
	struct run_sink sink;
	struct pace *pace;
	struct motion_contact *contacts; /* for the picture */
	size_t contact_count, contact_capacity;
	bool draws, failed;
};

static bool
contacts_keep(struct replaying *replaying, const struct collide_contacts *contacts)
{
	size_t count = replaying->contact_count + contacts->count;
	if (count > replaying->contact_capacity) {
		struct motion_contact *grown = realloc(replaying->contacts, 2 * count * sizeof *grown);
		if (!grown)
			return false;
		replaying->contacts = grown;
		replaying->contact_capacity = 2 * count;
	}
	for (size_t i = 0; i < contacts->count; i++)
		replaying->contacts[replaying->contact_count++] = (struct motion_contact){ contacts->point_x[i], contacts->point_y[i],
			                                                                       contacts->approach_speed[i] };
	return true;
}

/* A collide_frame_fn. */
static bool
frame_take(void *context, const struct collide_frame *frame)
{
	struct replaying *replaying = context;
	pace_wait(replaying->pace, frame->time);
	if (replaying->draws && !contacts_keep(replaying, &frame->contacts)) {
		(void)snprintf(replaying->sink.problem, sizeof replaying->sink.problem, "no memory for the picture");
		replaying->failed = true;
	}
	replaying->failed = replaying->failed || !run_sink_frame(&replaying->sink, frame);
	return !replaying->failed;
}

/* The kinds of pair events that the world tells. */
static unsigned
events_of(const struct world *world)
{
	struct world_def def;
	world_describe_settings(world, &def);
	return def.events & WORLD_EVENTS_PERSIST ? 2 : def.events & WORLD_EVENTS_TOUCH ? 1 : 0;
}

/* The picture, if one is asked for; then all that is told at the end. */
static enum exit_status
sink_end(struct replaying *replaying, const struct run_motion *motion, double seconds)
{
	struct run_sink *sink = &replaying->sink;
	if (replaying->draws) {
		struct picture *picture = motion_picture(motion, replaying->contacts, replaying->contact_count);
		if (picture)
			run_sink_picture(sink, picture, motion->scene.circle_count, motion->scene.wall_count);
	}
	return run_sink_end(sink, NULL, seconds);
}

static enum exit_status
player_replay(struct world_player *player, struct run_options *options, struct pace *pace)
{
	struct replaying replaying = { .pace = pace, .draws = run_options_draw(options) };
	const struct start start = { .tick = player->first, .dt = player->dt };
	struct run_motion motion = { .full = false };
	double began = clock_now_seconds();
	options->ticks = player->last - player->first;
	options->dt = player->dt;
	options->events = events_of(mirror_world(player->play.mirror));
	run_sink_init(&replaying.sink, options, &start);
	replaying.sink.tally.commanded = player->recording.batch_count > 0;
	enum exit_status status = world_player_run(player, replaying.draws ? &motion : NULL, frame_take, &replaying);
	progress_stop(&replaying.sink.progress);
	if (replaying.failed || (replaying.draws && player->paths.failed)) {
		fprintf(stderr, "collide replay: %s\n",
		        replaying.failed ? replaying.sink.problem
		        : motion.full    ? "the paths of so many ticks take too much memory to be drawn; fewer --ticks fit"
		                         : "no memory for the paths");
		status = EXIT_STATUS_FAILED;
	} else {
		enum exit_status told = sink_end(&replaying, &motion, clock_now_seconds() - began);
		status = interrupt_came(NULL) ? interrupt_status() : status != EXIT_STATUS_DONE ? status : told;
	}
	run_sink_finish(&replaying.sink);
	motion_finish(&motion);
	free(replaying.contacts);
	return status;
}

enum exit_status
world_replay(struct recording *file, struct run_options *options, const struct world_at *at, struct pace *pace)
{
	struct world_player player;
	if (options->certify) {
		fprintf(stderr,
		        "collide replay: --certify: what is commanded in a world changes paths from outside; collide world verify\n"
		        "  makes every tick of its recording again, to the bit\n");
		return EXIT_STATUS_USAGE;
	}
	enum exit_status status = world_player_open(&player, "replay", file, at, options->ticks);
	if (status == EXIT_STATUS_DONE)
		status = player_replay(&player, options, pace);
	world_player_close(&player);
	return status;
}
