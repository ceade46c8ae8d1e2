/// Tables of a run, for its page and for the terminal. Initialise `out` with zeros; a table without rows stays empty.
#ifndef GR_RUN_TABLES_H
#define GR_RUN_TABLES_H

#include "run_summary.h"
#include "table.h"

/// A row for each wheel. `rover`: with what the motors can do, for a page; NULL: narrower, for the terminal.
/// Contact states: how often and how long each wheel was in each; empty where the summary does not know.
void gr_run_table_states(const GrModel *model, const GrRunSummary *summary, GrTable *out);

void gr_run_table_wheels(const GrModel *model, const GrRunSummary *summary, const GrRoverDef *rover, GrTable *out);
/// Arrivals at the first way-points of the path, at most `most`.
void gr_run_table_way_points(const GrRunSummary *summary, int most, GrTable *out);
/// Contacts between bodies of the rover.
void gr_run_table_self_contacts(const GrRunSummary *summary, GrTable *out);

#endif
