#include "client/lib/failure.h"

#include <stdarg.h>
#include <stdio.h>

const char *
collide_code_name(enum collide_code code)
{
	switch (code) {
	case COLLIDE_OK: return "OK";
	case COLLIDE_CANCELLED: return "CANCELLED";
	case COLLIDE_INVALID_ARGUMENT: return "INVALID_ARGUMENT";
	case COLLIDE_DEADLINE_EXCEEDED: return "DEADLINE_EXCEEDED";
	case COLLIDE_NOT_FOUND: return "NOT_FOUND";
	case COLLIDE_ALREADY_EXISTS: return "ALREADY_EXISTS";
	case COLLIDE_PERMISSION_DENIED: return "PERMISSION_DENIED";
	case COLLIDE_RESOURCE_EXHAUSTED: return "RESOURCE_EXHAUSTED";
	case COLLIDE_FAILED_PRECONDITION: return "FAILED_PRECONDITION";
	case COLLIDE_OUT_OF_RANGE: return "OUT_OF_RANGE";
	case COLLIDE_UNIMPLEMENTED: return "UNIMPLEMENTED";
	case COLLIDE_INTERNAL: return "INTERNAL";
	case COLLIDE_UNAVAILABLE: return "UNAVAILABLE";
	case COLLIDE_UNKNOWN: break;
	}
	return "UNKNOWN";
}

bool
failure_set(struct collide_error *error, enum collide_origin origin, enum collide_code code, const char *reason,
            const char *text_format, ...)
{
	if (!error)
		return false;
	*error = (struct collide_error){ .code = code, .origin = origin };
	failure_copy_text(error->reason, sizeof error->reason, reason);
	va_list arguments;
	va_start(arguments, text_format);
	vsnprintf(error->text, sizeof error->text, text_format, arguments);
	va_end(arguments);
	return false;
}

bool
failure_memory(struct collide_error *error)
{
	return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_RESOURCE_EXHAUSTED, "NO_MEMORY", "no memory");
}

void
failure_copy_text(char *to, size_t size, const char *from)
{
	size_t used = 0;
	for (; from && from[used] != '\0' && used + 1 < size; used++) {
		unsigned char c = (unsigned char)from[used];
		to[used] = c < 0x20 || c == 0x7f ? '?' : from[used];
	}
	to[used] = '\0';
}

void
failure_from_message(struct collide_error *error, const Collide__V1__Error *message)
{
	*error = (struct collide_error){
		.code = message->code == COLLIDE__V1__CODE__CODE_UNSPECIFIED ? COLLIDE_UNKNOWN : (enum collide_code)message->code,
		.origin = COLLIDE_FROM_SERVER,
		.retry_after_ms = message->retry_after_ms,
	};
	failure_copy_text(error->reason, sizeof error->reason, message->reason);
	failure_copy_text(error->text, sizeof error->text, message->text);
	size_t count = message->n_violations < COLLIDE_VIOLATIONS_MAX ? message->n_violations : COLLIDE_VIOLATIONS_MAX;
	for (size_t i = 0; i < count; i++) {
		struct collide_violation *violation = &error->violations[i];
		failure_copy_text(violation->field, sizeof violation->field, message->violations[i]->field);
		failure_copy_text(violation->text, sizeof violation->text, message->violations[i]->text);
	}
	error->violation_count = count;
}
