/// Units of grouser/contact.h for bodies of a MuJoCo model, as a passive force.
///
/// MuJoCo 2.2 has no plugins, so texts of the MJCF file say which bodies have contact, and mjcb_passive adds the
/// forces. The callback is called once in a step of the integrators Euler and implicit. A step is accepted when the
/// time has moved on: only then are its pose and twist at the end known.
#include "grouser_mujoco.h"

#include "alloc.h"
#include "grouser/soil_file.h"
#include "number.h"
#include "text.h"
#include "vec3.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS_MAX = 24, TEXT_MAX = 4096 };

typedef struct Unit {
    int body, joint; ///< joint: its hinge; −1: none
    GrModel *model;
    GrContact *contact;
    GrPartForce force;
    bool evaluated;
} Unit;

/// The units of one mjData. MuJoCo does not say when data are deleted, and others may come to the same address, so the
/// texts must be the same too.
typedef struct Set {
    const mjData *data;
    uint64_t texts;
    Unit *units;
    int count;
    double time; ///< of the last evaluation [s]
    struct Set *next;
} Set;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Set *sets;
static mjfGeneric before; ///< the callback that was there

// ---- texts: words KEY=VALUE

typedef struct Words {
    char text[TEXT_MAX];
    const char *key[KEYS_MAX], *value[KEYS_MAX];
    bool used[KEYS_MAX];
    int count;
} Words;

static bool split(const char *text, Words *out, char *error, size_t size)
{
    *out = (Words){.count = 0};
    if (!gr_text_copy(out->text, sizeof out->text, text)) {
        snprintf(error, size, "a text is longer than %d bytes", TEXT_MAX - 1);
        return false;
    }
    char *rest = NULL;
    for (char *word = strtok_r(out->text, " \t\r\n", &rest); word != NULL; word = strtok_r(NULL, " \t\r\n", &rest)) {
        char *equal = strchr(word, '=');
        if (equal == NULL || out->count == KEYS_MAX) {
            snprintf(error, size, "found '%.60s', expected KEY=VALUE, at most %d of them", word, KEYS_MAX);
            return false;
        }
        *equal = '\0';
        out->key[out->count] = word;
        out->value[out->count++] = equal + 1;
    }
    return true;
}

static const char *text_of(Words *words, const char *key)
{
    for (int i = 0; i < words->count; i++) {
        if (strcmp(words->key[i], key) == 0) {
            words->used[i] = true;
            return words->value[i];
        }
    }
    return NULL;
}

/// Sets a number that the words have; false where it is none or not above `least`.
static bool number(Words *words, const char *key, double least, double *value, char *error, size_t size)
{
    const char *text = text_of(words, key);
    char *end = NULL;
    const double found = text != NULL ? gr_number_read(text, &end) : *value;
    if (text != NULL && (end == text || *end != '\0' || !(found > least) || !isfinite(found))) {
        gr_print(error, size, "%s: found '%.40s', allowed: a number above %g", key, text, least);
        return false;
    }
    *value = found;
    return true;
}

/// Every word must have been read.
static bool all_used(const Words *words, const char *const *known, int count, char *error, size_t size)
{
    for (int i = 0; i < words->count; i++) {
        if (!words->used[i]) {
            snprintf(error, size, "there is no key '%.60s'%s", words->key[i],
                     gr_text_hint(words->key[i], known, count, NULL).text);
            return false;
        }
    }
    return true;
}

// ---- the ground and the wheels

/// The text "grouser".
typedef struct Ground {
    GrSoilDef soil;
    GrOptions options;
    char name[GR_NAME_SIZE];
} Ground;

static bool ruts_of(const char *word, GrRutsKind *kind)
{
    static const char *const NAMES[] = {
#define RUTS_NAME(id, name, text) [GR_RUTS_##id] = #name,
        GR_RUTS_LIST(RUTS_NAME)
#undef RUTS_NAME
    };
    for (int i = 0; i < (int)GR_RUTS_COUNT; i++) {
        if (strcmp(NAMES[i], word) == 0) {
            *kind = (GrRutsKind)i;
            return true;
        }
    }
    return false;
}

