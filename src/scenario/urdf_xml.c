#include "urdf_xml.h"

#include "alloc.h"
#include "expression.h"
#include "lazy.h"
#include "number.h"
#include "text.h"
#include "vec3.h"

#include <libxml/parser.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// clang-format off
#define XML_FUNCTIONS(X) \
    X(xmlCtxtReadMemory) X(xmlDocGetRootElement) X(xmlFree) X(xmlFreeDoc) X(xmlFreeParserCtxt) \
    X(xmlGetLastError) X(xmlGetLineNo) X(xmlGetNoNsProp) X(xmlHasProp) X(xmlInitParser) X(xmlNewParserCtxt) \
    X(xmlResetLastError)
// clang-format on
GR_LAZY_LIBRARY(xml, GR_XML_LIBRARY, XML_FUNCTIONS)

/// A message and its place, formatted.
typedef struct Message {
    char field[GR_NAME_SIZE + 64], text[GR_ERROR_TEXT_SIZE];
    GrLocation where;
} Message;

static void format_message(Message *out, const GrUrdf *urdf, const xmlNode *at, const char *part, const char *format,
                           va_list args)
{
    const bool both = part != NULL && urdf->field[0] != '\0';
    snprintf(out->field, sizeof out->field, "%s%s%s", urdf->field, both ? "." : "", part != NULL ? part : "");
    gr_vprint(out->text, sizeof out->text, format, args);
    const long line = at != NULL ? xml.xmlGetLineNo(at) : 0;
    out->where = (GrLocation){.file = urdf->file, .line = line > 0 ? (int)line : 0, .field = out->field};
}

GrStatus gr_urdf_error(GrUrdf *urdf, const xmlNode *at, const char *part, GrStatus status, const char *format, ...)
{
    Message message = {.field = ""};
    va_list args;
    va_start(args, format);
    format_message(&message, urdf, at, part, format, args);
    va_end(args);
    if (urdf->status == GR_OK) {
        urdf->status = status;
    }
    return gr_error_add(urdf->log, status, message.where, "%s", message.text);
}

GrStatus gr_urdf_out_of_memory(GrUrdf *urdf, const xmlNode *at)
{
    return gr_urdf_error(urdf, at, NULL, GR_ERROR_MEMORY, "%s", gr_status_text(GR_ERROR_MEMORY));
}

/// Keeps a warning, or counts it.
static void keep_warning(GrUrdf *urdf, const void *kind, const Message *message)
{
    for (int i = 0; i < urdf->warning_count; i++) {
        if (urdf->warnings[i].kind == kind) {
            urdf->warnings[i].count++;
            return;
        }
    }
    GrUrdfWarning *more = gr_realloc(urdf->warnings, (size_t)(urdf->warning_count + 1) * sizeof *more);
    if (more == NULL) {
        gr_urdf_out_of_memory(urdf, NULL);
        return;
    }
    urdf->warnings = more;
    GrUrdfWarning *warning = &more[urdf->warning_count++];
    *warning = (GrUrdfWarning){.kind = kind, .line = message->where.line, .count = 1};
    gr_text_copy(warning->field, sizeof warning->field, message->field);
    gr_text_copy(warning->text, sizeof warning->text, message->text);
}

void gr_urdf_warning(GrUrdf *urdf, const xmlNode *at, const char *part, const char *format, ...)
{
    Message message = {.field = ""};
    va_list args;
    va_start(args, format);
    format_message(&message, urdf, at, part, format, args);
    va_end(args);
    keep_warning(urdf, format, &message);
}

void gr_urdf_warning_of(GrUrdf *urdf, const void *kind, const xmlNode *at, const char *part, const char *format, ...)
{
    Message message = {.field = ""};
    va_list args;
    va_start(args, format);
    format_message(&message, urdf, at, part, format, args);
    va_end(args);
    keep_warning(urdf, kind, &message);
}

