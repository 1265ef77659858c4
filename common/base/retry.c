#include "base/retry.h"

#include <errno.h>
#include <poll.h>

bool retry_call(int fd, short events)
{
	struct pollfd ready = {.fd = fd, .events = events};
	int error = errno;

	if (error == EINTR)
		return true;
	if (error != EAGAIN)
		return false;
	while (poll(&ready, 1, -1) < 0) {
		if (errno != EINTR && errno != EAGAIN) {
			errno = error;
			return false;
		}
	}
	errno = error;
	return true;
}
