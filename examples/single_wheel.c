/// A wheel on soft soil: sinkage, drawbar pull and torque against slip, in steady rolling and by time steps.
#include <grouser/grouser.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    GrErrorLog log = {0};
    GrSoilDef soil;
    if (gr_soil_load("ishigami2007", NULL, &soil, NULL, &log) != GR_OK) {
        fprintf(stderr, "%s\n", log.items[0].text);
        return 1;
    }
    const GrSoilWheelDef def = gr_default_soil_wheel_def(); // radius 0.09 m, width 0.11 m
    GrSoilWheel *wheel;
    if (gr_soil_prepare(&soil, &def, &wheel, &log) != GR_OK) {
        fprintf(stderr, "%s\n", log.items[0].text);
        return 1;
    }
    const double load = 64.68; // [N]
    puts("slip  sinkage [mm]  drawbar pull [N]  torque [N m]");
    for (int i = 1; i <= 8; i++) {
        GrSoilSteady point;
        if (gr_soil_steady_load(wheel, 0.1 * i, 0, load, 0, &point, &log) == GR_OK) {
            printf("%4.1f  %12.2f  %16.2f  %12.3f\n", 0.1 * i, 1000 * point.sinkage, point.f_x, point.torque);
        }
    }

    // The same at slip 0.4, by steps: shear builds up over the first centimetres, then the two agree.
    GrSoilSteady steady;
    gr_soil_steady_load(wheel, 0.4, 0, load, 0, &steady, NULL);
    double *state = calloc((size_t)gr_soil_state_size(wheel), sizeof *state);
    double *next = calloc((size_t)gr_soil_state_size(wheel), sizeof *next);
    if (state == NULL || next == NULL) {
        fputs("out of memory\n", stderr);
        return 1;
    }
    const double speed = 0.05, dt = 0.01; // [m/s], [s]
    const GrSoilMotion motion = {.sinkage = {steady.sinkage},
                                 .twist = {speed, 0, 0, 0, speed / (1 - 0.4) / def.radius, 0}};
    GrSoilOutput out;
    for (int step = 0; step < 2000; step++) {
        gr_soil_evaluate(wheel, &motion, dt, state, next, &out);
        gr_soil_commit(wheel, state, next);
    }
    printf("drawbar pull at slip 0.4: steady %.3f N, after 1 m of rolling %.3f N\n", steady.f_x, out.wrench[0]);
    free(state);
    free(next);
    gr_soil_wheel_free(wheel);
    return 0;
}
