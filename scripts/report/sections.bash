# sections - of kreport: the document, line by line, before it gets a form.
#
# A line of dir/document is KIND, a tab, and what it says. {FIGURE:KIND} in a sentence is a figure. Reads F, the
# figures.
# shellcheck shell=bash

damage=()

part() { # KIND TEXT [TEXT]
	printf '%s\t%s\t%s\n' "$1" "$2" "${3-}" 2>/dev/null >>"$dir/document" || fail "$dir: cannot be written"
}

say() { # SENTENCE...
	part answer "$*"
}

# Adds a table, if it has rows.
show_table() { # NAME TITLE
	count_rows "$1"
	((found == 0)) || part table "$1" "$2"
}

# Holds if a figure is a number other than 0.
some() { # FIGURE
	[[ ${F[$1]-} && ${F[$1]-} != 0 ]]
}

# Sets list to the items with commas between.
join_items() { # ITEM...
	local i

	list=$1
	for ((i = 2; i <= $#; i++)); do
		list+=", ${!i}"
	done
}

# Sets to_record to how a profile of this kind gets what is missing, to_divide to how it gets steps, and to_rate
# to how it gets operators.
advise() { # KIND
	to_divide='Give torch.profiler.profile a schedule= and call its step() after each iteration.'
	[[ $1 != xspace ]] || to_divide='Annotate each step with jax.profiler.StepTraceAnnotation.'
	[[ $1 != sqlite ]] || to_divide='Annotate each iteration with an NVTX range such as step_1, and record NVTX.'
	case $1 in
	csv) to_record='A trace of the profiler, in JSON or SQLite, may have them.' ;;
	sqlite) to_record='To record them: nsys profile --trace=cuda,nvtx, or msprof --runtime-api=on.' ;;
	xspace) to_record='Profiles of GPUs have them, those of TPUs do not.' ;;
	*) to_record='To record them: torch.profiler.profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True, schedule=torch.profiler.schedule(wait=1, warmup=1, active=3)), and step() after each iteration.' ;;
	esac
	to_rate=$to_record
	[[ $1 != xspace ]] || to_rate='XLA gives them an op_name instead, by which kgroup -k op_name sums their time.'
}

# Prints how many are slower and faster, in the words of a sentence, and of how many nothing can be said.
slower_faster() { # FIGURE
	local verb=are few="; {$1_few:n} have too few for a verdict"

	[[ ${F[$1_slower]-} != 1 ]] || verb=is
	[[ ${F[$1_few]-} != 1 ]] || few='; one has too few for a verdict'
	some "$1_few" || few=''
	printf '{%s_slower:n} %s slower and {%s_faster:n} faster than noise explains, by the medians of their rows%s.' "$1" $verb "$1" "$few"
}

