#include "client/cli/connection/connection.h"

#include "client/cli/connection/local.h"
#include "client/cli/terminal/colour.h"
#include "client/cli/terminal/interrupt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *
connection_address(const char *given)
{
	const char *environment = getenv("COLLIDE_CONNECT");
	if (given)
		return given;
	return environment && environment[0] != '\0' ? environment : CONNECTION_ADDRESS_DEFAULT;
}

enum exit_status
error_report(const char *command, const struct collide_error *error)
{
	problem_begin(command);
	/* The source of the error: the daemon or, with --local, the same code in this process. */
	if (error->origin == COLLIDE_FROM_SERVER)
		fprintf(stderr, "refused (%s, %s): ", collide_code_name(error->code), error->reason);
	/* A single field at fault has the text of the whole error. */
	if (error->violation_count == 1 && strcmp(error->text, error->violations[0].text) == 0)
		fprintf(stderr, "%s: %s\n", error->violations[0].field, error->text);
	else {
		fprintf(stderr, "%s\n", error->text);
		for (size_t i = 0; i < error->violation_count; i++)
			fprintf(stderr, "  %s: %s\n", error->violations[i].field, error->violations[i].text);
	}
	if (error->retry_after_ms > 0)
		fprintf(stderr, "  try again in %u ms\n", error->retry_after_ms);
	switch (error->origin) {
	case COLLIDE_FROM_SERVER: return EXIT_STATUS_REFUSED;
	case COLLIDE_FROM_CONNECTION: return EXIT_STATUS_NO_CONNECTION;
	case COLLIDE_FROM_LIBRARY: break;
	}
	return error->code == COLLIDE_INVALID_ARGUMENT ? EXIT_STATUS_USAGE : EXIT_STATUS_FAILED;
}

enum exit_status
connection_error_report(const char *command, const char *address, const struct collide_error *error)
{
	enum exit_status status = error_report(command, error);
	if (address == getenv("COLLIDE_CONNECT"))
		fprintf(stderr, "  the address is that of the variable COLLIDE_CONNECT\n");
	if (strcmp(error->reason, "CONNECT_FAILED") == 0)
		fprintf(stderr, "  is collided running? It listens on " CONNECTION_ADDRESS_DEFAULT
		                " unless told otherwise: collided --listen HOST:PORT\n");
	return status;
}

static const struct collide_options options = { .client_name = "collide",
	                                            .client_version = COLLIDED_VERSION,
	                                            .stop = interrupt_came };

struct collide_client *
connection_open(const char *command, const char *given, enum exit_status *status)
{
	struct collide_error error;
	const char *address = connection_address(given);
	struct collide_client *client = collide_connect(address, &options, &error);
	if (!client)
		*status = connection_error_report(command, address, &error);
	return client;
}

struct collide_client *
connection_open_local(const char *command, unsigned threads, enum exit_status *status)
{
	struct collide_error error;
	struct collide_client *client = local_open(threads, &options, &error);
	if (!client)
		*status = error_report(command, &error);
	return client;
}
