/* kclass: any text as rules, any bytes as the kernels they are tried on. */
#include "../fuzz.h"

#include "kernel/kclass.h"

/* A line of "name TAB type TAB cat TAB cpu_op TAB phase", or of fewer. */
static struct kclass_kernel kernel_of(struct str line)
{
	struct kclass_kernel kernel = {.name = STR("")};
	struct str *fields[] = {&kernel.name, &kernel.type, &kernel.cat, &kernel.cpu_op, &kernel.phase};

	for (size_t i = 0; i < 5; i++) {
		const char *tab = line.n && i < 4 ? memchr(line.s, '\t', line.n) : NULL;
		size_t n = tab ? (size_t)(tab - line.s) : line.n;

		*fields[i] = (struct str){line.s, n};
		line.s += n + (tab != NULL);
		line.n -= n + (tab != NULL);
	}
	return kernel;
}

/* The classes of all kernels, one a line. A second question has an equal answer. */
static void show(struct kclass *k, struct str kernels, struct buf *out)
{
	while (kernels.n) {
		const char *end = memchr(kernels.s, '\n', kernels.n);
		size_t n = end ? (size_t)(end - kernels.s) : kernels.n;
		struct kclass_kernel kernel = kernel_of((struct str){kernels.s, n});
		struct kclass_label label;
		size_t from = out->len;
		struct buf first = {0};

		for (int again = 0; again < 2; again++) {
			bool known = kclass_of(k, &kernel, &label);

			LAW(known || k->platform == STRMAP_NONE);
			out->len = from;
			buf_str(out, label.op);
			buf_char(out, '|');
			buf_str(out, label.pattern);
			buf_format(out, "|%d%d\n", label.part, known);
			if (again)
				law_same((struct str){out->data + from, out->len - from}, buf_view(&first),
				         __FILE__, __LINE__);
			buf_bytes(&first, out->data + from, out->len - from);
		}
		buf_free(&first);
		kernels.s += n + (end != NULL);
		kernels.n -= n + (end != NULL);
	}
}

/*
 * A set of the program on all of the text. Each is loaded once, as it is larger than all else that
 * a run reads, and forgets the kernels of the inputs before.
 */
static void try_set(struct str text)
{
	static struct kclass sets[2];
	bool classic = chance(text, 2);
	struct kclass *k = &sets[classic];
	struct buf out = {0};

	if (!k->rules_count)
		LAW(kclass_load(k, classic ? "classic" : "default"));
	strmap_free(&k->seen);
	show(k, text, &out);
	buf_free(&out);
}

static void try_input(const uint8_t *data, size_t size)
{
	/* Rules up to the first NUL, kernels behind it. */
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	struct str text = {(const char *)data, nul ? (size_t)(nul - data) : size};
	struct str kernels = {text.s + text.n + 1, nul ? size - text.n - 1 : 0};
	static const char *const platforms[] = {"", "AMD", "other"};
	struct kclass k = {0};
	struct kclass again = {0};
	struct buf a = {0};
	struct buf b = {0};

	if (is_gzip(text))
		return;
	feed(text);
	if (!kclass_load(&k, "-")) {
		LAW(k.error[0]);
	} else {
		buf_str(&a, kclass_dump(&k));
		feed(buf_view(&a));
		LAW(kclass_load(&again, "-"));
		law_same(kclass_dump(&again), buf_view(&a), __FILE__, __LINE__);
		for (size_t i = 0; i < 3; i++) {
			a.len = b.len = 0;
			kclass_set_platform(&k, str_of(platforms[i]));
			kclass_set_platform(&again, str_of(platforms[i]));
			show(&k, kernels, &a);
			show(&again, kernels, &b);
			LAW_SAME(&a, &b);
		}
		kclass_free(&again);
	}
	kclass_free(&k);
	try_set((struct str){(const char *)data, size});
	buf_free(&a);
	buf_free(&b);
}
