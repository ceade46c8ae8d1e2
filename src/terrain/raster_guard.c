/// What a raster may reach: local files in its own folder and below, nothing else.
#include "raster_gdal.h"

#include "alloc.h"
#include "file.h"
#include "grouser/terrain.h"
#include "out_of_memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 8, XML_MAX = 16 << 20, HEAD = 64 << 10 };

#define LOCAL_ONLY "; 'grouser --allow-network ...' opens it anyway"

/// What is being checked: a file, its folder, and how deep it lies in files that name others.
typedef struct Guard {
    const char *path;          ///< of the raster that the user named, for messages
    char folders[2][PATH_MAX]; ///< real paths with a slash at the end: of its place, and of its target if it is a link
    int depth;
    GrErrorLog *log;
} Guard;

static GrStatus refuse(const Guard *guard, const char *what, const char *named)
{
    return gr_error_add(guard->log, GR_ERROR_VALUE, (GrLocation){.file = guard->path}, "%s '%.200s'%s", what, named,
                        LOCAL_ONLY);
}

/// Real path of the folder of `path`, with a slash at its end.
static bool folder_of(const char *path, char out[PATH_MAX])
{
    char folder[GR_FILE_PATH_SIZE];
    const char *slash = strrchr(path, '/');
    const int length = slash != NULL ? (int)(slash - path) : 0;
    if (snprintf(folder, sizeof folder, "%.*s", length, path) >= (int)sizeof folder) {
        return false;
    }
    char real[PATH_MAX];
    if (realpath(length > 0 ? folder : slash != NULL ? "/" : ".", real) == NULL) {
        return false;
    }
    return snprintf(out, PATH_MAX, "%s%s", real, strcmp(real, "/") != 0 ? "/" : "") < PATH_MAX;
}

static bool is_inside(const Guard *guard, const char *path)
{
    char real[PATH_MAX];
    if (realpath(path, real) == NULL) {
        return true; // there is no such file, so nothing can be read from it
    }
    return strncmp(real, guard->folders[0], strlen(guard->folders[0])) == 0 ||
           strncmp(real, guard->folders[1], strlen(guard->folders[1])) == 0;
}

static bool is_remote(const char *text)
{
    return strstr(text, "/vsi") != NULL || strstr(text, "://") != NULL || text[strspn(text, " \t\r\n")] == '<';
}

static GrStatus check_file(Guard *guard, const char *path);

/// A file that XML names: `relative` to the file with the XML, or to the working folder.
static GrStatus check_source(Guard *guard, const char *xml_path, const char *name, bool relative)
{
    char path[GR_FILE_PATH_SIZE];
    if (is_remote(name)) {
        return refuse(guard, "is not opened, because it names", name);
    }
    if (!gr_file_beside(relative ? xml_path : "", name, path)) {
        return refuse(guard, "is not opened: a path in it is too long,", name);
    }
    struct stat info;
    if (!is_inside(guard, path)) {
        return refuse(guard, "is not opened, because it names a file outside its folder,", name);
    }
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        return refuse(guard, "is not opened, because it names something that is not a file,", name);
    }
    return check_file(guard, path);
}

static const char *attribute(const CPLXMLNode *node, const char *name)
{
    for (const CPLXMLNode *child = node->psChild; child != NULL; child = child->psNext) {
        if (child->eType == CXT_Attribute && strcasecmp(child->pszValue, name) == 0 && child->psChild != NULL) {
            return child->psChild->pszValue;
        }
    }
    return "";
}

static const char *text_of(const CPLXMLNode *node)
{
    for (const CPLXMLNode *child = node->psChild; child != NULL; child = child->psNext) {
        if (child->eType == CXT_Text) {
            return child->pszValue;
        }
    }
    return "";
}

/// Whether the text of an element or metadata item is the path of a file that GDAL opens.
static bool names_file(const CPLXMLNode *node)
{
    static const char *const NAMES[] = {"SourceFilename", "SourceDataset", "OVERVIEW_FILE",   "MASK_FILE",
                                        "X_DATASET",      "Y_DATASET",     "DerivedBandFile", "RPC_DEM"};
    const char *key = strcasecmp(node->pszValue, "MDI") == 0 ? attribute(node, "key") : node->pszValue;
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        if (strcasecmp(key, NAMES[i]) == 0) {
            return true;
        }
    }
    return false;
}

/// One element: raw bands, code, and files elsewhere are refused. GDAL's names are independent of case.
static GrStatus check_element(Guard *guard, const char *path, const CPLXMLNode *node)
{
    static const char BASE[] = ":::BASE:::"; // of an overview: the raster's own name follows
    const char *kind = attribute(node, "subClass"), *text = text_of(node);
    if (strcasecmp(kind, "VRTRawRasterBand") == 0) {
        return refuse(guard, "is not opened, because it takes the bytes of any file as heights: a band of the kind",
                      kind);
    }
    if (strcasecmp(node->pszValue, "PixelFunctionLanguage") == 0 && strcasecmp(text, "C") != 0) {
        return refuse(guard, "is not opened, because it contains a program in", text);
    }
    if (!names_file(node)) {
        return is_remote(text) ? refuse(guard, "is not opened, because it names", text) : GR_OK;
    }
    if (strncmp(text, BASE, sizeof BASE - 1) == 0) {
        return strchr(text, '/') == NULL ? GR_OK : refuse(guard, "is not opened, because it names", text);
    }
    return check_source(guard, path, text, strcmp(attribute(node, "relativeToVRT"), "1") == 0);
}