void gr_urdf_close(GrUrdf *urdf)
{
    for (int i = 0; i < urdf->warning_count; i++) {
        const GrUrdfWarning *w = &urdf->warnings[i];
        const GrLocation at = {.file = urdf->file, .line = w->line, .field = w->field};
        if (w->count > 1) {
            gr_warning_add(urdf->log, at, "%s (and %d more like it)", w->text, w->count - 1);
        } else {
            gr_warning_add(urdf->log, at, "%s", w->text);
        }
    }
    gr_free(urdf->warnings);
    if (urdf->tree != NULL) {
        xml.xmlFreeDoc(urdf->tree);
    }
}

typedef struct FirstError {
    int code, line, column;
    char text[200];
} FirstError;

/// Keeps the first message; those that follow are mostly its consequences.
static void keep_first(void *data, xmlErrorPtr error)
{
    const xmlParserCtxt *context = data;
    FirstError *first = context->_private;
    first->code = error->code == XML_ERR_NO_MEMORY ? error->code : first->code;
    if (first->text[0] == '\0' && error->level >= XML_ERR_ERROR) {
        first->line = error->line;
        first->column = error->int2;
        snprintf(first->text, sizeof first->text, "%s", error->message != NULL ? error->message : "unknown");
        first->text[strcspn(first->text, "\n")] = '\0';
    }
}

static bool parse(GrUrdf *urdf, const char *text, size_t length)
{
    if (!xml_open()) {
        urdf->status = gr_error_add(urdf->log, GR_ERROR_UNSUPPORTED, (GrLocation){.file = urdf->file},
                                    "needs libxml2, which cannot be loaded: %s", xml_fault);
        return false;
    }
    xml.xmlInitParser();
    xml.xmlResetLastError();
    xmlParserCtxt *context = xml.xmlNewParserCtxt();
    if (context == NULL) {
        gr_urdf_out_of_memory(urdf, NULL);
        return false;
    }
    FirstError first = {0};
    context->_private = &first;
    context->sax->serror = keep_first;
    urdf->tree = xml.xmlCtxtReadMemory(context, text, (int)length, NULL, "UTF-8", XML_PARSE_NONET | XML_PARSE_NOCDATA);
    const bool short_of_memory = first.code == XML_ERR_NO_MEMORY || context->errNo == XML_ERR_NO_MEMORY ||
                                 (xml.xmlGetLastError() != NULL && xml.xmlGetLastError()->code == XML_ERR_NO_MEMORY);
    xml.xmlFreeParserCtxt(context);
    xml.xmlResetLastError(); // which stays on the heap
    if (short_of_memory) {   // the tree may lack what it had no memory for
        gr_urdf_out_of_memory(urdf, NULL);
        return false;
    }
    if (urdf->tree == NULL) {
        urdf->status = GR_ERROR_SYNTAX;
        const GrLocation at = {.file = urdf->file, .line = first.line, .column = first.column};
        gr_error_add(urdf->log, GR_ERROR_SYNTAX, at, "not valid XML: %s", first.text);
        return false;
    }
    return true;
}

/// Length of the tag at `text`, which begins with '<', up to its '>' outside of quotes.
static size_t tag_length(const char *text, size_t left)
{
    char quote = '\0';
    size_t i = 1;
    for (; i < left && (quote != '\0' || text[i] != '>'); i++) {
        if (quote == '\0' && (text[i] == '"' || text[i] == '\'')) {
            quote = text[i];
        } else if (text[i] == quote) {
            quote = '\0';
        }
    }
    return i;
}

