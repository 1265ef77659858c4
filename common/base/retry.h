/*
 * retry - calls of read and write that only have to be made again: after a signal, or on a
 * descriptor that does not block, as another program may have left a shared pipe or terminal.
 */
#ifndef RETRY_H
#define RETRY_H

#include <stdbool.h>

/*
 * After a call that failed: whether to make it again, at once after a signal, or when the
 * descriptor is ready for events of poll(2), POLLIN or POLLOUT. errno stays.
 */
bool retry_call(int fd, short events);

#endif
