/*
 * ascend - what the rows without a category are in a trace_view.json of torch_npu and msprof
 * (trace2tsv(1), Ascend).
 */
#ifndef ASCEND_H
#define ASCEND_H

#include "base/buf.h"
#include "base/strmap.h"

/*
 * The category of a row by its name and, from its args, "Task Type" and "level": kernel,
 * gpu_memcpy, npu_comm (a transfer of a collective), npu_sync (a wait, a mark),
 * privateuse1_runtime (a call of CANN); empty for another row. An unknown type of task is a kernel.
 */
struct str ascend_category(struct str name, struct str task_type, struct str level);

/*
 * The process that made a call of CANN, whose row has a pid made from that of the process: pid /
 * 1024, or in early 2024 pid / 100. processes are those with operators: the first quotient that is
 * one of them, else pid / 1024. A pid that is no whole number is itself.
 */
struct str ascend_pid(struct str pid, const struct strmap *processes, struct buf *scratch);

/* The category of the flows from operators of PyTorch to rows of the device. */
#define ASCEND_FLOW STR("async_npu")

/* The category of the flows from calls of CANN to rows of the device. */
#define ASCEND_LAUNCH STR("HostToDevice")

/* The id of the flow to a row of the device: its ts in ns. Empty if ts is not so many ns. */
struct str ascend_flow_id(struct str ts, struct buf *scratch);

#endif
