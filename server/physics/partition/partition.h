/* domains: one tick of a large world by several threads at once, with the bits that one of them would give.
 *
 * Why the order may be another one. An event reads and writes the bodies in the cells around those of its cluster, and nothing
 * else. Two events whose clusters are more than two cells apart, in rows or in columns, share none of it: they give the same in
 * either order. So whatever the order, the tick is the serial one if of any two nearer ones the earlier is taken first.
 *
 * How. The rows of the grid are cut into domains. Each has a world of its own, which shares bodies, cells and walls with the
 * real one and has its own queue, scratch, contacts and sums, and is run by one thread:
 *  1. It predicts its rows, or looks at those of them that are due (schedule.h), and takes its events in order. What comes near
 * its edges is not its own: cells are `closed` from a time on, near an edge from the start and farther away later, as fast as
 * bodies come (`pace`). An event in a closed cell is left over, and closes the cells around it in its turn. So are the few that
 * do more than hit: what rests, is parked, crushed, or has left the box so far that it looks everywhere. In each cell stays the
 * time of the `latest` event there.
 *  2. What was left over, and pairs that are of two domains, are taken in order by the last domain, which is one thread's and
 * has all rows. Whoever there comes near a cell whose latest event is not earlier has found that step 1 went too far there: a
 *     body was faster than `pace`, or a blow went through a crowd at once. Then all is put back as it was (partition_undo.c)
 * and the tick is made by one thread. That is rare by the choice of `pace`, never wrong, and a world in which it is not rare is
 *     left alone for some ticks.
 *  3. What the domains left grows with the square of the time. So a tick of fast bodies has several rounds of 1 and 2, each up
 *     to a time of its own. Before each, what the last domain has foreseen is dealt out. A body that came over an edge is
 *     predicted anew with all around it; what its old domain still has of it is left there when its time comes. For as long as
 *     that is so, it must be where no domain writes it: else the queues are gone through (movers_purge).
 *  4. What the domains have told is put in the serial order (partition_merge.c).
 *
 * A smaller world that stirs little is not cut: one thread is done before others have woken up (schedule_spares).
 *
 * Who owns what. In step 1 a domain writes only bodies whose cell is DOMAIN_EDGE rows inside of it, and reads of the next ones
 * what is DOMAIN_EDGE rows from the edge at most: no thread reads what another writes. All scratch is the domain's. The real
 * world is not written at all, but for arrays by body and by cell, where each domain has elements of its own. The threads are a
 * crew's (physics.h); here are none. */
#ifndef COLLIDED_PARTITION_PARTITION_H
#define COLLIDED_PARTITION_PARTITION_H

#include "physics/contact/cluster.h"
#include "physics/world/ledger.h"
#include "physics/world/world.h"

/* Rows at a domain's edge that it never writes. An event of the next domain there, or of a body that comes over from it, reads
 * up to two rows of this one; who writes the third reads the second. */
#define DOMAIN_EDGE 3u

/* What is told and kept is written so many ahead of where its lines are asked for. */
#define DOMAIN_AHEAD 4

/* An event that was resolved: up to where the domain's contacts and path changes are its, where in the real world's they
 * belong, and what it added to the sums. */
struct domain_event {
	struct event event;
	size_t contact_end, change_end;
	size_t contact_at, change_at;
	struct ledger_part ledger;
};

/* A body as it was before the domains. */
struct domain_kept;

/* A body that is to be looked at when the tick begins, and in whose rows it is. */
struct domain_due {
	uint32_t body, domain;
};

/* Where the merging of a domain's events has come to. */
struct domain_reader {
	struct domain_event *next, *end;
	size_t contact, change;
};

struct domain {
	struct world world; /* see above; its arrays of what is told, its queue and its resolver are its own */
	struct partition *all;
	uint32_t cell, cell_end; /* it may change bodies in these cells */
	uint32_t row, row_end;   /* it predicts these rows, or looks at who is due in them */
	bool last;               /* takes what the others left */
	bool clash;              /* found that they went too far */
	bool spent;              /* its events alone take more than a tick may: then it makes no more of them */
	uint32_t shut, shut_end; /* since domains->closed was cleared it has closed cells from `shut` to `open`, and from */
	uint32_t open, open_end; /* `open_end` to `shut_end`, at most */
	struct domain_due *due;  /* who of the bodies of its part by index is due: domains->listed */
	size_t due_count, due_capacity;
	struct event *left; /* events that it left */
	size_t left_count, left_capacity;
	struct event *given; /* events that come to it before the next round */
	size_t given_count, given_capacity;
	uint32_t *movers; /* the last one: bodies that left the rows beside the domains' edges, or came to another domain */
	size_t mover_old; /* how many of them had before this round */
	size_t mover_count, mover_capacity;
	struct domain_event *taken;
	size_t taken_count, taken_capacity;
	struct domain_kept *kept;
	size_t kept_count, kept_capacity;
	bool stray; /* somebody in its rows is one: grid.h */
};

/* What some bodies add to the sums (LEDGER_CHUNK). */
struct domain_chunk {
	struct ledger_part ledger;
	struct ledger_sums sums;
	bool crushed;
};

/* Of worlds that had domains, since they were made. */
struct partition_counts {
	uint64_t ticks, clashes;      /* made in domains; and given up */
	uint64_t events, left_events; /* resolved in those that were not; and by one thread, of these */
};

