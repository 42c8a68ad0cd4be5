/* steering: which tick a batch of now is to name, so that it arrives with some margin before that tick starts.
 *
 * A value without a clock: the time, in ns of one clock of this side, is an argument. The server's ticks are supposed to be due
 * at the rate that it announced. How far ahead to aim is the lead: two ticks at first. Each margin that the server
 * tells corrects it by a tenth of the error, at most once a tick. An error of more than some ticks, after a stall or a change
 * of clock, is corrected at once. */
#ifndef COLLIDE_CLIENT_LIB_STEERING_H
#define COLLIDE_CLIENT_LIB_STEERING_H

#include <stdbool.h>
#include <stdint.h>

/* Ticks by which the lead is wrong from which on it is corrected at once: it would take tens of ticks, and all of them late. */
#define STEERING_JUMP_TICKS 8

struct steering {
	uint32_t hz;       /* 0: not by the server's clock */
	uint64_t tick;     /* told last */
	uint64_t due_tick; /* this one is due at due_ns */
	int64_t due_ns;
	int64_t lead_ns, target_ns;
	int64_t margin_ns; /* told last */
	uint64_t corrected_tick;
};

/* next_due_ns: until tick + 1 is due; 0: not by the server's clock. The lead is kept if it was steered before. */
void steering_begin(struct steering *steering, uint64_t tick, int64_t next_due_ns, uint32_t hz, int64_t now_ns);
/* The server has made `tick`. */
void steering_told(struct steering *steering, uint64_t tick, int64_t now_ns);
/* A batch named a tick too far ahead: the server stands at `tick`, and has made none of those that were thought to be due
 * since. Its next is due about now. The lead begins anew, as what the last margin made of it may be what was too early. */
void steering_restart(struct steering *steering, uint64_t tick, int64_t now_ns);
/* Of batches that named a tick, decided by `tick`. */
void steering_margin(struct steering *steering, int64_t margin_ns, uint64_t tick);
uint64_t steering_aim(const struct steering *steering, int64_t now_ns);

#endif
