# What page.awk, commands.awk and index.awk share. A record is a whole page, the HTML of mandoc.
#
# Variables: page, as in kgroup.1; pages, all of them; version; style, a file of CSS; examples, the
# folder that the examples of the page ran in.

BEGIN {
	RS = "\001" # so that a page is one record
	number = split(pages, list, " ")
	for (i = 1; i <= number; i++) ours[list[i]] = 1
}

# Cuts the text at the first place of a fixed text, and returns the text before it; rest is the text after it.
function cut(text, at,    place) {
	place = index(text, at)
	if (!place) {
		print page ": the HTML of mandoc has no " at > "/dev/stderr"
		exit 1
	}
	rest = substr(text, place + length(at))
	return substr(text, 1, place - 1)
}

function contents_of(file,    text, line) {
	text = ""
	while ((getline line < file) > 0) text = text line
	close(file)
	return text
}

# The page's summary, from its section NAME.
function summary(text) {
	cut(text, "<span class=\"Nd\">")
	text = cut(rest, "</span>")
	gsub(/[ \n]+/, " ", text)
	return text
}

function name_of(page,    name) {
	name = page
	sub(/\.[157]$/, "", name)
	return name "(" substr(page, length(page)) ")"
}

function head(title) {
	print "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">"
	print "<meta name=\"viewport\" content=\"width=device-width\">\n<title>" title "</title>"
	print "<style>"
	while ((getline line < style) > 0) print line
	print "</style>\n</head>\n<body>"
}

# Links to pages of other packages become text.
function without_dead_links(text,    out, target, from, link) {
	out = ""
	while ((from = index(text, "<a class=\"Xr\" href=\""))) {
		out = out substr(text, 1, from - 1)
		cut(substr(text, from), "href=\"")
		target = cut(rest, ".html\">")
		link = cut(rest, "</a>")
		text = rest
		if (target in ours) out = out "<a class=\"Xr\" href=\"" target ".html\">" link "</a>"
		else out = out "<span class=\"Xr\">" link "</span>"
	}
	return out text
}

# A list of links to the headings of a text, those of subsections one level deeper.
function contents(text, file,    out, level, deep) {
	deep = 0
	out = ""
	while (match(text, /<h[12] class="S[hs]" id="[^"]*"><a class="permalink" href="/)) {
		level = substr(text, RSTART + 2, 1)
		text = substr(text, RSTART + RLENGTH)
		if (level == 2 && !deep) out = out "<ul>\n"
		else out = out (out == "" ? "" : "</li>\n")
		if (level == 1 && deep) out = out "</ul></li>\n"
		deep = level == 2
		out = out "<li><a href=\"" file cut(text, "\">")
		text = rest
		out = out "\">" cut(text, "</a>") "</a>"
		text = rest
	}
	return "<ul>\n" out "</li>" (deep ? "</ul></li>" : "") "\n</ul>"
}

# A line of an example is a command if it begins with "$ ", or goes on after a pipe or a backslash.
function is_command(line,    command) {
	command = line ~ /^\$ / || more
	more = command && line ~ /[|\\]$/
	return command
}

# The command with links from its programs to their pages.
function with_links(line,    out, word, before, name) {
	out = ""
	while (match(line, /[^ ]+/)) {
		out = out substr(line, 1, RSTART - 1)
		word = substr(line, RSTART, RLENGTH)
		line = substr(line, RSTART + RLENGTH)
		before = ""
		if (match(word, /^(\$|&lt;)?\(/)) {
			before = substr(word, 1, RLENGTH)
			expected = 1
		}
		name = substr(word, length(before) + 1)
		if (expected && (name ".1") in ours && name ".1" != page)
			word = before "<a href=\"" name ".1.html\">" name "</a>"
		out = out word
		if (word != "\\" && word !~ /^[A-Z_]+=/) expected = word ~ /^(\$|\||\|\||&amp;&amp;|do|then|!)$/ || word ~ /;$/
	}
	return out line
}

# The picture or the report that a command writes; "" without one.
function written(line) {
	if (!match(line, / -o [A-Za-z0-9_.-]+\.(svg|png|pdf|html)/)) return ""
	line = substr(line, RSTART + 4, RLENGTH - 4)
	sub(/\.(png|pdf)$/, ".svg", line)
	return line
}

function figure(name,    text) {
	if (name ~ /\.html$/) return "<p class=\"report\"><a href=\"" name "\">" name "</a></p>\n"
	text = contents_of(examples "/" name)
	if (text == "") {
		print page ": its examples do not write " name > "/dev/stderr"
		exit 1
	}
	return "<figure>" text "</figure>\n"
}

# A block of examples with links; figures is the pictures and reports that it makes.
function with_figures(block,    number, lines, i, file, out) {
	more = expected = 0
	figures = out = ""
	number = split(block, lines, "\n")
	for (i = 1; i <= number; i++) {
		if (is_command(lines[i])) {
			file = written(lines[i])
			if (file != "") figures = figures figure(file)
			lines[i] = with_links(lines[i])
		}
		out = out (i > 1 ? "\n" : "") lines[i]
	}
	return out
}
