/* input: what a file holds that a run may begin with or be played from, by its first bytes. Any thread. */
#ifndef COLLIDE_CLI_INPUT_H
#define COLLIDE_CLI_INPUT_H

#include <stdbool.h>

enum input_kind {
	INPUT_SCENE, /* text; also what is nothing else, so that the reader of JSON says what is wrong */
	INPUT_SNAPSHOT,
	INPUT_RECORDING,
};

/* Looks at a file, or at what comes first from stdin ("-"), which is put back. false with errno: it cannot be read. */
bool input_look(const char *path, enum input_kind *kind);

#endif
