/// What a viewer asks for: one JSON object in a text message (docs/replay.md, "Live runs").
///
/// Everything is checked here, so that the simulation sees only known operations with finite numbers in their ranges.
#ifndef GR_MESSAGE_H
#define GR_MESSAGE_H

#include "drive_twist.h"
#include "grouser/control.h"
#include "json_read.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GR_MESSAGE_SIZE = 16384,       ///< largest message [bytes]
    GR_MESSAGE_SETS = 64,          ///< most values of a reset or an edit
    GR_MESSAGE_SET_SIZE = 12288,   ///< of all of them, or of lines of text [bytes]
    GR_MESSAGE_LINES = 1000 * 1000 ///< largest number of a line
};

/// Largest commands of a driver [m/s, 1/m, rad/s, rad].
#define GR_MESSAGE_SPEED     10.0
#define GR_MESSAGE_CURVATURE 100.0
#define GR_MESSAGE_YAW_RATE  10.0
#define GR_MESSAGE_CRAB      3.2
/// Simulated seconds per second; 0 is allowed too: as fast as possible.
#define GR_PACE_LEAST 0.1
#define GR_PACE_MOST  1000.0

typedef enum GrMessageOp {
    GR_MESSAGE_PLAY,
    GR_MESSAGE_PAUSE,
    GR_MESSAGE_STEP,
    GR_MESSAGE_PACE,
    GR_MESSAGE_RESET,
    GR_MESSAGE_DRIVE,
    GR_MESSAGE_TWIST, ///< a drive command as velocities; Foxglove's clients only
    // of an editor
    GR_MESSAGE_EDIT, ///< values of the file by their paths (text_edit.h)
    GR_MESSAGE_LINES_OF_TEXT,
    GR_MESSAGE_UNDO,
    GR_MESSAGE_REDO,
    GR_MESSAGE_SAVE
} GrMessageOp;

typedef struct GrMessage {
    GrMessageOp op;
    double pace;            ///< GR_MESSAGE_PACE
    GrDriveCommand command; ///< GR_MESSAGE_DRIVE
    bool release;           ///< GR_MESSAGE_DRIVE: back to path or script
    GrDriveTwist twist;     ///< GR_MESSAGE_TWIST
    uint32_t ticket;        ///< for the answer to a client of Foxglove's protocol; 0: none is expected
    int set_count;          ///< GR_MESSAGE_RESET, GR_MESSAGE_EDIT
    int first, last;        ///< GR_MESSAGE_LINES_OF_TEXT: lines that are replaced, from 1; last = first − 1: none
    bool force;             ///< GR_MESSAGE_SAVE: over a file that another program has changed
    char set[GR_MESSAGE_SET_SIZE]; ///< "path=value", each with its terminating zero; or the new lines
} GrMessage;

/// Reads a message. `text` must be zero-terminated at `size`, and is changed. False: refused; `why` says what is wrong.
bool gr_message_read(char *text, size_t size, GrMessage *out, const char **why);

/// The value `index` of a reset.
const char *gr_message_set(const GrMessage *message, int index);

// Messages of viewers on their way to the simulation: a short queue between two threads.
//
// Only the newest of consecutive drive commands is kept, so that a stick that moves does not fill the queue.

enum { GR_INBOX_SIZE = 32 };

typedef struct GrInbox GrInbox;

GrInbox *gr_inbox_create(void);
void gr_inbox_free(GrInbox *inbox);

/// False: the queue is full, and the message is lost.
bool gr_inbox_post(GrInbox *inbox, const GrMessage *message);

/// Takes the oldest message; waits for one at most this long [s]. False: there is none.
bool gr_inbox_take(GrInbox *inbox, double wait, GrMessage *out);

/// Ends a wait of another thread.
void gr_inbox_wake(GrInbox *inbox);

#endif
