/// An instance as both versions of FMI see it: its state in the standard's state machine, its values, saved states, and
/// messages to the host. fmi2.c and fmi3.c only translate names, types and statuses.
///
/// A call in a state that the standard does not allow is an error with a message, and changes nothing.
#ifndef GR_FMU_HOST_H
#define GR_FMU_HOST_H

#include "fmu_unit.h"

#include <stdint.h>

/// Statuses with the same values in both versions.
typedef enum GrFmuStatus { GR_FMU_OK, GR_FMU_WARNING, GR_FMU_DISCARD, GR_FMU_ERROR, GR_FMU_FATAL } GrFmuStatus;

/// States of an instance, as bits for sets of them.
typedef enum GrFmuMode {
    GR_FMU_INSTANTIATED = 1 << 0,
    GR_FMU_INITIALIZATION = 1 << 1,
    GR_FMU_EVENT = 1 << 2, ///< FMI 3, and model exchange
    GR_FMU_STEP = 1 << 3,
    GR_FMU_FAILED = 1 << 4, ///< a step was not completed: the drive has ended, or has failed
    GR_FMU_TERMINATED = 1 << 5,
    GR_FMU_CONTINUOUS = 1 << 6, ///< model exchange
    GR_FMU_ANY = (1 << 7) - 1,
} GrFmuMode;

typedef struct GrFmuHost GrFmuHost;

/// Hands a message to the host.
typedef void (*GrFmuSayFn)(const GrFmuHost *host, GrFmuStatus status, const char *category, const char *text);

struct GrFmuHost {
    GrFmuUnit *unit;
    char *name;
    GrFmuMode mode;
    bool logging;
    bool event_mode, early_return; ///< FMI 3: as the host asked for
    bool exchange;                 ///< for model exchange
    double start;                  ///< [s]
    GrFmuAdvance last;             ///< of the last step
    GrFmuSayFn say;
    void (*logger)(void); ///< of the host, with the version's own signature
    void *environment;
    char **texts; ///< texts handed out by the last call
    size_t text_count;
};

enum { GR_FMU_CATEGORY_COUNT = 2 };
extern const char *const gr_fmu_categories[GR_FMU_CATEGORY_COUNT]; ///< of messages

/// What an instance is made from.
typedef struct GrFmuHostDef {
    const char *name, *token, *resources;
    bool logging;
    bool exchange; ///< model exchange in the place of co-simulation
    GrFmuSayFn say;
    void (*logger)(void);
    void *environment;
} GrFmuHostDef;

/// NULL after an error, which the host's logger has got.
GrFmuHost *gr_fmu_host_create(const GrFmuHostDef *def);
void gr_fmu_host_free(GrFmuHost *host);

/// Whether `call` is allowed now; otherwise the host gets a message. False for NULL too.
bool gr_fmu_allowed(const GrFmuHost *host, unsigned modes, const char *call);

/// An error with a message.
GrFmuStatus gr_fmu_refuse(const GrFmuHost *host, const char *format, ...) GR_PRINTF(2, 3);

GrFmuStatus gr_fmu_switch_logging(GrFmuHost *host, bool on, size_t count, const char *const categories[]);

/// Modes in which values may be read, and set.
enum {
    GR_FMU_CAN_GET =
        GR_FMU_INITIALIZATION | GR_FMU_EVENT | GR_FMU_STEP | GR_FMU_FAILED | GR_FMU_TERMINATED | GR_FMU_CONTINUOUS,
    GR_FMU_CAN_SET = GR_FMU_INSTANTIATED | GR_FMU_INITIALIZATION | GR_FMU_EVENT | GR_FMU_STEP | GR_FMU_CONTINUOUS,
};

/// Values of one type by value reference. A variable of another type is an error.
GrFmuStatus gr_fmu_get(GrFmuHost *host, GrFmuType type, const uint32_t *vr, size_t count, double *values);
GrFmuStatus gr_fmu_set(GrFmuHost *host, GrFmuType type, const uint32_t *vr, size_t count, const double *values);
GrFmuStatus gr_fmu_set_texts(GrFmuHost *host, const uint32_t *vr, size_t count, const char *const *values);
GrFmuStatus gr_fmu_get_texts(GrFmuHost *host, const uint32_t *vr, size_t count, const char **values);

GrFmuStatus gr_fmu_enter_initialization(GrFmuHost *host, double start);
GrFmuStatus gr_fmu_exit_initialization(GrFmuHost *host);
GrFmuStatus gr_fmu_terminate(GrFmuHost *host);
GrFmuStatus gr_fmu_reset(GrFmuHost *host);

/// One step; host->last says how far it came. GR_FMU_DISCARD: the drive ended before the step did.
GrFmuStatus gr_fmu_step(GrFmuHost *host, double time, double step);

// Model exchange. Continuous states are the memory of a contact unit's soil; other units have none.

GrFmuStatus gr_fmu_set_time(GrFmuHost *host, double time);
GrFmuStatus gr_fmu_completed_step(GrFmuHost *host);
GrFmuStatus gr_fmu_event_indicators(GrFmuHost *host, double *values, size_t count);

typedef enum GrFmuStates { GR_FMU_STATE_VALUES, GR_FMU_STATE_RATES, GR_FMU_STATE_SIZES } GrFmuStates;
GrFmuStatus gr_fmu_get_states(GrFmuHost *host, GrFmuStates what, double *values, size_t count);
GrFmuStatus gr_fmu_set_states(GrFmuHost *host, const double *values, size_t count);

/// Goes on after an event, in event mode. `changed`: whether continuous states have changed.
GrFmuStatus gr_fmu_switch(GrFmuHost *host, bool *changed);

/// A saved state: bytes, in memory of the unit.
typedef struct GrFmuSaved {
    size_t size;
    unsigned char bytes[];
} GrFmuSaved;

GrFmuStatus gr_fmu_save(GrFmuHost *host, void **state);
GrFmuStatus gr_fmu_restore(GrFmuHost *host, const void *state);
GrFmuStatus gr_fmu_release(GrFmuHost *host, void **state);
GrFmuStatus gr_fmu_saved_size(GrFmuHost *host, const void *state, size_t *size);
GrFmuStatus gr_fmu_pack(GrFmuHost *host, const void *state, unsigned char *bytes, size_t size);
GrFmuStatus gr_fmu_unpack(GrFmuHost *host, const unsigned char *bytes, size_t size, void **state);

#endif
