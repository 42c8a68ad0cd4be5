#include "base/variables.h"

#include "base/suggest.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 128 };

/* The variables that an orchestrator sets for every service, from its name on: "SERVICE_HOST", "PORT_7878_TCP_ADDR".
 * https://kubernetes.io/docs/tutorials/services/connect-applications-service/#environment-variables */
static bool
is_service_link(const char *rest)
{
	static const char *const names[] = { "SERVICE_HOST", "SERVICE_PORT", "PORT" };
	static const char *const ends[] = { "_TCP", "_TCP_PROTO", "_TCP_PORT", "_TCP_ADDR",
		                                "_UDP", "_UDP_PROTO", "_UDP_PORT", "_UDP_ADDR" };
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(rest, names[i]) == 0)
			return true;
	if (strncmp(rest, "SERVICE_PORT_", strlen("SERVICE_PORT_")) == 0)
		return true; /* of a port with a name */
	if (strncmp(rest, "PORT_", strlen("PORT_")) != 0)
		return false;
	const char *number = rest + strlen("PORT_");
	size_t digits = strspn(number, "0123456789");
	for (size_t i = 0; digits > 0 && i < sizeof ends / sizeof ends[0]; i++)
		if (strcmp(number + digits, ends[i]) == 0)
			return true;
	return false;
}

static bool
is_known(const char *name, const char *(*name_at)(void *context, size_t index), void *context)
{
	const char *known;
	for (size_t i = 0; (known = name_at(context, i)); i++)
		if (strcmp(known, name) == 0)
			return true;
	return false;
}

static void
problem_tell(const char *name, const char *(*name_at)(void *context, size_t index), void *context,
             char problem[static VARIABLE_PROBLEM_BYTES])
{
	struct suggest suggest;
	char text[SUGGEST_TEXT_BYTES];
	const char *known;
	suggest_begin(&suggest, name);
	for (size_t i = 0; (known = name_at(context, i)); i++)
		suggest_add(&suggest, known);
	snprintf(problem, VARIABLE_PROBLEM_BYTES, "%s: no such variable is read%s", name, suggest_text(&suggest, text));
}

bool
variable_unknown(char *const environment[], const char *prefix, const char *(*name_at)(void *context, size_t index),
                 void *context, char problem[static VARIABLE_PROBLEM_BYTES])
{
	for (size_t i = 0; environment[i]; i++) {
		char name[NAME_BYTES];
		size_t count = strcspn(environment[i], "=");
		if (strncmp(environment[i], prefix, strlen(prefix)) != 0)
			continue;
		snprintf(name, sizeof name, "%.*s", (int)(count < sizeof name ? count : sizeof name - 1), environment[i]);
		if (is_service_link(name + strlen(prefix)) || is_known(name, name_at, context))
			continue;
		problem_tell(name, name_at, context, problem);
		return true;
	}
	return false;
}
