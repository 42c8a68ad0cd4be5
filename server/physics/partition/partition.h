/* partition: steps one tick of a large world by several threads at once, with the same bits as one thread.
 *
 * Why the order may differ. An event reads and writes the bodies in the cells around those of its cluster, and nothing else.
 * Two events with clusters more than two cells apart, in rows or in columns, share none of it, so they commute. Any order
 * therefore gives the serial tick if of any two nearer events the earlier is resolved first.
 *
 * How. The rows of the grid are cut into domains. Each domain has a world of its own, which shares bodies, cells and walls with
 * the real one. Queue, scratch, contacts and sums are its own. One thread runs it:
 *
 * 1. The domain predicts its rows, or queries those of their bodies that are due (schedule.h), and resolves its events in
 *    order. It may not resolve what comes near its edges. Cells are `closed` from a time on: near an edge from the start,
 *    farther away later, at the speed at which effects propagate (`pace`). An event in a closed cell is deferred, and closes
 *    the cells around it in turn. Events that rest, park or crush a body, or that involve an outlier, are deferred too. Each
 *    cell keeps the time of the `latest` event in it.
 *
 * 2. The last domain has all rows and runs on one thread. It resolves, in order, the deferred events and the pairs that span
 *    two domains. If it comes near a cell with a latest event that is not earlier, there is a conflict: step 1 went too far
 *    there. A body was faster than `pace`, or an impact went through a crowd at once. Then everything is rolled back
 *    (partition_undo.c), and one thread steps the tick. The choice of `pace` makes conflicts rare, and they never cause a wrong
 *    result. A world in which they are not rare is stepped by one thread for some ticks.
 *
 * 3. The number of deferred events grows with the square of the time. So a tick of fast bodies has several rounds of steps 1
 *    and 2, each up to a time of its own. Before each round the events that the last domain has predicted are handed to their
 *    domains. A body that has crossed an edge, a migrant, is predicted again with all bodies around it. What its old domain
 *    still has of it is deferred when its time comes. Until then the body must be where no domain writes it; otherwise the
 *    queues are filtered (migrants_purge).
 *
 * 4. The reports of the domains are merged in the serial order (partition_merge.c).
 *
 * If there is not enough memory for this, everything is rolled back as well, and one thread steps the tick. What the domains
 * have is freed then, and whenever a later tick needs it: no tick needs more memory than with one thread.
 *
 * A smaller world with few dirty bodies is not partitioned: one thread is done before others have woken up (schedule_spares).
 *
 * Ownership goes by rows. In step 1 a domain writes only bodies in cells at least DOMAIN_EDGE rows inside it. Of the
 * neighbouring domains it reads only rows up to DOMAIN_EDGE from the edge. So no thread reads what another writes. All scratch
 * is the domain's own. The real world is not written at all, except for arrays by body and by cell, in which each domain has
 * its own elements. The threads belong to a task scheduler (physics.h); none is started here.
 *
 * The room partition/: one tick by several threads, in domains, with the same bits. It uses phases, events, resting, contact.
 * It is called by tick, state. */
#ifndef COLLIDED_PARTITION_PARTITION_H
#define COLLIDED_PARTITION_PARTITION_H

#include "base/memory.h"
#include "physics/contact/cluster.h"
#include "physics/world/ledger.h"
#include "physics/world/world.h"

/* Rows at a domain's edge that it never writes. An event in the next domain, or of a body that comes over from it, reads up to
 * two rows of this one. An event that writes the third row reads the second. */
#define DOMAIN_EDGE 3u

/* Distance, in elements, at which memory for reports and for the undo log is prefetched before it is written. */
#define DOMAIN_AHEAD 4

/* A resolved event: the ends of its rows in the domain's contacts and path changes, their place in the real world's, and what
 * the event added to the sums. */
struct domain_event {
	struct event event;
	size_t contact_end, change_end;
	size_t contact_at, change_at;
	struct ledger_part ledger;
};

/* An entry of the undo log: a body as it was before the domains. */
struct domain_undo_entry;

