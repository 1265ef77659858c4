# base - lists of words, names of operators, and Python.
# shellcheck shell=bash

MATMULS=(MatMulV2 MatMulV3 MatMulCommon)

is_one_of() { # WORD WORD...
	local word

	for word in "${@:2}"; do
		[[ $word != "$1" ]] || return 0
	done
	return 1
}

# Whether an operator can have a file in a database; dbmerge has the same rule.
is_file_name() { # OPERATOR
	local LC_ALL=C

	[[ $1 && $1 != .* && $1 != */* && $1 != *[$'\x01'-$'\x1f\x7f']* ]] && ((${#1} <= 240))
}

# Prints the words with the separator between them.
join() { # SEPARATOR WORD...
	local rest=("${@:3}")

	printf %s "${2-}" "${rest[@]/#/$1}"
}

# Prints a list as options of dbmerge take it.
op_list() { # OPERATOR...
	local names=("${@//\\/\\\\}")

	join , "${names[@]//,/\\,}"
}

# Prints the operator that the name of a file or kernel stands for.
operator_name() { # NAME
	local name=${1%.csv}

	name=${name%.py}
	printf '%s\n' "${name%_run}"
}

# Prints each name as a field of a stream, on a line of its own.
fields() { # NAME...
	local name

	for name; do
		name=${name//\\/\\\\}
		name=${name//$'\t'/\\t}
		name=${name//$'\r'/\\r}
		printf '%s\n' "${name//$'\n'/\\n}"
	done
}

# Prints such fields as a list for people.
listed() { # FIELD...
	printf %b "$(join ', ' "$@")"
}

# Names operators in awk, by a field; wanted has the operators, which are $OPERATORS as fields.
IN_AWK='function operator_name(op) {
	sub(/^\\#/, "#", op)
	gsub(/^ +| +$/, "", op)
	sub(/\.(csv|py)$/, "", op)
	sub(/_run$/, "", op)
	return op
}
BEGIN {
	n = split(ENVIRON["OPERATORS"], names, "\n")
	for (i = 1; i <= n; i++)
		wanted[names[i]] = 1
}'

# Prints the last line that a line of Python prints: libraries may print more while they load.
python_says() { # CODE
	python -c "$1" 2>/dev/null </dev/null | tail -n 1
}
