/* message_json: any message of collide.v1 in protobuf's JSON form (https://protobuf.dev/programming-guides/json/), so that any
 * protobuf library reads it back.
 *
 * One thread at a time; owns nothing. Names are lowerCamelCase; defaults are left out, and so are fields that the schema does
 * not have. Doubles are as json_text.h writes them, 64-bit integers are strings, bytes are base64. */
#ifndef COLLIDE_CLI_MESSAGE_JSON_H
#define COLLIDE_CLI_MESSAGE_JSON_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stdio.h>

enum message_json_layout {
	MESSAGE_JSON_WIDE, /* for people: fields one a line, messages in lists one a line, columns wrapped */
	MESSAGE_JSON_LINE, /* for programs: one line */
};

/* Ends with a line feed. false if the stream reports an error. */
bool message_json_write(FILE *out, const ProtobufCMessage *message, enum message_json_layout layout);

#endif
