/// "rover: NAME" and "soil: {use: NAME, set: {…}}": files that a scenario uses, and the values that it replaces in
/// them.
#ifndef GR_SCENARIO_USE_H
#define GR_SCENARIO_USE_H

#include "fields.h"
#include "file.h"

#include "scenario_data.h"

enum { GR_OVERRIDES_MAX = 256, GR_OVERRIDE_SIZE = 512 };

/// Overrides of one file, as a NULL-terminated list.
typedef struct GrOverrides {
    char texts[GR_OVERRIDES_MAX][GR_OVERRIDE_SIZE];
    const char *items[GR_OVERRIDES_MAX + 1];
    int count;
} GrOverrides;

/// Empties `count` lists. They are large: their texts need no clearing.
void gr_overrides_clear(GrOverrides *lists, int count);

/// "name=value", or just `name` when `value` is NULL. False when the list is full.
bool gr_overrides_add(GrOverrides *list, const char *name, const char *value);

/// `set:` of a rover or a soil: the names are paths in its file.
void gr_read_set(GrNode *mapping, GrOverrides *out);

/// Path of the file of a rover or a soil: a shipped one by its name, or a path relative to the scenario. `kind` is the
/// folder of the shipped ones, `word` is what one of them is called in messages. False after an error, which is
/// reported.
bool gr_read_use(GrNode *node, const char *kind, const char *word, GrOverrides *overrides,
                 char path[GR_FILE_PATH_SIZE]);

/// `soil:` and `soil_damping:`
void gr_read_soil(GrNode *root, GrOverrides *overrides, GrScenario *out);

#endif
