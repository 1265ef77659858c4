# messages - of start-microbench and op-comparison, with text of the input made plain.
#
# Reads script, its name.
# shellcheck shell=bash

# Sets plain to the text as common/base/plaintext.h has it: bytes of control and bidi characters,
# and those that are not UTF-8, as \xHH.
make_plain() { # TEXT
	local LC_ALL=C at=0 head='' piece parts=() byte t=$'[\x80-\xbf]'
	local two=$'[\xc3-\xd7\xd9-\xdf]'$t$'|\xc2[\xa0-\xbf]|\xd8[\x80-\x9b\x9d-\xbf]'
	local three=$'(\xe0[\xa0-\xbf]|[\xe1\xe3-\xec\xee\xef]'$t$'|\xe2[\x82-\xbf]|\xed[\x80-\x9f])'$t
	local general=$'\xe2(\x80[\x80-\x8d\x90-\xa7\xaf-\xbf]|\x81[\x80-\xa5\xaa-\xbf])'
	local four=$'(\xf0[\x90-\xbf]|[\xf1-\xf3]'$t$'|\xf4[\x80-\x8f])'$t$t

	# In pieces, as taking a byte copies the rest, and adding one what is there. A character has at most four bytes.
	while [[ $head ]] || ((at < ${#1})); do
		head+=${1:at:1024} at=$((at + 1024)) piece=''
		while ((${#head} > 3)) || [[ $head && $at -ge ${#1} ]]; do
			if [[ $head =~ ^([\ -~]|$two|$three|$general|$four)+ ]]; then
				piece+=${BASH_REMATCH[0]}
				head=${head:${#BASH_REMATCH[0]}}
			else
				printf -v byte '\\x%02x' "'$head"
				piece+=$byte
				head=${head:1}
			fi
		done
		parts+=("$piece")
	done
	printf -v plain %s "${parts[@]}"
}

warn() { # LINE...
	local line plain text="$script: "

	for line; do
		make_plain "$line"
		text+=$plain$'\n'
	done
	printf %s "$text" >&2
}

fail() { # LINE...
	warn "$@"
	exit 2
}
