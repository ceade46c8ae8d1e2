/// A variable of a campaign: a path of `--set` and the values that it takes.
///
///     vary:
///       soil:phi: {from: 28, to: 38}                    # uniform; count or step for grids
///       soil:K_x: {from: 0.005, to: 0.05, scale: log}
///       gravity: [earth, mars, moon]                    # names or numbers
///       soil:c: {normal: {mean: 500, deviation: 100}, from: 0}
///       terrain.rocks.seed: {seed: true}                # another whole number for every sample
///       start.y_m: {file: sites.csv, column: y_m}       # measured values
#ifndef GR_VARIABLE_H
#define GR_VARIABLE_H

#include "distribution.h"
#include "fields.h"
#include "grouser/rover.h"

#include <stdint.h>

enum {
    GR_CAMPAIGN_VARIABLES = 64,
    GR_VARIABLE_PATH = 160,
    GR_VARIABLE_TEXT = 1200, ///< also a path of some tens of way-points
    GR_VARIABLE_VALUES = 100000
};

typedef enum GrVariableKind {
    GR_VARIABLE_LIST,   ///< one of `texts`
    GR_VARIABLE_NUMBER, ///< of a distribution
    GR_VARIABLE_SEED    ///< a whole number of its own for every sample
} GrVariableKind;

typedef struct GrVariable {
    char path[GR_VARIABLE_PATH];
    GrVariableKind kind;
    char **texts; ///< [text_count], owned: a list as written
    int text_count;
    bool named; ///< some text of the list is not a number
    GrDistribution distribution;
    double *values;      ///< owned: values and weights of the distribution
    bool integer;        ///< rounded to whole numbers
    int grid_count;      ///< values on a grid; 0: not given
    double lower, upper; ///< bounds of numbers, for searches; NAN: unbounded
    GrNode *node;        ///< for messages
} GrVariable;

/// Reads the value of a key of `vary`. False after an error, which is in the document's log.
bool gr_variable_read(GrNode *node, GrVariable *out);
void gr_variable_free(GrVariable *variable);

/// Number of values on a grid; 0: it has none, which is an error of grids.
int gr_variable_grid(const GrVariable *variable);

/// A value of a variable: text for the override, and number (NAN: a name).
typedef struct GrValue {
    char text[GR_VARIABLE_TEXT];
    double number;
} GrValue;

/// Value `index` of a grid of gr_variable_grid() values.
void gr_variable_at(const GrVariable *variable, int index, GrValue *out);

/// Value at `u` in (0, 1) of its distribution. `hash` is random bits of the sample, for seeds.
void gr_variable_sample(const GrVariable *variable, double u, uint64_t hash, GrValue *out);

/// A number of the caller's choice, rounded where the variable is whole.
void gr_variable_number(const GrVariable *variable, double number, GrValue *out);

enum { GR_LABEL_SIZE = 120 };

/// A variable or measure in words, with its unit: "rover:params.wheel_radius" is "wheel radius [m]", "soil:phi" the
/// text and unit of that parameter, "gravity.tilt_deg" "slope [°]". Units are those of the name's suffix, or of
/// what SI has for its last word. Returns `out`.
const char *gr_label_of(const char *name, char out[GR_LABEL_SIZE]);

/// The words alone; returns the unit, which is kept behind them, "" without one.
const char *gr_label_words(const char *name, char out[GR_LABEL_SIZE]);

/// With a limit: "tilt < 12°". Returns `out`.
const char *gr_label_limit(const char *name, bool below, double limit, char *out, size_t size);

/// With a value: "wheel radius = 0.227 m"; of a variable that is no number (NAN) with its text. Returns `out`.
const char *gr_label_value(const char *name, double value, const char *text, char *out, size_t size);

#endif
