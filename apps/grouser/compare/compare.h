/// What grouser compare compares, one function for each kind of designs. They read the options and return exit codes.
#ifndef GR_COMPARE_H
#define GR_COMPARE_H

#include "design.h"

#include <stdio.h>

int gr_compare_scenarios(int argc, char **argv);
int gr_compare_folders(int argc, char **argv);
int gr_compare_wheels(int argc, char **argv); ///< wheel.c

/// Which of two finished runs is better, in words; nothing where their folders cannot be read.
void gr_compare_print_verdict(const char *const folders[2], FILE *file);

#endif
