#include "client/cli/connection.h"

#include <stdio.h>
#include <stdlib.h>

const char *
connection_address(const char *given)
{
	const char *environment = getenv("COLLIDE_CONNECT");
	if (given != NULL)
		return given;
	return environment != NULL && environment[0] != '\0' ? environment : CONNECTION_ADDRESS_DEFAULT;
}

enum exit_status
error_tell(const char *command, const struct collide_error *error)
{
	fprintf(stderr, "collide %s: ", command);
	if (error->origin == COLLIDE_FROM_SERVER)
		fprintf(stderr, "the server says %s (%s): ", collide_code_name(error->code), error->reason);
	fprintf(stderr, "%s\n", error->text);
	for (size_t i = 0; i < error->violation_count; i++)
		fprintf(stderr, "  %s %s\n", error->violations[i].field, error->violations[i].text);
	if (error->retry_after_ms > 0)
		fprintf(stderr, "  try again in %u ms\n", error->retry_after_ms);
	switch (error->origin) {
	case COLLIDE_FROM_SERVER: return EXIT_STATUS_REFUSED;
	case COLLIDE_FROM_CONNECTION: return EXIT_STATUS_NO_CONNECTION;
	case COLLIDE_FROM_LIBRARY: break;
	}
	return error->code == COLLIDE_INVALID_ARGUMENT ? EXIT_STATUS_USAGE : EXIT_STATUS_FAILED;
}

struct collide_client *
connection_open(const char *command, const char *given, enum exit_status *status)
{
	const struct collide_options options = { .client_name = "collide", .client_version = COLLIDED_VERSION };
	struct collide_error error;
	struct collide_client *client = collide_connect(connection_address(given), &options, &error);
	if (client == NULL) {
		*status = error_tell(command, &error);
		if (*status == EXIT_STATUS_NO_CONNECTION)
			fprintf(stderr, "  is collided running? start it with: collided --listen %s\n", connection_address(given));
	}
	return client;
}
