#include "base64.h"

void gr_base64_put(GrBuffer *out, const void *data, size_t size)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *bytes = data;
    if (!gr_buffer_reserve(out, 4 * ((size + 2) / 3))) {
        return;
    }
    char *at = out->data + out->size;
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const unsigned a = bytes[i], b = left > 1 ? bytes[i + 1] : 0, c = left > 2 ? bytes[i + 2] : 0;
        *at++ = DIGITS[a >> 2];
        *at++ = DIGITS[(a & 3) << 4 | b >> 4];
        *at++ = left > 1 ? DIGITS[(b & 15) << 2 | c >> 6] : '=';
        *at++ = left > 2 ? DIGITS[c & 63] : '=';
    }
    out->size = (size_t)(at - out->data);
    *at = '\0';
}
