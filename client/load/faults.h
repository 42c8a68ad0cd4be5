/* faults: failures counted by kind. A kind is a stable reason name of the protocol, such as QUEUE_FULL. One thread at a
 * time. */
#ifndef COLLIDE_LOAD_FAULTS_H
#define COLLIDE_LOAD_FAULTS_H

#include <stddef.h>
#include <stdint.h>

#define FAULTS_KINDS_MAX 32 /* the schema has about as many; further ones are counted as one kind, OTHER */
#define FAULTS_NAME_BYTES 48

struct fault {
	char name[FAULTS_NAME_BYTES];
	uint64_t count;
};

struct faults {
	size_t count;
	struct fault kinds[FAULTS_KINDS_MAX]; /* in the order of their first occurrence */
};

void faults_add(struct faults *faults, const char *name, uint64_t count);

#endif
