/* names: names, labels and secrets that clients give.
 *
 * Any thread. Labels own their rows. */
#ifndef COLLIDED_WORLDS_REGISTRY_NAMES_H
#define COLLIDED_WORLDS_REGISTRY_NAMES_H

#include "wire/wire.h"
#include "worlds/limits.h"

struct label {
	char key[WORLDS_NAME_BYTES_MAX + 1], value[WORLDS_NAME_BYTES_MAX + 1];
};

struct labels {
	struct label *rows;
	size_t count;
};

/* Problems name the field. */
STATUS_MUST_USE enum status name_read(const char *text, const char *field, char out[WORLDS_NAME_BYTES_MAX + 1],
                                      struct wire_problem *problem);
STATUS_MUST_USE enum status text_read(const char *text, size_t bytes_min, const char *field,
                                      char out[WORLDS_NAME_BYTES_MAX + 1], struct wire_problem *problem);
STATUS_MUST_USE enum status labels_read(Collide__V1__Label *const *messages, size_t count, const char *path, struct labels *out,
                                        struct wire_problem *problem);
void labels_finish(struct labels *labels);
/* Whether all of `wanted` are among them. */
bool labels_have(const struct labels *labels, Collide__V1__Label *const *wanted, size_t count);
/* In a time that does not depend on where they differ. */
bool secret_is(const uint8_t secret[WORLDS_SECRET_BYTES], const ProtobufCBinaryData *given);

#endif
