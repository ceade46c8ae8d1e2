/// GrModel: a validated rover with its ground and its integrator, ready to simulate. Immutable, shared by threads.
///
/// A model copies what it needs from the definitions, except for fields documented to outlive it (ground functions and
/// their contexts). Every error in a definition goes to the log, with its field.
///
/// Example:
///
///     GrErrorLog log = {0};
///     GrRoverDef rover;
///     if (gr_rover_load("curiosity_like", NULL, &rover, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     GrOptions options = gr_default_options();
///     gr_gravity_named("mars", &options.gravity.z);
///     options.gravity.z = -options.gravity.z; // down
///     GrModel *m = NULL;
///     gr_model_create(&rover, &options, &m, &log);
///     if (m != NULL) {
///         printf("%d wheels, %d joints\n", gr_model_wheel_count(m), gr_model_joint_count(m)); // prints: 6 wheels
///     }
///     gr_model_free(m);
///     gr_rover_free(&rover);
#ifndef GROUSER_MODEL_H
#define GROUSER_MODEL_H

#include "grouser/rover.h"
#include "grouser/scene.h"
#include "grouser/soil.h"
#include "grouser/soil_map.h"
#include "grouser/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct GrModel GrModel;

/// Gets height [m] and upward unit normal of the ground at (x, y). Returns false where there is no ground.
typedef bool (*GrHeightFn)(const void *context, double x, double y, double *z, GrVec3 *normal);

/// Gets the soils at (x, y): classes of the mix are indices + 1 into GrSurfaceDef::soil. If it returns false or an
/// unknown class, soil 0 is used.
typedef bool (*GrSoilAtFn)(const void *context, double x, double y, GrSoilMix *mix);

/// Kinds of ruts, which the following wheels drive through: constant, name in files, text.
#define GR_RUTS_LIST(X)                                                                                                \
    X(AUTO, auto, "scm with the law scm, none with the others")                                                        \
    X(NONE, none, "no ruts; with the law scm the grid recovers behind each wheel")                                     \
    X(TRACE, trace, "a trough with imprints of the grousers, by a regression (Kamohara et al. 2024)")                  \
    X(SCM, scm, "deformable soil: the grid of the law scm, or an imprint of the wheel under other laws")

/// Default AUTO. Every kind works with every soil law.
typedef enum GrRutsKind {
#define GR_RUTS_ENUM(id, name, text) GR_RUTS_##id,
    GR_RUTS_LIST(GR_RUTS_ENUM)
#undef GR_RUTS_ENUM
        GR_RUTS_COUNT
} GrRutsKind;

/// Integrators: constant, name in files and on the command line. `grouser list integrators` describes them.
#define GR_INTEGRATOR_LIST(X)                                                                                          \
    X(LINEAR, linear)                                                                                                  \
    X(EULER, euler)                                                                                                    \
    X(BEEMAN, beeman)                                                                                                  \
    X(CVODE, cvode)

typedef enum GrIntegrator {
#define GR_INTEGRATOR_ENUM(id, name) GR_INTEGRATOR_##id,
    GR_INTEGRATOR_LIST(GR_INTEGRATOR_ENUM)
#undef GR_INTEGRATOR_ENUM
        GR_INTEGRATOR_COUNT
} GrIntegrator;

/// Name of an integrator in files, and a one-line description; never NULL.
GR_API const char *gr_integrator_name(GrIntegrator integrator);
GR_API const char *gr_integrator_text(GrIntegrator integrator);

/// Whether this build includes the integrator. GR_INTEGRATOR_CVODE needs SUNDIALS.
GR_API bool gr_integrator_is_built(GrIntegrator integrator);

/// Looks up an integrator by name. An unknown name is an error that suggests the nearest valid one.
/// GR_ERROR_UNSUPPORTED: this build does not include the integrator.
GR_API GrStatus gr_integrator_find(const char *name, GrIntegrator *out, GrErrorLog *log);

/// Value of GrSurfaceDef.wheel_soil: the ground is rigid for this wheel.
enum { GR_WHEEL_RIGID = -2 };

