# Completion of the programs of kevtools for bash.
#
# The options come from `PROGRAM -h`, the columns from the head of the first file on the line.

# Prints the options of a program and their arguments: "-k =COL,..." and "--key =COL,...".
_kevtools_options() { # PROGRAM
	"$1" -h 2>/dev/null |
		sed -n -e 's/^  *\(-.\), \(--[a-z0-9-]*\)\([^ ]*\).*/\1 \3\n\2 \3/p' \
			-e 's/^  *\(--[a-z0-9-]*\)\([^ ]*\).*/\1 \2/p'
}

# Prints the columns of the first stream among the words, one on each line.
_kevtools_columns() { # WORD...
	local file

	for file; do
		[[ -f $file ]] || continue
		gzip -dcf -- "$file" 2>/dev/null | head -c 65536 |
			sed -n '/^#[^#]/ { s/^#//; s/\t/\n/g; p; q; }'
		return
	done
}

# Adds the words that begin with the current one, after its last comma and a minus.
_kevtools_list() { # CURRENT WORD...
	local current=$1 before=''
	local word

	shift
	[[ $current == *,* ]] && before=${current%,*},
	[[ ${current##*,} == -* ]] && before+=-
	for word; do
		[[ $word != *[!A-Za-z0-9_.]* ]] || word=$(printf %q "$word")
		[[ $before$word != "$current"* ]] || COMPREPLY+=("$before$word")
	done
}

# Completes the argument of an option: a list of columns, or one of some words. Others are files.
_kevtools_argument() { # ARGUMENT CURRENT
	local -a columns words

	case $1 in
	=COL=*) ;;
	=COL* | =-COL* | =\[-\]COL*)
		mapfile -t columns < <(_kevtools_columns "${COMP_WORDS[@]:1}")
		_kevtools_list "$2" "${columns[@]}"
		compopt -o nospace
		;;
	=[a-z]*\|*)
		IFS=\| read -ra words <<<"${1#=}"
		_kevtools_list "$2" "${words[@]}"
		;;
	esac
}

_kevtools() {
	local program=$1 current=$2 previous=$3
	local option argument name

	COMPREPLY=()
	# bash splits --key=COL into three words.
	if [[ $current == = ]]; then
		current='' option=$previous
	elif [[ $previous == = ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	else
		option=$previous
	fi
	while read -r name argument; do
		if [[ $option == -* && $name == "$option" ]]; then
			_kevtools_argument "$argument" "$current"
			return
		fi
		[[ $current == -* && $name == "$current"* ]] || continue
		[[ $name != --* || $argument != =* ]] || name+==
		COMPREPLY+=("$name")
	done < <(_kevtools_options "$program")
	[[ ${COMPREPLY-} != *= ]] || compopt -o nospace
}

complete -o bashdefault -o default -F _kevtools @PROGRAMS@
