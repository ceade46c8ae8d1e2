/// Definition of a subcommand. A new one is one file that defines a GrCommand, and one row in commands.c.
#ifndef GR_COMMAND_H
#define GR_COMMAND_H

/// Exit codes.
enum {
    GR_EXIT_OK = 0,
    GR_EXIT_FAILURE = 1, ///< valid request that could not be carried out
    GR_EXIT_INPUT = 2,   ///< wrong usage or invalid input files
};

typedef struct GrCommand {
    const char *name;
    const char *summary;               ///< one line for the overview
    const char *usage;                 ///< after "usage: grouser "
    const char *details;               ///< what it does, for --help; lines of at most 100 columns
    const char *example;               ///< one command per line, for --help
    int (*run)(int argc, char **argv); ///< arguments after the command's name
    /// Subcommands, ended by NULL, in place of `run`. Their names begin with that of the group: "terrain info".
    const struct GrCommand *const *parts;
    const char *part; ///< of the build (parts.h), which lacks it: there is no `run`; NULL: none
    const char
        *arguments; ///< for shell completion: words, or @rovers, @soils, @scenarios, @campaigns for names; NULL: files
} GrCommand;

extern const GrCommand gr_command_asset;
extern const GrCommand gr_command_bench;
extern const GrCommand gr_command_campaign;
extern const GrCommand gr_command_check;
extern const GrCommand gr_command_compare;
extern const GrCommand gr_command_dataset;
extern const GrCommand gr_command_edit;
extern const GrCommand gr_command_export;
extern const GrCommand gr_command_fit;
extern const GrCommand gr_command_grains;
extern const GrCommand gr_command_inverse;
extern const GrCommand gr_command_list;
extern const GrCommand gr_command_loads;
extern const GrCommand gr_command_optimize;
extern const GrCommand gr_command_plate;
extern const GrCommand gr_command_predict;
extern const GrCommand gr_command_ros2;
extern const GrCommand gr_command_rover;
extern const GrCommand gr_command_run;
extern const GrCommand gr_command_sensitivity;
extern const GrCommand gr_command_mission;
extern const GrCommand gr_command_schema;
extern const GrCommand gr_command_show;
extern const GrCommand gr_command_sweep;
extern const GrCommand gr_command_test;
extern const GrCommand gr_command_terrain;
extern const GrCommand gr_command_validate;
extern const GrCommand gr_command_version;
extern const GrCommand gr_command_view;
extern const GrCommand gr_command_wheel;

/// Runs a command with the arguments after its name, or the subcommand that they name; or says what this build lacks.
int gr_command_call(const GrCommand *command, int argc, char **argv);

/// Runs the command line `argv`, the program's name first; returns the exit code.
int gr_command_run_line(int argc, char **argv);

#endif
