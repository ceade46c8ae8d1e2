/// Pointers to functions. On a processor they are just that. On a GPU (GR_DEVICE) they are numbers: calls compare them
/// and call by name (src/batch/lane_absent.c), so that the compiler knows all calls, and how much memory a thread
/// takes.
#ifndef GR_DEVICE_CALL_H
#define GR_DEVICE_CALL_H

#include "vec3.h"

#include <stdbool.h>
#include <stdint.h>

/// The functions that what a model points to can have on a GPU: with those numbers from 1.
#define GR_DEVICE_FUNCTION_LIST(X)                                                                                     \
    X(gr_step_linear)                                                                                                  \
    X(gr_step_euler)                                                                                                   \
    X(gr_step_beeman)                                                                                                  \
    X(gr_height_of_plane)                                                                                              \
    X(gr_height_of_terrain)                                                                                            \
    X(gr_height_of_soil)                                                                                               \
    X(gr_soils_of_map)                                                                                                 \
    X(gr_slider_spring)                                                                                                \
    X(gr_slider_tanh)                                                                                                  \
    X(gr_slider_bengisu_akay)                                                                                          \
    X(gr_slider_pacejka)                                                                                               \
    X(gr_mission_pull_force)

#define GR_DEVICE_NUMBER(name) GR_NUMBER_OF_##name,
enum { GR_NO_FUNCTION, GR_DEVICE_FUNCTION_LIST(GR_DEVICE_NUMBER) GR_DEVICE_FUNCTIONS };

#ifdef GR_DEVICE
#define GR_CALL(name, pointer, ...) gr_call_##name(pointer, __VA_ARGS__)
#define GR_POINTS_TO(pointer, name) ((uintptr_t)(pointer) == (uintptr_t)GR_NUMBER_OF_##name)
/// A pointer that is only asked whether it is NULL, since its call is always that of `name`, or never made.
#define GR_POINTER(name) ((__typeof__(&(name)))(uintptr_t)1)

struct GrTree;
struct GrTreeData;
struct GrModel;
struct GrData;

bool gr_call_height(bool (*height)(const void *, double, double, double *, GrVec3 *), const void *context, double x,
                    double y, double *z, GrVec3 *normal);
bool gr_call_view(bool (*height)(const void *, double, double, double *, GrVec3 *), const void *context, double x,
                  double y, double *z, GrVec3 *normal);
int gr_call_material(int (*material)(const void *, double, double), const void *context, double x, double y);
void gr_call_evaluate(void (*evaluate)(void *, const struct GrTree *, struct GrTreeData *, double), void *context,
                      const struct GrTree *t, struct GrTreeData *d, double dt);
bool gr_call_revise(bool (*revise)(void *, const struct GrTree *, struct GrTreeData *, double), void *context,
                    const struct GrTree *t, struct GrTreeData *d, double dt);
void gr_call_force(void (*force)(void *, const struct GrModel *, struct GrData *, double), void *context,
                   const struct GrModel *m, struct GrData *d, double dt);
#else
#define GR_CALL(name, pointer, ...) (pointer)(__VA_ARGS__)
#define GR_POINTS_TO(pointer, name) ((pointer) == (name))
#define GR_POINTER(name)            (name)
#endif

#endif
