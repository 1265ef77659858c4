/*
 * gnuplot - runs gnuplot on a script.
 *
 * It reads the script from a temporary file and writes the picture into a pipe. So it gets no name
 * of a file, and a full disk cannot leave half a picture. With -d it reads no startup file.
 */
#ifndef GNUPLOT_H
#define GNUPLOT_H

#include "script.h"

enum { GNUPLOT_ERROR = 400 };

/* Appends the picture. False, with the reason in error, if there is no whole one. */
bool gnuplot_run(struct str script, enum picture picture, struct buf *out,
                 char error[GNUPLOT_ERROR]);

#endif
