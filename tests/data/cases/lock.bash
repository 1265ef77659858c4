# Sourced by cases of locks.
# shellcheck shell=bash

# Waits until a process reports that it waits for a lock, or has ended.
until_it_waits() { # PID MESSAGES-OF-IT
	until grep -q 'waiting$' "$2" 2>/dev/null || ! kill -0 "$1" 2>/dev/null; do
		sleep 0.01
	done
}
