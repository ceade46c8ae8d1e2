#include "utf8.h"

#include "text.h"

/// Length of the UTF-8 character at `c`, 0 when it is invalid (including overlong forms, surrogates and codes beyond
/// U+10FFFF).
static int utf8_length(const unsigned char *c, size_t left)
{
    if (c[0] < 0x80) {
        return 1;
    }
    const int length = c[0] >= 0xc2 && c[0] < 0xe0   ? 2
                       : c[0] >= 0xe0 && c[0] < 0xf0 ? 3
                       : c[0] >= 0xf0 && c[0] < 0xf5 ? 4
                                                     : 0;
    if (length == 0 || left < (size_t)length) {
        return 0;
    }
    for (int i = 1; i < length; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf0 && c[1] < 0x90) ||
        (c[0] == 0xf4 && c[1] > 0x8f)) {
        return 0;
    }
    return length;
}

GrTextFault gr_text_check(const char *text, size_t length)
{
    const unsigned char *c = (const unsigned char *)text;
    int line = 1, column = 1;
    for (size_t i = 0; i < length;) {
        const int step = utf8_length(c + i, length - i);
        if (step == 0) {
            return (GrTextFault){"not valid UTF-8 text", line, column};
        }
        if (gr_text_is_control(text + i) && c[i] != '\n' && c[i] != '\r' && c[i] != '\t') {
            return (GrTextFault){"a control character in the text", line, column};
        }
        column = c[i] == '\n' ? 1 : column + 1;
        line += c[i] == '\n';
        i += (size_t)step;
    }
    return (GrTextFault){0};
}
