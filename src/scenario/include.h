/// What a file takes from others: include, use, set.
#ifndef GR_INCLUDE_H
#define GR_INCLUDE_H

#include "buffer.h"
#include "document.h"
#include "fields.h"
#include "file.h"
#include "scenario_data.h"

enum { GR_INCLUDE_DEPTH = 8 };

/// What a name without a dot or a slash refers to: shipped files of this folder.
typedef struct GrIncludeKind {
    const char *folder, *word; ///< "scenarios", "scenario"
} GrIncludeKind;

#define GR_INCLUDE_SCENARIO ((GrIncludeKind){"scenarios", "scenario"})
#define GR_INCLUDE_ROVER    ((GrIncludeKind){"rovers", "rover"})

/// Replaces `include:` (a file or a list of files, relative to the file that names them) by their contents. Mappings
/// are merged key by key; the value of a later file wins, and the document's own value wins over all. The text of every
/// file is appended to `texts`, after a line with its name; `texts` may be NULL.
void gr_document_include(GrDocument *document, GrIncludeKind kind, GrBuffer *texts);

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
