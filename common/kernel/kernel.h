/*
 * kernel - what a kernel's type says about it.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include "base/buf.h"
#include "base/dec.h"

enum kernel_kind {
	KERNEL_COMPUTE,
	KERNEL_HCOM,  /* a collective: hcom_allReduce_ and so on, recorded once a stream */
	KERNEL_AICPU, /* its shadow on the AI CPU: in no sum */
};

/*
 * By the type alone, as torch_npu's kernel_details.csv writes it. A type that
 * begins with hcom_ and ends with AicpuKernel is a shadow.
 */
enum kernel_kind kernel_kind(struct str type);

/*
 * Whether a category of a trace is of the host or of annotations, and no kernel's:
 * cpu_op, cuda_runtime, python_function, gpu_user_annotation and the like.
 */
bool kernel_on_host(struct str cat);

/*
 * The key under which the records of one collective are equal: the integer part
 * of ts as it is written, the type, the process and the file (ranks start
 * collectives together). Fields are escaped or not, but always alike. False
 * where ts is empty or no number: such a record cannot be told from others.
 */
bool kernel_hcom_key(struct buf *key, struct str ts, struct str type, struct str pid,
                     struct str file);

#endif
