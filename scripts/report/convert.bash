# convert - of kreport: what a file is, and its streams.
#
# Reads dir and replayed. Messages come from messages.bash.
# shellcheck shell=bash

arguments='Input Dims,Input type,Concrete Inputs'
declare -A beginning=() full_beginning=() conversion=() to_rows=() before=() file_of=()

# Sets quoted to a word that a shell reads as this text, in ASCII.
quote() { # TEXT
	local LC_ALL=C single="'" escaped="'\\''"

	case $1 in
	'' | *[!\ -~]*) printf -v quoted %q "$1" ;;
	*[!A-Za-z0-9_./+:@%=,-]*) quoted="'${1//"$single"/"$escaped"}'" ;;
	*) quoted=$1 ;;
	esac
}

# Sets kind to json, csv, sqlite, xspace or stream, by the first bytes of a file.
recognize() { # FILE
	local LC_ALL=C start trimmed

	start=$(gzip -dcf -- "$1" 2>/dev/null | head -c 4096 | tr '\000' '\001')
	trimmed=${start#$'\xef\xbb\xbf'}
	trimmed=${trimmed#"${trimmed%%[![:space:]]*}"}
	case $start in
	'SQLite format 3'*) kind=sqlite ;;
	'#'*) kind=stream ;;
	$'\n'?*) # field 1 of a message; the name or id of a plane follows its length
		kind=csv
		[[ ${start:0:12} != *[$'\x08\x12']* ]] || kind=xspace
		;;
	*) kind=csv ;;
	esac
	[[ $kind != csv || $trimmed != [\{[]* ]] || kind=json
}

# Holds if csv2tsv -A refuses a CSV because it would write two columns of one name, such as the pid of
# rocprof beside the pid that is the device. Only the first lines are read.
columns_clash() { # FILE
	csv2tsv -A --quiet -- "$1" 2>/dev/null | head -n 8 |
		grep -a -q $'^##damaged\t.*\tline [0-9]*: two columns are named '
}

# Sets beginning[SIDE] to the command of a converter, and full_beginning[SIDE] to the one that also
# copies the arguments of operators. They are empty for a stream. Sets conversion[SIDE] to the command of this
# run: the report of one trace has all that any of its tables needs, and needs no second one for the memory.
name_converter() { # SIDE FILE KIND
	local quoted

	quote "$2"
	case $3 in
	json) beginning[$1]="trace2tsv -g $quoted" ;;
	csv)
		beginning[$1]="csv2tsv -A $quoted"
		! columns_clash "$2" || beginning[$1]="csv2tsv $quoted"
		;;
	sqlite) beginning[$1]="sqlite2tsv $quoted" ;;
	xspace) beginning[$1]="xplane2tsv $quoted" ;;
	stream) beginning[$1]='' ;;
	esac
	full_beginning[$1]=${beginning[$1]}
	conversion[$1]=${beginning[$1]:-kselect $quoted}
	[[ $3 == json ]] || return 0
	full_beginning[$1]="trace2tsv -g -a '$arguments' $quoted"
	[[ $1 != trace ]] || conversion[$1]="trace2tsv -g --memory -a '$arguments' $quoted"
}

# Sets command to a pipe, with FILE as the operand of its first program.
give_file() { # FILE PIPE
	local quoted first=${2%%' | '*}

	quote "$1"
	command="$first $quoted${2#"$first"}"
}

# Sets command to what a reader pastes for a pipe that reads the stream trace, rows or full of a SIDE.
join_pipe() { # SIDE STREAM PIPE
	if [[ ${before[$1.$2]} ]]; then
		command="${before[$1.$2]}${3:+ | $3}"
	else
		give_file "${file_of[$1]}" "$3"
	fi
}

