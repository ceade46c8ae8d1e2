#include "json_read.h"

#include "number.h"
#include "text.h"

#include <math.h>
#include <string.h>

typedef struct Reader {
    char *at; ///< the text ends with a zero, which no rule accepts
    GrJsonTree *tree;
    int open[GR_JSON_READ_DEPTH]; ///< arrays and objects around this place
    int last[GR_JSON_READ_DEPTH]; ///< their last child so far; 0: none
    int depth;
} Reader;

static void skip_space(Reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

/// Appends a node to the innermost open array or object.
static GrJsonNode *add_node(Reader *r, GrJsonKind kind, const char *key)
{
    if (r->tree->count == r->tree->room) {
        return NULL;
    }
    const int index = r->tree->count++;
    GrJsonNode *node = &r->tree->nodes[index];
    *node = (GrJsonNode){.kind = kind, .key = key};
    if (r->depth > 0) {
        int *last = &r->last[r->depth - 1];
        GrJsonNode *before = &r->tree->nodes[*last > 0 ? *last : r->open[r->depth - 1]];
        *(*last > 0 ? &before->next : &before->first) = index;
        *last = index;
    }
    return node;
}

static bool read_hex(const char *at, unsigned *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++) {
        static const char DIGITS[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = at[i] != '\0' ? strchr(DIGITS, at[i]) : NULL;
        if (digit == NULL) {
            return false;
        }
        *out = 16 * *out + (unsigned)(digit - DIGITS) % 16;
    }
    return true;
}

/// Writes a code point as UTF-8; returns its end.
static char *put_utf8(char *to, unsigned code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = (char)(0xF0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/// "\uXXXX", or two of them for a code point above U+FFFF; `at` is behind the u.
static bool read_unicode(const char **at, char **to)
{
    unsigned code, low;
    if (!read_hex(*at, &code) || code == 0 || (code >= 0xDC00 && code < 0xE000)) {
        return false;
    }
    *at += 4;
    if (code >= 0xD800 && code < 0xDC00) {
        if ((*at)[0] != '\\' || (*at)[1] != 'u' || !read_hex(*at + 2, &low) || low < 0xDC00 || low >= 0xE000) {
            return false;
        }
        *at += 6;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    *to = put_utf8(*to, code);
    return true;
}

/// A string, decoded in place: the result is never longer than its source. NULL: it is not one.
static const char *read_string(Reader *r)
{
    static const char NAMES[] = "\"\\/bfnrt", VALUES[] = "\"\\/\b\f\n\r\t";
    if (*r->at != '"') {
        return NULL;
    }
    const char *at = r->at + 1;
    char *const begin = r->at + 1, *to = begin;
    while (*at != '"') {
        if ((unsigned char)*at < 0x20) { // the end of the text too
            return NULL;
        }
        if (*at != '\\') {
            const int length = gr_text_utf8_length(at);
            if (length == 0) {
                return NULL;
            }
            memmove(to, at, (size_t)length);
            to += length;
            at += length;
            continue;
        }
        const char name = at[1];
        const char *known = name != '\0' ? strchr(NAMES, name) : NULL;
        at += 2;
        if (known != NULL) {
            *to++ = VALUES[known - NAMES];
        } else if (name != 'u' || !read_unicode(&at, &to)) {
            return NULL;
        }
    }
    r->at += at + 1 - r->at;
    *to = '\0';
    return begin;
}

/// Length of a number by the grammar of JSON; 0: it is none.
static size_t number_length(const char *text)
{
    const char *at = text + (*text == '-');
    const size_t digits = strspn(at, "0123456789");
    if (digits == 0 || (digits > 1 && *at == '0')) {
        return 0;
    }
    at += digits;
    if (*at == '.') {
        const size_t decimals = strspn(at + 1, "0123456789");
        if (decimals == 0) {
            return 0;
        }
        at += 1 + decimals;
    }
    if (*at == 'e' || *at == 'E') {
        at += 1 + (at[1] == '+' || at[1] == '-');
        const size_t power = strspn(at, "0123456789");
        if (power == 0) {
            return 0;
        }
        at += power;
    }
    return (size_t)(at - text);
}

static bool read_json_number(Reader *r, GrJsonNode *node)
{
    char text[64];
    const size_t length = number_length(r->at);
    if (length == 0 || length >= sizeof text) {
        return false;
    }
    memcpy(text, r->at, length);
    text[length] = '\0';
    r->at += length;
    node->number = gr_number_read(text, NULL);
    return isfinite(node->number);
}

static bool read_word(Reader *r, GrJsonNode *node)
{
    static const struct {
        const char *word;
        GrJsonKind kind;
        bool truth;
    } words[] = {{"null", GR_JSON_NULL, false}, {"true", GR_JSON_BOOL, true}, {"false", GR_JSON_BOOL, false}};
    for (int i = 0; i < 3; i++) {
        const size_t length = strlen(words[i].word);
        if (strncmp(r->at, words[i].word, length) == 0) {
            node->kind = words[i].kind;
            node->truth = words[i].truth;
            r->at += length;
            return true;
        }
    }
    return false;
}

/// One value; of an array or object only the opening bracket.
static bool read_value(Reader *r, const char *key)
{
    const char first = *r->at;
    const bool opens = first == '{' || first == '[';
    GrJsonNode *node = add_node(r, opens ? (first == '{' ? GR_JSON_OBJECT : GR_JSON_ARRAY) : GR_JSON_NUMBER, key);
    if (node == NULL) {
        return false;
    }
    if (opens) {
        if (r->depth == GR_JSON_READ_DEPTH) {
            return false;
        }
        r->open[r->depth] = (int)(node - r->tree->nodes);
        r->last[r->depth++] = 0;
        r->at++;
        return true;
    }
    if (first == '"') {
        node->kind = GR_JSON_STRING;
        node->text = read_string(r);
        return node->text != NULL;
    }
    return read_word(r, node) || read_json_number(r, node);
}

/// The next member of the innermost object, or the next item of the innermost array.
static bool read_item(Reader *r, bool is_object)
{
    const char *key = NULL;
    if (is_object) {
        key = read_string(r);
        if (key == NULL || gr_json_member(r->tree, &r->tree->nodes[r->open[r->depth - 1]], key) != NULL) {
            return false;
        }
        skip_space(r);
        if (*r->at++ != ':') {
            return false;
        }
        skip_space(r);
    }
    return read_value(r, key);
}

/// What follows inside the innermost array or object: an item, a comma and an item, or its end.
static bool read_on(Reader *r)
{
    const bool is_object = r->tree->nodes[r->open[r->depth - 1]].kind == GR_JSON_OBJECT;
    skip_space(r);
    if (*r->at == (is_object ? '}' : ']')) {
        r->at++;
        r->depth--;
        return true;
    }
    if (r->last[r->depth - 1] > 0) {
        if (*r->at != ',') {
            return false;
        }
        r->at++;
        skip_space(r);
    }
    return read_item(r, is_object);
}

bool gr_json_read(char *text, size_t size, GrJsonTree *out)
{
    Reader r = {.at = text, .tree = out};
    out->count = 0;
    skip_space(&r);
    bool good = read_value(&r, NULL);
    while (good && r.depth > 0) {
        good = read_on(&r);
    }
    skip_space(&r);
    return good && r.at == text + size; // a zero byte in the text ends it early
}

const GrJsonNode *gr_json_next(const GrJsonTree *tree, const GrJsonNode *node)
{
    return node->next > 0 ? &tree->nodes[node->next] : NULL;
}

const GrJsonNode *gr_json_first(const GrJsonTree *tree, const GrJsonNode *node)
{
    return node->first > 0 ? &tree->nodes[node->first] : NULL;
}

const GrJsonNode *gr_json_member(const GrJsonTree *tree, const GrJsonNode *node, const char *key)
{
    const GrJsonNode *child = node->kind == GR_JSON_OBJECT ? gr_json_first(tree, node) : NULL;
    while (child != NULL && strcmp(child->key, key) != 0) {
        child = gr_json_next(tree, child);
    }
    return child;
}
