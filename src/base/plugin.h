/// Parts of the program in their own libraries, which are loaded only when they are used.
#ifndef GR_PLUGIN_H
#define GR_PLUGIN_H

#include "file.h"

/// Path of a library, which is looked for beside the program, in ../lib and in ../lib/grouser of its folder, and where
/// it was built. False: it is not there.
bool gr_plugin_find(const char *library, char path[GR_FILE_PATH_SIZE]);

/// A symbol of such a library. NULL: the library or the symbol is not there. The library stays loaded.
void *gr_plugin_symbol(const char *library, const char *symbol);

#endif
