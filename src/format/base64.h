/// Base64 (RFC 4648, section 4).
#ifndef GR_BASE64_H
#define GR_BASE64_H

#include "buffer.h"

void gr_base64_put(GrBuffer *out, const void *data, size_t size);

#endif
