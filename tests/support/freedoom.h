/* freedoom: where the maps of Freedoom are: in the folder that DOOMWADDIR names, as every Doom engine reads it, or where
 * Debian's package freedoom has them. `./dev` unpacks that package under build/ and sets the variable.
 *
 * One thread; the text lives as long as the process. */
#ifndef COLLIDED_TESTS_SUPPORT_FREEDOOM_H
#define COLLIDED_TESTS_SUPPORT_FREEDOOM_H

#include <stdio.h>
#include <stdlib.h>

/* The path of freedoom1.wad or freedoom2.wad, which need not exist. */
static inline const char *
freedoom_path(unsigned number)
{
	static char paths[2][4096];
	char *path = paths[number - 1];
	const char *folder = getenv("DOOMWADDIR");
	(void)snprintf(path, sizeof paths[0], "%s/freedoom%u.wad", folder ? folder : "/usr/share/games/doom", number);
	return path;
}

#endif