# Sets columns to the names of the columns of a stream of this run, each between two newlines.
read_columns() { # STREAM
	local line

	columns=$'\n'
	while IFS= read -r line && [[ $line == '#'* ]]; do
		[[ $line != '##'* ]] || continue
		columns+=${line:1}
		columns=${columns//$'\t'/$'\n'}$'\n'
		return
	done <"$1"
}

# Sets filter to the stages from a STREAM of a CSV to kernels and copies with classes. A CSV can also have
# calls, marks and allocations. kcontext decides what is of a device, but needs columns that a CSV lacks, so it
# gets one row for each category and name.
name_filter() { # STREAM
	local kinds pairs row cat name condition='' more last='' length=0

	filter=kclass
	kinds=$(kselect -H -c cat,name "$1" 2>/dev/null | LC_ALL=C sort -u)
	[[ $kinds ]] || return 0
	mapfile -t pairs <<<"$kinds"
	while IFS= read -r row; do
		cat=${row%%$'\t'*} name=${row#*$'\t'}
		[[ $row != *[\\\"\']* && ($cat != "$last" || ! $cat) ]] || continue
		last=$cat
		more="cat != \"$cat\""
		[[ $cat ]] || more="name != \"$name\""
		if [[ ! $condition ]]; then
			condition="-w '$more"
			length=$((${#more} + 4))
		elif ((length + ${#more} < 80)); then
			condition+=" && $more"
			length=$((length + ${#more} + 4))
		else
			condition+="' -w '$more"
			length=$((${#more} + 6))
		fi
	done < <(LC_ALL=C comm -23 <(printf '%s\n' "$kinds") <({
		printf '##kev\t1\n#cat\tname\tts\tdur\ttype\tph\tpid\ttid\tcorrelation\tExternal id\n'
		printf '%s\t1\t1\t\tX\t0\t0\t\t\n' "${pairs[@]}"
		printf '##end\n'
	} | kcontext --copies 2>/dev/null | kselect -H -c cat,name 2>/dev/null | LC_ALL=C sort -u))
	[[ ! $condition ]] || filter="kselect $condition' | kclass"
}

# Sets before[SIDE.STREAM] to the pipes that write the streams of a file: trace, what a converter
# writes; rows, its kernels and copies with classes; full, the same with the arguments of operators. They
# are empty if the file is that stream. A CSV has no launches, which kcontext needs. Sets to_rows[SIDE] to the
# pipe from trace to what this run needs: full, or rows to compare.
name_streams() { # SIDE FILE KIND
	local columns rest shorter command filter with="kcontext --copies -a '$arguments'$replayed | kclass"

	file_of[$1]=$2
	rest="kcontext --copies$replayed | kclass"
	shorter=$rest
	case $3 in
	json) rest=$with ;;
	csv)
		name_filter "$dir/$1.trace.kev"
		rest=$filter shorter=$filter
		;;
	stream)
		read_columns "$dir/$1.trace.kev"
		if [[ $columns == *$'\nop\n'* ]] &&
			[[ $columns == *$'\nlaunch_ts\n'* || $columns != *$'\ncorrelation\n'* ]]; then
			rest='' shorter=''
		elif [[ $columns != *$'\ncorrelation\n'* ]]; then
			name_filter "$dir/$1.trace.kev"
			rest=$filter shorter=$filter
		elif [[ $columns == *$'\nInput Dims\n'* && $columns == *$'\nInput type\n'* &&
			$columns == *$'\nConcrete Inputs\n'* ]]; then
			rest=$with
		fi
		;;
	esac
	[[ ! $replayed || $rest == kcontext* ]] ||
		fail "--capture: $2 has no launches, so no kernels of graphs can be found"
	[[ ! $replayed ]] || shorter=$rest
	to_rows[$1]=$rest
	[[ $1 == trace ]] || to_rows[$1]=$shorter
	before[$1.trace]=${beginning[$1]}
	if [[ ${beginning[$1]} ]]; then
		before[$1.rows]="${beginning[$1]} | $shorter"
		before[$1.full]="${full_beginning[$1]} | $rest"
		[[ ! $replayed ]] || before[$1.rows]=${before[$1.full]}
	elif [[ $rest ]]; then
		give_file "$2" "$shorter"
		before[$1.rows]=$command
		give_file "$2" "$rest"
		before[$1.full]=$command
	else
		before[$1.rows]='' before[$1.full]=''
	fi
}

# Sets replayed to the option of kcontext for a trace of captures, or a stream of one.
name_capture() { # REF
	local quoted

	recognize "$1"
	quote "$1"
	case $kind in
	json) replayed=" --capture=<(trace2tsv -g -a 'kernel,$arguments' $quoted)" ;;
	stream) replayed=" --capture=$quoted" ;;
	*) fail "--capture: $1 is neither a trace of PyTorch nor a stream of one" ;;
	esac
}

# Runs a pipe. The status is 2 if any of its programs failed, is missing or was killed: the next one may take what
# it wrote for damage, or for no rows, which are answers. Else it is 1, or 3, if that is the status of one.
# shellcheck disable=SC2317 # called by start_job
run_pipe() { # PIPE
	local status statuses=() worst=0

	eval "$1; statuses=(\"\${PIPESTATUS[@]}\")"
	for status in "${statuses[@]}"; do
		case $status:$worst in
		0:* | *:2 | 3:1) ;;
		[13]:*) worst=$status ;;
		*) worst=2 ;;
		esac
	done
	return "$worst"
}

# Writes SIDE.trace.kev, what the converter writes. Its status and messages are beside it.
# shellcheck disable=SC2317 # called by start_job
convert() { # SIDE
	run_pipe "${conversion[$1]}" >"$dir/$1.trace.kev" 2>"$dir/$1.trace.messages"
	{ echo $? >"$dir/$1.trace.status"; } 2>/dev/null
}

# Writes SIDE.rows.kev, the kernels and copies of SIDE.trace.kev with classes, in the same way.
# shellcheck disable=SC2317 # called by start_job
make_rows() { # SIDE
	run_pipe "${to_rows[$1]:-cat}" <"$dir/$1.trace.kev" >"$dir/$1.rows.kev" 2>"$dir/$1.rows.messages"
	{ echo $? >"$dir/$1.rows.status"; } 2>/dev/null
}

# Ends the run if the folder of the streams takes no more, which is no fault of a trace.
check_space() {
	{ head -c 65536 /dev/zero >"$dir/own.probe" && rm -f -- "$dir/own.probe"; } 2>/dev/null ||
		fail "${dir%/*}: no more can be written here; $([[ $keep ]] && echo --keep || echo TMPDIR) names another place"
}

# Ends the run with a message, after those of the programs, if they failed to write a stream. Damage and a
# stream without rows are answers. Sets status.
check_stream() { # STREAM MESSAGE
	status=2
	[[ ! -s $dir/$1.status ]] || read -r status <"$dir/$1.status"
	((status != 2 && status <= 3)) && return
	check_space
	pass_messages "$dir/$1.messages"
	fail "$2"
}

check_conversion() { # SIDE FILE
	local status columns

	check_stream "$1.trace" "$2: cannot be read${beginning[$1]:+, see ${beginning[$1]%% *}(1)}"
	read_columns "$dir/$1.trace.kev"
	[[ $columns == *$'\nts\n'* ]] ||
		fail "$2: these are sums, not the kernels themselves; kgroup -m groups them"
	worsen "$((status == 3 ? 0 : status))"
}

check_rows() { # SIDE FILE
	local status

	check_stream "$1.rows" "$2: its kernels cannot be read"
}

# Passes messages of programs on.
pass_messages() { # FILE
	local line

	while IFS= read -r line; do
		warn "$line"
	done <"$1"
}
