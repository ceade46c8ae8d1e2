/// GrModel: prepares soils, grids and the rigid scene for every wheel of a rover, and answers queries about a model.
#include "model_parts.h"

#include "alloc.h"
#include "body_shapes.h"
#include "check.h"
#include "law.h"
#include "messages.h"
#include "model_data.h"
#include "out_of_memory.h"
#include "parts.h"
#include "rft_wheel.h"
#include "soil_param.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

GrSurfaceDef gr_default_surface_def(void)
{
    return (GrSurfaceDef){.slices = 1, .rut_cell = 0.01, .bodies_press = true};
}

GrOptions gr_default_options(void)
{
    return (GrOptions){.cookie = GR_COOKIE,
                       .gravity = {0, 0, -9.80665},
                       .step = 0.005,
                       .integrator = GR_INTEGRATOR_LINEAR,
                       .tolerance = 1e-10,
                       .surface = gr_default_surface_def()};
}

static const struct {
    const char *name;
    double gravity; ///< at the surface [m/s²]
} GRAVITIES[] = {{"earth", 9.80665}, {"moon", 1.62}, {"mars", 3.71}, {"phobos", 0.0057}, {"ceres", 0.284}, {"zero", 0}};

const char *gr_gravity_name(int index)
{
    const int count = (int)(sizeof GRAVITIES / sizeof GRAVITIES[0]);
    return index >= 0 && index < count ? GRAVITIES[index].name : NULL;
}

bool gr_gravity_named(const char *name, double *gravity)
{
    for (int i = 0; gr_gravity_name(i) != NULL; i++) {
        if (strcmp(GRAVITIES[i].name, name) == 0) {
            *gravity = GRAVITIES[i].gravity;
            return true;
        }
    }
    return false;
}

/// Working state while a model is built.
typedef struct Build {
    const GrRoverDef *rover;
    GrModel *m;
} Build;

#define NEW(build, type, count) ((type *)gr_arena_alloc(&(build)->m->arena, sizeof(type) * (size_t)((count) + 1)))

/// Names the joints; those with several axes are called JOINT.axis.
static void name_joints(Build *build)
{
    const GrRoverDef *rover = build->rover;
    GrModel *m = build->m;
    char(*names)[GR_NAME_SIZE] = gr_arena_alloc(&m->arena, (size_t)(m->joint_count + 1) * GR_NAME_SIZE);
    GrJointRole *roles = NEW(build, GrJointRole, m->joint_count);
    if (build->m->arena.failed) {
        return;
    }
    for (int i = 0, axis = 0; i < m->joint_count; i++) {
        const GrJointDef *def = &rover->joints[m->joint_def[i]];
        const GrJointKindRow *kind = gr_joint_kind(def->kind);
        axis = i > 0 && m->joint_def[i - 1] == m->joint_def[i] ? axis + 1 : 0;
        if (kind->axis_count > 1) {
            snprintf(names[i], GR_NAME_SIZE, "%.*s.%s", GR_NAME_SIZE - 4, def->name, kind->axes[axis].suffix);
        } else {
            gr_text_copy(names[i], GR_NAME_SIZE, def->name);
        }
        roles[i] = def->role;
    }
    m->joint_names = (const char(*)[GR_NAME_SIZE])names;
    m->joint_roles = roles;
}

static void name_parts(Build *build)
{
    const GrRoverDef *rover = build->rover;
    GrModel *m = build->m;
    char(*body_names)[GR_NAME_SIZE] = gr_arena_alloc(&m->arena, (size_t)(rover->body_count + 1) * GR_NAME_SIZE);
    char(*wheel_names)[GR_NAME_SIZE] = gr_arena_alloc(&m->arena, (size_t)(rover->wheel_count + 1) * GR_NAME_SIZE);
    GrWheel *wheels = NEW(build, GrWheel, rover->wheel_count);
    if (build->m->arena.failed) {
        return;
    }
    gr_text_copy(m->name, sizeof m->name, rover->name);
    for (int k = 0; k < rover->body_count; k++) {
        gr_text_copy(body_names[k], GR_NAME_SIZE, rover->bodies[k].name);
    }
    for (int i = 0; i < rover->wheel_count; i++) {
        const GrWheelDef *w = &rover->wheels[i];
        const GrBodyPlace *place = &m->places[w->body];
        const GrPose pose = gr_pose_mul(place->pose, w->pose);
        gr_text_copy(wheel_names[i], GR_NAME_SIZE, w->name);
        wheels[i] = (GrWheel){
            .body = place->body,
            .centre = pose.position,
            .axle = gr_quat_rotate(gr_quat_normalize(pose.rotation), gr_vec3(0, 1, 0)),
            .up = gr_quat_rotate(gr_quat_normalize(pose.rotation), gr_vec3(0, 0, 1)),
            .radius = w->radius,
            .width = w->width,
            .stiffness = w->stiffness,
            .damping = w->damping,
            .grouser_count = w->grouser_count,
            .grouser_height = w->grouser_count > 0 ? w->grouser_height : 0, // no grousers, whatever their height
            .grouser_thickness = w->grouser_thickness,
            .grouser_lugs = w->grouser_lugs,
            .surface = gr_wheel_surface_share(w->surface),
            .side = gr_side_wall_share(w->side),
        };
    }
    m->def_body_count = rover->body_count;
    m->wheel_count = rover->wheel_count;
    m->body_names = (const char(*)[GR_NAME_SIZE])body_names;
    m->wheel_names = (const char(*)[GR_NAME_SIZE])wheel_names;
    m->wheels = wheels;
    name_joints(build);
}

