# Sourced by cases of locks.
# shellcheck shell=bash

# Waits until a process waits for a lock or has ended; for a second where the system does not tell.
until_it_waits() { # PID
	for _ in {1..100}; do
		kill -0 "$1" 2>/dev/null || return 0
		! grep -q -e "-> FLOCK .* $1 " /proc/locks 2>/dev/null || return 0
		sleep 0.01
	done
}
