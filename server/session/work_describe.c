#include "session/work.h"

#include "session/request.h"

void
work_describe_run(struct request *request)
{
	wire_described_append(&request->out, request->id);
	request->finished = true;
}