static GrSoilWheelDef soil_wheel_def(const GrModel *m, int i)
{
    const GrWheel *wheel = &m->wheels[i];
    GrSoilWheelDef def = gr_default_soil_wheel_def();
    def.radius = wheel->radius;
    def.width = wheel->width;
    def.grouser_count = wheel->grouser_count;
    def.grouser_height = wheel->grouser_height;
    def.grouser_thickness = wheel->grouser_thickness;
    def.grousers = wheel->grouser_lugs ? GR_GROUSER_LUGS : GR_GROUSER_RADIUS;
    def.stiffness = wheel->stiffness;
    def.damping = wheel->damping;
    def.side = wheel->side;
    def.slices = m->options.surface.slices;
    def.gravity = gr_norm(m->tree.gravity);
    return def;
}

static GrStatus prepare_wheel(const GrModel *m, const GrSoilDef *soil, int i, GrSoilWheel *out, GrErrorLog *log)
{
    GrSoilWheelDef def = soil_wheel_def(m, i);
    if (gr_law_has(soil->law, GR_LAW_GRAINS)) {
        def.grousers = GR_GROUSER_RADIUS; // 3D-RFT has each of them as its own surface in any case
        if (m->wheels[i].surface != NULL && def.slices > 1) {
            return gr_error_add(log, GR_ERROR_UNSUPPORTED, (GrLocation){.field = "slices"},
                                "found %d, allowed: 1, since wheel %s has a mesh for the soil (soil_mesh)", def.slices,
                                m->wheel_names[i]);
        }
        if (m->wheels[i].surface != NULL) {
            gr_wheel_surface_describe(m->wheels[i].surface, &def);
        }
    }
    return gr_soil_wheel_prepare(soil, &def, out, log);
}

/// Whether bodies press the soil as wheels do.
static bool bodies_press(const GrSurfaceDef *surface)
{
    return surface->bodies_press && (surface->scene == NULL || surface->scene->bodies);
}

/// Prepares wheels for a grid: where the law is scm, which all soils must share, or where wheels press their shape into
/// ruts.
static GrStatus prepare_grid(Build *build, const GrSoilDef *soils, int count, GrErrorLog *log)
{
    GrModel *m = build->m;
    GrSurfaceDef *surface = &m->options.surface;
    int grids = 0;
    for (int i = 0; i < count; i++) {
        grids += gr_soil_law_on_grid(soils[i].law);
    }
    if (surface->ruts == GR_RUTS_AUTO) {
        surface->ruts = grids > 0 ? GR_RUTS_SCM : GR_RUTS_NONE;
    }
    if (grids == 0 && surface->ruts != GR_RUTS_SCM) {
        return GR_OK;
    }
    if (grids > 0 && grids < count) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "law"},
                            "%d of %d soils have the law scm; use scm for all soils or for none", grids, count);
    }
    GrScmBody *bodies = NEW(build, GrScmBody, count * m->wheel_count);
    if (bodies == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    for (int i = 0; i < count * m->wheel_count; i++) {
        const GrSoilWheelDef def = soil_wheel_def(m, i % m->wheel_count);
        const GrSoilDef *soil = &soils[i / m->wheel_count];
        GrStatus status = gr_soil_check_grid(soil, log);
        if (status == GR_OK) {
            status = gr_scm_prepare_wheel(soil, &def, surface->rut_cell, &bodies[i], log);
        }
        if (status != GR_OK) {
            return status;
        }
        bodies[i].ground = (GrScmGround){surface->height, surface->context};
        bodies[i].flow = surface->soil_flow;
        m->scm_nodes = bodies[i].node_max > m->scm_nodes ? bodies[i].node_max : m->scm_nodes;
    }
    if (grids == 0) {
        m->imprint_bodies = bodies;
        return GR_OK;
    }
    m->scm_bodies = bodies;
    return gr_scm_shapes_build(build->rover, soils, count, bodies_press(surface), m, log);
}

