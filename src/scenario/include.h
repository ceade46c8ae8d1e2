/// `include:` of a file: other files whose keys it takes over where it has none of its own.
#ifndef GR_INCLUDE_H
#define GR_INCLUDE_H

#include "buffer.h"
#include "document.h"

enum { GR_INCLUDE_DEPTH = 8 };

/// Replaces `include:` (a file or a list of files, relative to the file that names them) by what they hold. Mappings
/// are merged key by key; of two values the later file's is taken, and the document's own before all. `texts` gets the
/// text of every file that was read, under a line with its name; it may be NULL.
void gr_document_include(GrDocument *document, GrBuffer *texts);

#endif
