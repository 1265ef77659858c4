/*
 * cppname - the parts of a C++ name, as it is written in the name of a kernel.
 */
#ifndef CPPNAME_H
#define CPPNAME_H

#include "base/buf.h"

/*
 * The function, without its return type, namespaces, template arguments and parameters: a part of
 * name, empty if there is none. A name in another language has none of these and stays as it is.
 */
struct str cppname_function(struct str name);

#endif
