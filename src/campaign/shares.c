#include "shares.h"

#include "number.h"
#include "study_view.h"

#include <math.h>
#include <stdio.h>

double gr_shares_margin(const GrShares *shares, int row, int goal)
{
    const GrGoal *g = &shares->goals[goal];
    const double value = gr_study_value(shares->table, row, shares->columns[goal]);
    return g->wish == GR_WISH_ABOVE ? value - g->limit : g->limit - value;
}

bool gr_shares_holds(const GrShares *shares, int row)
{
    bool holds = shares->table->succeeded[row];
    for (int i = 0; i < shares->goal_count; i++) {
        holds = holds && gr_shares_margin(shares, row, i) >= 0; // false for NAN
    }
    return holds;
}

void gr_shares_count(const GrStudyTable *table, const GrGoal *goals, int goal_count, GrShares *out)
{
    *out = (GrShares){.table = table, .goal_count = goal_count, .count = table->row_count};
    for (int i = 0; i < goal_count; i++) {
        out->goals[i] = goals[i];
        out->columns[i] = table->variable_count + goals[i].measure;
    }
    for (int row = 0; row < table->row_count; row++) {
        out->all += gr_shares_holds(out, row);
        out->succeeded += table->succeeded[row];
        for (int i = 0; i < goal_count; i++) {
            out->inside[i] += gr_shares_margin(out, row, i) >= 0;
        }
    }
}

void gr_shares_text(const GrShares *shares, int goal, char out[GR_SHARES_TEXT])
{
    const GrGoal *g = &shares->goals[goal];
    gr_print(out, GR_SHARES_TEXT, "%s %s %.6g", shares->table->columns[shares->columns[goal]].name,
             g->wish == GR_WISH_ABOVE ? "above" : "below", g->limit);
}
