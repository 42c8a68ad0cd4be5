/* made_tick: small scenes and ticks written by hand, to give to the certificate whole or spoiled.
 *
 * One thread; everything in the caller's memory. Ids are 10, 20, 30... in the order of addition, so states are in that order.
 */
#ifndef COLLIDED_TESTS_CERTIFICATE_MADE_TICK_H
#define COLLIDED_TESTS_CERTIFICATE_MADE_TICK_H

#include "certificate/certificate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MADE_MAX 16

struct made_tick {
	struct certificate_scene scene; /* borrows from the arrays below */
	struct certificate_circle circles[MADE_MAX];
	struct certificate_segment segments[MADE_MAX];
	double dt;
	double x[MADE_MAX], y[MADE_MAX], vx[MADE_MAX], vy[MADE_MAX]; /* at the tick's end */
	double spin[MADE_MAX];
	bool spins; /* they are told */
	struct certificate_contact contacts[MADE_MAX];
	size_t contact_count;
	struct certificate_path_change changes[MADE_MAX];
	size_t change_count;
};

/* Empty, of one second. */
void made_init(struct made_tick *made);
/* A dynamic circle of mass 1; its end state is that of free flight without gravity until something else is said. */
struct certificate_circle *made_circle(struct made_tick *made, double x, double y, double vx, double vy, double radius);
struct certificate_segment *made_segment(struct made_tick *made, double x1, double y1, double x2, double y2);
void made_end(struct made_tick *made, size_t circle, double x, double y, double vx, double vy);
struct certificate_path_change *made_change(struct made_tick *made, double time, uint32_t body, enum certificate_path_kind kind,
                                            double x, double y);
/* Circle 10 flies into circle 20 and stops, 20 leaves; then 30 bounces off segment 10, a wall at x = 20. */
void made_two_hits(struct made_tick *made);
/* The tick given to a certificate of its scene. */
struct certificate *made_start(struct made_tick *made);
enum status made_give(struct certificate *certificate, const struct made_tick *made);
/* Both, for one tick: the report. */
struct certificate_report made_report(struct made_tick *made);
void made_assert_clean(struct made_tick *made);

#endif
