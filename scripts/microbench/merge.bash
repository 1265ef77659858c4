# merge - merges a profile into the database, and reports the changes.
#
# Reads option, flag, chosen, folder, operators, skipped, profile, summaries, statuses. Sets worst, and
# by_hand, the command that merges the rows again.
# shellcheck shell=bash

by_hand=''

# --- rows ------------------------------------------------------------------------

# Passes rows of a stream whose type is one of the operators, or of another kind of their MatMul.
filter() {
	local wanted=("${operators[@]}") op

	if [[ -z $chosen ]]; then
		cat
		return
	fi
	for op in "${operators[@]}"; do
		! is_one_of "$op" "${MATMULS[@]}" || wanted+=("${MATMULS[@]}")
	done
	OPERATORS=$(fields "${wanted[@]}") LC_ALL=C awk -F '\t' "$IN_AWK"'
	/^##/ { print; next }
	/^#/ {
		print
		column = 0
		for (i = 1; i <= NF; i++)
			if ($i == "type" || $i == "#type")
				column = i
		next
	}
	operator_name($column) in wanted'
}

# Prints the rows of the summaries. Beside others, a summary that csv2tsv refuses is damage, and not
# wrong usage.
convert() {
	local summary worst=0 any=''

	for summary in "${summaries[@]}"; do
		csv2tsv -A -- "$summary"
		case $? in
		0) any=1 ;;
		1) any=1 worst=1 ;;
		2) worst=1 ;;
		*) return 2 ;; # nobody reads the rows
		esac
	done
	[[ $any ]] || return 2
	return "$worst"
}

# Damage (1) goes into worst. After an error (2), which the program has reported, the run ends.
check_statuses() { # STATUS...
	local status

	for status; do
		case $status in
		0) ;;
		1) worst=1 ;;
		*) exit 2 ;;
		esac
	done
}

# Prints the operators that were measured, as fields.
measured_types() {
	LC_ALL=C awk -F '\t' '!/^#/ { sub(/^\\#/, "#", $1); print $1 }' "$profile/rows.kev" | LC_ALL=C sort -u
}

# --- the replay program ----------------------------------------------------------

# Joins the status files of all runs, and the skipped operator, into the first file. Prints a line
# "failed" or "success", a tab, and the operator as a field for each name, such as Cast_run.py.
join_statuses() { # TO FILE...
	SKIPPED=$skipped python - "$@" <<-'END'
		import json
		import os
		import re
		import sys

		joined = {"success": [], "failed": [], "skipped": os.environ["SKIPPED"].split()}
		try:
		    for name in sys.argv[2:]:
		        with open(name, encoding="utf-8") as file:
		            status = json.load(file)
		        for key, items in joined.items():
		            items.extend(list(status.get(key) or []))
		except (AttributeError, TypeError, ValueError) as error:
		    sys.exit(f"start-microbench: run_all_op_status.json is not an object of success, failed and "
		             f"skipped; left out of the report: {error}")
		try:
		    with open(sys.argv[1], "w", encoding="utf-8") as file:
		        json.dump(joined, file)
		except OSError as error:
		    sys.exit(f"start-microbench: {error}")
		for key in "failed", "success":
		    for item in joined[key]:
		        name = str(item.get("op") if isinstance(item, dict) else item)
		        name = re.sub(r"(_run)?(\.(csv|py))?$", "", name.strip(" "), count=1)
		        name = name.replace("\\", r"\\").replace("\t", r"\t").replace("\r", r"\r").replace("\n", r"\n")
		        sys.stdout.buffer.write(f"{key}\t{name}\n".encode("utf-8", "replace"))
	END
}

