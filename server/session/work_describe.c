#include "session/work.h"

#include "session/request.h"

void
work_describe_run(struct request *request)
{
	wire_described_begin(&request->out, request->id);
	request->shared = body_hold(&request->service->schema);
	request->finished = true;
}
