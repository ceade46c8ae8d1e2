/// grouser show model: a soil law and the parameters that it reads.
#ifndef GR_SHOW_MODEL_H
#define GR_SHOW_MODEL_H

#include "grouser/soil.h"

#include <stdio.h>

void gr_show_model_text(GrSoilLaw law, FILE *file);
void gr_show_model_json(GrSoilLaw law, FILE *file);

#endif
