/// Any bytes as the XML of a map (VRT, side file), in its own folder: the guard must refuse what GDAL could follow
/// out of it. A map that passes names no file elsewhere, no address and no program.
#include "raster_gdal.h"

#include "fuzz_check.h"
#include "gdal_api.h"
#include "target.h"
#include "xml_walk.h"

#include <libxml/parser.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static char folder[] = "/dev/shm/grouser_fuzz_XXXXXX", path[64];

static void remove_folder(void)
{
    unlink(path);
    rmdir(folder);
}

/// Made once; removed at the end.
static void make_folder(void)
{
    if (path[0] == '\0') {
        if (mkdtemp(folder) == NULL || gr_gdal_start(folder, NULL) != GR_OK) {
            abort();
        }
        snprintf(path, sizeof path, "%s/map.vrt", folder);
        atexit(remove_folder);
    }
}

static bool holds(const uint8_t *data, size_t size, const char *word)
{
    const size_t length = strlen(word);
    for (size_t i = 0; i + length <= size; i++) {
        if (strncasecmp((const char *)data + i, word, length) == 0) {
            return true;
        }
    }
    return false;
}

/// Whether an element is a raw band, or names a file of the system or an address.
static bool is_way_out(const xmlNode *node)
{
    const xmlNode *text = node->children;
    if (strcasecmp((const char *)node->name, "SourceFilename") == 0 && text != NULL && text->type == XML_TEXT_NODE) {
        const char *name = (const char *)text->content;
        // exactly: what follows, a new line too, would make it a file that does not exist, which the guard may pass
        return strcmp(name, "/etc/hostname") == 0 || strncmp(name, "/vsi", 4) == 0;
    }
    xmlChar *kind = xmlGetNoNsProp(node, (const xmlChar *)"subClass");
    const bool raw = kind != NULL && strcasecmp((const char *)kind, "VRTRawRasterBand") == 0;
    xmlFree(kind);
    return raw;
}

/// The same of a whole document, by another reader of XML than the guard's. False where it is not well-formed.
static bool leads_out(const uint8_t *data, size_t size)
{
    const int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
    xmlDoc *document = xmlReadMemory((const char *)data, (int)size, "map.vrt", NULL, options);
    bool found = false;
    for (const xmlNode *node = document != NULL ? xmlDocGetRootElement(document) : NULL; node != NULL && !found;
         node = gr_xml_next(node)) {
        found = node->type == XML_ELEMENT_NODE && is_way_out(node);
    }
    xmlFreeDoc(document);
    return found;
}

void gr_fuzz_input(const uint8_t *data, size_t size)
{
    static GrErrorLog log;
    make_folder();
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        abort();
    }
    memset(&log, 0, sizeof log);
    log.quiet = true;
    const GrStatus status = gr_raster_guard_path(path, &log);
    gr_fuzz_agree(status, &log);
    // GDAL takes a file as XML by these words near its beginning.
    const bool is_map = holds(data, size, "<VRTDataset") || holds(data, size, "<PAMDataset");
    if (status == GR_OK && is_map && leads_out(data, size)) {
        fprintf(stderr, "fuzz_raster_guard: let through\n");
        abort();
    }
}
