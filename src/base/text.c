/// Texts, lists that grow, names to choose from, and messages that are repeated.
#include "text.h"

#include "alloc.h"
#include "choice.h"
#include "list.h"
#include "messages.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// ---- texts

enum { MAX_WORD = 63 };

static int min3(int a, int b, int c)
{
    const int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/// Levenshtein distance without regard to case; words longer than MAX_WORD are compared by their first MAX_WORD
/// characters.
static int edit_distance(const char *a, const char *b)
{
    int row[MAX_WORD + 1];
    const int nb = (int)strnlen(b, MAX_WORD);
    const int na = (int)strnlen(a, MAX_WORD);
    for (int j = 0; j <= nb; j++) {
        row[j] = j;
    }
    for (int i = 1; i <= na; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            const int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            const int next = min3(row[j] + 1, row[j - 1] + 1, diagonal + !same);
            diagonal = row[j];
            row[j] = next;
        }
    }
    return row[nb];
}

/// Distance to the candidate, or to a prefix of it that is as long as the word, so that a name typed without its unit
/// or ending is still recognised.
static int name_distance(const char *word, const char *candidate)
{
    const int whole = edit_distance(word, candidate);
    const size_t length = strnlen(word, MAX_WORD);
    if (length < 4 || strnlen(candidate, MAX_WORD) <= length) {
        return whole;
    }
    char beginning[MAX_WORD + 1];
    memcpy(beginning, candidate, length);
    beginning[length] = '\0';
    const int part = 1 + edit_distance(word, beginning);
    return part < whole ? part : whole;
}

const char *gr_text_nearest(const char *word, const char *const *candidates, int count)
{
    const char *best = NULL;
    int best_distance = 0;
    for (int i = 0; i < count; i++) {
        const int distance = name_distance(word, candidates[i]);
        if (best == NULL || distance < best_distance) {
            best = candidates[i];
            best_distance = distance;
        }
    }
    const int allowed = 1 + (int)strnlen(word, MAX_WORD) / 3;
    return best != NULL && best_distance <= allowed ? best : NULL;
}

GrHint gr_text_hint(const char *word, const char *const *candidates, int count, const char *otherwise)
{
    GrHint hint;
    const char *nearest = gr_text_nearest(word, candidates, count);
    if (nearest != NULL || otherwise != NULL) {
        snprintf(hint.text, sizeof hint.text, nearest != NULL ? "; did you mean '%s'?" : "%s",
                 nearest != NULL ? nearest : otherwise);
        return hint;
    }
    size_t used = (size_t)snprintf(hint.text, sizeof hint.text, "%s", count > 0 ? "; allowed: " : "");
    for (int i = 0; i < count; i++) {
        if (used + strlen(candidates[i]) + 8 > sizeof hint.text) {
            snprintf(hint.text + used, sizeof hint.text - used, ", ...");
            break;
        }
        used += (size_t)snprintf(hint.text + used, sizeof hint.text - used, "%s%s", i > 0 ? ", " : "", candidates[i]);
    }
    return hint;
}

int gr_text_copy(char *out, size_t size, const char *text)
{
    const size_t length = strlen(text);
    const size_t kept = length < size ? length : size - 1;
    memcpy(out, text, kept);
    out[kept] = '\0';
    return kept == length;
}

// Not UTF-8: overlong, surrogate, beyond U+10FFFF, cut short.
int gr_text_decode(const char *text, uint32_t *code)
{
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80) {
        *code = s[0];
        return 1;
    }
    const int length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (s[0] < 0xc2 || s[0] > 0xf4) {
        return 0;
    }
    *code = s[0] & (0xffu >> (length + 1));
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (s[i] & 0x3fu);
    }
    const int surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < smallest[length] || *code > 0x10ffff || surrogate ? 0 : length;
}

int gr_text_utf8_length(const char *text)
{
    uint32_t code;
    return gr_text_decode(text, &code);
}

