/* descriptor_set: collide.proto itself, as a serialized google.protobuf.FileDescriptorSet with comments; what Described holds.
 *
 * Static data, any thread. Made at build time by protoc (proto/CMakeLists.txt). */
#ifndef COLLIDE_PROTO_DESCRIPTOR_SET_H
#define COLLIDE_PROTO_DESCRIPTOR_SET_H

#include <stddef.h>
#include <stdint.h>

extern const uint8_t collide_descriptor_set[];
extern const size_t collide_descriptor_set_bytes;

/* The same as the text of collide.proto. */
extern const uint8_t collide_schema_text[];
extern const size_t collide_schema_text_bytes;

#endif
