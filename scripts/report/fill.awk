# fill.awk - of kreport: puts figures into sentences.
#
# The first file has a figure on each line: name, value, the value as plain text, and the same shortened, with
# tabs between. Other lines are the document: KIND, a tab, a text, a tab, a text. form is text, md or
# html. unit is that of times: ns, us, ms or s.
BEGIN {
	FS = OFS = "\t"
	split("s ms µs ns", units, " ")
	split("s ms us ns", names, " ")
	for (i = 1; i <= 4; i++) places[names[i]] = 3 * (i - 1)
}

FNR == 1 { file++ }
file == 1 {
	value[$1] = $2
	plain[$1] = $3
	shortened[$1] = $4
	next
}
$1 == "rule" { print $1, $2, fill($3); next }
$1 == "answer" || $1 == "missing" { print $1, fill($2); next }
$1 == "title" && form == "md" && ($2 !~ /^[A-Za-z0-9 ._-]+$/ || $2 ~ /www/) { print $1, code($2); next }
($1 == "alert" || $1 == "note") && form == "md" { print $1, code($2); next }
$1 == "alert" || $1 == "note" || $1 == "title" { print $1, escape($2); next }
{ print }

function fill(text,    out, at, end, name, kind) {
	out = ""
	while (at = index(text, "{")) {
		end = index(text, "}")
		name = substr(text, at + 1, end - at - 1)
		kind = ""
		if (name ~ /:/) {
			kind = substr(name, length(name))
			name = substr(name, 1, length(name) - 2)
		}
		out = out escape(substr(text, 1, at - 1)) figure(name, kind)
		text = substr(text, end + 1)
	}
	return out escape(text)
}

# A figure, in the form. That of a text is a span of code, in brackets if it is optional.
function figure(name, kind,    text) {
	if (kind == "o") return value[name] == "" ? "" : escape(" (") figure(name, "") escape(")")
	if (kind == "t") text = time(value[name])
	else if (kind == "p") text = share(value[name])
	else if (kind == "c") text = change(value[name])
	else if (kind == "b") text = size(value[name])
	else if (kind == "n") text = thousands(value[name])
	else if (form == "html")
		text = "<code>" html(plain[name]) "</code>"
	else
		text = code(form == "text" ? shortened[name] : plain[name])
	if (form != "html") return text
	return "<data data-figure=\"" name "\" value=\"" html(kind == "" ? plain[name] : value[name]) "\">" text "</data>"
}

function escape(text) {
	return form == "html" ? html(text) : text
}

function html(text) {
	gsub(/&/, "\\&amp;", text)
	gsub(/</, "\\&lt;", text)
	gsub(/>/, "\\&gt;", text)
	gsub(/"/, "\\&quot;", text)
	gsub(/\047/, "\\&#39;", text)
	return text
}

# A span of code, between more backquotes than are within.
function code(text,    quotes) {
	quotes = "`"
	while (index(text, quotes)) quotes = quotes "`"
	if (quotes != "`") return quotes " " text " " quotes
	return quotes text quotes
}

# Sets digits and point to those of a number: its value is digits without its last point ones.
function parse(number) {
	negative = sub(/^-/, "", number)
	point = index(number, ".") ? length(number) - index(number, ".") : 0
	sub(/[.]/, "", number)
	digits = number
}

# digits rounded half to even, so that only keep of the places after the point stay.
function rounded(keep,    drop, tail, last) {
	while (point < keep) {
		digits = digits "0"
		point++
	}
	drop = point - keep
	if (!drop) return
	while (length(digits) <= drop) digits = "0" digits
	tail = substr(digits, length(digits) - drop + 1)
	digits = substr(digits, 1, length(digits) - drop)
	point = keep
	last = substr(digits, length(digits))
	if (substr(tail, 1, 1) > "5" || (substr(tail, 1, 1) == "5" && (substr(tail, 2) ~ /[1-9]/ || last ~ /[13579]/)))
		increase()
}

function increase(    i) {
	i = length(digits)
	while (i && substr(digits, i, 1) == "9") i--
	digits = (i ? substr(digits, 1, i - 1) substr("123456789", substr(digits, i, 1) + 1, 1) : "1") \
		substr("000000000000000000000000000000000000000000000000", 1, length(digits) - i)
}

# The number of digits and point, at least one digit before the point.
function written(    text) {
	sub(/^0+/, "", digits)
	while (length(digits) <= point) digits = "0" digits
	text = point ? substr(digits, 1, length(digits) - point) "." substr(digits, length(digits) - point + 1) : digits
	return (negative && text ~ /[1-9]/ ? "-" : "") text
}

# Three digits, or all before the point, in the largest unit of which there is at least one.
function time(number,    seconds, whole, i) {
	parse(number)
	sub(/^0+/, "", digits)
	if (digits == "") return "0 s"
	seconds = point + places[unit] # places after the point in seconds
	for (i = 1; i < 4; i++)
		if (length(digits) > seconds - 3 * (i - 1)) break
	point = seconds - 3 * (i - 1)
	whole = length(digits) - point
	while (point < 0) {
		digits = digits "0"
		point++
	}
	rounded(whole >= 3 ? 0 : whole > 0 ? 3 - whole : 3)
	if (length(digits) - point > whole && whole > 0) {
		# Such as 999.9, now 1000, or 9.999, now 10.00.
		if (whole >= 3 && i > 1) {
			i--
			digits = "100"
			point = 2
		} else if (point) {
			digits = substr(digits, 1, length(digits) - 1)
			point--
		}
	}
	return written() " " units[i]
}

function share(number) {
	if (number == "") return "an unknown share"
	parse(number)
	if (digits !~ /[1-9]/) return "0 %"
	rounded(1)
	if (written() == "0.0") return "below 0.1 %"
	if (written() == "100.0" && number !~ /^100([.]0*)?$/) return number ~ /^99/ ? "above 99.9 %" : "100 %"
	return written() " %"
}

function change(number) {
	if (number == "") return "unknown"
	parse(number)
	rounded(1)
	number = written()
	return (number ~ /^-/ || number == "0.0" ? "" : "+") number " %"
}

function size(number,    i, power) {
	split("bytes KiB MiB GiB TiB", power, " ")
	for (i = 1; number >= 1024 && i < 5; i++) number /= 1024
	return i == 1 ? thousands(number) " bytes" : sprintf("%.2f %s", number, power[i])
}

function thousands(number,    out) {
	out = ""
	while (length(number) > 3) {
		out = "," substr(number, length(number) - 2) out
		number = substr(number, 1, length(number) - 3)
	}
	return number out
}
