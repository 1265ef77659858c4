# tables - of kreport: the pipe, the columns and the command of each table, and the runs of all.
#
# Reads dir, jobs, before and file_of. The table NAME is in dir/NAME.kev.
# shellcheck shell=bash

# By table: its command here and what this reads, the command of a reader, the columns that a reader sees, and the
# table that it is made of, if it is.
declare -A run_of=() input_of=() command_of=() columns_of_table=() source_of=()
order=() declared=0 found=0
declare -A rows_of=()
is_damaged=''

# Declares a table of the stream of a SIDE, which may be a table, too. Without COLUMNS, only figures come from it.
table() { # NAME SIDE STREAM PIPE [COLUMNS]
	local command

	join_pipe "$2" "$3" "$4"
	order+=("$1")
	run_of[$1]=$4 input_of[$1]=$dir/$2.${3/full/rows}.kev
	[[ ! ${run_of[$2.$3]-} ]] || source_of[$1]=$2.$3
	columns_of_table[$1]=${5-}
	command_of[$1]="$command${5:+ | kview -c $5}"
}

# Sets operand to the rows of a SIDE, as a reader gives them to a program of two streams.
name_operand() { # SIDE
	local quoted

	operand="<(${before[$1.rows]})"
	[[ ! ${before[$1.rows]} ]] || return 0
	quote "${file_of[$1]}"
	operand=$quoted
}

# Declares a table of the rows of both sides.
table_of_both() { # NAME PROGRAM [COLUMNS]
	local operand command=$2 side

	order+=("$1")
	run_of[$1]="$2 \"\$dir/old.rows.kev\" \"\$dir/new.rows.kev\""
	columns_of_table[$1]=${3-}
	for side in old new; do
		name_operand "$side"
		command+=" $operand"
	done
	command_of[$1]="$command | kview -c ${3-}"
}

declare_busy() { # NAME SIDE
	table "$1" "$2" rows kbusy pid,span,busy,compute,comm_exposed,copy_exposed,idle
}

declare_steps() { # NAME SIDE
	table "$1" "$2" rows "kbusy -k step | kselect -w '!empty(step)'" \
		pid,step,span,busy,compute,comm_exposed,copy_exposed,idle
}

# Declares the tables of what the converter writes.
declare_trace_tables() { # KIND FILE
	local columns quoted command

	read_columns "$dir/trace.trace.kev"
	table host trace trace "kcpu --ignore=python_function | kselect -w '!empty(self) && cat != \"user_annotation\"' -c name,dur=self | kgroup -k name --cumulative -n 10" total,share:1,cumulative:1,count,max,name
	table findings trace trace kcheck check,severity,events,worst,name
	table contents trace trace 'kcheck --contents' contents,category,count,time,share:1
	run_of[contents]=tabulate_contents input_of[contents]=$dir/findings.kev
	source_of[contents]=findings
	if [[ $columns == *$'\ncorrelation\n'* ]]; then
		table trace.launch trace trace klaunch
		before["trace.launch"]=${command_of["trace.launch"]}
		table causes trace launch "kselect -w 'gap > 0' -c cause,dur=gap | kgroup -k cause" \
			total,share:1,count,mean,max,cause
		table gaps trace launch "kselect -w 'gap > 0' | ksort -k -gap -n 5" ts,gap,cause,name
	fi
	[[ $columns == *$'\nBytes\n'* ]] || return 0
	before["trace.memory"]=${before["trace.trace"]}
	if [[ $1 == json ]]; then
		quote "$2"
		before["trace.memory"]="trace2tsv -c '[memory]' --memory $quoted"
		before["trace.all"]="trace2tsv -g --memory $quoted"
	fi
	table memory trace memory kmem device,start,peak,peak_ts,end,reserved_max
	input_of[memory]=$dir/trace.trace.kev
}

# Rows of [memory] are contents, too, for which the command of the table needs --memory.
name_contents() {
	local command

	count_rows memory
	((found)) && [[ ${before["trace.all"]-} ]] || return 0
	join_pipe trace all 'kcheck --contents'
	command_of[contents]="$command | kview -c ${columns_of_table[contents]}"
}

# Declares the tables of kernels and copies that their columns allow.
declare_row_tables() {
	local columns quantiles='-q 50,99 --cumulative' figures=total,share:1,cumulative:1,count,p50,p99
	local sums=short,other parts

	read_columns "$dir/trace.rows.kev"
	[[ $columns == *$'\ndur\n'* && $columns == *$'\nop\n'* ]] || return 0
	declare_busy busy trace
	parts='all=1,dur,short=dur < 5,other=if(empty(op) || op == "Other", dur, 0)'
	table classes trace rows "kgroup -k op $quantiles -n 12" "$figures,op"
	table kernels trace rows "kgroup -k name $quantiles -n 10" "$figures,name"
	table names trace rows 'kgroup -k name'
	table collectives trace rows \
		"kselect -w 'op == \"Collective\"' | kgroup -k name $quantiles -n 10" "$figures,name"
	if [[ $columns == *$'\nstep\n'* ]]; then
		declare_steps steps trace
		[[ $columns != *$'\nstep_name\n'* ]] || table step_names trace rows 'kgroup -k pid,step,step_name'
		parts+=',nostep=if(empty(step), dur, 0)' sums+=,nostep
	fi
	if [[ $columns == *$'\ncpu_op\n'* ]]; then
		parts+=',no_operator=if(empty(cpu_op), dur, 0)' sums+=,no_operator
	fi
	if [[ $columns == *$'\nlaunch_ts\n'* ]]; then
		parts+=',unlinked=if(empty(launch_ts), dur, 0)' sums+=,unlinked
	fi
	table parts trace rows "kselect -c '$parts' | kgroup -k all --sum=$sums"
	if [[ $columns == *$'\ncpu_op\n'* || $columns == *$'\nInput Shapes\n'* ]]; then
		table work trace full \
			"kroof -k cpu_op | kselect -a 'headroom=total*(1-peak_share/100)' | ksort -k -headroom -n 10" \
			headroom,total,count,peak_share:1,bound,tflops,gbs,cpu_op
	fi
	table idle trace rows 'kbusy --gaps | ksort -k -dur -n 5' ts,dur,before,after
}