/// All elements, without recursion: a file may be nested deeper than the stack is long.
static GrStatus check_elements(Guard *guard, const char *path, const CPLXMLNode *root)
{
    const CPLXMLNode **stack = NULL;
    int count = 0, room = 0;
    GrStatus status = GR_OK;
    for (const CPLXMLNode *node = root; status == GR_OK;) {
        if (node == NULL) {
            if (count == 0) {
                break;
            }
            node = stack[--count];
            continue;
        }
        if (node->eType == CXT_Element) {
            status = check_element(guard, path, node);
        }
        if (node->psNext != NULL) {
            if (count == room) {
                room = 2 * room + 64;
                const CPLXMLNode **more = gr_realloc(stack, (size_t)room * sizeof(const CPLXMLNode *));
                if (more == NULL) {
                    status = gr_out_of_memory(guard->log, path);
                    break;
                }
                stack = more;
            }
            stack[count++] = node->psNext;
        }
        node = node->psChild;
    }
    gr_free(stack);
    return status;
}

static GrStatus check_xml(Guard *guard, const char *path)
{
    char *text;
    size_t size;
    GrStatus status = gr_file_read(path, XML_MAX, &text, &size, guard->log);
    if (status != GR_OK) {
        return status;
    }
    gr_gdal_quiet();
    CPLXMLNode *root = strlen(text) == size ? CPLParseXMLString(text) : NULL;
    gr_gdal_loud();
    if (root == NULL) {
        status = gr_error_add(guard->log, GR_ERROR_SYNTAX, (GrLocation){.file = path}, "is not well-formed XML: %s",
                              gr_gdal_message("it has a zero byte"));
    } else {
        status = check_elements(guard, path, root);
        CPLDestroyXMLNode(root);
    }
    gr_free(text);
    return status;
}

/// Whether the beginning of a file has what makes GDAL take it as a VRT or as metadata.
static bool is_xml(const char *path)
{
    static char words[][16] = {"<VRTDataset", "<PAMDataset"};
    FILE *file = fopen(path, "rb");
    char *head = gr_malloc(HEAD + 1);
    const size_t size = file != NULL && head != NULL ? fread(head, 1, HEAD, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    bool found = false;
    for (size_t i = 0; i < size && !found; i++) {
        for (int k = 0; k < 2 && !found; k++) {
            const size_t length = strlen(words[k]);
            found = size - i >= length && strncasecmp(head + i, words[k], length) == 0;
        }
    }
    gr_free(head);
    return found;
}

static GrStatus check_file(Guard *guard, const char *path)
{
    static const char *const SIDES[] = {"", ".aux.xml", ".ovr", ".msk", ".msk.ovr"};
    if (guard->depth == DEPTH_MAX) {
        return refuse(guard, "is not opened: files name files too often, at", path);
    }
    guard->depth++;
    GrStatus status = GR_OK;
    for (size_t i = 0; i < sizeof SIDES / sizeof SIDES[0] && status == GR_OK; i++) {
        char side[GR_FILE_PATH_SIZE + 16];
        struct stat info;
        snprintf(side, sizeof side, "%s%s", path, SIDES[i]);
        if (stat(side, &info) != 0) {
            continue;
        }
        status = gr_file_check_input(side, guard->log);
        if (status != GR_OK) {
            break;
        }
        if (!is_inside(guard, side)) {
            status = refuse(guard, "is not opened, because its folder has a link to", side);
        } else if (is_xml(side)) {
            status = check_xml(guard, side);
        }
    }
    guard->depth--;
    return status;
}

static GrStatus begin(Guard *guard, const char *path, GrErrorLog *log)
{
    char real[PATH_MAX];
    *guard = (Guard){.path = path, .log = log};
    if (realpath(path, real) == NULL || !folder_of(path, guard->folders[0]) || !folder_of(real, guard->folders[1])) {
        return gr_error_add(log, GR_ERROR_FILE, (GrLocation){.file = path}, "is not a local file%s", LOCAL_ONLY);
    }
    return GR_OK;
}

GrStatus gr_raster_guard_path(const char *path, GrErrorLog *log)
{
    Guard guard;
    if (gr_hook_network()) {
        return gr_file_check_input(path, log);
    }
    const GrStatus status = begin(&guard, path, log);
    return status == GR_OK ? check_file(&guard, path) : status;
}

GrStatus gr_raster_guard_files(void *dataset, const char *path, GrErrorLog *log)
{
    Guard guard;
    if (gr_hook_network()) {
        return GR_OK;
    }
    GrStatus status = begin(&guard, path, log);
    char **files = status == GR_OK ? GDALGetFileList(dataset) : NULL;
    for (int i = 0; files != NULL && files[i] != NULL && status == GR_OK; i++) {
        if (is_remote(files[i]) || !is_inside(&guard, files[i])) {
            status = refuse(&guard, "is not read, because it names a file outside its folder,", files[i]);
        }
    }
    CSLDestroy(files);
    return status;
}
