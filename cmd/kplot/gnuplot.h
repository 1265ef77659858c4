/*
 * gnuplot - runs gnuplot on a script, and writes its picture.
 *
 * It reads the script from a temporary file and writes the picture into a pipe. So it gets no name
 * of a file, and a full disk cannot leave half a picture. With -d it reads no startup file.
 */
#ifndef GNUPLOT_H
#define GNUPLOT_H

#include "script.h"

enum { GNUPLOT_ERROR = 400 };

/*
 * Replaces the file by the picture, an SVG with this title (svg.h). False, with the reason appended
 * to error, if there is no whole picture or the file cannot be replaced; then an old one stays.
 * What is no regular file, such as a pipe, is written to.
 */
bool gnuplot_write(const char *path, struct str script, struct str title, struct buf *error);

/* Appends the picture of gnuplot itself; false as above. */
bool gnuplot_run(struct str script, enum picture picture, struct buf *out,
                 char error[GNUPLOT_ERROR]);

#endif
