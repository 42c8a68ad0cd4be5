/* Linked with every program of the changed tree. MUTANT_IN_FORCE: the number of the change that is in force, none if it is not
 * set. MUTANTS_REACHED: a folder in which each process that ends leaves a file with a byte for each change: 1 if it
 * came there. */
#include "mutate/mutant.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int mutant_number;
unsigned char mutant_reached[MUTANTS_MAX];

static __attribute__((constructor)) void
mutant_begin(void)
{
	const char *number = getenv("MUTANT_IN_FORCE");
	mutant_number = number ? (int)strtol(number, NULL, 10) : -1;
}

static __attribute__((destructor)) void
mutant_end(void)
{
	const char *folder = getenv("MUTANTS_REACHED");
	char name[4096];
	if (!folder)
		return;
	(void)snprintf(name, sizeof name, "%s/%ld", folder, (long)getpid());
	FILE *file = fopen(name, "wb");
	if (!file)
		return;
	(void)fwrite(mutant_reached, 1, sizeof mutant_reached, file);
	(void)fclose(file);
}
