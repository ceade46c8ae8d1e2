/// A subject: what a campaign runs again and again: a scenario, a standard test, the single-wheel rig, or a formula. A
/// new kind is a GrSubjectKind in a file of its own, and one row in the table of the program (apps/grouser/campaign).
#ifndef GR_SUBJECT_H
#define GR_SUBJECT_H

#include "grouser/status.h"
#include "measure.h"

#include <stdint.h>

enum { GR_SUBJECT_OVERRIDES = 256 };

/// One run: what differs from the others.
typedef struct GrCase {
    const char *const *overrides; ///< "path=value", NULL-terminated
    const char *const *paths;     ///< [count] of the variables
    const double *numbers;        ///< [count]; NAN: the variable is a name
    int count;
} GrCase;

typedef struct GrSubjectKind {
    const char *name; ///< key in the section `run` of a campaign file
    const char *text;
    /// Reads that key. NULL after an error, which is in the document's log.
    void *(*create)(GrNode *value, const GrNode *section);
    void (*destroy)(void *subject);
    /// Adds all input of a run with these overrides to a hash: files, not only their names. Fails where a run would be
    /// refused for its input.
    GrStatus (*identify)(void *subject, const GrCase *c, uint64_t *hash, GrErrorLog *log);
    /// Names for measures, as GrMeasureNames has them; the context is the subject.
    bool (*has)(void *subject, const char *name, bool channel);
    int (*list)(void *subject, bool channel, const char **names, int capacity);
    bool samples_soil; ///< takes the override "soil_sample=3/32": its soils are a sample of their spreads
    /// Measures of a campaign that names none: pairs of name and expression, NULL-terminated.
    const char *const *usual;
    /// State of one thread. NULL: out of memory.
    void *(*create_worker)(void *subject, const GrMeasures *measures);
    void (*destroy_worker)(void *worker);
    /// Runs one case: fills `terms` [term_count of the measures] and `result` except for key and metrics. An error of
    /// the case itself is a result; the status is for what ends the whole campaign.
    GrStatus (*run)(void *worker, const GrCase *c, double *terms, GrResult *result, GrErrorLog *log);
    /// Lets the workers advance on a device, such as "cuda", so many of them at a time. Fails where there is none, and
    /// where it does not offer what a run without variations has. NULL: the kind has nothing for a GPU.
    GrStatus (*drive_on)(void *subject, const char *device, int workers, GrErrorLog *log);
    /// The scenario that a case runs and all its overrides (NULL-terminated, at most `capacity` with the end), for
    /// repeating it with everything recorded. NULL: a case is not a run of a scenario.
    const char *(*scenario)(void *subject, const GrCase *c, const char **overrides, int capacity);
} GrSubjectKind;

/// A worker without state of its own, for gr_free().
typedef struct GrPlainWorker {
    void *subject;
    const GrMeasures *measures;
} GrPlainWorker;

void *gr_plain_worker(void *subject, const GrMeasures *measures);

/// The text of an override "soil_sample=3/32" after its name; NULL: it is another one.
const char *gr_case_sample(const char *override);

extern const GrSubjectKind gr_subject_scenario, gr_subject_function;

// Contents of files as part of the hash of a run's input.

/// Adds the bytes of a file to a hash. "": nothing.
GrStatus gr_hash_file(const char *path, uint64_t *hash, GrErrorLog *log);

#endif
