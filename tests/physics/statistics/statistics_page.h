/* statistics_page: the tables of gas_statistics in Markdown, for docs/statistics.md. One thread. Owns nothing. */
#ifndef COLLIDED_TESTS_PHYSICS_STATISTICS_PAGE_H
#define COLLIDED_TESTS_PHYSICS_STATISTICS_PAGE_H

#include "physics/statistics/disc_measure.h"
#include "physics/statistics/disc_speeds.h"

#include <stdio.h>

/* A line of the table of velocities. */
struct velocities_row {
	double collisions; /* of a disc, since the start */
	uint64_t velocities;
	struct disc_chi_square energy, component, direction;
};

void page_results_write(FILE *page, const struct disc_result *results, size_t count);
void page_velocities_write(FILE *page, const struct velocities_row *rows, size_t count);

#endif
