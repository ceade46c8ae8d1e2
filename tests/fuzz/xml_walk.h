/// All nodes of an XML document in turn, without recursion: documents of fuzzers are deep.
#ifndef GR_XML_WALK_H
#define GR_XML_WALK_H

#include <libxml/tree.h>
#include <stddef.h>

/// The node after this one in the order of the text; NULL: it was the last.
static inline const xmlNode *gr_xml_next(const xmlNode *node)
{
    if (node->type == XML_ELEMENT_NODE && node->children != NULL) {
        return node->children;
    }
    while (node != NULL && node->next == NULL) {
        node = node->parent != NULL && node->parent->type == XML_ELEMENT_NODE ? node->parent : NULL;
    }
    return node != NULL ? node->next : NULL;
}

#endif