/// Prepares the bodies for soil that they press without a grid, law rft.
static GrStatus prepare_bodies(Build *build, const GrSoilDef *soils, int count, GrErrorLog *log)
{
    GrModel *m = build->m;
    const bool press = m->scm_bodies == NULL && bodies_press(&m->options.surface);
    return press ? gr_grain_shapes_build(build->rover, soils, count, m, log) : GR_OK;
}

/// Prepares wheels for traces, where ruts are of that kind.
static GrStatus prepare_traces(Build *build, const GrSoilDef *soils, int count, GrErrorLog *log)
{
    GrModel *m = build->m;
    GrSurfaceDef *surface = &m->options.surface;
    const GrTraceDef usual = gr_default_trace_def(), *trace = surface->trace != NULL ? surface->trace : &usual;
    if (surface->ruts != GR_RUTS_TRACE) {
        return GR_OK;
    }
    if (!(surface->rut_cell > 0 && isfinite(surface->rut_cell))) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "ruts"},
                            "the cell of the ruts must be above 0, not %g m", surface->rut_cell);
    }
    const GrStatus status = gr_trace_check(trace, log);
    if (status != GR_OK) {
        return status;
    }
    GrTraceWheel *wheels = NEW(build, GrTraceWheel, count * m->wheel_count);
    if (wheels == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    for (int i = 0; i < count * m->wheel_count; i++) {
        const GrSoilWheelDef def = soil_wheel_def(m, i % m->wheel_count);
        gr_trace_prepare(trace, &soils[i / m->wheel_count], &def, surface->rut_cell, &wheels[i]);
    }
    m->trace_wheels = wheels;
    surface->trace = NULL; // read above; need not outlive this call
    return GR_OK;
}

/// Whether laws of the wheels take the ruts around them, and their own heaps.
static void look_around(GrModel *m, const GrSoilDef *soils, int count)
{
    const bool ruts = m->trace_wheels != NULL || m->imprint_bodies != NULL;
    const bool flow = m->imprint_bodies != NULL && m->options.surface.soil_flow;
    for (int i = 0; i < count; i++) {
        m->sees_ruts = m->sees_ruts || (ruts && gr_law_has(soils[i].law, GR_LAW_GRAINS));
        m->raises_heaps = m->raises_heaps || (flow && gr_rft_heap(&soils[i]) > 0);
    }
}

/// Prepares the soils for every wheel; refuses a soil that is not valid for one of them.
static GrStatus prepare_soil(Build *build, GrErrorLog *log)
{
    GrModel *m = build->m;
    GrSurfaceDef *surface = &m->options.surface;
    const int count = surface->soil_count > 0 ? surface->soil_count : 1;
    if (surface->soil == NULL) {
        return GR_OK;
    }
    if (surface->soil_count < 0 || count > GR_SOIL_MAP_NAMES) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "soil_count"}, "found %d, allowed: 1 to %d",
                            surface->soil_count, GR_SOIL_MAP_NAMES);
    }
    GrSoilWheel *soil_wheels = NEW(build, GrSoilWheel, count * m->wheel_count);
    if (soil_wheels == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    for (int i = 0; i < count * m->wheel_count; i++) {
        const GrStatus status =
            prepare_wheel(m, &surface->soil[i / m->wheel_count], i % m->wheel_count, &soil_wheels[i], log);
        if (status != GR_OK) {
            return status;
        }
        m->soil_unloads = m->soil_unloads || soil_wheels[i].unloads;
        m->soil_state = soil_wheels[i].state_size > m->soil_state ? soil_wheels[i].state_size : m->soil_state;
    }
    if (surface->wheel_soil != NULL) {
        int *own = NEW(build, int, m->wheel_count);
        if (own == NULL) {
            return gr_out_of_memory(log, NULL);
        }
        memcpy(own, surface->wheel_soil, sizeof(int) * (size_t)m->wheel_count);
        for (int i = 0; i < m->wheel_count; i++) {
            if (own[i] < GR_WHEEL_RIGID || own[i] >= count) {
                return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "wheel_soil"},
                                    "wheel %s: found %d, allowed: %d to %d", m->wheel_names[i], own[i], GR_WHEEL_RIGID,
                                    count - 1);
            }
            if (own[i] == GR_WHEEL_RIGID && surface->scene == NULL) {
                return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "wheel_soil"},
                                    "wheel %s stands on rigid ground, which needs a scene", m->wheel_names[i]);
            }
        }
        m->wheel_soil = own;
    }
    GrStatus ruts = prepare_grid(build, surface->soil, count, log);
    ruts = ruts == GR_OK ? prepare_traces(build, surface->soil, count, log) : ruts;
    ruts = ruts == GR_OK ? prepare_bodies(build, surface->soil, count, log) : ruts;
    look_around(m, surface->soil, count);
    if (ruts != GR_OK) {
        return ruts;
    }
    m->soil_wheels = soil_wheels;
    m->soil_count = count;
    surface->soil = NULL; // the caller's definitions were read above and need not outlive this call
    surface->wheel_soil = NULL;
    return GR_OK;
}

