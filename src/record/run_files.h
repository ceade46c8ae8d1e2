/// The names of all files that a run may leave in its folder, and the lock that keeps other runs out of it.
#ifndef GR_RUN_FILES_H
#define GR_RUN_FILES_H

#include "grouser/record.h"

enum { GR_RUN_FILE_COUNT = 9 };
extern const char *const gr_run_files[GR_RUN_FILE_COUNT];

/// Takes over the lock of the folder, for what is written into it after gr_record_close(); gr_folder_unlock() ends it.
int gr_record_take_lock(GrRecord *record);

#endif
