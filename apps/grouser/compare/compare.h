/// Comparisons of designs, runs and folders.
#ifndef GR_COMPARE_H
#define GR_COMPARE_H

#include "command.h"

#include <stdio.h>

/// Each by its designs, with the options that these take.
int gr_compare_scenarios(const GrCommand *command, int argc, char **argv);
int gr_compare_folders(const GrCommand *command, int argc, char **argv);
int gr_compare_wheels(const GrCommand *command, int argc, char **argv); ///< wheel.c

/// Which of two finished runs is better, in words; nothing where their folders cannot be read.
void gr_compare_print_verdict(const char *const folders[2], FILE *file);

#endif
