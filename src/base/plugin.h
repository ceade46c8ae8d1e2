/// Parts of the program in libraries of their own, which are loaded only when they are used.
#ifndef GR_PLUGIN_H
#define GR_PLUGIN_H

/// A symbol of a library, which is looked for beside the program, in ../lib and in ../lib/grouser of its folder, and
/// where it was built. NULL: the library or the symbol is not there. The library stays loaded.
void *gr_plugin_symbol(const char *library, const char *symbol);

#endif
