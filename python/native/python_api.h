/// What the Python package needs besides the public API: runs as tables, and the analyses of the command.
///
/// build_native.py reads this header and the public ones, and makes the module's wrappers from them. Each wrapper
/// releases the interpreter's lock while it is in C.
#ifndef GR_PYTHON_API_H
#define GR_PYTHON_API_H

#include "grouser/grouser.h"

/// Kinds of columns; the values of all but numbers are integers.
enum { GR_COLUMN_NUMBER, GR_COLUMN_INTEGER, GR_COLUMN_STATE, GR_COLUMN_MODE, GR_COLUMN_SOIL };

typedef struct GrPythonColumn {
    char *name;       ///< as in run.csv
    int kind;         ///< GR_COLUMN_...
    const char *text; ///< meaning
} GrPythonColumn;

/// Samples of a run, one row each. A cell has 8 bytes: a double or an int64_t.
typedef struct GrPythonTable {
    GrPythonColumn *columns;
    int column_count;
    char *rows;
    size_t row_count;
} GrPythonTable;

/// `localised`: with the columns of a localisation. NULL when out of memory.
GrPythonTable *gr_python_table_create(const GrModel *m, bool supplied, bool localised);
void gr_python_table_free(GrPythonTable *table);
GrStatus gr_python_table_add(GrPythonTable *table, const GrSample *sample, GrErrorLog *log);

/// Asks Python a few times a second whether the run must stop: true after Ctrl-C.
typedef bool (*GrPythonPoll)(void *context);

/// How to run a world.
typedef struct GrPythonRunDef {
    const char *directory; ///< where to write the files of `grouser run`; NULL: none
    GrPythonPoll poll;     ///< NULL: never stops
    void *context;         ///< of `poll`
} GrPythonRunDef;

/// As gr_run(), into a table; `*summary` is what `grouser run --json` prints, freed with gr_free().
GrStatus gr_python_run(GrWorld *world, const GrPythonRunDef *def, GrPythonTable *table, char **summary,
                       GrErrorLog *log);

/// The same text about a mission so far.
GrStatus gr_python_summary(const GrWorld *world, char **summary, GrErrorLog *log);

/// The sensors of a mission. The world must outlive them.
typedef struct GrPythonSense GrPythonSense;

/// Measures at the present instant.
GrStatus gr_python_sense_create(GrWorld *world, GrPythonSense **out, GrErrorLog *log);
void gr_python_sense_free(GrPythonSense *sense);

/// As gr_mission_step() and gr_mission_advance(), and measures.
GrStatus gr_python_sense_step(GrPythonSense *sense, double until, GrOutcome *outcome, GrErrorLog *log);
GrStatus gr_python_sense_advance(GrPythonSense *sense, double until, GrOutcome *outcome, GrErrorLog *log);

/// The localisation of the rover, where it has one, at the time of the sample.
void gr_python_sense_sample(const GrPythonSense *sense, GrSample *sample);

/// Measurements that were delivered in the last step, in order; valid until the next one.
int gr_python_sense_fresh_count(const GrPythonSense *sense);
const GrMeasurement *gr_python_sense_fresh(const GrPythonSense *sense, int index);

/// The latest measurement of a sensor that has been delivered, valid until the next step; NULL: none yet.
const GrMeasurement *gr_python_sense_latest(const GrPythonSense *sense, int sensor);

/// Generalised positions and velocities of the data, which stay where they are for its life.
typedef struct GrPythonState {
    double *position; ///< of the base x y z, its quaternion w x y z, then independent joint axes
    double *velocity; ///< of the base x y z, its angular velocity x y z, then independent joint axes
    int position_count, velocity_count;
} GrPythonState;
GrPythonState gr_python_state(const GrModel *m, GrData *d);

/// Warns about parameters that have no effect with the soil's law, and about a gravity far from that of its fit.
void gr_python_warn_soil(const GrSoilDef *soil, const GrSoilSources *sources, double gravity, GrErrorLog *log);

/// Several steps in one call, of the model's length (`dt` 0) or another [s].
GrStatus gr_python_steps(const GrModel *m, GrData *d, int count, double dt);

/// Heights [m] of `count` points; NAN where there is no ground. Loads the tiles that they lie on. `normals` may be
/// NULL.
GrStatus gr_python_heights(GrTerrain *terrain, const double *x, const double *y, int64_t count, double *z,
                           GrVec3 *normals, GrErrorLog *log);

/// The analyses of the command, from a command line as typed after `grouser wheel`, `grouser test NAME` and `grouser
/// fit soil`. `*json` is what the command prints with --json, freed with gr_free().
GrStatus gr_python_wheel(int argc, char **argv, char **json, GrErrorLog *log);
GrStatus gr_python_test(const char *name, int argc, char **argv, char **json, GrErrorLog *log);
/// `output`: file for the fitted soil; NULL: none.
GrStatus gr_python_fit(int argc, char **argv, const char *output, char **json, GrErrorLog *log);
/// `only`: pattern of the names of cases; NULL: all.
GrStatus gr_python_validate(const char *only, char **json, GrErrorLog *log);
/// After `grouser mission go`. `*json` is NULL where Ctrl-C or kill ended the mission, which the same call goes on
/// with.
GrStatus gr_python_mission_go(int argc, char **argv, char **json, GrErrorLog *log);

/// Names of the standard tests, and of the own options of one; NULL beyond the last.
const char *gr_python_test_name(int test);
const char *gr_python_test_option(int test, int option);

#endif
