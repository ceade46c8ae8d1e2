/// Runs the tests of a study in grains, each from the same bed, with snapshots.
#include "alloc.h"
#include "file.h"
#include "grains_report.h"
#include "out_of_memory.h"

#include <stdio.h>
#include <string.h>

/// Wall time between snapshots [s].
#define SNAPSHOT_EVERY 60.0

static bool same_wheel(const GrWheelMeshDef *a, const GrWheelMeshDef *b)
{
    return a->radius == b->radius && a->width == b->width && a->profile == b->profile && a->crown == b->crown &&
           a->pattern == b->pattern && a->grouser_count == b->grouser_count && a->grouser_height == b->grouser_height &&
           a->grouser_thickness == b->grouser_thickness && a->grouser_angle == b->grouser_angle &&
           a->segments == b->segments;
}

static bool same_test(const GrBinRigDef *a, const GrBinRigDef *b)
{
    return a->kind == b->kind && a->speed == b->speed && a->travel == b->travel && a->diameter == b->diameter &&
           a->inner == b->inner && a->angle == b->angle && a->vanes == b->vanes && a->vane == b->vane &&
           a->load == b->load && same_wheel(&a->wheel, &b->wheel) && a->slip == b->slip &&
           a->slip_angle == b->slip_angle && a->friction == b->friction && a->rolling == b->rolling &&
           a->shape.hash == b->shape.hash;
}

/// A case from its snapshot, or from the bed.
static GrStatus open_case(const GrGrainsOptions *o, const GrBuffer *bed, const GrBinRigDef *def,
                          const GrSurfaceMesh *mesh, const char *path, GrBin **bin, GrBinRig **rig, GrErrorLog *log)
{
    const GrBinWork work = gr_grains_work(o);
    if (o->resume && path[0] != '\0' && gr_file_exists(path)) {
        GrStatus status = gr_bin_rig_load(path, mesh, work, bin, rig, log);
        if (status == GR_OK && !same_test(&(*rig)->state.def, def)) {
            gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.file = path},
                         "is of a test with other numbers; remove it, or give those");
            gr_bin_rig_free(*rig);
            gr_bin_free(*bin);
            *rig = NULL;
            *bin = NULL;
            return GR_ERROR_VALUE;
        }
        return status;
    }
    GrStatus status = gr_bin_unpack(bed->data, bed->size, o->bed, work, NULL, 0, bin, log);
    status = status == GR_OK ? gr_bin_rig_create(def, mesh, *bin, rig, log) : status;
    if (status != GR_OK) {
        gr_bin_free(*bin);
        *bin = NULL;
    }
    return status;
}

static GrStatus run_case(const GrGrainsOptions *o, const GrBuffer *bed, int index, GrGrainsStudy *study,
                         GrErrorLog *log)
{
    GrGrainsCase *c = &study->cases[index];
    char path[GR_FILE_PATH_SIZE] = "", label[64];
    GrBin *bin = NULL;
    GrBinRig *rig = NULL;
    if (o->snapshots != NULL) {
        snprintf(path, sizeof path, "%s/%s_%d.grains", o->snapshots, gr_bin_rig_name(study->kind), index + 1);
    }
    GrStatus status = open_case(o, bed, &c->def, &study->mesh, path, &bin, &rig, log);
    snprintf(label, sizeof label, "%s %d of %d", gr_bin_rig_name(study->kind), index + 1, study->count);
    GrProgress progress = gr_progress_begin(label);
    double saved = gr_progress_now();
    for (int k = 0; status == GR_OK && !rig->state.done; k++) {
        status = gr_bin_rig_step(rig, log);
        if (k % 20 == 0) {
            gr_progress_update(&progress, gr_bin_rig_progress(rig), 1);
            if (path[0] != '\0' && gr_progress_now() - saved > SNAPSHOT_EVERY) {
                status = status == GR_OK ? gr_bin_rig_save(rig, path, log) : status;
                saved = gr_progress_now();
            }
        }
    }
    gr_progress_end(&progress);
    if (status == GR_OK && path[0] != '\0') {
        status = gr_bin_rig_save(rig, path, log);
    }
    if (status == GR_OK) {
        c->answer = gr_bin_rig_answer(rig);
        status = gr_bin_rig_trace(rig, &c->trace, log);
        c->samples = gr_calloc((size_t)rig->state.sample_count + 1, sizeof *c->samples);
        if (c->samples != NULL) {
            c->sample_count = rig->state.sample_count;
            memcpy(c->samples, rig->state.samples, (size_t)c->sample_count * sizeof *c->samples);
        }
        if (status == GR_OK && index == study->count - 1) {
            status = gr_grains_surface(o, bin, log);
        }
        if (status == GR_OK && index == study->count - 1 && o->output != NULL) {
            status = gr_bin_save(bin, o->output, NULL, 0, log);
        }
    }
    gr_bin_rig_free(rig);
    gr_bin_free(bin);
    return status;
}

GrStatus gr_grains_run(const GrGrainsOptions *o, const GrBin *bin, GrGrainsStudy *study, GrErrorLog *log)
{
    GrBuffer bed = {0};
    gr_bin_pack(bin, NULL, 0, &bed);
    GrStatus status = bed.failed ? gr_out_of_memory(log, NULL) : GR_OK;
    status = status == GR_OK && o->snapshots != NULL ? gr_folder_make(o->snapshots, log) : status;
    for (int k = 0; k < study->count && status == GR_OK; k++) {
        status = run_case(o, &bed, k, study, log);
    }
    gr_buffer_free(&bed);
    return status;
}

void gr_grains_study_free(GrGrainsStudy *study)
{
    for (int k = 0; k < study->count; k++) {
        gr_free(study->cases[k].samples);
        study->cases[k].samples = NULL;
    }
    gr_surface_mesh_free(&study->mesh);
}