# The lines of damage, of the stream of a side. They stay in damage.
show_damage() { # SIDE
	local line fields plain

	mapfile -t damage < <(grep -a $'^##damaged\t' "$dir/$1.rows.kev")
	((${#damage[@]})) || return 0
	while IFS= read -r line; do
		split "$line"
		decode "${fields[1]-}"
		make_plain "$decoded"
		line=$plain
		decode "${fields[2]-}"
		make_plain "$decoded"
		part alert "$line is damaged: $plain. The report is about the part that could be read."
	done < <(printf '%s\n' "${damage[@]}" | sort -u)
}

# What the converter says of the trace, such as that kernels are lost. Damage stands at the beginning, and
# what the options of this run ask for, beyond those of a reader, may be missing.
show_notes() { # FILE
	local line text plain number=0

	while IFS= read -r line && ((number++ < 9)); do
		text=${line#*: }
		text=${text#"$1: "}
		case $text in
		'no event is named [memory]'* | 'no row has args '* | *'digits after the ninth decimal'*) continue ;;
		esac
		[[ ${damage[*]} != *"$text"* ]] || continue
		make_plain "${line%%: *}: $text"
		part note "$plain"
	done <"$dir/trace.trace.messages"
}

show_first() { # CHOSEN_RULES_FILE
	local i command

	part section first 'What to look at first'
	for i in "${holding[@]}"; do
		command=${rule_commands[i]}
		case $command in
		'@CONV | '*) join_pipe trace trace "${command#'@CONV | '}" ;;
		'@ROWS | '*) join_pipe trace rows "${command#'@ROWS | '}" ;;
		'@FULL | '*) join_pipe trace full "${command#'@FULL | '}" ;;
		esac
		part rule "${rule_names[i]}" "${rule_messages[i]}"
		part command "$command"
	done
	if ((${#holding[@]} == 0 && ${#rule_names[@]} == 1)); then
		say 'The rule does not hold: nothing stands out.'
	elif ((${#holding[@]} == 0)); then
		say "None of the ${#rule_names[@]} rules holds: nothing stands out."
	fi
}

show_contents() { # FILE
	local text where='one device' how what end parts=()

	part section contents Contents
	text='{device_rows:n} kernels and copies'
	[[ ${F[device_rows]-} != 1 ]] || text='One kernel or copy'
	((${F[devices]:-0} <= 1)) || where='{devices:n} devices'
	if some span; then
		text+=" ran on $where in {span:t}"
		((${F[devices]:-0} <= 1)) || text+=' of device time'
	else
		text+=' ran; the profile has no start times'
	fi
	[[ ${F[steps]:-0} == 0 ]] || text+=", in {steps:n} step"
	((${F[steps]:-0} <= 1)) || text+=s
	((${F[steps]:-0} == 0 || ${F[annotations]:-0} <= ${F[steps]:-0})) || text+=" (of ${F[annotations]} annotations)"
	text+=.
	if [[ -s $dir/findings.kev ]] && some span; then
		for what in error warning; do
			end=s
			[[ ${F[${what}s]} != 1 ]] || end=''
			! some "${what}s" || parts+=("{${what}s:n} $what$end")
		done
		how='nothing impossible'
		((${#parts[@]} == 0)) || how=${parts[0]}${parts[1]+ and ${parts[1]}}
		text+=" kcheck finds $how."
	fi
	parts=()
	! some unlinked_share || parts+=('{unlinked_share:p} has no launch in the trace')
	! some nostep_share || parts+=('{nostep_share:p} is in no step')
	((${#parts[@]} == 0)) || text+=" Of the kernel time, ${parts[0]}${parts[1]+ and ${parts[1]}}."
	say "$text"
	show_notes "$1"
	show_table contents 'What the trace contains'
	show_table findings 'Findings of kcheck'
}

show_time() {
	local list parts=() text device='The device was'

	part section time Time
	if ! some span; then
		part missing 'Without start times of the kernels, busy and idle time are unknown.'
		return
	fi
	((F[devices] == 1)) || device='The {devices:n} devices were'
	! some compute_share || parts+=('{compute_share:p} computing')
	! some comm_exposed_share || parts+=('{comm_exposed_share:p} only communicating')
	! some copy_exposed_share || parts+=('{copy_exposed_share:p} only copying')
	text="$device busy {busy_share:p} of {span:t}"
	((F[devices] == 1)) || text+=' of device time'
	if ((${#parts[@]})); then
		join_items "${parts[@]}"
		text+=": $list"
	fi
	! some idle_share || text+='; {idle_share:p} was idle'
	text+=.
	if ((${F[steps]:-0} > 1)); then
		text+=' A step took {step_median:t} (median); the slowest, step {step_slowest}{step_slowest_name:o}, took {step_max:t}.'
	elif ((${F[steps]:-0} == 1)); then
		text+=' The step took {step_max:t}.'
	fi
	say "$text"
	show_table busy 'Time of each device'
	show_table steps 'Time of each step'
	[[ ! -e $dir/steps.kev ]] || ((${F[steps]:-0})) || part missing "No kernel is in a step. $to_divide"
}

show_classes() {
	part section classes Classes
	say 'The largest class is {class}: {class_total:t}, {class_share:p} of kernel time.'
	show_table classes 'Classes of operations'
}

show_kernels() {
	local text='{kernel_names:n} different kernels ran'

	part section kernels Kernels
	case ${F[kernel_names]} in
	1) text='One kernel ran' ;;
	[2-9] | 10) ;;
	*) text+='; the first ten below take {ten_share:p} of kernel time' ;;
	esac
	if [[ ${F[kernel_names]} == 1 ]]; then
		text+=': {top_total:t} in {top_count:n} call'
	else
		text+='. The heaviest takes {top_share:p}: {top_total:t} in {top_count:n} call'
	fi
	[[ ${F[top_count]} == 1 ]] || text+=s
	say "$text of {top_name}. {short_share:p} of all calls are shorter than 5 µs."
	show_table kernels 'The heaviest kernels'
}

declare -A cause_text=(
	[host]='because the host launched too late'
	[launch]='because a launch takes that long'
	[sync]='because the host had waited for the device'
	[graph]='between kernels of one graph'
	[unlinked]='before kernels without a launch in the trace'
	[other]='although the next kernel was launched in time'
)

show_idle() {
	local list name parts=() text device='The device was'

	part section idle 'Idle time'
	if ! some span; then
		part missing 'Without start times of the kernels, idle time is unknown.'
		return
	fi
	((F[devices] == 1)) || device='The devices were'
	if ! some idle; then
		say "$device never idle."
		return
	fi
	text="$device idle for {idle:t}"
	while read -r name; do
		parts+=("{${name}_share:p} ${cause_text[${name#idle_}]}")
	done < <(for name in "${!cause_text[@]}"; do
		! some "idle_$name" || printf '%s\t%s\n' "${F[idle_$name]}" "idle_$name"
	done | sort -t $'\t' -k 1,1nr -k 2,2 | head -n 3 | cut -f 2)
	if ((${#parts[@]})); then
		join_items "${parts[@]}"
		text+=": $list"
	fi
	text+='. The longest gap is {gap_max:t}.'
	if ((${F[linked]:-0} == 0)); then
		text+=' Without launches the causes are unknown.'
	elif ! some host_total && some idle_host; then
		text+=' Without rows of the host, waits for the device count as late launches.'
	fi
	say "$text"
	if ((${F[linked]:-0})); then
		show_table causes 'Causes of idle time'
		show_table gaps 'The longest gaps'
	else
		show_table idle 'The longest gaps'
		[[ ${#parts[@]} -gt 0 ]] || part missing "The host and its launches are missing. $to_record"
	fi
}

show_comm() {
	part section comm Communication
	if ! some collectives; then
		say 'No kernel communicates with other devices.'
		return
	fi
	local text='{collectives:n} collectives ran for {comm:t}; {comm_exposed:t} of that ({comm_exposed_share:p} of the span) was exposed: nothing computed meanwhile.'
	[[ ${F[collectives]} != 1 ]] || text=${text/'{collectives:n} collectives'/'One collective'}
	if ! some comm; then
		text='{collectives:n} collectives ran.'
	elif ! some comm_exposed; then
		text='{collectives:n} collectives ran for {comm:t}, all of it while kernels computed.'
	fi
	say "$text"
	show_table collectives Collectives
}

show_work() {
	local text reason

	part section work 'Work of operators'
	if ! some operator; then
		part missing "The kernels have no operators, so their work is unknown. $to_rate"
		return
	fi
	if some headroom; then
		text='{headroom_op} has the most time above its roof: {headroom:t} of {headroom_total:t}; it reaches {headroom_peak:p} of the peak.'
		! some no_operator_share || text+=' Of the kernel time, {no_operator_share:p} has no operator.'
		say "$text"
		show_table work 'Operators by time above the roof'
	else
		reason='kroof knows no operations of these operators'
		if grep -a -q 'no operator has arguments' "$dir/work.messages"; then
			reason='the operators have no arguments, which record_shapes=True records'
		elif grep -a -q 'the peaks of' "$dir/work.messages"; then
			reason='kroof knows no peaks of {device}; its options --device and --peak give them'
			[[ ${F[device]} ]] || reason=${reason/'{device}'/this device}
		fi
		part missing "Time above the roof is unknown: $reason."
		show_table work 'Operators by time'
	fi
	[[ $replayed ]] || ! some no_operator_share || ! some idle_graph ||
		part missing "Kernels of a replayed graph have the operators of its capture: --capture names a trace of that."
}

show_host() {
	part section host Host
	if some host_total; then
		say 'Of the operators and calls on the host, {host_name} has the most time of its own: {host_total:t}, {host_share:p} of all.'
		show_table host 'Operators and calls of the host'
	else
		part missing "The trace has no rows of the host. $to_record"
	fi
}

# Only a profile with allocations has this section.
show_memory() {
	some memory_peak || return 0
	part section memory Memory
	say 'The allocated memory of {memory_device} was {memory_peak:b} at its peak.'
	show_table memory 'Memory of each device'
}

# What a trace without rows of devices lacks.
show_no_device() { # FILE
	part section first 'What to look at first'
	part missing "The trace has no kernels or copies with a duration, so there is nothing to report. $to_record"
	part section contents Contents
	show_notes "$1"
	part missing 'What the trace contains instead:'
	show_table contents 'What the trace contains'
}

show_comparison() {
	local text parts=() side

	part section time Time
	for side in old new; do
		grep -a -q -v '^#' "$dir/$side.rows.kev" || parts+=("${side^^}")
	done
	if ((${#parts[@]})); then
		worsen 3
		text="${parts[0]} has"
		((${#parts[@]} == 1)) || text='OLD and NEW have'
		part missing "$text no kernels or copies, so there is nothing to compare."
		return
	fi
	if some busy1 && [[ ${F[busy2]-} ]]; then
		say 'The device was busy {busy1:t} in OLD and {busy2:t} in NEW ({busy_change:c}), of spans of {span1:t} and {span2:t} ({span_change:c}).'
		show_table busy1 'Time of each device in OLD'
		show_table busy2 'Time of each device in NEW'
		if some steps1 && some steps2; then
			text='A step took {step_median1:t} in OLD and {step_median2:t} in NEW ({step_change:c})'
			[[ ${F[steps1]}:${F[steps2]} == 1:1 ]] || text+=', by the medians of {steps1:n} and {steps2:n}'
			say "$text."
			show_table steps1 'Time of each step in OLD'
			show_table steps2 'Time of each step in NEW'
		fi
	else
		part missing 'Without start times of the kernels, busy time is unknown.'
	fi
	part section classes Classes
	say "Of the classes, $(slower_faster classes)"
	show_table classes 'Classes of operations'
	part section kernels Kernels
	text="Of the kernels in both, $(slower_faster kernels)"
	! some kernels_gone || parts+=('{kernels_gone:n} ran only in OLD, for {gone_total:t}')
	! some kernels_new || parts+=('{kernels_new:n} ran only in NEW, for {new_total:t}')
	((${#parts[@]} == 0)) || text+=" Of the others, ${parts[0]}${parts[1]+, and ${parts[1]}}."
	say "$text"
	show_table kernels 'The largest differences of kernels'
}
