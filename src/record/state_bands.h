/// Contact states of all wheels as bands, a row a wheel, against time or distance.
#ifndef GR_STATE_BANDS_H
#define GR_STATE_BANDS_H

#include "buffer.h"
#include "run_history.h"

/// CSS colour of a contact state.
const char *gr_state_color(int state);

/// Whether the state occurred at all.
bool gr_state_seen(const GrRunHistory *history, int state);

/// Appends a whole SVG document.
GrStatus gr_state_bands_draw(const GrRunHistory *history, const GrModel *model, bool by_distance, GrBuffer *svg);

#endif
