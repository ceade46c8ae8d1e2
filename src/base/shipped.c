/// What this build is and where its files lie: version, optional parts, shipped data, loaded libraries.
#define _GNU_SOURCE // dladdr()

#include "version.h"

#include "grouser/version.h"

#include "file.h"
#include "find.h"
#include "lazy.h"
#include "out_of_memory.h"
#include "parts.h"
#include "plugin.h"
#include "shipped.h"
#include "text.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- version

#ifdef GR_PORTABLE_BITS
#define BITS "portable"
#else
#define BITS "native"
#endif

const char *gr_version(void)
{
    return GROUSER_VERSION;
}

const char *gr_bits(void)
{
    return BITS;
}

const char *gr_version_and_bits(void)
{
    return GROUSER_VERSION " (" BITS " bits)";
}

// ---- parts

const GrPart gr_parts[] = {
#include "parts.inc"
};
const int gr_part_count = sizeof gr_parts / sizeof gr_parts[0];

GrPartAdvice gr_part_advice(const char *name)
{
    GrPartAdvice advice = {"not in this build"};
    for (int i = 0; i < gr_part_count; i++) {
        if (strcmp(gr_parts[i].name, name) == 0) {
            const bool packaged = gr_parts[i].packages[0] != '\0';
            if (gr_parts[i].present) {
                snprintf(advice.text, sizeof advice.text, "its library cannot be loaded: install %s",
                         gr_parts[i].packages);
                return advice;
            }
            snprintf(advice.text, sizeof advice.text, "not in this build: %s%s%s",
                     packaged ? "install " : "build with -DGROUSER_", packaged ? gr_parts[i].packages : name,
                     packaged ? " and build again" : "=ON");
        }
    }
    return advice;
}

GrStatus gr_part_missing(const char *name, GrLocation where, GrErrorLog *log)
{
    const char *what = name;
    for (int i = 0; i < gr_part_count; i++) {
        what = strcmp(gr_parts[i].name, name) == 0 ? gr_parts[i].text : what;
    }
    return gr_error_add(log, GR_ERROR_UNSUPPORTED, where, "%s: %s", what, gr_part_advice(name).text);
}

// ---- shipped files

enum { MAX_PLACES = 16 };

typedef struct Places {
    char paths[MAX_PLACES][GR_FILE_PATH_SIZE];
    int count;
} Places;

static void add_place(Places *places, const char *path, size_t length)
{
    if (length > 0 && length < GR_FILE_PATH_SIZE && places->count < MAX_PLACES) {
        memcpy(places->paths[places->count], path, length);
        places->paths[places->count++][length] = '\0';
    }
}

static void cut_name(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
}

/// Folder of the running program, without a trailing slash; empty when it is not known.
static void program_folder(char path[GR_FILE_PATH_SIZE])
{
    const ssize_t n = readlink("/proc/self/exe", path, GR_FILE_PATH_SIZE - 1);
    path[n > 0 ? n : 0] = '\0';
    cut_name(path);
}

/// Folder of the shared library that this code is in; empty when it is linked into the program or is not known.
static void library_folder(char path[GR_FILE_PATH_SIZE])
{
    Dl_info info;
    path[0] = '\0';
    static const char anchor; // its address identifies the library that this code is in
    if (dladdr(&anchor, &info) != 0 && info.dli_fname != NULL && strstr(info.dli_fname, ".so") != NULL) {
        char real[PATH_MAX];
        if (realpath(info.dli_fname, real) != NULL && strlen(real) < GR_FILE_PATH_SIZE) {
            memcpy(path, real, strlen(real) + 1);
            cut_name(path);
        }
    }
}

static void add_share(Places *places, const char *folder, const char *share)
{
    char path[GR_FILE_PATH_SIZE + 32];
    const int length = snprintf(path, sizeof path, "%s/%s/grouser", folder, share);
    add_place(places, path, (size_t)length);
}

/// The only place, for this thread; NULL: those of shipped.h.
static _Thread_local const char *only;

void gr_shipped_only(const char *folder)
{
    only = folder;
}

static Places find_places(void)
{
    Places places = {.count = 0};
    if (only != NULL) {
        add_place(&places, only, strlen(only));
        return places;
    }
    const char *given = getenv("GROUSER_DATA");
    while (given != NULL && *given != '\0') {
        const size_t length = strcspn(given, ":");
        add_place(&places, given, length);
        given += length + (given[length] == ':');
    }
    char program[GR_FILE_PATH_SIZE], library[GR_FILE_PATH_SIZE];
    program_folder(program);
    library_folder(library);
    if (strcmp(program, GR_BUILD_DIR "/bin") == 0 || strcmp(program, GR_BUILD_DIR "/tests") == 0 ||
        strcmp(library, GR_BUILD_DIR "/lib") == 0) {
        add_place(&places, GR_SOURCE_DATA_DIR, strlen(GR_SOURCE_DATA_DIR));
        add_place(&places, GR_SHIPPED_DIR, strlen(GR_SHIPPED_DIR));
    }
    add_share(&places, program, "../share");
    if (library[0] != '\0') {
        add_share(&places, library, "../share");
        add_share(&places, library, "../../share"); // lib/x86_64-linux-gnu
    }
    return places;
}

