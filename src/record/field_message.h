/// A group of recorded fields as a message of Protocol Buffers. What is the same for all samples is found once.
#ifndef GR_FIELD_MESSAGE_H
#define GR_FIELD_MESSAGE_H

#include "run_field.h"

/// Most fields of a group.
enum { GR_MESSAGE_FIELDS = 48 };

/// A field: where it is in the sample's struct, and its tag.
typedef struct GrMessageField {
    unsigned char tag[2];
    unsigned char tag_size;
    unsigned char kind; ///< GrFieldKind
    bool single;        ///< single precision
    size_t offset;
    double scale;
} GrMessageField;

typedef struct GrFieldMessage {
    int count;
    size_t room; ///< for a whole message [bytes]
    const char *const *soils;
    int soil_count;
    GrMessageField fields[GR_MESSAGE_FIELDS];
} GrFieldMessage;

/// `soils`: names of the soils, which stay.
GrFieldMessage gr_field_message(const GrFieldGroup *group, const char *const *soils, int soil_count);

/// Stores the fields of the struct `from` where there is room for them; returns the end.
unsigned char *gr_field_message_store(const GrFieldMessage *message, const void *from, unsigned char *at);

#endif
