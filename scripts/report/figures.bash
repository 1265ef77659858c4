# figures - of kreport: one row with all figures, each a field of a table or a quotient of two.
#
# Reads dir, and the tables in it.
# shellcheck shell=bash

declare -A F=()
derived=()

# The columns of figures.kev, in their order.
read -r -d '' -a figures <<-'END'
	rows device_rows devices device errors warnings steps span busy idle compute comm comm_exposed copy_exposed
	total busy_share idle_share compute_share comm_exposed_share copy_exposed_share
	unlinked_share nostep_share other_share no_operator_share step_median step_max step_slowest step_slowest_name
	step_ratio
	class class_total class_share kernel_names top_name top_total top_count top_share ten_share short short_share
	idle_host idle_host_share idle_launch idle_launch_share idle_sync idle_sync_share
	idle_graph idle_graph_share idle_unlinked idle_unlinked_share idle_other idle_other_share
	gap_max gap_share gaps_long gaps_long_share collectives headroom_op headroom headroom_total headroom_peak headroom_share
	host_name host_total host_share memory_device memory_peak rules
	busy1 busy2 span1 span2 idle1 idle2 busy_change span_change
	steps1 steps2 step_median1 step_median2 step_change
	classes_slower classes_faster classes_few kernels_slower kernels_faster kernels_few
	kernels_gone kernels_new gone_total new_total
END

# Figures that are texts.
declare -A is_text=([device]=1 [step_slowest]=1 [step_slowest_name]=1 [class]=1 [top_name]=1
	[headroom_op]=1 [host_name]=1 [memory_device]=1 [rules]=1)

# Sets the sums of columns over all rows of a table, and found to the number of rows.
sum_rows() { # TABLE COLUMN=FIGURE...
	local table=$1 pair columns='' sums=''

	shift
	count_rows "$table"
	((found)) || return 0
	for pair; do
		# Names that no column of kgroup has.
		columns+=,sum_${pair%%=*}=${pair%%=*} sums+=,sum_${pair%%=*}
	done
	kselect -c "all=1$columns" "$dir/$table.kev" 2>/dev/null |
		kgroup -k all --of="sum_${1%%=*}" --sum="${sums#,}" 2>/dev/null >"$dir/own/$table.kev"
	take "own/$table" "${@/#/sum_}"
}

# Sets the numbers of events of the findings of each severity.
count_findings() {
	kgroup -k severity --of=events "$dir/findings.kev" 2>/dev/null >"$dir/own/findings.kev"
	take_where own/findings severity = error total=errors
	take_where own/findings severity = warning total=warnings
	F[errors]=${F[errors]:-0} F[warnings]=${F[warnings]:-0}
}

# Sets the number of steps of a table, and figures of their spans, each on its longest device. found is
# the number.
take_steps() { # TABLE FIGURE COLUMN=FIGURE...
	kgroup -k step --of=span --who=pid "$dir/$1.kev" 2>/dev/null |
		kselect -c step,span=max,pid=max_pid,all=1 2>/dev/null >"$dir/own/spans.kev"
	count_rows own/spans
	F[$2]=$found
	kgroup -k all --of=span -q 50 --who=step "$dir/own/spans.kev" 2>/dev/null >"$dir/own/steps.kev"
	((found == 0)) || take own/steps "${@:3}"
}

