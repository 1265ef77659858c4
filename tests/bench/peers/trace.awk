# What tsv2trace makes of a stream of the core columns without escapes.
function quoted(text) {
	if (text ~ /["\\]/)
		gsub(/["\\]/, "\\\\&", text)
	return "\"" text "\""
}

function value(text) {
	return text ~ /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$/ ? text : quoted(text)
}

function add(key, json) {
	event = event (event == "" ? "" : ",") "\"" key "\":" json
}

BEGIN {
	FS = "\t"
	printf "{\"traceEvents\":["
}

!/^#/ {
	event = ""
	if ($3 != "")
		add("kernel_type", quoted($3))
	if ($9 != "")
		add("source", quoted($9))
	args = event
	event = ""
	if ($6 != "")
		add("ph", quoted($6))
	if ($5 != "")
		add("cat", quoted($5))
	if ($4 != "")
		add("name", quoted($4))
	if ($7 != "")
		add("pid", value($7))
	if ($8 != "")
		add("tid", value($8))
	if ($1 != "")
		add("ts", value($1))
	if ($2 != "")
		add("dur", value($2))
	if (args != "")
		add("args", "{" args "}")
	printf "%s\n{%s}", comma, event
	comma = ","
}

END {
	print "\n]}"
}
