/// grouser grains speed: how fast this machine steps a bed, and the same bed as a file for other programs.
#include "bin_rig.h"
#include "grains_command.h"
#include "vec3.h"

#include <math.h>
#include <stdio.h>

/// LAMMPS' data file (atom_style sphere; LIGGGHTS' granular has the same columns): id, type, diameter, density, place.
static GrStatus write_data(const GrBin *bin, const char *path, bool json, GrErrorLog *log)
{
    const double *size = bin->def.size;
    if (bin->view.members > 1) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "--data"}, "spheres alone; these are clumps");
    }
    GrBuffer out = {0};
    gr_buffer_printf(
        &out, "grains\n\n%d atoms\n1 atom types\n\n0 %.9g xlo xhi\n0 %.9g ylo yhi\n-0.001 %.9g zlo zhi\n\nAtoms\n\n",
        bin->view.count, size[0], size[1], size[2]);
    const GrGrain *grains = gr_bin_grains(bin);
    for (int i = 0; i < bin->view.count; i++) {
        const GrGrain *g = &grains[i];
        const GrVec3 p = gr_bin_position(bin, g);
        gr_buffer_printf(&out, "%d 1 %.9g %.9g %.10g %.10g %.10g\n", g->id + 1, 2 * (double)g->radius,
                         bin->def.grains.density, p.x, p.y, p.z);
    }
    return gr_report_file(path, &out, json, log);
}

typedef struct Speed {
    double wall, rate;
    int64_t rebuilds;
    GrBinMeasure after;
} Speed;

static GrStatus measure(GrBin *bin, int steps, Speed *speed, GrErrorLog *log)
{
    GrStatus status = gr_bin_step(bin, log); // opens a GPU, and copies the bed to it
    const int64_t before = bin->rebuilds;
    const double start = gr_progress_now();
    for (int k = 0; k < steps && status == GR_OK; k++) {
        status = gr_bin_step(bin, log);
    }
    speed->wall = gr_progress_now() - start;
    speed->rate = (double)bin->view.count * steps / speed->wall;
    speed->rebuilds = bin->rebuilds - before;
    speed->after = gr_bin_measure(bin);
    return status;
}

static void print_speed(const GrGrainsOptions *o, const GrBin *bin, int steps, const Speed *s)
{
    char answer[200];
    snprintf(answer, sizeof answer,
             "%.3g particle-steps a second: %d grains, %.3g ms a step of %.3g s, %lld new lists in %d steps", s->rate,
             bin->view.count, 1000 * s->wall / steps, bin->dt, (long long)s->rebuilds, steps);
    if (!o->json) {
        printf("%s\n", answer);
        return;
    }
    GrJson json = gr_json_to_file(stdout, true);
    gr_json_begin_object(&json, NULL);
    gr_json_string(&json, "answer", answer);
    gr_json_number(&json, "particle_steps_per_s", s->rate);
    gr_json_integer(&json, "grains", bin->view.count);
    gr_json_integer(&json, "steps", steps);
    gr_json_number(&json, "wall_s", s->wall);
    gr_json_number(&json, "step_s", bin->dt);
    gr_json_integer(&json, "rebuilds", (int)s->rebuilds);
    gr_json_number(&json, "kinetic_energy_J", s->after.kinetic);
    gr_json_number(&json, "contacts", s->after.contacts);
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)s->after.hash);
    gr_json_string(&json, "state_hash", hash);
    gr_json_end(&json);
    gr_json_finish(&json);
}

static int run_speed(int argc, char **argv)
{
    GrGrainsOptions o = {0};
    const char *data = NULL;
    double steps = 500;
    int exit_code;
    const GrOption options[] = {
        {.name = "set", .value = "KEY=VALUE", .list = &o.overrides, .help = "replace a value of the bed's file"},
        {.name = "jobs",
         .letter = 'j',
         .value = "N",
         .number = &o.threads,
         .help = "threads; default: one a processor"},
        {.name = "device", .value = "DEVICE", .text = &o.device, .help = GR_GRAINS_DEVICE_HELP},
        {.name = "steps", .value = "N", .number = &steps, .help = "default 500"},
        {.name = "data", .value = "FILE", .text = &data, .help = "write the bed for LAMMPS and LIGGGHTS"},
        {.name = "json", .flag = &o.json, .help = "print JSON"},
    };
    if (gr_options_parse(&gr_grains_speed_command, options, 6, argc, argv, &o.bed, 1, 1, &exit_code) < 0) {
        return exit_code;
    }
    GrErrorLog log = {0};
    GrBin *bin = NULL;
    Speed speed;
    GrStatus status = gr_grains_check(&o, &log);
    if (status == GR_OK && !(steps >= 1 && steps <= 1e8 && steps == floor(steps))) {
        status = gr_error_add(&log, GR_ERROR_USAGE, (GrLocation){.field = "--steps"}, "takes a whole number, 1 to 1e8");
    }
    status = status == GR_OK ? gr_grains_bed(&o, &bin, &log) : status;
    status = status == GR_OK && data != NULL ? write_data(bin, data, o.json, &log) : status;
    if (status == GR_OK) {
        status = measure(bin, (int)steps, &speed, &log);
    }
    if (status == GR_OK) {
        print_speed(&o, bin, (int)steps, &speed);
    }
    gr_bin_free(bin);
    gr_report_log(&log);
    return gr_report_exit_code(status);
}

const GrCommand gr_grains_speed_command = {
    .name = "grains speed",
    .summary = "particle-steps a second on this machine",
    .usage = "grains speed BED [--steps N] [-j N] [--device D] [--data FILE] [--json]",
    .details =
        "Steps a bed and says how fast. --data writes the bed as LAMMPS and LIGGGHTS read it; bench/grain_peers.py\n"
        "compares the three.",
    .example = "  grouser grains speed bed.grains -j 1 --steps 200",
    .run = run_speed,
};