# Sets the figures of one trace. Those of quotients are in derived, expressions of kselect.
take_trace_figures() {
	local cause

	take_where contents contents = rows count=rows
	take_where contents contents = device_rows count=device_rows
	take_where contents contents = linked count=linked
	[[ -e $dir/causes.kev ]] || F[linked]=0
	take_where contents contents = steps count=annotations
	take_device contents
	sum_rows busy span=span idle=idle compute=compute comm=comm comm_exposed=comm_exposed \
		copy_exposed=copy_exposed busy=busy
	F[devices]=$found
	count_findings
	take parts total=total count=count short=short other=other
	# Columns that parts has only if rows.kev has step and launch_ts.
	take parts nostep=nostep
	take parts unlinked=unlinked
	take parts no_operator=no_operator
	# A profile without start times has rows, but none with both ts and dur.
	((${F[device_rows]:-0})) || F[device_rows]=${F[count]:-0}
	((${F[linked]:-0})) || F[unlinked]=''
	if [[ -e $dir/steps.kev ]]; then
		take_steps steps steps p50=step_median max=step_max max_step=step_slowest
		((found)) || F[nostep]=''
		# A step of kcontext is a number; any other is a name itself. Ranks may have other names for it.
		if [[ ${F[step_slowest]-} =~ ^[0-9]+$ && -e $dir/step_names.kev ]]; then
			take_where own/spans step = "${F[step_slowest]}" pid=pid
			kselect -w "step == ${F[step_slowest]}" "$dir/step_names.kev" 2>/dev/null >"$dir/own/names.kev"
			take_where own/names pid = "${F[pid]}" step_name=step_slowest_name
		fi
	fi
	take classes op=class total=class_total share=class_share
	take kernels name=top_name total=top_total count=top_count share=top_share
	F[ten_share]=$(kselect -H -n 10 -c cumulative "$dir/kernels.kev" 2>/dev/null)
	F[ten_share]=${F[ten_share]##*$'\n'}
	count_rows names
	F[kernel_names]=$found
	if ((${F[linked]:-0})); then
		for cause in host launch sync graph unlinked other; do
			take_where causes cause = "$cause" total="idle_$cause"
			F[idle_$cause]=${F[idle_$cause]:-0}
		done
		take gaps gap=gap_max
		sum_rows gaps gap=gaps_long
	else
		take idle dur=gap_max
		sum_rows idle dur=gaps_long
	fi
	F[collectives]=0
	count_rows collectives
	if ((found)); then
		sum_rows collectives count=collectives
	fi
	take_where work cpu_op != '' cpu_op=operator
	take_where work headroom != '' cpu_op=headroom_op headroom=headroom total=headroom_total \
		peak_share=headroom_peak
	take host name=host_name total=host_total share=host_share
	take_where memory device != cpu device=memory_device peak=memory_peak
	shares_of span busy idle compute comm_exposed copy_exposed
	shares_of idle idle_host idle_launch idle_sync idle_graph idle_unlinked idle_other
	derived+=('unlinked_share=100*unlinked/total' 'nostep_share=100*nostep/total'
		'other_share=100*other/total' 'no_operator_share=100*no_operator/total' 'short_share=100*short/count'
		'gap_share=100*gap_max/idle' 'gaps_long_share=100*gaps_long/idle'
		'headroom_share=100*headroom/total' 'step_ratio=if(steps > 1, step_max/step_median, "")')
}

# Sets the figure device to the first part of the line ##device of a table.
take_device() { # TABLE
	local line

	while IFS= read -r line && [[ $line == '##'* ]]; do
		[[ $line == $'##device\t'* ]] || continue
		line=${line#*$'\t'}
		F[device]=${line%%$'\t'*}
		return
	done <"$dir/$1.kev"
}

# Adds the shares of figures in another.
shares_of() { # WHOLE PART...
	local part

	for part in "${@:2}"; do
		derived+=("${part}_share=100*$part/$1")
	done
}

# Sets the figures of two traces.
take_comparison() {
	local side table column verdict

	for side in 1 2; do
		sum_rows "busy$side" "busy=busy$side" "span=span$side" "idle=idle$side"
		[[ ! -e $dir/steps$side.kev ]] || take_steps "steps$side" "steps$side" "p50=step_median$side"
	done
	for table in classes kernels; do
		column=name
		[[ $table != classes ]] || column=op
		for verdict in slower faster few; do
			kselect -w "verdict == \"$verdict\" && $column != \"(sum)\"" "$dir/all_$table.kev" \
				2>/dev/null >"$dir/own/$table.kev"
			count_rows "own/$table"
			F[${table}_$verdict]=$found
		done
	done
	for verdict in gone new; do
		column=total1
		[[ $verdict != new ]] || column=total2
		kselect -w "verdict == \"$verdict\"" -c "all=1,$column" "$dir/all_kernels.kev" 2>/dev/null |
			kgroup -k all --of="$column" 2>/dev/null >"$dir/own/$verdict.kev"
		F[kernels_$verdict]=0
		count_rows "own/$verdict"
		((found == 0)) || take "own/$verdict" "count=kernels_$verdict" "total=${verdict}_total"
	done
	derived+=('step_change=100*(step_median2-step_median1)/step_median1')
	derived+=('busy_change=100*(busy2-busy1)/busy1' 'span_change=100*(span2-span1)/span1')
}

# Sets the figures of quotients, by kselect.
divide() {
	local name head='' row='' fields i quotients

	for name in count linked other nostep unlinked no_operator annotations "${figures[@]}"; do
		F[$name]=${F[$name]-}
	done
	for name in "${!F[@]}"; do
		head+=$'\t'$name row+=$'\t'${F[$name]}
	done
	printf -v quotients ,%s "${derived[@]}"
	split "$(printf '##kev\t1\n#%s\n%s\n' "${head:1}" "${row:1}" | kselect -H -c "${quotients:1}" 2>/dev/null)"
	for i in "${!derived[@]}"; do
		F[${derived[i]%%=*}]=${fields[i]-}
	done
}

# Writes all figures as a stream of one row.
write_figures() {
	local name row='' IFS=$'\t'

	for name in "${figures[@]}"; do
		row+=$'\t'${F[$name]-}
	done
	printf '##kev\t1\n##unit\t%s\n#%s\n%s\n' "$unit" "${figures[*]}" "${row:1}" >"$dir/figures.kev"
}
