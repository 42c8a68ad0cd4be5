/* limits: the bounds of worlds that live on the server. Those in struct worlds_limits are announced (Limits.worlds), and an
 * operator may change those that config_options.c names. All others are fixed. */
#ifndef COLLIDED_WORLDS_LIMITS_H
#define COLLIDED_WORLDS_LIMITS_H

#include <stdint.h>

struct worlds_limits {
	uint32_t worlds_max, worlds_per_account_max, maps_max;
	uint32_t seats_per_world_max, subscriptions_per_world_max;
	uint32_t tick_hz_max;
	uint32_t batches_waiting_max;
	uint32_t batch_rows_max, batch_bytes_max;
	uint32_t ahead_ticks_max, history_ticks_max;
	uint64_t world_bytes_max, journal_bytes_max, owed_bytes_max, kept_bytes_max;
	uint32_t batches_per_second_max, bytes_per_second_max;
	uint32_t outcomes_max;
	uint32_t resimulated_ticks_max;

	/* Not announced: how often one account may come to one world by its join secret. */
	uint32_t joins_per_second_max;
	/* The same: percent of all workers' time that ticks may reserve, in all and of one account. */
	uint32_t cpu_percent_max, cpu_percent_per_account_max;
	/* The same: bytes of a recording that wait for a disk, behind its first state. */
	uint64_t record_waiting_bytes_max;
};

/* Worlds on the server: some 8 times what two cores tick at 60 Hz. Over it: RESOURCE_EXHAUSTED, WORLDS. */
#define WORLDS_MAX 8192
/* Of one account: half of all, as of everything that accounts share. WORLDS. */
#define WORLDS_PER_ACCOUNT_MAX 4096
/* Maps on the server. WORLDS. */
#define WORLDS_MAPS_MAX 1024
/* Seats of a world, those without a connection too: a large match, or a proxy for each of many. SEATS. */
#define WORLDS_SEATS_MAX 256
/* Seats, subscriptions and option sets of these that a world has for its owner's secret when the join secret has all others. No
 * more than a policy's seats_max, too. SEATS. */
#define WORLDS_OWNER_MORE 8
/* Subscriptions of a world: an event that thousands watch goes through relays. SEATS. */
#define WORLDS_SUBSCRIPTIONS_MAX 1024
/* Ticks a second by the server's clock: the fastest robots and fighting games. LIMIT. */
#define WORLDS_TICK_HZ_MAX 1000
/* Batches of a seat that are received and not decided: two seconds of one a tick at 60 Hz. BATCHES_WAIT. */
#define WORLDS_BATCHES_WAITING_MAX 128
/* Rows of a batch, all tables together: a whole small world replaced. LIMIT. */
#define WORLDS_BATCH_ROWS_MAX 65536
/* Bytes of a Commands or ManyCommands message, of which the loop reads the numbers in front only. LIMIT. */
#define WORLDS_BATCH_BYTES_MAX 1048576
/* Ids that a policy may allow a seat by the join secret to reserve. LIMIT. All of them may reserve half of what a world has:
 * the rest is for its owner's secret. SEATS. */
#define WORLDS_JOIN_IDS_MAX 1048576u
/* How far ahead of the last tick made a batch may name its tick: ten seconds at 60 Hz. TOO_EARLY. */
#define WORLDS_AHEAD_TICKS_MAX 600
/* How far back SnapshotWorld may ask: ten seconds at 60 Hz. LIMIT. */
#define WORLDS_HISTORY_TICKS_MAX 600
/* Bytes of one world, with its history and what waits for it. LIMIT; a tick over it fails the world. */
#define WORLDS_WORLD_BYTES_MAX (UINT64_C(1) << 30)
/* Bytes of batches that a world keeps to make ticks of its history again. Beyond it the history gets shorter. */
#define WORLDS_JOURNAL_BYTES_MAX (UINT64_C(1) << 20)
/* Bytes of contacts, events, ends and outcomes that wait for one slow reader, when more come: more than one update has at most.
 * Beyond it SLOW_READER. */
#define WORLDS_OWED_BYTES_MAX (UINT64_C(1) << 22)
/* Bytes of memory for updates of one encoding that are kept for readers that come back: some seconds of contacts of 64 circles,
 * or one in a heap. Less than may be owed. 0: none. */
