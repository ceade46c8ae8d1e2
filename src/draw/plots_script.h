/// The script of pages with plots (plots.js), as part of the program (cmake/EmbedScript.cmake).
#ifndef GR_PLOTS_SCRIPT_H
#define GR_PLOTS_SCRIPT_H

#include <stddef.h>

extern const char gr_plots_script[]; ///< zero-terminated
extern const size_t gr_plots_script_size;
extern const char gr_plots_script_hash[]; ///< SHA-256 of the script in base64, as content security policies take it

#endif
