/*
 * idle - the idle time of devices, cut into pieces by what the host did: kcpu --idle.
 *
 * The gaps are those of wall/gaps, the launches those of wall/launches. What is known of each piece
 * is on the page kcpu(1). Memory: that of threads and launches; 32 bytes for each row of a device
 * while they are read, and then some 110 for each gap; distinct names, and fields that are copied.
 * The rows of devices are in a temporary file.
 */
#ifndef IDLE_H
#define IDLE_H

#include "io/spool.h"
#include "wall/busy.h"
#include "wall/callers.h"
#include "wall/gaps.h"
#include "wall/kind.h"

#include "pieces.h"

/* Columns of the row that ends a gap, which its pieces get: step, phase and so on. */
enum { IDLE_COPIED = 5 };

struct idle_gap;
struct idle_mate;

/* A piece that may still grow; its texts are escaped. */
struct idle_piece {
	struct interval span;
	enum piece_kind kind;
	struct str name;
	struct str tid;
};

/* Starts with threads, in, out and stacks set, all else 0. */
struct idle {
	struct threads *threads;
	struct kev_reader *in;
	struct kev_writer *out;
	bool stacks;
	struct devices devices;
	struct kinds kinds; /* also for the caller */
	struct launches launches;
	bool hosts; /* there is a row of the host */
	int ts;
	int dur;
	int name;
	int copied[IDLE_COPIED];
	bool has_copied[IDLE_COPIED]; /* some layout has the column */
	struct busy *busy;            /* by device */
	size_t busy_cap;
	struct busy_listener listener;
	struct gaps gaps;
	bool holds; /* rows are in the spool */
	struct spool spool;
	struct idle_gap *gap;   /* by index in gaps */
	struct idle_mate *mate; /* rows that end when a gap begins */
	size_t mates;
	size_t mate_cap;
	struct strmap copies; /* fields of the copied columns, a tab before each */
	struct callers callers;
	struct pieces pieces;
	struct dec total; /* idle time that was written */
	struct dec unlinked;
	struct idle_piece last; /* the piece at hand; empty between gaps */
	struct buf last_stack;  /* its stack */
	struct buf device;      /* fields that all pieces of the device at hand have */
	struct buf beside;      /* fields that all pieces of the gap at hand have */
	struct buf fields;
	struct buf text;
	struct buf stack;
};

void idle_begin(struct idle *idle);
void idle_columns(struct idle *idle);
void idle_metadata(struct idle *idle);

enum idle_answer { IDLE_HOST, IDLE_NO_TIME, IDLE_TAKEN };

/* A row. Those of the host go to threads, too. */
enum idle_answer idle_row(struct idle *idle);

/* After the last row: writes the pieces. */
void idle_finish(struct idle *idle);

void idle_free(struct idle *idle);

#endif
