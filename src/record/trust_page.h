/// How far to trust a result, as a box on a page and as an object in JSON.
#ifndef GR_TRUST_PAGE_H
#define GR_TRUST_PAGE_H

#include "json.h"
#include "page.h"

#include "grouser/trust.h"

/// A box; `label` (NULL: none) names one of several results. Writes nothing when `trust` is NULL.
void gr_trust_page(GrPage *page, const char *label, const GrTrust *trust);

/// An object, as the member `key` (NULL: an item of an array). Writes nothing when `trust` is NULL.
void gr_trust_json(GrJson *json, const char *key, const GrTrust *trust);

#endif
