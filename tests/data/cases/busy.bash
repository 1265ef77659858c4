# Functions for cases of kbusy.

# check_busy NAME: holds kbusy on $TMP/in.kev against a reference; prints what it found.
check_busy() {
	local status=0

	kbusy "$TMP/in.kev" 2>/dev/null >"$TMP/table" || status=$?
	kbusy --gaps "$TMP/in.kev" 2>/dev/null >"$TMP/gaps"
	if ((status > 1)); then
		echo "$1: status $status"
		return
	fi
	echo "$1: $(python3 "$ROOT/tests/check/busy-reference.py" "$TMP/in.kev" "$TMP/table" "$TMP/gaps")"
	grep '^#' "$TMP/in.kev" >"$TMP/head"
	grep -v '^#' "$TMP/in.kev" >"$TMP/rows"
	{ cat "$TMP/head" && shuf --random-source=<(yes 1) "$TMP/rows"; } | same_busy "$1: shuffled rows differ"
	{ cat "$TMP/head" && LC_ALL=C sort -t "$(printf '\t')" -k 1,1n "$TMP/rows"; } |
		without_unlinked "$1: -s differs"
}

# without_unlinked MESSAGE: the same with -s, which does not count unlinked rows without launch_ts.
without_unlinked() {
	awk -F '\t' -v OFS='\t' '!/^##/ && /^#/ { for (i = 1; i <= NF; i++) if ($i == "unlinked") at = i }
		!/^#/ { $at = "" } { print }' "$TMP/table" >"$TMP/table.s"
	mv "$TMP/table.s" "$TMP/table"
	same_busy "$1" -s
}

# same_busy MESSAGE OPTION...: prints it if the table or the gaps of standard input differ.
same_busy() {
	local message=$1

	shift
	cat >"$TMP/again.kev"
	kbusy -H "$@" "$TMP/again.kev" 2>/dev/null | cmp -s - <(grep -v '^#' "$TMP/table") &&
		kbusy -H "$@" --gaps "$TMP/again.kev" 2>/dev/null | cmp -s - <(grep -v '^#' "$TMP/gaps") ||
		echo "$message"
}
