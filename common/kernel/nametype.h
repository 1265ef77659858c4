/*
 * nametype - the type of an Ascend kernel by its name, as the column Type of kernel_details.csv has
 * it: of a trace_view.json and at Level0 of torch_npu only the name gives it.
 *
 *	name                                type
 *	aclnnMm_MatMulCommon_MatMulV2       MatMulV2
 *	trans_TransData_12                  TransData
 *	Conv2DBackpropFilter6_MemSet        MemSet
 *	hcom_allReduce__868_0_1             hcom_allReduce_
 *	Conv2D1                             Conv2D
 */
#ifndef NAMETYPE_H
#define NAMETYPE_H

#include "base/buf.h"

/*
 * The type, a part of name. Empty if the name has none of the first four forms: these are only of
 * Ascend.
 */
struct str nametype_of(struct str name);

/*
 * The type in a name that is one word with a capital, and perhaps a number, as Conv2D1. Other
 * devices have such names, too.
 */
struct str nametype_of_word(struct str name);

/*
 * The type of a kernel that is of Ascend. If its name has no known form, as that of a user's
 * kernel, it is the name.
 */
struct str nametype_on_ascend(struct str name);

/* hcom_allReduce__868_0_1 without the numbers at its end: hcom_allReduce_. */
struct str nametype_without_numbers(struct str name);

#endif
