/// What `grouser show lander` prints.
#ifndef GR_SHOW_LANDER_H
#define GR_SHOW_LANDER_H

#include "grouser/lander.h"

#include <stdio.h>

/// Size, feet and ramps, with the angles of the ramps on level ground.
GrStatus gr_show_lander_text(const GrLanderDef *lander, FILE *file, GrErrorLog *log);
GrStatus gr_show_lander_json(const GrLanderDef *lander, FILE *file, GrErrorLog *log);

#endif