static bool read_ground(const mjModel *m, const mjData *d, const char *text, Ground *out, char *error, size_t size)
{
    static const char *const KNOWN[] = {"soil", "damping", "ruts", "rut_cell_m", "slices"};
    Words words;
    GrErrorLog log = {.quiet = true};
    *out = (Ground){.options = gr_default_options()};
    if (!split(text, &words, error, size)) {
        return false;
    }
    const char *soil = text_of(&words, "soil"), *ruts = text_of(&words, "ruts");
    GrSoilSources sources;
    if (soil == NULL || gr_soil_load(soil, NULL, &out->soil, &sources, &log) != GR_OK) {
        snprintf(error, size, "soil: %s", soil == NULL ? "is missing" : log.count > 0 ? log.items[0].text : soil);
        return false;
    }
    double slices = out->options.surface.slices;
    const bool good = number(&words, "damping", -1e-300, &out->soil.damping, error, size) &&
                      number(&words, "rut_cell_m", 0, &out->options.surface.rut_cell, error, size) &&
                      number(&words, "slices", 0, &slices, error, size);
    if (!good) {
        return false;
    }
    if (ruts != NULL && !ruts_of(ruts, &out->options.surface.ruts)) {
        snprintf(error, size, "ruts: found '%.40s', allowed: auto, none, trace, scm", ruts);
        return false;
    }
    out->options.surface.slices = (int)slices;
    out->options.gravity = gr_vec3(m->opt.gravity[0], m->opt.gravity[1], m->opt.gravity[2]);
    out->options.integrator = GR_INTEGRATOR_EULER; // as MuJoCo: forces of the step's end, without derivatives
    snprintf(out->name, sizeof out->name, "mujoco %p", (const void *)d);
    return all_used(&words, KNOWN, 5, error, size);
}

/// The body, its wheel and its hinge.
static bool make_unit(const mjModel *m, const Ground *ground, int body, const char *text, Unit *out, char *error,
                      size_t size)
{
    static const char *const KNOWN[] = {
        "radius_m",          "width_m",          "grousers", "grouser_height_m", "grouser_thickness_m", "lugs",
        "stiffness_N_per_m", "damping_Ns_per_m", "axle"};
    enum { KNOWN_COUNT = sizeof KNOWN / sizeof KNOWN[0] };
    Words words;
    if (!split(text, &words, error, size)) {
        return false;
    }
    GrRoverDef rover = gr_default_rover_def(), part;
    GrBodyDef rim = gr_default_body_def();
    GrWheelDef wheel = gr_default_wheel_def();
    const char *axle = text_of(&words, "axle");
    double grousers = 0, lugs = 0;
    wheel.radius = wheel.width = 0;
    const bool good = number(&words, "radius_m", 0, &wheel.radius, error, size) &&
                      number(&words, "width_m", 0, &wheel.width, error, size) &&
                      number(&words, "grousers", -1, &grousers, error, size) &&
                      number(&words, "grouser_height_m", -1e-300, &wheel.grouser_height, error, size) &&
                      number(&words, "grouser_thickness_m", -1e-300, &wheel.grouser_thickness, error, size) &&
                      number(&words, "lugs", -1, &lugs, error, size) &&
                      number(&words, "stiffness_N_per_m", 0, &wheel.stiffness, error, size) &&
                      number(&words, "damping_Ns_per_m", -1e-300, &wheel.damping, error, size) &&
                      all_used(&words, KNOWN, KNOWN_COUNT, error, size);
    if (!good) {
        return false;
    }
    if (!(wheel.radius > 0 && wheel.width > 0) || (axle != NULL && strcmp(axle, "y") != 0 && strcmp(axle, "z") != 0)) {
        snprintf(error, size, "radius_m and width_m are needed, and axle is y (default) or z, an axis of the body");
        return false;
    }
    const bool along_z = axle != NULL && strcmp(axle, "z") == 0;
    const double quarter = 1.5707963267948966;
    snprintf(rover.name, sizeof rover.name, "wheel");
    snprintf(rim.name, sizeof rim.name, "rim");
    snprintf(wheel.name, sizeof wheel.name, "wheel");
    rim.mass = fmax(1e-3, m->body_mass[body]);
    rim.inertia = gr_inertia_sphere(rim.mass, wheel.radius);
    wheel.grouser_count = (int)grousers;
    wheel.grouser_lugs = lugs > 0;
    wheel.pose.rotation = along_z ? gr_quat_axis_angle(gr_vec3(1, 0, 0), quarter) : (GrQuat){1, 0, 0, 0};
    wheel.body = gr_rover_add_body(&rover, &rim);
    gr_rover_add_wheel(&rover, &wheel);
    *out = (Unit){.body = body, .joint = -1};
    for (int j = 0; j < m->body_jntnum[body]; j++) {
        const int at = m->body_jntadr[body] + j;
        out->joint = m->jnt_type[at] == mjJNT_HINGE ? at : out->joint;
    }
    GrErrorLog log = {.quiet = true};
    GrOptions options = ground->options;
    options.surface.soil = &ground->soil;
    GrStatus status = gr_contact_part(&rover, wheel.name, &part, &log);
    status = status == GR_OK ? gr_model_create(&part, &options, &out->model, &log) : status;
    status = status == GR_OK ? gr_contact_create(out->model, ground->name, &out->contact, &log) : status;
    gr_rover_free(&part);
    gr_rover_free(&rover);
    if (status != GR_OK) {
        snprintf(error, size, "%s", log.count > 0 ? log.items[log.count - 1].text : gr_status_text(status));
        gr_model_free(out->model);
    }
    return status == GR_OK;
}