/* A body that is due for a query when the tick begins, and the domain that has its row. */
struct domain_due {
	uint32_t body, domain;
};

/* Progress of the merge through a domain's events. */
struct domain_reader {
	struct domain_event *next, *end;
	size_t contact, change;
};

struct domain {
	struct world world; /* see above; its reports, its queue and its resolver are its own */
	struct partition *all;
	uint32_t cell, cell_end; /* it may change bodies in these cells */
	uint32_t row, row_end;   /* it predicts these rows, or queries the bodies in them that are due */
	bool last;               /* resolves the events that the others deferred */
	bool in_conflict;        /* found a conflict */
	bool spent;              /* its events alone exceed the tick's work, so it stops */
	uint32_t shut, shut_end; /* the cells closed since domains->closed was cleared: from `shut` to `open`, and from */
	uint32_t open, open_end; /* `open_end` to `shut_end`, at most */
	struct domain_due *due;  /* which bodies of its range of indices are due: domains->listed */
	size_t due_count, due_capacity;
	struct event *left; /* events that it deferred */
	size_t left_count, left_capacity;
	struct event *given; /* events handed to it before the next round */
	size_t given_count, given_capacity;
	uint32_t
		*migrant_bodies; /* the last domain's: migrants, which left the rows at a domain's edge, or entered another domain */
	size_t migrant_old;  /* how many of them did before this round */
	size_t migrant_count, migrant_capacity;
	struct domain_event *taken;
	size_t taken_count, taken_capacity;
	struct domain_undo_entry *kept;
	size_t kept_count, kept_capacity;
	bool stray; /* its rows hold an outlier (grid.h), or a body that is too fast for its cells (grid_fast.h) */
};

/* What a chunk of bodies adds to the sums (LEDGER_CHUNK). */
struct domain_chunk {
	struct ledger_part ledger;
	struct ledger_sums sums;
	bool crushed;
};

/* Of worlds that were partitioned, since they were made. */
struct partition_counts {
	uint64_t ticks, conflict_count; /* ticks stepped in domains; ticks rolled back for a conflict */
	uint64_t failed_ticks;          /* ticks rolled back for want of memory */
	uint64_t events, left_events;   /* events of the former; those of them that were deferred */
};

struct partition {
	struct domain *domains; /* in use: the last domain first, then `count` of them, top to bottom */
	struct world *real;     /* in partition_finish */
	struct domain_reader *readers;
	size_t count, domain_capacity, domains_made, reader_capacity;
	/* Measured a few ticks ago, for this number of rows and of domains. */
	uint32_t *rows; /* number of bodies in each */
	double squares; /* sum of the squares of their speeds */
	uint64_t measured_tick;
	size_t measured_most, row_capacity;
	uint32_t row_count;
	bool stray;                              /* of a domain: everything is rolled back */
	bool spent;                              /* all events together may exceed the tick's work: the same */
	bool listed;                             /* the schedule says which bodies are queried; else whole rows are predicted */
	double propagation_speed, crossing_time; /* assumed propagation speed, in units of the bodies'; seconds per cell */
	bool wary;                               /* a recent conflict: more is deferred around edges and events */
	double begin, until;                     /* of the round; events at its end belong to it if `ending` */
	bool ending;                             /* it is the tick's last round */
	double *closed;                          /* by cell: the time from which events of its bodies are deferred; NaN: never */
	double *latest;  /* by cell: moment (partition_moment) of the latest event of a body in it; NaN: none */
	double turn;     /* offset that puts the moments of this tick after all before */
	double per_tick; /* 1 / the tick's duration */
	size_t closed_capacity, latest_capacity;
	uint8_t *touched; /* by body: in the undo log of this tick if equal to `touch`, which is never 0 */
	uint8_t touch;
	size_t touched_capacity;
	struct domain_chunk *chunks; /* of all bodies, divided evenly among the domains */
	size_t chunk_capacity;
	bool made;                  /* the current tick was stepped in domains, and is not over */
	uint64_t next_tick;         /* the one after the last such tick */
	bool conflicted;            /* in the last such tick */
	unsigned pause, pause_next; /* ticks left to one thread, now and after the next conflict */
	struct partition_counts counts;
};