/// Whether an earlier wheel has the same size, so that a warning about this one would only repeat it.
static bool is_repeated(const GrModel *m, int wheel)
{
    for (int i = 0; i < wheel; i++) {
        if (m->soil_wheels[i].radius == m->soil_wheels[wheel].radius && m->wheels[i].width == m->wheels[wheel].width) {
            return true;
        }
    }
    return false;
}

/// Warns, once each, about wheels whose mesh for the soil has no effect on one of the soils.
static void warn_meshes(const GrModel *m, GrErrorLog *log)
{
    bool surface = false, sides = false;
    for (int i = 0; i < m->soil_count * m->wheel_count; i++) {
        const GrWheel *wheel = &m->wheels[i % m->wheel_count];
        const GrSoilDef *soil = &m->soil_wheels[i].soil;
        surface = surface || (wheel->surface != NULL && gr_soil_warn_surface(soil, log));
        sides = sides || (wheel->side != NULL && gr_soil_warn_sides(soil, log));
    }
}

/// Warns about soils that pull wheels forward without slip, or that are far from the gravity of their fit.
static void warn_soils(const GrModel *m, GrErrorLog *log)
{
    const double gravity = gr_norm(m->tree.gravity);
    for (int i = 0; log != NULL && m->soil_wheels != NULL && m->wheel_count > 0 && i < m->soil_count; i++) {
        gr_soil_warn_gravity(&m->soil_wheels[i * m->wheel_count].soil, gravity, log);
    }
    for (int i = 0; log != NULL && m->soil_wheels != NULL && i < m->soil_count * m->wheel_count; i++) {
        if (!is_repeated(m, i % m->wheel_count)) {
            gr_soil_warn_free_pull(&m->soil_wheels[i], m->wheel_load, log);
        }
    }
}

/// The rigid world, if there is a scene.
static GrStatus prepare_scene(Build *build, GrErrorLog *log)
{
    GrModel *m = build->m;
    const GrSceneDef *scene = m->options.surface.scene;
    for (int b = 0; b < m->tree.body_count && m->wheel_count > 0; b++) {
        m->wheel_load += m->tree.bodies[b].mass * gr_norm(m->tree.gravity) / m->wheel_count;
    }
    m->options.surface.scene = NULL; // read here only
    return scene != NULL ? gr_scene_build(scene, build->rover, m, log) : GR_OK;
}

static GrStatus check_options(const GrOptions *options, GrErrorLog *log)
{
    if (!(options->step > 0 && isfinite(options->step))) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "step"}, "found %g, allowed: > 0 s",
                            options->step);
    }
    if (!isfinite(gr_norm(options->gravity))) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "gravity"}, "is not finite");
    }
    if (!(options->tolerance >= 1e-14 && options->tolerance <= 1e-2)) {
        return gr_error_add(log, GR_ERROR_VALUE, (GrLocation){.field = "tolerance"}, "found %g, allowed: 1e-14 to 0.01",
                            options->tolerance);
    }
    if (!gr_integrator_is_built(options->integrator)) {
        return gr_part_missing("CVODE", (GrLocation){.field = "integrator"}, log);
    }
    return GR_OK;
}

