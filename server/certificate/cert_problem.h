/* cert_problem: what the certificate found, added to its report.
 *
 * One thread. */
#ifndef COLLIDED_CERTIFICATE_CERT_PROBLEM_H
#define COLLIDED_CERTIFICATE_CERT_PROBLEM_H

#include "certificate/certificate.h"

#include <stdarg.h>

#define CERT_FORMAT(at, rest) __attribute__((format(printf, at, rest)))

/* Counts a jump. `size` is in radii or relative to the speeds, 0 if neither is meant; the text continues "tick N: ". */
void cert_problem_jump(struct certificate_report *report, double size, const char *format, ...) CERT_FORMAT(3, 4);
/* Counts a change of energy by elastic contacts; `size` is its part of the energy. */
void cert_problem_energy(struct certificate_report *report, double size, const char *format, ...) CERT_FORMAT(3, 4);
/* Counts a fault of the events. */
void cert_problem_event(struct certificate_report *report, const char *format, ...) CERT_FORMAT(2, 3);
void cert_problem_escape(struct certificate_report *report, uint32_t body, uint32_t wall, double time);
/* Takes a pair's deepest overlap of this tick into the report; counts it if it is deeper than `rounding`. */
void cert_problem_overlap(struct certificate_report *report, double depth, double rounding, double radius_min, uint32_t a,
                          uint32_t b, bool with_segment);

#endif