bool gr_shipped_find(const char *kind, const char *name, const char *suffix, char path[GR_FILE_PATH_SIZE])
{
    if (strchr(name, '/') != NULL) {
        return false;
    }
    const Places places = find_places();
    for (int i = 0; i < places.count; i++) {
        const int length = snprintf(path, GR_FILE_PATH_SIZE, "%s/%s/%s%s", places.paths[i], kind, name, suffix);
        if (length < GR_FILE_PATH_SIZE && gr_file_exists(path)) {
            return true;
        }
    }
    return false;
}

GrStatus gr_shipped_list(const char *kind, const char *suffix, GrNameList *out, GrErrorLog *log)
{
    const Places places = find_places();
    for (int i = 0; i < places.count; i++) {
        char folder[GR_FILE_PATH_SIZE];
        const int length = snprintf(folder, sizeof folder, "%s/%s", places.paths[i], kind);
        if (length >= (int)sizeof folder || !gr_file_exists(folder)) {
            continue;
        }
        GrNameList files;
        GrStatus status = gr_folder_list(folder, suffix, &files, log);
        for (int j = 0; j < files.count && status == GR_OK; j++) {
            files.names[j][strlen(files.names[j]) - strlen(suffix)] = '\0';
            if (!gr_name_list_add(out, files.names[j])) {
                status = gr_out_of_memory(log, folder);
            }
        }
        gr_name_list_free(&files);
        if (status != GR_OK) {
            return status;
        }
    }
    return GR_OK;
}

// ---- libraries that are loaded

bool gr_plugin_find(const char *library, char path[GR_FILE_PATH_SIZE])
{
    static const char *const places[] = {"", "/../lib/grouser", "/../" GR_LIBRARY_DIR "/grouser", "/../lib"};
    char folder[GR_FILE_PATH_SIZE];
    program_folder(folder);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const int length = snprintf(path, GR_FILE_PATH_SIZE, "%s%s/%.100s", folder, places[i], library);
        if (length < GR_FILE_PATH_SIZE && gr_file_exists(path)) {
            return true;
        }
    }
    return false;
}

void *gr_plugin_symbol(const char *library, const char *symbol)
{
    char path[GR_FILE_PATH_SIZE];
    void *handle = gr_plugin_find(library, path) ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    return handle != NULL ? dlsym(handle, symbol) : NULL;
}

bool gr_lazy_load(const char *library, const char *const *names, int count, void *functions, char fault[GR_LAZY_FAULT])
{
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL); // never closed: some keep threads, others handlers at exit
    if (handle == NULL) {
        const char *why = dlerror();
        snprintf(fault, GR_LAZY_FAULT, "%s", why != NULL ? why : "no reason given");
        return false;
    }
    for (int i = 0; i < count; i++) {
        void *found = dlsym(handle, names[i]);
        if (found == NULL) {
            snprintf(fault, GR_LAZY_FAULT, "it has no %s", names[i]);
            return false;
        }
        // POSIX makes this valid although C does not convert between pointers to objects and to functions
        memcpy((char *)functions + (size_t)i * sizeof found, &found, sizeof found);
    }
    return true;
}

void *gr_lazy_symbol(const char *library, const char *name)
{
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    return handle != NULL ? dlsym(handle, name) : NULL;
}

// ---- names and paths of shipped files

/// Names have no dots and no slashes; a text with either is a path.
static bool is_path(const char *given)
{
    return strpbrk(given, "./") != NULL;
}

GrStatus gr_find_file(const char *kind, const char *word, const char *given, char path[GR_FILE_PATH_SIZE],
                      GrErrorLog *log)
{
    if (is_path(given)) {
        if (!gr_text_copy(path, GR_FILE_PATH_SIZE, given)) {
            return gr_error_add(log, GR_ERROR_FILE, (GrLocation){0}, "the path is too long: %.80s...", given);
        }
        return GR_OK;
    }
    if (gr_shipped_find(kind, given, ".yaml", path)) {
        return GR_OK;
    }
    GrNameList names = {0};
    GrStatus status = gr_shipped_list(kind, ".yaml", &names, log);
    if (status == GR_OK && names.count == 0) {
        status = gr_error_add(log, GR_ERROR_FILE, (GrLocation){0},
                              "no %s were found; set GROUSER_DATA to the folder that holds %s/", kind, kind);
    } else if (status == GR_OK) {
        char otherwise[80];
        snprintf(otherwise, sizeof otherwise, "; 'grouser list %s' lists them", kind);
        status = gr_error_add(log, GR_ERROR_NAME, (GrLocation){0}, "there is no %s '%s'%s", word, given,
                              gr_text_hint(given, (const char *const *)names.names, names.count, otherwise).text);
    }
    gr_name_list_free(&names);
    return status;
}