static GrModel *make_model(const GrRoverDef *rover, const GrOptions *options, GrErrorLog *log)
{
    const GrOptions defaults = gr_default_options();
    const GrOptions *chosen = options != NULL ? options : &defaults;
    if (gr_cookie_check(rover->cookie, "rover: start from gr_default_rover_def()", log) != GR_OK ||
        gr_cookie_check(chosen->cookie, "options: start from gr_default_options()", log) != GR_OK ||
        gr_rover_check(rover, log) != GR_OK || check_options(chosen, log) != GR_OK) {
        return NULL;
    }
    GrModel *m = gr_calloc(1, sizeof *m);
    if (m == NULL) {
        gr_out_of_memory(log, NULL);
        return NULL;
    }
    Build build = {.rover = rover, .m = m};
    m->tree.gravity = chosen->gravity;
    m->tree.tolerance = chosen->tolerance;
    m->options = *chosen;
    m->integrator = &gr_integrators[chosen->integrator];
    if (gr_model_build_tree(m, rover, log) != GR_OK) {
        gr_model_free(m);
        return NULL;
    }
    name_parts(&build);
    if (m->arena.failed) {
        gr_out_of_memory(log, NULL);
        gr_model_free(m);
        return NULL;
    }
    if (gr_wheel_shapes_check(rover, m, log) != GR_OK || prepare_soil(&build, log) != GR_OK ||
        prepare_scene(&build, log) != GR_OK) {
        gr_model_free(m);
        return NULL;
    }
    warn_soils(m, log);
    warn_meshes(m, log);
    return m;
}

GrStatus gr_model_create(const GrRoverDef *rover, const GrOptions *options, GrModel **out, GrErrorLog *log)
{
    *out = make_model(rover, options, log);
    return *out != NULL ? GR_OK : gr_messages_last_error(log, GR_ERROR_MODEL);
}

void gr_model_free(GrModel *model)
{
    if (model != NULL) {
        for (int i = 0; i < model->wheel_count; i++) {
            gr_wheel_surface_free(model->wheels[i].surface);
            gr_side_wall_free(model->wheels[i].side);
        }
        gr_rigid_scene_free(&model->rigid);
        gr_arena_free(&model->arena);
        gr_free(model);
    }
}

const char *gr_model_name(const GrModel *model)
{
    return model->name;
}

int gr_model_body_count(const GrModel *model)
{
    return model->tree.body_count;
}

int gr_model_dof_count(const GrModel *model)
{
    return model->tree.dof_count;
}

int gr_model_wheel_count(const GrModel *model)
{
    return model->wheel_count;
}

int gr_model_joint_count(const GrModel *model)
{
    return model->joint_count;
}

const char *gr_model_joint_name(const GrModel *model, int joint)
{
    GR_CHECK_OR_RETURN(joint >= 0 && joint < model->joint_count, "");
    return model->joint_names[joint];
}

GrJointRole gr_model_joint_role(const GrModel *model, int joint)
{
    GR_CHECK_OR_RETURN(joint >= 0 && joint < model->joint_count, GR_ROLE_PASSIVE);
    return model->joint_roles[joint];
}

bool gr_model_joint_slides(const GrModel *model, int joint)
{
    GR_CHECK_OR_RETURN(joint >= 0 && joint < model->joint_count, false);
    return gr_motion_slides(model->tree.joints[model->joint_body[joint]].motion);
}

const char *gr_model_wheel_name(const GrModel *model, int wheel)
{
    GR_CHECK_OR_RETURN(wheel >= 0 && wheel < model->wheel_count, "");
    return model->wheel_names[wheel];
}

int gr_model_loose_count(const GrModel *model)
{
    return model->rigid.world != NULL ? gr_rigid_loose_count(model->rigid.world) : 0;
}

int gr_model_loose_stone(const GrModel *model, int loose)
{
    GR_CHECK_OR_RETURN(loose >= 0 && loose < gr_model_loose_count(model), -1);
    return model->rigid.loose_stone[loose];
}

static int find(const char (*names)[GR_NAME_SIZE], int count, const char *name)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

int gr_model_find_joint(const GrModel *model, const char *name)
{
    return find(model->joint_names, model->joint_count, name);
}

int gr_model_part_count(const GrModel *model)
{
    return model->def_body_count;
}

const char *gr_model_part_name(const GrModel *model, int part)
{
    GR_CHECK_OR_RETURN(part >= 0 && part < model->def_body_count, "");
    return model->body_names[part];
}

int gr_model_find_body(const GrModel *model, const char *name)
{
    return find(model->body_names, model->def_body_count, name);
}
