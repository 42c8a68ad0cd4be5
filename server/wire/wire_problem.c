/* What is wrong with a request, put into words. */
#include "wire/wire.h"

#include <stdarg.h>
#include <stdio.h>

enum status
wire_problem_set(struct wire_problem *problem, enum status status, const char *reason, const char *field,
                 const char *text_format, ...)
{
	va_list arguments;

	*problem = (struct wire_problem){ .status = status, .reason = reason };
	(void)snprintf(problem->field, sizeof problem->field, "%s", field);
	va_start(arguments, text_format);
	(void)vsnprintf(problem->text, sizeof problem->text, text_format, arguments);
	va_end(arguments);
	return status;
}
