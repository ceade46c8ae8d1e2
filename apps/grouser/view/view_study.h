/// The page of a study in the browser, also while a campaign writes it.
#ifndef GR_VIEW_STUDY_H
#define GR_VIEW_STUDY_H

#include "buffer.h"

struct GrServer;

/// Whether `grouser view` was given a study.
bool gr_view_is_study(const char *path);

/// The first page.
GrStatus gr_view_study_page(const char *path, GrBuffer *page, GrErrorLog *log);

/// Renews the page of a server when the study changes, for `seconds` or until Ctrl-C. It only reads.
void gr_view_study_follow(struct GrServer *server, const char *path, double seconds);

#endif
