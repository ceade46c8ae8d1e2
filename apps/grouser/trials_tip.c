/// grouser test tip: tip-over angle against direction.
#include "progress.h"
#include "trials.h"

#include <math.h>
#include <stdlib.h>

static const double DEGREE = 0.017453292519943295; // π / 180

static void add_rows(const GrTipResult *tip, GrTrialReport *report)
{
    report->rows = "directions";
    gr_trial_column(report, "direction_deg", "falls towards [°]", 1);
    gr_trial_column(report, "geometry_deg", "geometry [°]", 1);
    gr_trial_column(report, "lift_off_deg", "a wheel lifts [°]", 1);
    gr_trial_column(report, "tip_deg", "tips [°]", 1);
    for (int i = 0; i < tip->count; i++) {
        const GrTipPoint *p = &tip->points[i];
        gr_trial_cell(report, p->direction / DEGREE);
        gr_trial_cell(report, p->geometry / DEGREE);
        gr_trial_cell(report, p->lift_off / DEGREE);
        gr_trial_cell(report, p->tip / DEGREE);
    }
}

enum { RING = 73 };

/// Angles as distances from the middle, directions as directions: ahead is up.
static void add_polar(const GrTipResult *tip, GrTrialReport *report)
{
    const int panel = gr_trial_panel(report, "Tip-over angle [°] against direction", "left ← → right [°]",
                                     "back ← → ahead [°]");
    double *x = calloc(2 * (size_t)tip->count + 2, sizeof *x), *y = x + tip->count + 1, most = 0;
    static const char *const names[] = {"geometry", "a wheel lifts", "tips"};
    if (x == NULL) {
        report->failed = true;
        return;
    }
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i <= tip->count; i++) {
            const GrTipPoint *p = &tip->points[i % tip->count];
            const double angle = (k == 0 ? p->geometry : k == 1 ? p->lift_off : p->tip) / DEGREE;
            x[i] = -angle * sin(p->direction);
            y[i] = angle * cos(p->direction);
            most = fmax(most, angle);
        }
        gr_trial_curve(report, panel, names[k], k == 0 ? GR_SERIES_DASHED : GR_SERIES_LINE_POINTS, x, y,
                       tip->count + 1);
    }
    free(x);
    for (int ring = 15; ring < most + 15 && ring <= 90; ring += 15) {
        double ring_x[RING], ring_y[RING];
        for (int i = 0; i < RING; i++) {
            ring_x[i] = ring * cos(DEGREE * 5 * i);
            ring_y[i] = ring * sin(DEGREE * 5 * i);
        }
        gr_trial_curve(report, panel, "", GR_SERIES_DASHED, ring_x, ring_y, RING);
    }
    GrPanel *p = &report->panels[panel].panel;
    p->x_upper = p->y_upper = most + 10;
    p->x_lower = p->y_lower = -most - 10;
    report->square = true;
}

static GrStatus run_tip(const GrTrialInput *input, GrTrialReport *report, GrErrorLog *log)
{
    GrTipResult tip;
    GrProgress progress = gr_progress_begin("tip");
    const GrStatus status = gr_trial_tip(&input->def, (int)gr_trial_number(input, "directions"), &tip, log);
    gr_progress_end(&progress);
    if (status == GR_OK) {
        const GrTipPoint *worst = &tip.points[0];
        for (int i = 0; i < tip.count; i++) {
            worst = tip.points[i].tip < worst->tip ? &tip.points[i] : worst;
        }
        gr_trial_begin(input, "Tip-over", report);
        snprintf(report->about, sizeof report->about, "%s, tilted on ground on which wheels do not slide",
                 input->rover_name);
        gr_trial_fact(report, "com_height_m", "centre of mass over ground", "m", 1, tip.com_height);
        gr_trial_fact(report, "least_tip_deg", "", "°", 1, worst->tip / DEGREE);
        gr_trial_fact(report, "least_direction_deg", "", "°", 1, worst->direction / DEGREE);
        gr_trial_verdict(report, "It tips first at %.3g°, when the ground falls towards %.4g° from ahead to the left.",
                         worst->tip / DEGREE, worst->direction / DEGREE);
        add_rows(&tip, report);
        add_polar(&tip, report);
    }
    gr_tip_free(&tip);
    return status;
}

const GrTrialKind gr_kind_tip = {
    .name = "tip",
    .summary = "static tip-over angle in all directions, by geometry and with the suspension at work",
    .details = "The ground leans in one direction after another until a wheel loses its load, and until no stance is\n"
               "left. Wheels do not slide. 'geometry': centre of mass over the line between the outer wheels.",
    .example = "  grouser test tip curiosity_like --directions 16 --svg tip.svg",
    .step_ms = "5",
    .options =
        {
            {"directions", "N", "16", "in which the ground falls", 1, 360},
        },
    .run = run_tip,
};
