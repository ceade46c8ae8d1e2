/// `include:` of a file: other files that provide the keys which the file itself lacks.
#ifndef GR_INCLUDE_H
#define GR_INCLUDE_H

#include "buffer.h"
#include "document.h"

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

#endif
