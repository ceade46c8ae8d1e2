/// Independent checks of what writers wrote: text that a terminal shows, tables after RFC 4180, markup.
#ifndef GR_WRITER_CHECK_H
#define GR_WRITER_CHECK_H

#include "xml_walk.h"

#include <libxml/parser.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// Code and length of the UTF-8 character at `s`; the length is 0 where there is none.
static inline int gr_check_character(const unsigned char *s, size_t left, uint32_t *code)
{
    static const struct {
        unsigned mask, lead, smallest;
    } FORMS[] = {{0x80, 0, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (int n = 0; n < 4; n++) {
        if ((s[0] & FORMS[n].mask) != FORMS[n].lead || left < (size_t)n + 1) {
            continue;
        }
        *code = s[0] & ~FORMS[n].mask;
        for (int i = 1; i <= n; i++) {
            if ((s[i] & 0xc0) != 0x80) {
                return 0;
            }
            *code = *code << 6 | (s[i] & 0x3f);
        }
        const bool good = *code >= FORMS[n].smallest && *code <= 0x10ffff && (*code < 0xd800 || *code > 0xdfff);
        return good ? n + 1 : 0;
    }
    return 0;
}

/// Whether all of a text is UTF-8 without characters that a terminal obeys, but for those of `allowed`.
static inline bool gr_check_shown(const char *text, size_t size, const char *allowed)
{
    const unsigned char *s = (const unsigned char *)text;
    for (size_t i = 0; i < size;) {
        uint32_t code;
        const int length = gr_check_character(s + i, size - i, &code);
        const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x202a && code <= 0x202e) ||
                             (code >= 0x2066 && code <= 0x2069);
        if (length == 0 || (control && (code == 0 || code > 0x7f || strchr(allowed, (int)code) == NULL))) {
            return false;
        }
        i += (size_t)length;
    }
    return true;
}

static inline bool gr_check_is_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return end != text && *end == '\0';
}

/// Cells of a table after RFC 4180 with commas: their number, or −1 where it is malformed or a cell begins a formula.
static inline int gr_check_csv(const char *text, size_t size)
{
    int count = 0;
    for (size_t i = 0; i < size;) {
        char cell[4096];
        size_t used = 0;
        const bool quoted = text[i] == '"';
        for (i += quoted; i < size && (quoted || (text[i] != ',' && text[i] != '\n')); i++) {
            if (quoted && text[i] == '"' && (i + 1 >= size || text[i + 1] != '"')) {
                break;
            }
            i += quoted && text[i] == '"';
            if (!quoted && strchr("\";\r", text[i]) != NULL) {
                return -1; // a cell with these is quoted: other tables are separated by ;
            }
            cell[used] = text[i];
            used += used < sizeof cell - 1;
        }
        if (quoted && (i >= size || text[i++] != '"')) {
            return -1;
        }
        cell[used] = '\0';
        if (i >= size || (text[i] != ',' && text[i] != '\n')) {
            return -1;
        }
        if (used > 0 && strchr("=+-@\t\r", cell[0]) != NULL && !gr_check_is_number(cell)) {
            return -1;
        }
        i++;
        count++;
    }
    return count;
}

/// Elements and attributes of well-formed markup; −1 where it is not well-formed.
static inline int gr_check_markup(const char *text, size_t size)
{
    const int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
    xmlDoc *document = xmlReadMemory(text, (int)size, "text", NULL, options);
    int count = 0;
    if (document == NULL) {
        return -1;
    }
    for (const xmlNode *node = xmlDocGetRootElement(document); node != NULL; node = gr_xml_next(node)) {
        count += node->type == XML_ELEMENT_NODE || node->type == XML_COMMENT_NODE || node->type == XML_PI_NODE ||
                 node->type == XML_CDATA_SECTION_NODE;
        for (const xmlAttr *a = node->type == XML_ELEMENT_NODE ? node->properties : NULL; a != NULL; a = a->next) {
            count++;
        }
    }
    xmlFreeDoc(document);
    return count;
}

#endif
