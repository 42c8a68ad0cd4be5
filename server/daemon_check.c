/* Happy path: a turn leaves the last ticks of a world, a background thread makes them again, and there is nothing to tell. What
 * can go wrong: they come to other bits, which is an error in the log; no memory, or no time, so that they are skipped. */
#include "daemon_check.h"

#include "base/log.h"
#include "base/pause.h"
#include "daemon_private.h"
#include "jobs/background.h"

#include <stddef.h>
#include <stdlib.h>

/* The checks of one world. It may outlive it. */
struct world_check {
	struct background_item item; /* the first member */
	struct live_check *live;     /* held */
};

bool
daemon_check_set(struct daemon *daemon, uint32_t permille)
{
	struct background *background = atomic_load(&daemon->background);
	if (permille > 0 && !background) {
		if (background_create(daemon->pool, &background) != STATUS_OK) {
			log_event(LOG_LEVEL_ERROR, "cannot check worlds: no memory or no thread");
			return false;
		}
		atomic_store(&daemon->background, background);
	}
	atomic_store(&daemon->check_share.permille, permille);
	return true;
}

void
daemon_check_log(struct daemon *daemon)
{
	struct log_line line;
	struct background *background = atomic_load(&daemon->background);
	if (!background)
		return;
	const struct background_stats stats = background_stats(background);
	log_begin_asked(&line, LOG_LEVEL_INFO, "self-checks");
	log_number(&line, "permille", atomic_load(&daemon->check_share.permille));
	log_number(&line, "checked", atomic_load(&daemon->check_share.made));
	log_number(&line, "skipped", atomic_load(&daemon->check_share.skipped));
	log_number(&line, "differing", atomic_load(&daemon->check_share.differing));
	log_number(&line, "cpu_us", stats.cpu_ns / 1000);
	log_number(&line, "paused", stats.pauses);
	log_end(&line);
}

void
daemon_check_stop(struct daemon *daemon)
{
	background_stop(atomic_load(&daemon->background));
}

void
daemon_check_finish(struct daemon *daemon)
{
	background_destroy(atomic_load(&daemon->background));
}

/* ---- on background threads */

static bool
on_pause(void *context)
{
	bool ends = background_checkpoint();
	return ends || live_check_is_obsolete(context);
}

static void
difference_log(const struct live_check_difference *difference)
{
	struct log_line line;
	log_begin(&line, LOG_LEVEL_ERROR, "a tick came to other bits when it was made again");
	log_text(&line, "world", difference->world);
	log_number(&line, "epoch", difference->epoch);
	log_number(&line, "tick", difference->tick);
	log_number(&line, "from", difference->from);
	if (difference->has_body)
		log_number(&line, "circle", difference->body);
	log_text(&line, "difference", difference->difference.text);
	log_end(&line);
}

static void
check_run(struct background_item *item)
{
	struct live_check *live = ((struct world_check *)item)->live;
	struct live_check_difference difference;
	struct pause before;
	pause_begin(&before, on_pause, live);
	enum live_check_result result = live_check_run(live, &difference);
	pause_end(&before);
	if (result == LIVE_CHECK_DIFFERS)
		difference_log(&difference);
}

static void
check_free(struct background_item *item)
{
	struct world_check *check = (struct world_check *)item;
	live_check_release(check->live);
	free(check);
}

/* ---- of a world */

static struct world_check *
check_create(struct live_check *live)
{
	struct world_check *check = calloc(1, sizeof *check);
	if (!check)
		return NULL;
	check->item.run = check_run;
	check->item.free = check_free;
	background_item_init(&check->item);
	check->live = live_check_hold(live);
	return check;
}

void
world_check_want(struct daemon *daemon, const struct live_world *live, struct world_check **check)
{
	struct live_check *left = live_world_check(live);
	struct background *background = atomic_load(&daemon->background);
	if (!left || !live_check_waits(left) || !background)
		return;
	if (!*check)
		*check = check_create(left);
	if (*check)
		background_want(background, &(*check)->item);
}

void
world_check_release(struct world_check *check)
{
	if (check)
		background_item_release(&check->item);
}
