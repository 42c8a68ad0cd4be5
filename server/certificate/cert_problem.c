#include "certificate/cert_problem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void problem_first(struct certificate_report *report, const char *format, va_list arguments) CERT_FORMAT(2, 0);

static void
problem_first(struct certificate_report *report, const char *format, va_list arguments)
{
	char *text = report->first_problem;
	size_t room = sizeof report->first_problem;

	if (text[0] != '\0')
		return;
	int used = snprintf(text, room, "tick %" PRIu64 ": ", report->start_tick + report->ticks);
	if (used > 0 && (size_t)used < room)
		(void)vsnprintf(text + used, room - (size_t)used, format, arguments);
}

static void problem_say(struct certificate_report *report, const char *format, ...) CERT_FORMAT(2, 3);

static void
problem_say(struct certificate_report *report, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	problem_first(report, format, arguments);
	va_end(arguments);
}

void
cert_problem_jump(struct certificate_report *report, double size, const char *format, ...)
{
	va_list arguments;

	report->jumps++;
	/* A size that is not a number comes from streamed numbers that are none; it must not hide later ones. */
	report->largest_jump = isnan(size) ? HUGE_VAL : fmax(report->largest_jump, size);
	va_start(arguments, format);
	problem_first(report, format, arguments);
	va_end(arguments);
}

void
cert_problem_energy(struct certificate_report *report, double size, const char *format, ...)
{
	va_list arguments;

	report->energy_faults++;
	report->largest_energy_fault = isnan(size) ? HUGE_VAL : fmax(report->largest_energy_fault, size);
	va_start(arguments, format);
	problem_first(report, format, arguments);
	va_end(arguments);
}

void
cert_problem_event(struct certificate_report *report, const char *format, ...)
{
	va_list arguments;

	report->event_faults++;
	va_start(arguments, format);
	problem_first(report, format, arguments);
	va_end(arguments);
}

void
cert_problem_escape(struct certificate_report *report, uint32_t body, uint32_t wall, double time)
{
	report->escapes++;
	problem_say(report, "the centre of circle %" PRIu32 " crosses segment %" PRIu32 " at time %.9g", body, wall, time);
}

void
cert_problem_overlap(struct certificate_report *report, double depth, double rounding, double radius_min, uint32_t a,
                     uint32_t b, bool with_segment)
{
	if (depth > report->largest_overlap) {
		report->largest_overlap = depth;
		report->largest_overlap_radii = depth / radius_min;
		report->overlap_a = a;
		report->overlap_b = b;
		report->overlap_with_segment = with_segment;
		report->overlap_tick = report->start_tick + report->ticks;
	}
	if (depth > rounding) {
		report->overlaps++;
		problem_say(report, "circle %" PRIu32 " overlaps %s %" PRIu32 " by %.3g", a, with_segment ? "segment" : "circle", b,
		            depth);
	}
}
