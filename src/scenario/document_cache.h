/// Trees of files that many documents have in common: a text that was parsed before is copied as nodes, without the
/// parser. Overrides and readers change the copy only.
#ifndef GR_DOCUMENT_CACHE_H
#define GR_DOCUMENT_CACHE_H

#include "document.h"

/// Several threads may use one. It keeps the first 32 texts that it gets.
typedef struct GrDocumentCache GrDocumentCache;

/// NULL when out of memory.
GrDocumentCache *gr_document_cache_create(void);
void gr_document_cache_free(GrDocumentCache *cache);

/// As gr_yaml_parse(), with the same nodes and messages. `cache` may be NULL, and need not outlive the document.
GrNode *gr_document_cache_parse(GrDocumentCache *cache, GrDocument *document, const char *text, size_t length,
                                const char *file);

#endif