#define WORLDS_KEPT_BYTES_MAX (UINT64_C(1) << 18)
/* Of that the part for states without contacts and events: 4 KiB; and for paths, or states within a tolerance, without them. */
#define WORLDS_KEPT_PLAIN_PART 64
#define WORLDS_KEPT_SMALL_PART 32
/* Batches and bytes a second of a seat, with bursts of a second. That is several times what a person's inputs need, about what
 * a bot that moves a hundred circles a tick sends. RATE. */
#define WORLDS_BATCHES_PER_SECOND_MAX 1000
#define WORLDS_BYTES_PER_SECOND_MAX 4194304
/* Bytes of a seat's batches that wait: what it may send in a second. Of a world that stands nothing else bounds them.
 * BATCHES_WAIT. */
#define WORLDS_WAITING_BYTES_MAX 4194304
/* The same of all seats by the join secret together, those that have ended too: one address leaves a sixteenth of it to others.
 * In number they may have as many as all seats of a world. BATCHES_WAIT. */
#define WORLDS_GUESTS_WAITING_BYTES_MAX (UINT64_C(64) << 20)
/* Attach and Subscribe of one account to one world by its join secret, a second: each may cost a key, a seat, ids. What ends
 * again is as rare. The burst is 16 seconds of it, 512: the players of a full world over one proxy, a seat and a reader each.
 * They all come at once, and again over another connection. RATE. */
#define WORLDS_JOINS_PER_SECOND_MAX 32
#define WORLDS_JOINS_BURST_MS 16000
/* Outcomes that are kept for a seat until it acknowledges them. OUTCOMES_WAIT. */
#define WORLDS_OUTCOMES_MAX 256
/* Ticks that a world may make again in a second: ten for each at 60 Hz. */
#define WORLDS_RESIMULATED_TICKS_MAX 600

/* Percent of all workers' time that the ticks of worlds may reserve. Real-time workers above 75 % of a core are stopped by the
 * kernel for the sake of ordinary threads. CPU. */
#define WORLDS_CPU_PERCENT_MAX 70
/* The same of one account. */
#define WORLDS_CPU_PERCENT_PER_ACCOUNT_MAX 50

/* ---- fixed */

/* Bytes of a name, a label's key and value, a seat's label. LIMIT. */
#define WORLDS_NAME_BYTES_MAX 64
/* Labels of a world. LIMIT. */
#define WORLDS_LABELS_MAX 16
/* Bytes of secrets, tokens and tickets: 128 random bits. BAD_FIELD. */
#define WORLDS_SECRET_BYTES 16
/* Batches of one ManyCommands. LIMIT. */
#define WORLDS_MANY_COMMANDS_MAX 256
/* Forces that act on one circle at a time. LIMIT. */
#define WORLDS_FORCES_PER_CIRCLE_MAX 8
/* Ticks that one force may act. BAD_FIELD. */
#define WORLDS_FORCE_TICKS_MAX 1000000
/* Ticks between the states that a world keeps for its history, each a snapshot: half of the history within these bounds. So few
 * states are kept, and to look back costs a restore and up to so many ticks. */
#define WORLDS_KEEP_EVERY_MIN 8
#define WORLDS_KEEP_EVERY_MAX 64
/* Bytes of states in memory of a world with LATE_RESIMULATE: one after each tick of its history, as long as they fit; else
 * after every second, fourth .. */
#define WORLDS_RECENT_BYTES_MAX ((size_t)1 << 20)
#define WORLDS_RECENT_EVERY_MAX 64
/* A self-check goes back so many ticks. */
#define WORLDS_CHECK_TICKS 8
/* Bytes of the states in memory that it needs of a world; a larger one is not checked. */
#define WORLDS_CHECK_BYTES_MAX ((size_t)64 << 20)
/* Ticks that a world may make during a self-check, a second or so: then it is given up. */
#define WORLDS_CHECK_BEHIND_MAX 64
/* How long a ticket of CreateWorld is remembered. */
#define WORLDS_TICKET_MS 600000
/* CommandsDone that a connection may be waiting for; each of its messages may look through them. REQUESTS_IN_FLIGHT. */
#define WORLDS_DONES_MAX 4096
/* Bytes that wait for a reader from which on it is behind: it gets no states until it has read them. */
#define WORLDS_BEHIND_BYTES 65536
/* Questions about moments of one account that wait for one world, and as many of all else that a world answers: snapshots,
 * other states, other clocks. Cancelled ones too, which a request in flight does not count: several times what honest ones have
 * under way. OVER_SHARE. */
