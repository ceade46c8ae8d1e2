/// Is a text well-formed XML? For tests of drawings and pages.
#ifndef GR_XML_CHECK_H
#define GR_XML_CHECK_H

#include <libxml/parser.h>
#include <stdbool.h>
#include <string.h>

static inline bool gr_xml_valid(const char *text)
{
    xmlDocPtr document = xmlReadMemory(text, (int)strlen(text), "text", NULL, XML_PARSE_NONET | XML_PARSE_NOWARNING);
    if (document == NULL) {
        return false;
    }
    xmlFreeDoc(document);
    xmlCleanupParser();
    return true;
}

#endif