// ---- sets

static void free_set(Set *set)
{
    for (int i = 0; i < set->count; i++) {
        gr_contact_free(set->units[i].contact);
        gr_model_free(set->units[i].model);
    }
    gr_free(set->units);
    gr_free(set);
}

static uint64_t hash_texts(const mjModel *m)
{
    uint64_t hash = 0xcbf29ce484222325u ^ (uint64_t)m->nbody ^ (uint64_t)m->nnames << 32;
    for (int i = 0; i < m->ntextdata; i++) { // FNV-1a
        hash = (hash ^ (unsigned char)m->text_data[i]) * 0x100000001b3u;
    }
    return hash;
}

static Set *find_set(const mjData *d)
{
    pthread_mutex_lock(&lock);
    Set *set = sets;
    while (set != NULL && set->data != d) {
        set = set->next;
    }
    pthread_mutex_unlock(&lock);
    return set;
}

/// NULL after an error. A model without texts has a set without units.
static Set *make_set(const mjModel *m, const mjData *d, char *error, size_t size)
{
    Set *set = gr_calloc(1, sizeof *set);
    Unit *units = gr_calloc((size_t)m->ntext + 1, sizeof *units);
    if (set == NULL || units == NULL) {
        gr_free(set);
        gr_free(units);
        snprintf(error, size, "out of memory");
        return NULL;
    }
    *set = (Set){.data = d, .texts = hash_texts(m), .units = units, .time = d->time};
    const int text = mj_name2id(m, mjOBJ_TEXT, "grouser");
    Ground *ground = gr_calloc(1, sizeof *ground);
    bool good =
        ground != NULL && (text < 0 || read_ground(m, d, m->text_data + m->text_adr[text], ground, error, size));
    if (good && text >= 0 && m->opt.integrator == mjINT_RK4) {
        snprintf(error, size, "integrator: RK4 asks for forces within a step; allowed: Euler, implicit");
        good = false;
    }
    for (int i = 0; i < m->ntext && good && text >= 0; i++) {
        const char *name = m->names + m->name_textadr[i];
        if (strncmp(name, "grouser.", 8) != 0) {
            continue;
        }
        const int body = mj_name2id(m, mjOBJ_BODY, name + 8);
        if (body < 0) {
            snprintf(error, size, "text %.100s: there is no body '%.100s'", name, name + 8);
            good = false;
            break;
        }
        char why[600] = "";
        good = make_unit(m, ground, body, m->text_data + m->text_adr[i], &set->units[set->count], why, sizeof why);
        set->count += good;
        if (!good) {
            snprintf(error, size, "text %.100s: %s", name, why);
        }
    }
    gr_free(ground);
    if (!good) {
        free_set(set);
        return NULL;
    }
    return set;
}

