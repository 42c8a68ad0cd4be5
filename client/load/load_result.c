#include "client/load/load_result.h"

#include <stdlib.h>

struct load_result *
load_result_create(void)
{
	return calloc(1, sizeof(struct load_result));
}

void
load_result_destroy(struct load_result *result)
{
	if (!result)
		return;
	free(result->series);
	free(result);
}

double
load_rate(const struct load_result *result, uint64_t count)
{
	return result->seconds > 0 ? (double)count / result->seconds : 0;
}
