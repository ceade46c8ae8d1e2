/// What a viewer asks for: one JSON object in a text message (docs/replay.md, "Live runs").
///
/// Everything is checked here, so that the simulation sees only known operations with finite numbers in their ranges.
#ifndef GR_MESSAGE_H
#define GR_MESSAGE_H

#include "drive_twist.h"
#include "grouser/control.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GR_MESSAGE_SIZE = 4096, ///< largest message [bytes]
    GR_MESSAGE_SETS = 64,   ///< most values of a reset
    GR_MESSAGE_SET_SIZE = 2048
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
    GR_MESSAGE_TWIST ///< a drive command as velocities; Foxglove's clients only
} GrMessageOp;

typedef struct GrMessage {
    GrMessageOp op;
    double pace;                   ///< GR_MESSAGE_PACE
    GrDriveCommand command;        ///< GR_MESSAGE_DRIVE
    bool release;                  ///< GR_MESSAGE_DRIVE: back to path or script
    GrDriveTwist twist;            ///< GR_MESSAGE_TWIST
    uint32_t ticket;               ///< for the answer to a client of Foxglove's protocol; 0: none is expected
    int set_count;                 ///< GR_MESSAGE_RESET
    char set[GR_MESSAGE_SET_SIZE]; ///< "path=value", each with its terminating zero
} GrMessage;

/// Reads a message. `text` must be zero-terminated at `size`, and is changed. False: refused; `why` says what is wrong.
bool gr_message_read(char *text, size_t size, GrMessage *out, const char **why);

/// The value `index` of a reset.
const char *gr_message_set(const GrMessage *message, int index);

// Reads small JSON documents from strangers: strict, bounded, without recursion and without allocation.
//
//     char text[] = "{\"op\": \"speed\", \"value\": 2}";
//     GrJsonTree tree;
//     if (gr_json_read(text, strlen(text), &tree)) {
//         const GrJsonNode *op = gr_json_member(&tree, &tree.nodes[0], "op");
//     }
//
// Strings are decoded in place, so the tree points into `text`. Refused: anything that is not JSON (RFC 8259), text
// that is not UTF-8, \u0000, numbers beyond a double, keys that occur twice in an object, more than GR_JSON_NODES
// values.

enum { GR_JSON_NODES = 1024, GR_JSON_READ_DEPTH = 8 };

typedef enum GrJsonKind {
    GR_JSON_NULL,
    GR_JSON_BOOL,
    GR_JSON_NUMBER,
    GR_JSON_STRING,
    GR_JSON_ARRAY,
    GR_JSON_OBJECT
} GrJsonKind;

typedef struct GrJsonNode {
    GrJsonKind kind;
    const char *key; ///< in its object; NULL in an array and for the root
    const char *text;
    double number;
    bool truth;
    int first, next; ///< index of the first child and of the next sibling; 0: none
} GrJsonNode;

typedef struct GrJsonTree {
    GrJsonNode nodes[GR_JSON_NODES]; ///< the root first
    int count;
} GrJsonTree;

/// `text` must be zero-terminated at `size`, and is changed. False: it is not a document that is accepted.
bool gr_json_read(char *text, size_t size, GrJsonTree *out);

/// A member of an object by its key; NULL when there is none, or when `node` is not an object.
const GrJsonNode *gr_json_member(const GrJsonTree *tree, const GrJsonNode *node, const char *key);

/// The next of its siblings, or the first child; NULL: none.
const GrJsonNode *gr_json_next(const GrJsonTree *tree, const GrJsonNode *node);
const GrJsonNode *gr_json_first(const GrJsonTree *tree, const GrJsonNode *node);

#endif