struct partition {
	struct domain *domains; /* in use: the last one first, then `count` of them from above to below */
	struct world *real;     /* in partition_finish */
	struct domain_reader *readers;
	size_t count, domain_capacity, domains_made, reader_capacity;
	/* As they were a few ticks ago, when there were so many rows to be cut in so many domains. */
	uint32_t *rows; /* bodies in each */
	double squares; /* sum of the squares of their speeds */
	uint64_t measured_tick;
	size_t measured_most, row_capacity;
	uint32_t row_count;
	bool stray;          /* somebody is one: all is put back */
	bool spent;          /* all events together may take more than a tick may: the same */
	bool listed;         /* the schedule says who is looked at in this tick; else its rows are predicted as a whole */
	double haste, pace;  /* how much faster than bodies news is; seconds that it takes for a cell */
	bool wary;           /* there was a clash a few ticks ago: more is left around edges and events */
	double begin, until; /* of the round; events at it belong to it if `ending` */
	bool ending;         /* it is the tick's last */
	double *closed;      /* by cell: from when on its bodies' events are left; NaN: never */
	double *latest;      /* by cell: the latest event of a body in it, as partition_moment tells it; NaN: none ever */
	double turn;         /* tells the moments of this tick from those before */
	double per_tick;     /* 1 / its duration */
	size_t closed_capacity, latest_capacity;
	uint8_t *touched; /* by body: it is kept in this tick if it is `touch`, which is never 0 */
	uint8_t touch;
	size_t touched_capacity;
	struct domain_chunk *chunks; /* all of the bodies', cut evenly among the domains */
	size_t chunk_capacity;
	bool made;                  /* the tick under way was made in domains, and is not over */
	uint64_t next_tick;         /* the one after the last that was so */
	bool clashed;               /* in the last tick in domains */
	unsigned pause, pause_next; /* ticks that one thread makes, now and after the next clash */
	struct partition_counts counts;
};

/* In place of the prediction and the events of a tick in one part: false if it should be made as ever, nothing having changed;
 * true: it was made, or world->failed. */
bool partition_run(struct world *world);
void partition_destroy(struct partition *partition);
size_t partition_memory_bytes(const struct partition *partition);
struct partition_counts partition_counts(const struct world *world);

/* How many threads should begin a tick side by side that has so many bodies to begin; 0: the one before was not made in
 * domains.
 */
unsigned partition_hands(const struct world *world, uint32_t bodies);
/* After a tick that was made in domains their crew moves the bodies to their paths' ends (bodies_finish). False: it was not,
 * and nothing was done. */
bool partition_finish(struct world *world, bool *crushed, struct ledger_sums *sums);

/* Whether a cell is the domain's. */
static inline bool
cell_is_inside(const struct domain *domain, uint32_t cell)
{
	return cell >= domain->cell && cell < domain->cell_end;
}

/* The domain that a cell is in. */
static inline size_t
domain_index(const struct partition *partition, uint32_t cell)
{
	size_t s = 1;

	while (s < partition->count && cell >= partition->domains[s].cell_end)
		s++;
	return s;
}

static inline struct domain *
domain_of(const struct partition *partition, uint32_t cell)
{
	return &partition->domains[domain_index(partition, cell)];
}

/* A time of the tick, told so that it is later than all of former ticks: what they wrote need not be taken away. Two that are
 * nearly equal may become so. */
static inline double
partition_moment(const struct partition *partition, double time)
{
	return partition->turn + time * partition->per_tick;
}

/* partition_looks.c. Asks whether the schedule is for this tick; then the crew lists who is to be looked at. Failure sets
 * world->failed. */
void partition_list(struct partition *partition, struct world *world);
/* A domain's looks. False: somebody there may be a stray. */
bool domain_look(struct domain *domain);

/* partition_halo.c. Whether a domain may take an event of the body at a time. The last one may always, unless there is a clash,
 * which it notes. */
bool domain_has(struct domain *domain, uint32_t body, double time);
/* The same, told at once of most: nothing is closed around its cell. */
static inline bool
domain_has_plainly(const struct domain *domain, uint32_t body)
{
	uint32_t cell = domain->world.grid.rows[body].cell;

	return !domain->last && cell >= domain->open && cell < domain->open_end;
}
/* Whether it may take an event, as far as can be told before its cluster is known. Of two circles one may be in the next
 * domain's first row, which stays as it is. */
bool domain_has_event(struct domain *domain, const struct event *event);
/* Fetches what the last domain will want of an event that was left: others wrote it, or kept it in another cache. */
void domain_fetch(const struct domain *domain, const struct event *event);
/* Leaves an event of this round to the last domain, and closes the cells around. */
void domain_leave(struct domain *domain, const struct event *event);
/* The same, closing nothing. */
void domain_pass(struct domain *domain, const struct event *event);
/* Forgets what was closed; then the cells that it may close are the domain's as it is now. */
void domain_open(struct domain *domain);
/* Closes what bodies from beyond the upper or the lower edge could come to, or who was hit by them. */
void domain_close_edge(struct domain *domain, bool upper);

/* partition_sweep.c: from the prediction to the end of the last round. */
void partition_sweep(struct partition *partition, struct world *world);
/* The last domain: keeps a cluster's members before they are written; false if there was a clash. */
bool domain_keeps(struct domain *domain, const struct cluster *cluster);

/* partition_undo.c. Keeps a body as it is, the first time; failure sets world.failed. */
void domain_keep(struct domain *domain, uint32_t body);
/* Gives the bodies back as they were. */
void domain_undo(struct domain *domain);
size_t domain_kept_bytes(const struct domain *domain);

/* partition_merge.c: the serial order of the domains' events. Makes room in the real world for what they tell. Failure sets
 * world->failed. */
void partition_merge(struct partition *partition, struct world *world);
/* Then: copies there what a domain tells. On several threads, each with another domain. */
void domain_tell(const struct domain *domain, struct world *world);

#endif
