# How many events each category has.
BEGIN { FS = "\t" }
/^##/ { next }
/^#/ {
	sub(/^#/, "")
	for (i = 1; i <= NF; i++)
		column[$i] = i
	next
}
{ count[$column["cat"]]++ }
END {
	for (cat in count)
		print count[cat], cat
}
