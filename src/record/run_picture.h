/// A picture of a run for a terminal: the rover where it is now, with ground, ruts and rocks around it.
#ifndef GR_RUN_PICTURE_H
#define GR_RUN_PICTURE_H

#include "buffer.h"
#include "grouser/record.h"

/// A picture is `columns` characters wide and a third as many lines high, in 24-bit colours or in ASCII.
typedef struct GrPictureForm {
    int columns;
    bool colors;
} GrPictureForm;

/// Appends the picture. `def` needs rover and model.
GrStatus gr_run_picture(const GrRecordDef *def, const GrSample *sample, GrPictureForm form, GrBuffer *out,
                        GrErrorLog *log);

#endif
