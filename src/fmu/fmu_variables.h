/// The variables of a functional mock-up unit (FMI): one table, from which the description is written and through which
/// both versions of the interface read and set values.
///
/// A variable's value reference is its index in the table: first the time, then parameters, inputs and outputs. Every
/// value is a double; choices and integers are whole numbers. Names are structured: wheels.front_left.slip.
#ifndef GR_FMU_VARIABLES_H
#define GR_FMU_VARIABLES_H

#include "channel.h"
#include "mission_data.h"
#include "scenario_data.h"

enum {
    GR_FMU_QUOTED_SIZE = 2 * GR_NAME_SIZE + 4, ///< of a name of the rover, each character escaped
    GR_FMU_NAME_SIZE = GR_FMU_QUOTED_SIZE + 64,
    GR_FMU_CHOICES_MAX = 1000
};

typedef enum GrFmuRole {
    GR_FMU_TIME,
    GR_FMU_FIXED,   ///< parameter that is set before the simulation
    GR_FMU_TUNABLE, ///< parameter that may change between steps
    GR_FMU_INPUT,
    GR_FMU_OUTPUT,
    GR_FMU_LOCAL, ///< continuous states and their derivatives
} GrFmuRole;

typedef enum GrFmuType { GR_FMU_REAL, GR_FMU_INTEGER, GR_FMU_CHOICE, GR_FMU_TEXT } GrFmuType;

/// Lists of choices, each a type in the description.
typedef enum GrFmuChoice {
    GR_FMU_CHOICE_SOURCE,  ///< who drives: GrFmuSource
    GR_FMU_CHOICE_MODE,    ///< GrDriveMode
    GR_FMU_CHOICE_COMMAND, ///< what drive motors take: GrFmuCommand
    GR_FMU_CHOICE_OUTCOME, ///< GrOutcome
    GR_FMU_CHOICE_STATE,   ///< contact state of a wheel
    GR_FMU_CHOICE_COUNT
} GrFmuChoice;

typedef enum GrFmuSource { GR_FMU_BY_SCENARIO, GR_FMU_BY_DRIVE, GR_FMU_BY_WHEELS } GrFmuSource;
typedef enum GrFmuCommand { GR_FMU_COMMAND_SPEED, GR_FMU_COMMAND_TORQUE } GrFmuCommand;

/// What a variable stands for; `index`, `offset` and `channel` of the variable say which one.
typedef enum GrFmuMeaning {
    GR_FMU_IS_TIME,
    GR_FMU_IS_GRAVITY, ///< index: axis
    GR_FMU_IS_SOIL,    ///< index: of the soil's parameter
    GR_FMU_IS_COMMAND_KIND,
    GR_FMU_IS_SOURCE,
    GR_FMU_IS_MODE,
    GR_FMU_IS_DRIVE, ///< offset: in GrDriveCommand
    GR_FMU_IS_PATH_SPEED,
    GR_FMU_IS_FORCE,  ///< index: axis
    GR_FMU_IS_MOMENT, ///< index: axis
    GR_FMU_IS_WHEEL_COMMAND,
    GR_FMU_IS_WHEEL_STEER, ///< index: of the wheel
    GR_FMU_IS_CHANNEL,     ///< a recorded quantity
    GR_FMU_IS_OUTCOME,
    GR_FMU_IS_HASH,
    // of contact units (fmu_contact.c)
    GR_FMU_IS_PART,
    GR_FMU_IS_GROUND,   ///< its name
    GR_FMU_IS_MOTION,   ///< offset: in GrPartMotion
    GR_FMU_IS_REACTION, ///< offset: in GrPartForce
    GR_FMU_IS_EVENT,    ///< offset: in GrPartForce
    GR_FMU_IS_STATE,    ///< index: of the state (gr_contact_states())
    GR_FMU_IS_RATE,     ///< of the state with this index, which is the variable before it
    GR_FMU_IS_PLACE,    ///< offset: 0 x, 1 y
    GR_FMU_IS_TERRAIN,  ///< offset: of the row
} GrFmuMeaning;

typedef struct GrFmuVariable {
    char name[GR_FMU_NAME_SIZE];
    char text[GR_NOTE_SIZE]; ///< description
    const char *unit;        ///< name in the description; "": none
    GrFmuRole role;
    GrFmuType type;
    GrFmuChoice choice;         ///< of a choice
    double start, lower, upper; ///< of parameters and inputs
    GrFmuMeaning meaning;
    int index;
    size_t offset;
    GrChannel channel;
    double factor; ///< value = factor · what the channel records
} GrFmuVariable;

typedef struct GrFmuVariables {
    GrFmuVariable *items;
    int count;
} GrFmuVariables;

/// The variables of a world. `out` is freed with gr_fmu_variables_free(), after a failure too.
GrStatus gr_fmu_variables_list(const GrWorld *world, GrFmuVariables *out, GrErrorLog *log);
void gr_fmu_variables_free(GrFmuVariables *variables);

/// Adds the parameters of a soil that its law reads, to a list with room for all.
void gr_fmu_variables_soil(GrFmuVariables *list, const GrSoilDef *soil);

/// Name of a list of choices, and of its entries by value; NULL beyond the last.
const char *gr_fmu_choice_name(GrFmuChoice choice);
const char *gr_fmu_choice_item(GrFmuChoice choice, int value);

/// A unit of the description by index, with its exponents of SI base units; NULL beyond the last. A unit without a
/// dimension that SI expresses, such as that of a modulus of sinkage, has a name alone.
typedef struct GrFmuUnitRow {
    const char *name;
    int kg, m, s, rad;
    double factor; ///< to SI; 0: the name alone
} GrFmuUnitRow;
const GrFmuUnitRow *gr_fmu_unit_row(int index);

#endif
