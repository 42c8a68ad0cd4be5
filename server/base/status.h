/* status: the one set of outcomes that every layer returns.
 *
 * Any thread. Owns nothing. The numbers are google.rpc.Code, so that a status crosses the wire unchanged
 * (https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto). */
#ifndef COLLIDED_BASE_STATUS_H
#define COLLIDED_BASE_STATUS_H

#define STATUS_MUST_USE __attribute__((warn_unused_result))

enum status {
	STATUS_OK = 0,
	STATUS_CANCELLED = 1,
	STATUS_UNKNOWN = 2,
	STATUS_INVALID_ARGUMENT = 3,
	STATUS_DEADLINE_EXCEEDED = 4,
	STATUS_NOT_FOUND = 5,
	STATUS_ALREADY_EXISTS = 6,
	STATUS_PERMISSION_DENIED = 7,
	STATUS_RESOURCE_EXHAUSTED = 8,
	STATUS_FAILED_PRECONDITION = 9,
	STATUS_OUT_OF_RANGE = 11,
	STATUS_UNIMPLEMENTED = 12,
	STATUS_INTERNAL = 13,
	STATUS_UNAVAILABLE = 14,
};

/* The stable upper-case name ("INVALID_ARGUMENT"); "UNKNOWN" for a number that is not in the table. */
const char *status_name(enum status status);

#endif