/// The ground under the wheels. Start from gr_default_surface_def().
typedef struct GrSurfaceDef {
    const GrSoilDef *soil; ///< one or more soils; NULL (default): none. Only read by gr_model_create()
    int soil_count;        ///< number of soils, 1 .. GR_SOIL_MAP_NAMES; 0 (default) counts as 1
    GrSoilAtFn soil_at;    ///< NULL (default): soil 0 everywhere. Must be a pure function
    const void *soil_context;
    const int *wheel_soil; ///< soil of each wheel, independent of its position; −1: by position; GR_WHEEL_RIGID: rigid
                           ///< ground, which needs a scene; NULL (default): all by position
    GrHeightFn height;       ///< NULL (default): the plane z = 0. Must be a pure function
    const void *context;     ///< passed to `height`; must outlive the model
    int slices;              ///< slices of each wheel across its width, 1 .. GR_SLICES_MAX; default 1
    GrRutsKind ruts;         ///< kind of ruts that wheels leave; default auto
    const GrTraceDef *trace; ///< parameters of GR_RUTS_TRACE; NULL: default. Only read by gr_model_create()
    double rut_cell;         ///< cell size of the grid of ruts and of the law scm [m] > 0; default 0.01
    bool soil_flow;          ///< law or ruts scm: displaced soil rises beside the wheels and slumps; default false
    bool bodies_press;       ///< laws scm and rft: body shapes press the soil as wheels do; default true
    const GrSceneDef *scene; ///< rigid objects; NULL (default): none. Only read by gr_model_create()
} GrSurfaceDef;

GR_API GrSurfaceDef gr_default_surface_def(void);

/// Simulation options. Start from gr_default_options().
typedef struct GrOptions {
    unsigned cookie;         ///< set by gr_default_options(): finds definitions that were not initialised
    GrVec3 gravity;          ///< world axes [m/s²]; default: Earth, (0, 0, −9.80665)
    double step;             ///< [s] > 0; default 0.005
    GrIntegrator integrator; ///< default GR_INTEGRATOR_LINEAR
    double tolerance; ///< GR_INTEGRATOR_CVODE: relative tolerance of the local error, 1e-14 .. 1e-2; default 1e-10
    GrSurfaceDef surface;
} GrOptions;

GR_API GrOptions gr_default_options(void);

/// Gravity [m/s²] of a named body: earth, moon, mars, phobos, ceres, zero. Returns false if the name is unknown.
GR_API bool gr_gravity_named(const char *name, double *gravity);
/// Names of these bodies by index from 0; NULL beyond the last.
GR_API const char *gr_gravity_name(int index);

/// Checks a definition. All problems go to `log`, each with its part and field.
GR_API GrStatus gr_rover_check(const GrRoverDef *rover, GrErrorLog *log);

/// Whether the inertia is physically possible: positive, and no principal moment larger than the sum of the other two.
GR_API bool gr_inertia_is_physical(GrSym3 inertia);

/// Checks the definition and the options and builds the model. `*out` is NULL after an error.
GR_API GrStatus gr_model_create(const GrRoverDef *rover, const GrOptions *options, GrModel **out, GrErrorLog *log);
GR_API void gr_model_free(GrModel *model);

GR_API const char *gr_model_name(const GrModel *model);

/// Number of moving bodies (bodies joined by fixed joints count as one; massless bodies between the axes of a joint
/// count too), of independent degrees of freedom (6 + joint axes − couplings), and of wheels.
GR_API int gr_model_body_count(const GrModel *model);
GR_API int gr_model_dof_count(const GrModel *model);
GR_API int gr_model_wheel_count(const GrModel *model);

/// Bodies of the definition, including those with a fixed joint, in the order of the definition.
GR_API int gr_model_part_count(const GrModel *model);
GR_API const char *gr_model_part_name(const GrModel *model, int part);

/// Movable joints, including coupled ones, are numbered 0 .. count − 1 in the order of the definition. A joint with
/// several degrees of freedom counts once for each of its axes, named NAME.x, NAME.y, NAME.z for translations and
/// NAME.rx, NAME.ry, NAME.rz for rotations (GrJointKind).
GR_API int gr_model_joint_count(const GrModel *model);
GR_API const char *gr_model_joint_name(const GrModel *model, int joint);
GR_API GrJointRole gr_model_joint_role(const GrModel *model, int joint);
/// Whether the joint's position is a distance [m]; otherwise it is an angle [rad].
GR_API bool gr_model_joint_slides(const GrModel *model, int joint);
GR_API const char *gr_model_wheel_name(const GrModel *model, int wheel);

/// Loose rocks, numbered in the order of the scene's rocks, and the index of the rock of each.
GR_API int gr_model_loose_count(const GrModel *model);
GR_API int gr_model_loose_stone(const GrModel *model, int loose);

/// Index by name; −1 if there is none.
GR_API int gr_model_find_joint(const GrModel *model, const char *name);
GR_API int gr_model_find_body(const GrModel *model, const char *name);

#ifdef __cplusplus
}
#endif
#endif
