# Makes the index of kevtools(7): its questions, its programs by shelf, its recipes. Other pages follow,
# with the summaries of their fragments: the HTML of mandoc, files in the folder fragments.

# The block of questions: lines "# QUESTION", each before its commands.
function print_questions(block,    number, lines, i, open) {
	number = split(block, lines, "\n")
	print "<dl class=\"questions\">"
	for (i = 1; i <= number; i++) {
		if (lines[i] ~ /^# /) {
			print (open ? "</pre></dd>\n" : "") "<dt>" substr(lines[i], 3) "</dt>"
			open = 0
		} else {
			printf "%s%s", open ? "\n" : "<dd><pre>", with_links(lines[i])
			open = 1
		}
	}
	print "</pre></dd>\n</dl>"
}

# The pages that the shelves do not have.
function print_others(shelves,    i) {
	print "<dl class=\"shelf\">"
	for (i = 1; i in list; i++)
		if (!index(shelves, "\"" list[i] ".html\""))
			print "<dt><a href=\"" list[i] ".html\">" name_of(list[i]) "</a></dt>\n<dd>" \
				summary(contents_of(fragments "/" list[i])) "</dd>"
	print "</dl>"
}

{
	text = without_dead_links($0)
	head("kevtools")
	print "<h1>kevtools</h1>\n<main>"

	cut(text, "id=\"EXAMPLES\"")
	recipes = cut(rest, "<h1")
	gsub(/<h2/, "<h1", recipes)
	recipes = contents(recipes, page ".html")

	cut(text, "id=\"DESCRIPTION\"")
	cut(rest, "</h1>")
	print "<p>" cut(rest, "<section") "</p>"

	cut(rest, "<pre>")
	print "<h2 id=\"questions\">By question</h2>"
	block = cut(rest, "</pre>")
	text = rest
	print_questions(block)

	cut(text, "id=\"Programs\"")
	cut(rest, "</h2>")
	shelves = cut(rest, "</section>")
	text = shelves
	print "<h2 id=\"shelves\">By shelf</h2>"
	# A shelf is its title and a list; the last paragraph names the other pages.
	while (index(text, "<dl")) {
		cut(text, "<p class=\"Pp\">")
		title = cut(rest, ":</p>")
		cut(rest, "<dl")
		cut(rest, ">")
		print "<h3>" title "</h3>\n<dl class=\"shelf\">" cut(rest, "</dl>") "</dl>"
		text = rest
	}

	print "<h2 id=\"recipes\">Recipes</h2>\n" recipes
	print "<h2 id=\"others\">Formats and guides</h2>"
	print_others(substr(shelves, 1, length(shelves) - length(text)))
	print "</main>\n<footer>kevtools " version "</footer>\n</body>\n</html>"
}
