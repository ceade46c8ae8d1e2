#include "rover_copy.h"

#include "alloc.h"
#include "grouser/localise.h"
#include "grouser/sense.h"

#include <string.h>

static bool has_meshes(const GrRoverDef *rover)
{
    bool found = false;
    for (int i = 0; i < rover->wheel_count; i++) {
        found = found || rover->wheels[i].mesh != NULL || rover->wheels[i].drawn != NULL ||
                rover->wheels[i].surface != NULL || rover->wheels[i].side != NULL;
    }
    for (int i = 0; i < rover->body_count; i++) {
        for (int k = 0; k < rover->bodies[i].shape_count; k++) {
            found = found || rover->bodies[i].shapes[k].hull != NULL || rover->bodies[i].shapes[k].drawn != NULL;
        }
    }
    return found;
}

/// A copy of an array; NULL for an empty one.
static void *copy_items(const void *items, int count, size_t size, bool *failed)
{
    void *copy = count > 0 ? gr_malloc((size_t)count * size) : NULL;
    if (copy != NULL) {
        memcpy(copy, items, (size_t)count * size);
    }
    *failed = *failed || (count > 0 && copy == NULL);
    return copy;
}

bool gr_rover_copy(GrRoverDef *to, const GrRoverDef *from)
{
    bool failed = false;
    *to = gr_default_rover_def();
    if (has_meshes(from)) {
        return false;
    }
    GrRoverDef copy = *from;
    copy.bodies = copy_items(from->bodies, from->body_count, sizeof *from->bodies, &failed);
    copy.joints = copy_items(from->joints, from->joint_count, sizeof *from->joints, &failed);
    copy.couplings = copy_items(from->couplings, from->coupling_count, sizeof *from->couplings, &failed);
    copy.wheels = copy_items(from->wheels, from->wheel_count, sizeof *from->wheels, &failed);
    copy.notes = copy_items(from->notes, from->note_count, sizeof *from->notes, &failed);
    copy.sensors = copy_items(from->sensors, from->sensor_count, sizeof *from->sensors, &failed);
    copy.localisation = copy_items(from->localisation, from->localisation != NULL, sizeof *from->localisation, &failed);
    for (int i = 0; copy.bodies != NULL && i < copy.body_count; i++) {
        GrBodyDef *body = &copy.bodies[i];
        body->shapes = copy_items(body->shapes, body->shape_count, sizeof *body->shapes, &failed);
        body->shape_count = body->shapes != NULL ? body->shape_count : 0;
    }
    if (failed) {
        copy.body_count = copy.bodies != NULL ? copy.body_count : 0;
        copy.wheel_count = copy.wheels != NULL ? copy.wheel_count : 0;
        gr_rover_free(&copy);
        return false;
    }
    *to = copy;
    return true;
}