static bool starts_with(const char *text, size_t left, const char *word)
{
    return left >= strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

/// Length of the comment, character data, instruction or tag at `text`; 1 for any other character.
static size_t markup_length(const char *text, size_t left, bool *is_tag)
{
    static const char *const skipped[][2] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
    *is_tag = false;
    for (int i = 0; i < 3; i++) {
        if (starts_with(text, left, skipped[i][0])) {
            size_t length = strlen(skipped[i][0]);
            while (length < left && !starts_with(text + length, left - length, skipped[i][1])) {
                length++;
            }
            return length;
        }
    }
    *is_tag = text[0] == '<';
    return *is_tag ? tag_length(text, left) : 1;
}

/// Finds constructs that libxml2 must not parse. Entities can only be defined in a document type: without one nothing
/// can expand, and a URDF does not need one (nor the word in a comment). libxml2's time for an element grows with the
/// square of the number of its attributes, so the length of tags is limited.
static const char *find_forbidden(const char *text, size_t length, size_t *at)
{
    enum { LONGEST_TAG = 16384 };
    for (*at = 0; *at < length; (*at)++) {
        if (starts_with(text + *at, length - *at, "<!DOCTYPE")) {
            return "a document type (<!DOCTYPE) is not allowed in a URDF";
        }
    }
    for (size_t step = 1, i = 0; i < length; i += step) {
        bool is_tag;
        step = markup_length(text + i, length - i, &is_tag);
        if (is_tag && step > LONGEST_TAG) {
            *at = i;
            return "a tag of more than 16384 bytes";
        }
    }
    return NULL;
}

static bool check_markup(GrUrdf *urdf, const char *text, size_t length)
{
    size_t at = 0;
    const char *problem = find_forbidden(text, length, &at);
    if (problem == NULL) {
        return true;
    }
    int line = 1;
    for (size_t i = 0; i < at; i++) {
        line += text[i] == '\n';
    }
    urdf->status = GR_ERROR_SYNTAX;
    gr_error_add(urdf->log, GR_ERROR_SYNTAX, (GrLocation){.file = urdf->file, .line = line}, "%s", problem);
    return false;
}

bool gr_urdf_open(GrUrdf *urdf, const char *text, size_t length)
{
    const GrTextFault fault = gr_text_check(text, length);
    if (length > GR_URDF_BYTES || fault.text != NULL || length == 0) {
        urdf->status = GR_ERROR_SYNTAX;
        const GrLocation at = {.file = urdf->file, .line = fault.line, .column = fault.column};
        gr_error_add(urdf->log, GR_ERROR_SYNTAX, at, "%s",
                     length == 0          ? "the file is empty"
                     : fault.text != NULL ? fault.text
                                          : "more than 4 MiB of text");
        return false;
    }
    if (!check_markup(urdf, text, length)) {
        return false;
    }
    if (!parse(urdf, text, length)) {
        return false;
    }
    const xmlNode *root = xml.xmlDocGetRootElement(urdf->tree);
    if (root == NULL || !gr_urdf_is(root, "robot")) {
        gr_urdf_error(urdf, root, NULL, GR_ERROR_SYNTAX, "the root element is <%.60s>; a URDF has <robot>",
                      root != NULL ? (const char *)root->name : "");
        return false;
    }
    return true;
}

xmlNode *gr_urdf_root(const GrUrdf *urdf)
{
    return xml.xmlDocGetRootElement(urdf->tree);
}

bool gr_urdf_peek(const xmlNode *node, const char *attribute, char *out, size_t size)
{
    xmlChar *text = xml.xmlGetNoNsProp(node, (const xmlChar *)attribute);
    snprintf(out, size, "%s", text != NULL ? (const char *)text : "");
    (*xml.xmlFree)(text);
    return text != NULL;
}

bool gr_urdf_is(const xmlNode *node, const char *name)
{
    return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

xmlNode *gr_urdf_child(GrUrdf *urdf, xmlNode *parent, const char *name)
{
    xmlNode *found = NULL;
    for (xmlNode *node = parent->children; node != NULL; node = node->next) {
        if (gr_urdf_is(node, name)) {
            if (found != NULL) {
                gr_urdf_error(urdf, node, name, GR_ERROR_NAME, "a second <%s>; the first is on line %ld", name,
                              xml.xmlGetLineNo(found));
                break;
            }
            found = node;
        }
    }
    return found;
}

void gr_urdf_check_children(GrUrdf *urdf, xmlNode *parent, const char *const *names, int count)
{
    for (xmlNode *node = parent->children; node != NULL; node = node->next) {
        bool known = node->type != XML_ELEMENT_NODE || node->ns != NULL;
        for (int i = 0; i < count && !known; i++) {
            known = gr_urdf_is(node, names[i]);
        }
        if (!known) {
            const char *name = (const char *)node->name;
            gr_urdf_warning_of(urdf, name, node, NULL, "the unknown element <%.60s> is ignored%s", name,
                               gr_text_hint(name, names, count, "").text);
        }
    }
}

/// The attribute's text, to be freed by xmlFree(); NULL when it is absent.
static xmlChar *get_attribute(GrUrdf *urdf, xmlNode *node, const char *attribute, bool required)
{
    xmlChar *text = xml.xmlGetNoNsProp(node, (const xmlChar *)attribute);
    if (text == NULL && xml.xmlHasProp(node, (const xmlChar *)attribute) != NULL) {
        gr_urdf_out_of_memory(urdf, node);
    } else if (text == NULL && required) {
        gr_urdf_error(urdf, node, NULL, GR_ERROR_FIELD, "<%s> needs the attribute '%s'", (const char *)node->name,
                      attribute);
    }
    return text;
}

bool gr_urdf_text(GrUrdf *urdf, xmlNode *node, const char *attribute, bool required, char *out, size_t size)
{
    xmlChar *text = get_attribute(urdf, node, attribute, required);
    if (text == NULL) {
        return false;
    }
    const size_t length = strlen((const char *)text);
    const bool good = length > 0 && length < size;
    if (good) {
        gr_text_copy(out, size, (const char *)text);
    } else {
        gr_urdf_error(urdf, node, NULL, GR_ERROR_VALUE, "the attribute '%s' of <%s> has %zu bytes; allowed: 1 to %zu",
                      attribute, (const char *)node->name, length, size - 1);
    }
    (*xml.xmlFree)(text);
    return good;
}

/// Reads `count` numbers that are separated by spaces.
static bool split_numbers(char *text, double *out, int count)
{
    char *rest = NULL;
    int found = 0;
    for (char *word = strtok_r(text, " \t\r\n", &rest); word != NULL; word = strtok_r(NULL, " \t\r\n", &rest)) {
        if (found == count || !gr_number_parse(word, &out[found]) || !isfinite(out[found])) {
            return false;
        }
        found++;
    }
    return found == count;
}

bool gr_urdf_numbers(GrUrdf *urdf, xmlNode *node, const char *attribute, bool required, double *out, int count)
{
    double values[3];
    xmlChar *text = get_attribute(urdf, node, attribute, required);
    if (text == NULL) {
        return false;
    }
    char shown[61];
    snprintf(shown, sizeof shown, "%s", (const char *)text);
    const bool good = split_numbers((char *)text, values, count);
    (*xml.xmlFree)(text);
    if (!good) {
        gr_urdf_error(urdf, node, NULL, GR_ERROR_VALUE, "%s=\"%s\" of <%s>: %s needed", attribute, shown,
                      (const char *)node->name, count == 1 ? "one finite number is" : "three finite numbers are");
        return false;
    }
    memcpy(out, values, (size_t)count * sizeof *out);
    return true;
}

GrPose gr_urdf_origin(GrUrdf *urdf, xmlNode *parent)
{
    GrPose pose = gr_pose_identity();
    double xyz[3], rpy[3];
    xmlNode *origin = gr_urdf_child(urdf, parent, "origin");
    if (origin != NULL && gr_urdf_numbers(urdf, origin, "xyz", false, xyz, 3)) {
        pose.position = gr_vec3(xyz[0], xyz[1], xyz[2]);
    }
    if (origin != NULL && gr_urdf_numbers(urdf, origin, "rpy", false, rpy, 3)) {
        pose.rotation = gr_quat_from_rpy(rpy[0], rpy[1], rpy[2]);
    }
    return pose;
}