#define WORLDS_ASKS_MAX 256
/* Seats and subscriptions of a connection: of a proxy with a thousand rooms. Each message may look through them. SEATS. */
#define WORLDS_LASTING_MAX 4096
/* More time than this between two looks at the clock, which come several times a second, does not count for the times above. */
#define WORLDS_STALL_MS 1000
/* Worlds in one reply to ListWorlds. */
#define WORLDS_LIST_MAX 1000
/* Bytes of such a reply, but for one world: of several hundred without labels. The loop makes it at one go, and it waits for a
 * client that does not read. */
#define WORLDS_LIST_BYTES_MAX 131072

/* Defaults of a WorldPolicy. */
#define WORLDS_CATCH_UP_TICKS 8
#define WORLDS_IDLE_TTL_MS 60000
#define WORLDS_SEAT_TTL_MS 15000
#define WORLDS_HASH_EVERY 60
/* A player's character and what it throws. */
#define WORLDS_JOIN_IDS 256
/* Circles more than a world begins with, up to which seats by the join secret spawn: 64 each for a match of 64 players. */
#define WORLDS_JOIN_CIRCLES_MORE 4096
/* CPU time that is reserved for the ticks of one world at most, in thousandths of a core. */
#define WORLDS_CPU_PERMILLE_MAX 250
/* An idle time without an end. */
#define WORLDS_TTL_NEVER UINT32_MAX
/* Option sets of a world's subscriptions: each takes memory, and time at each of its updates. SEATS. */
#define WORLDS_ENCODERS_MAX 16
/* The same of those with a region: each looks at every circle in every tick. Beyond, readers get a larger region, or all. */
#define WORLDS_REGIONS_MAX 32
/* Of these, boxes of each level: the coarser ones are for readers that come when the finer ones are taken. */
#define WORLDS_REGIONS_OF_LEVEL_MAX \
	{                               \
		10, 6, 4, 4, 4, 4           \
	}
/* How long updates are kept at most, and encodings without readers; and how many of those. */
#define WORLDS_KEPT_MS_MAX 60000u
#define WORLDS_ENCODERS_LEFT_MAX 4
/* How long updates of paths, or of states within a tolerance, without contacts and events. */
#define WORLDS_KEPT_SMALL_MS 1000u
/* Ticks from one update to the next. */
#define WORLDS_UPDATE_EVERY 3
/* The most that a subscription may ask for: a minute at 60 Hz. What happens in between is kept by the server. LIMIT. */
#define WORLDS_UPDATE_EVERY_MAX 3600
/* The same of a recording, unless it says otherwise. An update has an envelope of some ten bytes. */
#define WORLDS_RECORD_EVERY 30
/* Bytes of a recording that wait for a disk, behind its first state: minutes of a room of players. DISK_SLOW. */
#define WORLDS_RECORD_WAITING_BYTES_MAX (UINT64_C(1) << 20)
/* Bytes in front of an update's block in a file: two lengths, a request_id and a tag. */
#define WORLDS_FILE_FRONT_BYTES_MAX 32
/* With a tolerance: its model goes tick by tick. LIMIT. */
#define WORLDS_QUANTIZED_EVERY_MAX 120
/* What a tolerance may be. BAD_FIELD. */
#define WORLDS_TOLERANCE_MIN 1e-12
#define WORLDS_TOLERANCE_MAX 1e12
/* What bytes_per_second may be. The least is enough for updates as rare as they may become. BAD_FIELD. */
#define WORLDS_STREAM_BYTES_MIN 256
#define WORLDS_STREAM_BYTES_MAX 1000000000
/* What goes around an update's block: two lengths, two tags and a request_id. */
#define WORLDS_STREAM_ENVELOPE_BYTES 8

#endif
