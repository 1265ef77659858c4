#include "references.h"

#include "base/die.h"
#include "base/mem.h"

#include "choice.h"
#include "contextgraph.h"

#include <stdlib.h>
#include <string.h>

void references_check(const struct references *references, const struct opts *opts)
{
	bool taken = false;

	for (int i = 0; i < opts->operands_count; i++)
		taken |= strcmp(opts->operands[i], "-") == 0;
	for (size_t i = 0; i < references->paths.count; i++) {
		if (!str_equal(references->paths.item[i], STR("-")))
			continue;
		if (taken)
			opts_fail("--capture: standard input can be read only once");
		taken = true;
	}
}

static void read_rows(struct context *context, struct kev_reader *in, struct kev_writer *out)
{
	enum kev_item item;

	context_begin(context);
	while ((item = kev_next(in)) > KEV_END) {
		if (item == KEV_COLUMNS)
			context_columns(context, in);
		else if (item == KEV_ROW)
			context_learn(context, in);
		else if (str_equal(in->key, STR("source")))
			context_source(context);
		else if (str_equal(in->key, STR("damaged")))
			kev_pass_meta(out, in);
	}
	if (item == KEV_FAILED)
		kev_fail(out, in);
	context_build(context);
	if (context_fails(context, in))
		kev_fail(out, in);
}

/* Reads a stream, each file of which is a REF. */
static void read_stream(struct context *context, const struct opts *opts, const char *path,
                        struct kev_writer *out)
{
	char *operand = mem_string(path, strlen(path));
	struct opts of_reference = *opts;
	struct contextgraph_found found;
	struct kev_reader in;

	of_reference.operands = &operand;
	of_reference.operands_count = 1;
	kev_open(&in, &of_reference);
	in.by_source = true;
	read_rows(context, &in, out);
	found = contextgraph_gather(context);
	if (!found.any)
		warn("%s: no capture and no linked kernel", in.file);
	if (found.nameless)
		warn("%s: launch calls without a kernel name are matched by order (trace2tsv -a kernel "
		     "adds it on ROCm)",
		     in.file);
	if (found.single)
		warn("%s: begins and ends of captures without the other, which are ignored: %llu", in.file,
		     (unsigned long long)found.single);
	if (found.deep)
		warn("%s: captures within %d others, which are left out: %llu", in.file, CAPTURE_DEPTH,
		     (unsigned long long)found.deep);
	context_warn_cut(in.file, found.cut);
	context_warn(context, in.file);
	context_clear(context);
	kev_close(&in);
	free(operand);
}

void references_read(struct references *references, const struct opts *opts,
                     struct context *context, struct kev_writer *out)
{
	if (references->paths.count == 0)
		return;
	references->captures.columns = CONTEXTGRAPH_ARGS + context->args.count;
	context->captures = &references->captures;
	context->replay_steps = CHOICE_STEPS;
	references->context = *context;
	references->context.kclass = NULL;
	references->context.reference = true;
	references->context.ranges = false;
	for (size_t i = 0; i < references->paths.count; i++)
		read_stream(&references->context, opts, references->paths.item[i].s, out);
}