/* Replaces the prediction and the events of a tick of one substep. False: the tick should be stepped as usual, and nothing has
 * changed. */
bool partition_run(struct world *world);
void partition_destroy(struct partition *partition);
/* From now on an allocation of this thread that would be refused frees what the domains have, until partition_run. If that is
 * not enough, what the caller of the tick can do without goes too (host.spare). For a tick; gives what was set before
 * (memory_spare_set). */
struct memory_spare partition_spare_set(struct world *world);
size_t partition_memory_bytes(const struct partition *partition);
struct partition_counts partition_counts(const struct world *world);

/* The number of threads that should begin a tick with so many bodies to begin. 0: the tick before was not stepped in
 * domains. */
unsigned partition_workers(const struct world *world, uint32_t bodies);
/* After a tick that was stepped in domains, moves the bodies to the ends of their paths by the same threads (bodies_finish).
 * False: the tick was not, and nothing was done. */
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

/* Maps a time of the tick to a number that is larger than those of all ticks before, so that these need not be cleared. Two
 * nearly equal times may become equal. */
static inline double
partition_moment(const struct partition *partition, double time)
{
	return partition->turn + time * partition->per_tick;
}

/* partition_looks.c. Tests whether the schedule is valid for this tick; then the workers list the bodies that are due. Failure
 * sets world->failed. */
void partition_list(struct partition *partition, struct world *world);
/* A domain's queries. False: there may be an outlier. */
bool domain_look(struct domain *domain);

/* partition_halo.c. Whether a domain may take an event of the body at a time. The last one always may, except in a conflict,
 * which it notes. */
bool domain_has(struct domain *domain, uint32_t body, double time);
/* A fast sufficient test, which most bodies pass: nothing is closed around its cell. */
static inline bool
domain_has_plainly(const struct domain *domain, uint32_t body)
{
	uint32_t cell = domain->world.grid.rows[body].cell;

	return !domain->last && cell >= domain->open && cell < domain->open_end;
}
/* Whether it may take an event, as far as can be told before its cluster is known. One of two circles may be in the next
 * domain's first row, which does not change. */
bool domain_has_event(struct domain *domain, const struct event *event);
/* Prefetches what the last domain will read of a deferred event: other threads wrote it, or have it in another cache. */
void domain_fetch(const struct domain *domain, const struct event *event);
/* Defers an event of this round to the last domain, and closes the cells around it. */
void domain_defer(struct domain *domain, const struct event *event);
/* Closes the cells around a body at the end of its lifetime, which is the last domain's to resolve. */
void domain_shut(struct domain *domain, uint32_t body, double time);
/* The same as domain_defer, without closing cells. */
void domain_pass(struct domain *domain, const struct event *event);
/* Reopens the closed cells; the cells that it may close from now on are those of its present rows. */
void domain_open(struct domain *domain);
/* Closes the cells that bodies from beyond the upper or the lower edge, or bodies hit by those, could reach. */
void domain_close_edge(struct domain *domain, bool upper);

/* partition_sweep.c: from the prediction to the end of the last round. */
void partition_sweep(struct partition *partition, struct world *world);
/* For the last domain: logs a cluster's members before they are written; false if there was a conflict. */
bool domain_logs(struct domain *domain, const struct cluster *cluster);

/* partition_undo.c. Logs a body as it is, the first time; failure sets world.failed. */
void domain_log(struct domain *domain, uint32_t body);
/* Rolls the bodies back. */
void domain_undo(struct domain *domain);
size_t domain_kept_bytes(const struct domain *domain);

/* partition_merge.c: the serial order of the domains' events. Makes room in the real world for their reports. False: there is
 * no room, and nothing has changed. */
bool partition_merge(struct partition *partition, struct world *world);
/* The next step: copies a domain's reports there. May run on several threads, each for another domain. */
void domain_report(const struct domain *domain, struct world *world);

#endif
