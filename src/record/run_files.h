/// The names of all files that a run may leave in its folder.
#ifndef GR_RUN_FILES_H
#define GR_RUN_FILES_H

enum { GR_RUN_FILE_COUNT = 9 };
extern const char *const gr_run_files[GR_RUN_FILE_COUNT];

#endif
