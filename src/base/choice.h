/// A choice by name among a fixed list: of a law, a mode, a format.
#ifndef GR_CHOICE_H
#define GR_CHOICE_H

#include "grouser/status.h"

typedef struct GrChoice {
    const char *kind;  ///< what is chosen, for the message: "friction law"
    const char *field; ///< of the message
    const char *const *names;
    int count;
} GrChoice;

/// Index of a name; −1, and an error with the nearest valid name, when it is not among them.
int gr_choice_find(const GrChoice *choice, const char *name, GrErrorLog *log);

#endif
