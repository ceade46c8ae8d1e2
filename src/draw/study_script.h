/// The script of pages of studies (study.js), as part of the program (cmake/EmbedScript.cmake).
#ifndef GR_STUDY_SCRIPT_H
#define GR_STUDY_SCRIPT_H

#include <stddef.h>

extern const char gr_study_script[]; ///< zero-terminated
extern const size_t gr_study_script_size;
extern const char gr_study_script_hash[]; ///< SHA-256 of the script in base64, as content security policies take it

#endif