int gr_text_width(const char *text)
{
    int width = 0;
    while (*text != '\0') {
        uint32_t code;
        const int length = gr_text_decode(text, &code);
        if (length == 0) {
            text++;
            width++;
            continue;
        }
        const int combining = (code >= 0x300 && code <= 0x36f) || (code >= 0x200b && code <= 0x200f);
        const int wide = (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
                         (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
                         (code >= 0xff00 && code <= 0xff60) || (code >= 0x1f300 && code <= 0x1faff);
        width += combining ? 0 : wide ? 2 : 1;
        text += length;
    }
    return width;
}

bool gr_text_is_control(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x20 || c[0] == 0x7f) {
        return true;
    }
    if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) { // U+0080 to U+009F
        return true;
    }
    // U+202A to U+202E and U+2066 to U+2069
    return c[0] == 0xe2 &&
           ((c[1] == 0x80 && c[2] >= 0xaa && c[2] <= 0xae) || (c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9));
}

GrGlyph gr_text_glyph(const char *text)
{
    const bool line = *text == '\n' || *text == '\r' || *text == '\t';
    const int length = gr_text_utf8_length(text);
    if (length > 0 && (line || !gr_text_is_control(text))) {
        return (GrGlyph){text, length, length};
    }
    return (GrGlyph){"?", 1, length > 0 ? length : 1};
}

void gr_text_tame(char *text)
{
    char *out = text;
    for (const char *c = text; *c != '\0';) {
        const int length = gr_text_utf8_length(c);
        if (length == 0 || gr_text_is_control(c)) {
            *out++ = '?';
            c += length > 0 ? length : 1;
            continue;
        }
        for (int i = 0; i < length; i++) {
            *out++ = *c++;
        }
    }
    *out = '\0';
}

// ---- choices

int gr_choice_find(const GrChoice *choice, const char *name, GrErrorLog *log)
{
    for (int i = 0; i < choice->count; i++) {
        if (strcmp(choice->names[i], name) == 0) {
            return i;
        }
    }
    gr_error_add(log, GR_ERROR_NAME, (GrLocation){.field = choice->field}, "no %s is called '%s'%s", choice->kind, name,
                 gr_text_hint(name, choice->names, choice->count, NULL).text);
    return -1;
}

// ---- lists

int gr_list_add(void *items, int *count, const void *item, size_t size)
{
    void *array;
    memcpy(&array, items, sizeof array);
    if (*count == 0 || (*count & (*count - 1)) == 0) {
        void *grown = gr_realloc(array, (*count > 0 ? 2 * (size_t)*count : 1) * size);
        if (grown == NULL) {
            return -1;
        }
        array = grown;
        memcpy(items, &array, sizeof array);
    }
    memcpy((unsigned char *)array + (size_t)*count * size, item, size);
    return (*count)++;
}

// ---- messages

void gr_messages_repeat(const GrErrorLog *from, GrErrorLog *log)
{
    for (int i = 0; i < from->count; i++) {
        const GrError *e = &from->items[i];
        const GrLocation at = {.file = e->file, .line = e->line, .column = e->column, .field = e->field};
        if (e->severity == GR_SEVERITY_ERROR) {
            gr_error_add(log, e->status, at, "%s", e->text);
        } else if (e->severity == GR_SEVERITY_WARNING) {
            gr_warning_add(log, at, "%s", e->text);
        } else {
            gr_info_add(log, at, "%s", e->text);
        }
    }
}

const GrError *gr_messages_at(const GrErrorLog *log, int index)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < log->count; i++) {
            if ((log->items[i].severity != GR_SEVERITY_ERROR) == (pass == 1) && index-- == 0) {
                return &log->items[i];
            }
        }
    }
    return NULL;
}

GrStatus gr_messages_last_error(const GrErrorLog *log, GrStatus otherwise)
{
    for (int i = log != NULL ? log->count - 1 : -1; i >= 0; i--) {
        if (log->items[i].severity == GR_SEVERITY_ERROR) {
            return log->items[i].status;
        }
    }
    return otherwise;
}

// ---- validity

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
