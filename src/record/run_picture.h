/// A picture of a run for a terminal: the rover where it is now, with ground, ruts and rocks around it.
#ifndef GR_RUN_PICTURE_H
#define GR_RUN_PICTURE_H

#include "buffer.h"
#include "grouser/record.h"

/// Appends the picture, `columns` characters wide and a third as many lines high. `def` needs rover and model.
GrStatus gr_run_picture(const GrRecordDef *def, const GrSample *sample, int columns, GrBuffer *out, GrErrorLog *log);

#endif
