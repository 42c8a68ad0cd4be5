#include "physics/statistics/statistics_page.h"

#include <inttypes.h>

static void
ratio_write(FILE *page, const struct disc_value *ratio)
{
	(void)fprintf(page, " %+.2f ± %.2f |", 100 * (ratio->value - 1), 100 * ratio->error);
}

static void
rates_write(FILE *page, const struct disc_result *results, size_t count)
{
	(void)fputs(
		"### Collision rate\n\n"
		"| packing fraction | collisions counted | g(σ) measured | from Enskog with Henderson's g, % | with the virial series', % |\n"
		"|--:|--:|--:|--:|--:|\n",
		page);
	for (size_t i = 0; i < count; i++) {
		const struct disc_result *r = &results[i];
		(void)fprintf(page, "| %.4f | %.0f | %.4f |", r->fraction, r->collisions, r->contact.value);
		ratio_write(page, &r->rate_henderson);
		ratio_write(page, &r->rate_series);
		(void)fputc('\n', page);
	}
}

static void
pressures_write(FILE *page, const struct disc_result *results, size_t count)
{
	(void)fputs(
		"\n### Pressure\n\n"
		"| packing fraction | P/nkT from collisions | its excess from Henderson's, % | from the virial series', % | P/nkT on the walls "
		"| from Henderson's, % | from the virial series', % |\n"
		"|--:|--:|--:|--:|--:|--:|--:|\n",
		page);
	for (size_t i = 0; i < count; i++) {
		const struct disc_result *r = &results[i];
		(void)fprintf(page, "| %.4f | %.4f |", r->fraction, r->pressure.value);
		ratio_write(page, &r->excess_henderson);
		ratio_write(page, &r->excess_series);
		(void)fprintf(page, " %.4f |", r->wall_pressure.value);
		ratio_write(page, &r->wall_henderson);
		ratio_write(page, &r->wall_series);
		(void)fputc('\n', page);
	}
}

void
page_results_write(FILE *page, const struct disc_result *results, size_t count)
{
	rates_write(page, results, count);
	pressures_write(page, results, count);
}

/* A chance too small for its digits to mean anything is only that. */
static void
chi_square_write(FILE *page, const struct disc_chi_square *chi)
{
	if (chi->chance < 1e-9)
		(void)fprintf(page, " %.2f (below 1e-9) |", chi->per_degree);
	else
		(void)fprintf(page, " %.2f (%.2g) |", chi->per_degree, chi->chance);
}

void
page_velocities_write(FILE *page, const struct velocities_row *rows, size_t count)
{
	(void)fputs("\n### Velocities\n\n"
	            "| collisions of a disc so far | velocities | energy | one component | direction |\n"
	            "|--:|--:|--:|--:|--:|\n",
	            page);
	for (size_t i = 0; i < count; i++) {
		(void)fprintf(page, "| %.4g | %" PRIu64 " |", rows[i].collisions, rows[i].velocities);
		chi_square_write(page, &rows[i].energy);
		chi_square_write(page, &rows[i].component);
		chi_square_write(page, &rows[i].direction);
		(void)fputc('\n', page);
	}
}
