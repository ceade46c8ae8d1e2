/// Edits of a YAML text by paths: what a value does not concern stays as the user wrote it, comments and layout
/// included.
///
///     start.x_m=3.5              sets a value, or adds the key to its section, which is made where it is missing
///     drive.path[1]=[5, 2]       an item of a list
///     drive.path[+]=[9, 4]       appends one
///     drive.path[0+]=[9, 4]      puts one before it
///     drive.path[1]=             removes a key or an item; a section whose last key goes, goes too
///
/// A value is YAML on one line: a plain word, a quoted text, [..] or {..}.
///
/// No library: libfyaml can emit a changed document, but lays it out anew and moves comments.
#ifndef GR_TEXT_EDIT_H
#define GR_TEXT_EDIT_H

#include "buffer.h"

#include "grouser/status.h"

#include <stddef.h>

/// Appends the edited text to `out`. After an error, which names the path, `out` has nothing new.
GrStatus gr_text_edit(const char *text, size_t size, const char *edit, GrBuffer *out, GrErrorLog *log);

/// Calls `visit` for every value that is no section: its path, its text as the file has it (quotes removed; of a list
/// of numbers, or another list on one line, the whole), and its line. GR_ERROR_SYNTAX where the text is not YAML.
typedef void GrTextVisit(void *context, const char *path, const char *value, int line);
GrStatus gr_text_values(const char *text, size_t size, GrTextVisit *visit, void *context);

#endif
