/*
 * kclass_rules - the rules that come with the program, as kclass(1) writes them.
 *
 * Lines, NULL behind the last; a line that begins with # is a comment.
 */
#ifndef KCLASS_RULES_H
#define KCLASS_RULES_H

extern const char *const kclass_default[];
extern const char *const kclass_classic[];

#endif
