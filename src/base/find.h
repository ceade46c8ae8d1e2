/// Finds the file that the user named: by its path, or by the name of something that ships with the program.
#ifndef GR_FIND_H
#define GR_FIND_H

#include "file.h"

/// `kind`: the folder of the shipped things, e.g. "rovers"; `word`: one of them, e.g. "rover". An unknown name is an
/// error whose message suggests the nearest one.
GrStatus gr_find_file(const char *kind, const char *word, const char *given, char path[GR_FILE_PATH_SIZE],
                      GrErrorLog *log);

#endif
