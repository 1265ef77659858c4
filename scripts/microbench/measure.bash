# measure - runs msprof, and keeps what it leaves in a folder of the database, the profile.
#
# Reads option, flag, chosen, folder, replay, measured. Sets profile; summaries, the op_summary files
# to merge; statuses, the status files of the replay program; worst, the exit status; unsure, if it is
# unknown which operators failed.
# shellcheck shell=bash

profile='' summaries=() statuses=() worst=0 unsure=''

# Only this file uses it: 128 + the signal that ended the run.
stopped=''

# --- the profile -----------------------------------------------------------------

# From here on, a run that fails keeps its profile.
begin_profile() {
	{ mkdir -p -- "$folder" && profile=$(mktemp -d -p "$folder" msprof_run_XXXX); } 2>/dev/null ||
		fail "$folder: cannot be made or written"
	chmod +rx "$profile" # if it is kept, it is for everybody whom the umask allows
}

# Removes the profile of a run that succeeded; reports the place of another one.
# shellcheck disable=SC2317 # called by trap
end_profile() {
	[[ $profile ]] || return
	if [[ $finished && $worst == 0 ]]; then
		rm -rf -- "$profile"
		return
	fi
	[[ -s $profile/summaries ]] || rm -f -- "$profile/summaries"
	if ! rmdir -- "$profile" 2>/dev/null; then
		warn "the profile is kept in $profile${by_hand:+; merge its rows with}" ${by_hand:+"  $by_hand"}
	fi
}

# --- signals ---------------------------------------------------------------------

stop() {
	warn 'interrupted'
	exit "$stopped"
}

# A signal ends the programs that msprof runs. It may take its time; a second signal kills them.
# jobs includes a job that has just started. A child of bash can lose a signal before it executes its command;
# until then it has the name of its parent.
# shellcheck disable=SC2317 # called by trap
interrupted() { # STATUS
	local signal=TERM own name running

	[[ -z $stopped ]] || signal=KILL
	stopped=$1
	running=$(jobs -p)
	[[ $running ]] || stop
	{
		read -r own <"/proc/$$/comm"
		while read -r name <"/proc/$running/comm" && [[ $name == "$own" ]]; do
			sleep 0.01
		done
		kill "-$signal" -- "-$running"
	} 2>/dev/null
}

# Runs a command and sets status. It runs in the background, so that bash handles a signal at once,
# and in a process group of its own, so that the signal can be passed on to all of it.
run_in_group() { # COMMAND...
	local running

	set -m
	"$@" </dev/null >&2 &
	running=$!
	set +m
	# A signal ends the wait before the command. Bash itself would report a killed command.
	while
		wait "$running"
		status=$?
		kill -0 "$running"
	do :; done 2>/dev/null
	[[ -z $stopped ]] || stop
}

# --- msprof ----------------------------------------------------------------------

# Sets summaries to the files below a folder.
find_summaries() { # DIR
	local -x LC_ALL=C

	find "$1" -type f -regextype posix-extended \
		-regex '.*/PROF_[^/]*/mindstudio_profiler_output/op_summary_[^/]*\.csv' -print0 \
		>"$profile/summaries" || worst=1
	mapfile -d '' -t summaries < <(sort -z "$profile/summaries")
}

# The replay program always writes its status to one file, so only one run may use it at a time.
# The lock ends with the descriptor.
hold_replay() {
	local status busy=75

	{ exec {held}<"${replay%/*}/"; } 2>/dev/null || fail "${replay%/*}: cannot be opened"
	flock -n -E "$busy" "$held" 2>/dev/null
	status=$?
	if ((status == busy)); then
		warn "${replay%/*}: used by another run; waiting"
		run_in_group flock "$held"
		((status == 0)) || fail "${replay%/*}: cannot be locked"
	fi
	((status == 0)) ||
		warn "${replay%/*}: cannot be locked; do not run this replay program elsewhere at the same time"
}

# msprof must not inherit the lock, as it may live longer.
# shellcheck disable=SC2317 # called by run_in_group
without_lock() { # COMMAND...
	exec {held}<&-
	exec "$@"
}

# Sets command to a run of msprof.
set_command() { # DIR OPERATOR...
	local name value

	command=(msprof "--output=$1" python "$replay" --execution-mode inprocess)
	[[ ${flag[fail-fast]} ]] || command+=(--continue-on-error)
	command+=(--database-path "$folder")
	[[ ${option[repeat-count]} == 0 ]] || command+=(--repeat-count "${option[repeat-count]}")
	command+=(--update-mode "${option[update-mode]}")
	(($# == 1)) || command+=(--ops "${@:2}")
	for name in ep-size nproc-per-node nnodes node-rank master-addr master-port; do
		value=${option[dispatch-ffn-combine-$name]}
		[[ -z $value || $name=$value == ep-size=0 ]] ||
			command+=("--dispatch-ffn-combine-$name" "$value")
	done
}

# Runs msprof once, into a folder. Sets summaries; false if it wrote none. The status of the replay
# program goes to the folder.
measure() { # DIR OPERATOR...
	local command status status_file=${replay%/*}/run_all_op_status.json

	set_command "$@"
	hold_replay
	rm -f -- "$status_file"
	run_in_group without_lock "${command[@]}"
	if [[ -f $status_file ]]; then
		mv -- "$status_file" "$1" && statuses+=("$1/${status_file##*/}") || worst=1
	fi
	exec {held}<&-
	((status == 0)) || worst=1
	[[ -f $1/${status_file##*/} ]] || ((status == 0)) || unsure=1

	find_summaries "$1"
	if ((${#summaries[@]} == 0)); then
		warn "msprof exited with status $status and wrote no op_summary:$(printf ' %q' "${command[@]}")"
		return 1
	fi
	((status == 0)) ||
		warn "msprof exited with status $status; continuing with its op_summary files: ${#summaries[@]}"
}

# Measures the operators one by one. Sets summaries to those of all. False if there are none.
measure_each() {
	local op dir all=() some=''

	worst=0 unsure=''
	for op in "${measured[@]}"; do
		statuses=() dir=$profile/per_op_$op
		mkdir -- "$dir" 2>/dev/null || fail "$dir: cannot be made"
		if measure "$dir" "$op"; then
			some=1
		else
			warn "$op: failed; skipped"
			worst=1
			# Whatever status the replay program left.
			statuses=("$dir/status.json")
			python -c 'import json, sys
print(json.dumps({"failed": [{"op": sys.argv[1], "reason": "msprof wrote no op_summary"}]}))' "$op" >"${statuses[0]}"
		fi
		all+=("${statuses[@]}")
	done
	statuses=("${all[@]}")
	[[ $some ]] && find_summaries "$profile"
}

# Measures all operators at once. If that leaves nothing, those of --ops one by one.
measure_all() {
	measure "$profile" "${measured[@]}" && return
	[[ -z ${flag[fail-fast]} ]] && ((${#operators[@]} > 1)) || exit 2
	if [[ ! $chosen ]]; then
		warn 'to measure each operator in a run of its own, run it again with' \
			"  --ops$(printf ' %q' "${operators[@]}")"
		exit 2
	fi
	warn 'measuring each operator again, in a run of its own'
	measure_each || exit 2
}
