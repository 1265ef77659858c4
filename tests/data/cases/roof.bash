# Rows for cases of kroof: a call of an operator each, with what its rule should give, computed by hand.
#
#	calls >in && kroof -H in | as_computed
#
# calls reads lines of fields that | separates: operator, Input Dims, Input type, Concrete Inputs, flops,
# bytes. Types are short: f b h d l i B e s for float, bfloat16, half, double, 64 and 32 bits, bool, fp8,
# x for two fp4, S for a scalar, L for a list of them, - for none. Values are those of the list without its quotes,
# separated by semicolons; lines of blanks and of # are left out.
calls() {
	awk -F '|' -v want="$TMP/want" '
		function types(letters,    i, n, out, letter) {
			n = split(letters, letter, "")
			for (i = 1; i <= n; i++)
				out = out (i > 1 ? "," : "") "\"" name[letter[i]] "\""
			return "[" out "]"
		}
		function values(text,    i, n, out, value) {
			n = split(text, value, ";")
			for (i = 1; i <= n; i++)
				out = out (i > 1 ? "," : "") "\"" value[i] "\""
			return "[" out "]"
		}
		BEGIN {
			name["f"] = "float"; name["b"] = "c10::BFloat16"; name["h"] = "c10::Half"; name["d"] = "double"
			name["l"] = "long int"; name["i"] = "int"; name["B"] = "bool"; name["e"] = "c10::Float8_e4m3fn"
			name["s"] = "signed char"; name["S"] = "Scalar"; name["L"] = "ScalarList"; name["-"] = ""
			name["x"] = "c10::Float4_e2m1fn_x2"; name["T"] = "TensorList"; name["u"] = "an unknown type"
			printf "#ts\tdur\tname\tcat\tcpu_op\top_id\tInput Dims\tInput type\tConcrete Inputs\n"
			printf "" >want
		}
		NF < 6 || /^#/ { next }
		{
			n++
			printf "%d\t%d\tk\tkernel\t%s\t%d\t[%s]\t%s\t%s\n", n, 1000 - n, $1, n, $2, types($3), values($4)
			printf "%s\t%s\n", $5, $6 >want
		}'
}

# The operator, class, M, N, K, B, flops and bytes of the table, and whether the last two are as computed.
as_computed() {
	cut -f 1-6,13,14 >"$TMP/out"
	cat "$TMP/out"
	cut -f 7,8 "$TMP/out" | diff "$TMP/want" - && echo "as computed: $(grep -c '' "$TMP/want")"
}