// ---- forces

static GrPartMotion motion_of(const mjModel *m, const mjData *d, const Unit *unit)
{
    mjtNum twist[6]; // angular, linear
    const mjtNum *x = d->xpos + 3 * unit->body, *q = d->xquat + 4 * unit->body;
    mj_objectVelocity(m, d, mjOBJ_XBODY, unit->body, twist, 0);
    return (GrPartMotion){.pose = {{x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}},
                          .linear = {twist[3], twist[4], twist[5]},
                          .angular = {twist[0], twist[1], twist[2]},
                          .angle = unit->joint >= 0 ? d->qpos[m->jnt_qposadr[unit->joint]] : 0};
}

static void push(const mjModel *m, mjData *d, Set *set)
{
    const double passed = d->time - set->time;
    for (int i = 0; i < set->count; i++) { // the step that has ended
        Unit *unit = &set->units[i];
        const GrPartMotion now = motion_of(m, d, unit);
        if (passed > 0 && unit->evaluated) {
            gr_contact_accept(unit->contact, &now, passed);
        }
    }
    for (int i = 0; i < set->count; i++) {
        Unit *unit = &set->units[i];
        const GrPartMotion now = motion_of(m, d, unit);
        unit->evaluated = gr_contact_evaluate(unit->contact, &now, m->opt.timestep, &unit->force) == GR_OK;
        const mjtNum force[3] = {unit->force.force.x, unit->force.force.y, unit->force.force.z};
        const mjtNum moment[3] = {unit->force.moment.x, unit->force.moment.y, unit->force.moment.z};
        mj_applyFT(m, d, force, moment, d->xpos + 3 * unit->body, unit->body, d->qfrc_passive);
    }
    set->time = d->time;
}

static void passive(const mjModel *m, mjData *d)
{
    if (before != NULL) {
        before(m, d);
    }
    Set *set = find_set(d);
    if (set == NULL || d->time < set->time || set->texts != hash_texts(m)) { // a new simulation, or one that was reset
        char error[800] = "";
        if (grouser_mujoco_attach(m, d, error, sizeof error) < 0) {
            mju_error_s("grouser: %s", error);
            return;
        }
        set = find_set(d);
    }
    push(m, d, set);
}

static void install(void)
{
    if (mjcb_passive != passive) {
        before = mjcb_passive;
        mjcb_passive = passive;
    }
}

/// For programs that do not know this library: a model without its texts is left alone.
__attribute__((constructor)) static void load(void)
{
    install();
}

// ---- for programs

int grouser_mujoco_attach(const mjModel *m, const mjData *d, char *error, int error_size)
{
    grouser_mujoco_detach(d);
    Set *set = make_set(m, d, error, (size_t)error_size);
    if (set == NULL) {
        return -1;
    }
    install();
    pthread_mutex_lock(&lock);
    set->next = sets;
    sets = set;
    pthread_mutex_unlock(&lock);
    return set->count;
}

void grouser_mujoco_detach(const mjData *d)
{
    pthread_mutex_lock(&lock);
    Set **at = &sets;
    while (*at != NULL && (*at)->data != d) {
        at = &(*at)->next;
    }
    Set *set = *at;
    if (set != NULL) {
        *at = set->next;
    }
    pthread_mutex_unlock(&lock);
    if (set != NULL) {
        free_set(set);
    }
}

bool grouser_mujoco_force(const mjData *d, int body, GrPartForce *out)
{
    const Set *set = find_set(d);
    for (int i = 0; set != NULL && i < set->count; i++) {
        if (set->units[i].body == body) {
            *out = set->units[i].force;
            return true;
        }
    }
    return false;
}
