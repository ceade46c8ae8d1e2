#include "plugin.h"

#include "file.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// Folder of the running program.
static void program_folder(char path[GR_FILE_PATH_SIZE])
{
    const ssize_t n = readlink("/proc/self/exe", path, GR_FILE_PATH_SIZE - 1);
    path[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (slash != NULL) {
        *slash = '\0';
    }
}

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