# Sets status_of_all to the joined file, empty if there is none, and failed and succeeded to the
# fields of operators.
read_statuses() {
	local lines

	status_of_all='' failed=() succeeded=()
	((${#statuses[@]})) || return
	if ! lines=$(join_statuses "$profile/status.json" "${statuses[@]}"); then
		worst=1 unsure=1
		return
	fi
	status_of_all=$profile/status.json
	mapfile -t failed < <(sed -n 's/^failed\t//p' <<<"$lines")
	mapfile -t succeeded < <(sed -n 's/^success\t//p' <<<"$lines")
	if ((${#failed[@]})); then
		warn "failed operators (see the report): ${#failed[@]}"
		worst=1
	fi
}

# --- dbmerge ---------------------------------------------------------------------

# Whether an operator, or another kind of its MatMul, is one of the types.
is_measured() { # FIELD TYPE...
	local kind

	! is_one_of "$@" || return 0
	is_one_of "$1" "${MATMULS[@]}" || return
	for kind in "${MATMULS[@]}"; do
		! is_one_of "$kind" "${@:2}" || return 0
	done
	return 1
}

# Prints, each with a NUL, the operators whose rows without a duration are deleted: those with rows in the measurement,
# none of which failed. All others still have to be measured.
pruned_operators() { # TYPE...
	local op field

	for op in "${operators[@]}"; do
		field=$(fields "$op")
		is_measured "$field" "$@" || continue
		[[ -z $status_of_all ]] || is_one_of "$field" "${succeeded[@]}" || continue
		is_one_of "$field" "${failed[@]}" || printf '%s\0' "$op"
	done
}

# Prints the operators to merge, each with a NUL. With --add-matmul each kind of MatMul has a file of its own.
merged_operators() { # TYPE...
	local kind

	printf '%s\0' "${operators[@]}"
	[[ ${flag[add-matmul]} ]] || return
	for kind in "${MATMULS[@]}"; do
		is_one_of "$kind" "${operators[@]}" || ! is_one_of "$kind" "$@" || printf '%s\0' "$kind"
	done
}

# Sets options to those of dbmerge.
set_options() {
	local types names

	mapfile -t types < <(measured_types)
	options=("--mode=${option[update-mode]}")
	if [[ ${flag[prune-empty-duration-rows]} && $unsure ]]; then
		warn 'no rows are deleted, because it is unknown which operators failed'
	elif [[ ${flag[prune-empty-duration-rows]} ]]; then
		mapfile -d '' -t names < <(pruned_operators "${types[@]}")
		((${#names[@]} == 0)) || options+=("--prune-ops=$(op_list "${names[@]}")")
	fi
	if [[ $chosen ]]; then
		mapfile -d '' -t names < <(merged_operators "${types[@]}")
		options+=("--ops=$(op_list "${names[@]}")")
	fi
	if [[ ! $chosen && ${flag[replayed-only]} ]]; then
		options+=("--only=$(op_list "${operators[@]}")")
	fi
	[[ -z ${flag[create]} ]] || options+=(--create)
	[[ -z ${flag[add-matmul]} ]] || options+=(--add-matmul)
}

# --- what is missing -------------------------------------------------------------

# Prints the operators that the database lacks: "no row" or "no file", a tab, and the field. The
# kinds of MatMul stand for each other.
find_missing() { # TABLE ROWS FIELD...
	OPERATORS=$(join $'\n' "${@:3}") LC_ALL=C awk -F '\t' "$IN_AWK"'
	function kind(op) { return op ~ /^MatMul(V2|V3|Common)$/ ? "MatMul" : op }
	/^##/ { next }
	/^#/ {
		column = 0
		for (i = 1; i <= NF; i++)
			if ($i == "#OP Type" || $i == "OP Type")
				column = i
		next
	}
	column { measured[kind(operator_name($column))] = 1; next }
	$1 == "file" { filed[kind($2)] += $5 }
	$1 == "unmatched" { unmatched[kind($2)] = 1 }
	END {
		for (i = 1; i <= n; i++) {
			op = kind(operator_name(names[i]))
			if (!(op in measured))
				print "no row\t" names[i]
			else if (!filed[op] || op in unmatched)
				print "no file\t" names[i]
		}
	}' "$1" "$2"
}

# Warns of operators that are missing in the database: those of --ops; else those that the replay
# program has run, which leaves out helpers such as Cast. Those of a full run may have no case, and
# missing-only adds nothing.
check_missing() {
	local expected=("${succeeded[@]}") missing rowless fileless

	[[ ! $chosen && $status_of_all ]] || mapfile -t expected < <(fields "${operators[@]}")
	missing=$(find_missing "$profile/merged.kev" "$profile/rows.kev" "${expected[@]}")
	mapfile -t rowless < <(sed -n 's/^no row\t//p' <<<"$missing")
	mapfile -t fileless < <(sed -n 's/^no file\t//p' <<<"$missing")
	if ! LC_ALL=C grep -a -q '^[^#]' "$profile/rows.kev"; then
		warn 'no rows were measured'
		worst=1
	elif [[ $chosen && ${option[update-mode]} == all ]] && ((${#rowless[@]})); then
		warn "no rows were measured for $(listed "${rowless[@]}")"
		worst=1
	fi
	if [[ ${option[update-mode]} == all ]] && ((${#fileless[@]})); then
		warn "measured rows of these operators are missing in the database: $(listed "${fileless[@]}")"
		worst=1
	fi
}

# --- all of it -------------------------------------------------------------------

report() {
	local status shown

	dbreport -r -o "$folder/reports" ${status_of_all:+"--status=$status_of_all"} "$profile/merged.kev" \
		>"$profile/report"
	status=$?
	cat -- "$profile/report"
	shown=$?
	check_statuses "$status"
	((shown == 0 || shown == 141)) || exit 2 # a reader may leave: the report is in the folder
}

merge() {
	local status_of_all failed succeeded options

	convert | LC_ALL=C sed $'/^##damaged\t/s/\tusage$//' | filter |
		opagg "--ep-size=${option[dispatch-ffn-combine-ep-size]}" >"$profile/rows.kev"
	check_statuses "${PIPESTATUS[@]}"
	read_statuses
	set_options
	by_hand="dbmerge -d$(printf ' %q' "$folder" "${options[@]}" "$profile/rows.kev") | dbreport -r"
	dbmerge -d "$folder" "${options[@]}" "$profile/rows.kev" >"$profile/merged.kev"
	check_statuses $?
	check_missing
	report
}
