/// A design as typed: what it starts from, and what is changed in it.
///
///     mer_like                              a rover, a scenario, a run's folder
///     mer_like+params.total_mass=190          with a value of its file replaced, as by --set
///     mer_like+soil=mars_drift+law=bekker   on another soil, with another law; gravity=moon, mode=crab
///     mer_like+soil:phi=30                  with a parameter of the soil replaced
///     +soil=mars_drift, soil:mars_drift     the same changes to what the first design starts from
#ifndef GR_DESIGN_H
#define GR_DESIGN_H

#include "grouser/status.h"

#include "options.h"

enum { GR_DESIGN_TEXT = 1024, GR_DESIGN_CHANGES = 16 };

typedef struct GrDesign {
    char room[GR_DESIGN_TEXT];
    char label[200];                        ///< as typed, without a leading +
    const char *base;                       ///< "": that of the first design
    const char *changes[GR_DESIGN_CHANGES]; ///< KEY=VALUE
    int change_count;
} GrDesign;

//// Pointers of the design lead into itself: do not copy it.
GrStatus gr_design_read(const char *text, GrDesign *out, GrErrorLog *log);

//// Reads all designs; those without a base get `base`, or that of the first that has one.
GrStatus gr_designs_read(const char *const *texts, int count, const char *base, GrDesign *out, GrErrorLog *log);

//// The value of a change of this key: "soil" of "soil=mars_sand"; NULL: another key.
const char *gr_design_value(const char *change, const char *key);

//// Adds a word to a list; an error when it is full.
GrStatus gr_design_add(GrTextList *list, const char *text, GrErrorLog *log);

#endif
