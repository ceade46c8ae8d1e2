/// Finds the data that ships with the program: rovers, soils, scenarios.
///
/// Places are searched in this order; a file in an earlier place hides one of the same name in a later place:
///     1. the folders of $GROUSER_DATA, separated by colons
///     2. data/ of the source tree, for programs in bin/ and tests/ of the build tree and for its shared library.
///        Installed programs must not use the tree that they were built from.
///        With it, build/shipped of the source tree: data that is compiled (tools/playground)
///     3. ../share/grouser beside the program's own folder
///     4. ../share/grouser and ../../share/grouser beside the folder of the shared library, for a user's own program
#ifndef GR_SHIPPED_H
#define GR_SHIPPED_H

#include "file.h"

/// Finds KIND/NAMESUFFIX, e.g. "rovers", "curiosity_like", ".yaml"; false when no place has it.
bool gr_shipped_find(const char *kind, const char *name, const char *suffix, char path[GR_FILE_PATH_SIZE]);

/// Names of a kind without their suffix, from all places. Adds to `out`.
GrStatus gr_shipped_list(const char *kind, const char *suffix, GrNameList *out, GrErrorLog *log);

/// Restricts this thread to one place, for data that travels with its reader (src/fmu). NULL: the usual places. The
/// text must stay until then.
void gr_shipped_only(const char *folder);

#endif
