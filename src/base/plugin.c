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

void *gr_plugin_symbol(const char *library, const char *symbol)
{
    static const char *const places[] = {"", "/../lib/grouser", "/../" GR_LIBRARY_DIR "/grouser", "/../lib"};
    char folder[GR_FILE_PATH_SIZE], path[GR_FILE_PATH_SIZE + 200];
    program_folder(folder);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(path, sizeof path, "%s%s/%.100s", folder, places[i], library);
        if (gr_file_exists(path)) {
            void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
            return handle != NULL ? dlsym(handle, symbol) : NULL;
        }
    }
    return NULL;
}
