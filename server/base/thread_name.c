#include "base/thread_name.h"

#include <sys/prctl.h>

void
thread_name_set(const char *name)
{
	(void)prctl(PR_SET_NAME, name, 0, 0, 0); /* only for eyes and figures */
}
