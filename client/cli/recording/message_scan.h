/* message_scan: finds the first byte at which a message breaks the rules of its type.
 *
 * Any thread; allocates nothing. What passes can be unpacked by protobuf-c, which itself fails without saying where. */
#ifndef COLLIDE_CLI_MESSAGE_SCAN_H
#define COLLIDE_CLI_MESSAGE_SCAN_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message_fault {
	size_t offset;  /* in the message */
	char text[200]; /* "frame.contacts.time ends inside a field" */
};

/* Numbers of fields that the type does not have, up to the fault if there is one. */
struct message_unknown {
	size_t outer; /* of the message itself */
	size_t inner; /* of messages within it */
};

/* false: *fault says where and why. */
bool message_scan(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t count, struct message_unknown *unknown,
                  struct message_fault *fault);

#endif