# Declares the tables of two traces.
declare_comparison() {
	local columns

	declare_busy busy1 old
	declare_busy busy2 new
	read_columns "$dir/old.rows.kev"
	[[ $columns != *$'\nstep\n'* ]] || declare_steps steps1 old
	read_columns "$dir/new.rows.kev"
	[[ $columns != *$'\nstep\n'* ]] || declare_steps steps2 new
	table_of_both classes 'kcompare -k op -n 20' change:1,verdict,total1,total2,count1,count2,op
	table_of_both kernels 'kcompare -k name -n 20' change:1,verdict,total1,total2,count1,count2,name
	table_of_both all_classes 'kcompare -k op'
	table_of_both all_kernels 'kcompare -k name'
}

# Prints the table of kcheck --contents, which kcheck has as ##contents lines.
# shellcheck disable=SC2317 # called by make_table
tabulate_contents() {
	LC_ALL=C awk -F '\t' -f "$library/contents.awk"
}

# Makes a table, and those made of it. Leaves the status and messages beside each.
# shellcheck disable=SC2317 # called by start_job
make_table() { # NAME
	local name

	run_pipe "${run_of[$1]}" <"${input_of[$1]:-/dev/null}" >"$dir/$1.kev" 2>"$dir/$1.messages"
	{ echo $? >"$dir/$1.status"; } 2>/dev/null
	for name in "${order[@]}"; do
		[[ ${source_of[$name]-} != "$1" ]] || make_table "$name"
	done
}

# Starts to make all tables that were declared since.
start_tables() {
	local name

	for name in "${order[@]:declared}"; do
		[[ ${source_of[$name]-} ]] || start_job make_table "$name"
	done
	declared=${#order[@]}
}

# Ends the run if a program failed. 1 and 3 are answers. Counts the rows of all tables, and sets is_damaged if
# one is of a damaged stream.
check_tables() {
	local name status counts i files=("${order[@]/#/"$dir"/}")

	for name in "${order[@]}"; do
		status=2
		[[ ! -s $dir/$name.status ]] || read -r status <"$dir/$name.status"
		case $status in
		0 | 1 | 3) [[ -s $dir/$name.kev ]] && continue ;;&
		*)
			check_space
			pass_messages "$dir/$name.messages"
			fail "the table $name cannot be made: ${command_of[$name]}"
			;;
		esac
	done
	files=("${files[@]/%/.kev}")
	mapfile -t counts < <(grep -a -c -h -v '^#' -- "${files[@]}")
	for i in "${!order[@]}"; do
		rows_of[${order[i]}]=${counts[i]}
	done
	! grep -a -q $'^##damaged\t' -- "${files[@]}" || is_damaged=yes
}

# Sets fields to those of a line of a stream.
split() { # LINE
	mapfile -t -d $'\t' fields <<<"$1"
	fields[-1]=${fields[-1]%$'\n'}
}

# Sets the figures of the first row of a table, or of the first whose COLUMN is this VALUE, or with != is not.
# They are empty if there is none.
take_where() { # TABLE COLUMN =|!= VALUE COLUMN=FIGURE...
	local line pair fields=() i
	local -A at=()

	[[ -e $dir/$1.kev ]] || return 0
	while IFS= read -r line; do
		case $line in
		'##'*) ;;
		'#'*)
			split "${line:1}"
			for i in "${!fields[@]}"; do
				at[.${fields[i]}]=$i # a name may be empty
			done
			fields=()
			;;
		*)
			split "$line"
			[[ $2 ]] || break
			i=${at[.$2]-}
			[[ $i ]] && test "${fields[i]}" "$3" "$4" && break
			fields=()
			;;
		esac
	done <"$dir/$1.kev"
	for pair in "${@:5}"; do
		i=${at[.${pair%%=*}]-}
		F[${pair#*=}]=${i:+${fields[i]-}}
	done
}

# The same of the first row.
take() { # TABLE COLUMN=FIGURE...
	take_where "$1" '' = '' "${@:2}"
}

# Sets found to the number of rows of a table. check_tables has counted those of a pipe; others are short.
count_rows() { # TABLE
	local line

	found=${rows_of[$1]-0}
	[[ ! ${rows_of[$1]-} && -e $dir/$1.kev ]] || return 0
	while IFS= read -r line; do
		[[ $line == '#'* ]] || found=$((found + 1))
	done <"$dir/$1.kev"
}
