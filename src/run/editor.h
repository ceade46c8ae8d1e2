/// A file of a scenario while it is edited: the working text with its history, which nothing but gr_editor_save()
/// writes to the disk.
///
///     GrEditor *editor = gr_editor_open("crossing.yaml", NULL, &log);
///     gr_editor_change(editor, &message, &log);      // an edit by path, lines of text, undo, redo
///     gr_editor_text(editor, &size);                 // for gr_live_renew()
///     gr_editor_save(editor, false, &log);
///
/// It knows nothing of servers. Edits by path keep comments and layout (src/scenario/text_edit.h).
#ifndef GR_EDITOR_H
#define GR_EDITOR_H

#include "buffer.h"
#include "message.h"

#include "grouser/status.h"

typedef struct GrEditor GrEditor;

/// `given`: the file of a scenario or of a rover, the name of a shipped one, or a map. `save_as`: where it is saved;
/// NULL: over that file; of a shipped scenario or a map, NAME.yaml in the working folder, which must not exist.
GrEditor *gr_editor_open(const char *given, const char *save_as, GrErrorLog *log);
void gr_editor_free(GrEditor *editor);

/// Obeys GR_MESSAGE_EDIT (all its values or none, as one step of the history), GR_MESSAGE_LINES_OF_TEXT,
/// GR_MESSAGE_UNDO and GR_MESSAGE_REDO. After an error the text is as it was.
GrStatus gr_editor_change(GrEditor *editor, const GrMessage *message, GrErrorLog *log);

/// Writes the text to its file, whole or not at all. GR_ERROR_BUSY where another program has changed the file since it
/// was read or saved, unless `force`.
GrStatus gr_editor_save(GrEditor *editor, bool force, GrErrorLog *log);

/// The working text, valid until the next change.
const char *gr_editor_text(const GrEditor *editor, size_t *size);
bool gr_editor_is_rover(const GrEditor *editor);
/// Where it is saved.
const char *gr_editor_file(const GrEditor *editor);

/// Appends the chunk EDIT (docs/replay.md): text, values and history. `messages`: of the text's check; `note`: of the
/// last change, "": it was obeyed.
void gr_editor_put(const GrEditor *editor, const GrErrorLog *messages, const char *note, GrBuffer *chunk);

/// Appends what the page offers as JSON (about.json of docs/replay.md): keys, rovers, soils, landers, gravities, modes.
void gr_editor_about(const GrEditor *editor, GrBuffer *out);

/// Path of the map that the text names; false: it names none. `out`: [GR_FILE_PATH_SIZE].
bool gr_editor_map(const GrEditor *editor, char *out);
/// Appends the chunk MAPS (docs/replay.md): the whole map, coarsely.
GrStatus gr_editor_put_map(const char *path, GrBuffer *chunk, GrErrorLog *log);

/// Appends the drawing of a shipped rover; false: there is no such rover.
bool gr_editor_picture(const char *name, GrBuffer *svg);

#endif
