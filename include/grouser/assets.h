/// Generated ground: surfaces as sums of terms, and rocks on them. The same definition and seed give the same bytes,
/// for any number of threads.
///
/// A surface is a function of (x, y) without its own resolution. gr_surface_bake() samples it on a grid.
/// gr_terrain_add_surface() and gr_terrain_add_rocks() add surfaces and rocks to a terrain as layers.
///
/// Example:
///
///     const char *const terms[] = {"fractal:hurst=0.8,rms_m=0.05,lag_m=1"};
///     const GrBox2 box = {0, 0, 20, 20}; // [m]
///     GrErrorLog log = {0};
///     GrSurface *surface = NULL;
///     gr_surface_create(terms, 1, 7, box, &surface, &log);
///     GrRockFieldDef def = gr_default_rock_field_def(); // the size law of Mars
///     def.box = box;
///     GrRockField field;
///     if (surface == NULL || gr_rock_field_make(&def, &field, &log) != GR_OK) {
///         return 1; // log.items says why
///     }
///     printf("height %.3f m\n", gr_surface_height(surface, 5, 5));
///     printf("%d rocks, largest first: %s\n", field.count, // prints: rocks, largest first: yes
///            field.rocks[0].diameter >= field.rocks[field.count - 1].diameter ? "yes" : "no");
///     gr_rock_field_free(&field);
///     gr_surface_free(surface);
#ifndef GROUSER_ASSETS_H
#define GROUSER_ASSETS_H

#include "grouser/terrain.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Heights as a function of (x, y), independent of any grid.
typedef struct GrSurface GrSurface;

/// Creates a surface as a sum of terms. Terms are texts "KIND:NAME=VALUE,NAME=VALUE…", e.g.
/// "fractal:hurst=0.8,rms_m=0.05,lag_m=1"; gr_surface_kind() lists them. Each term draws from its own stream of the
/// seed. `box` is the area in which the surface will be used: craters are placed at random on and around it. Fails
/// if a term is invalid.
GR_API GrStatus gr_surface_create(const char *const *terms, int count, uint64_t seed, GrBox2 box, GrSurface **out,
                                  GrErrorLog *log);

/// Gets the first `count` parameters of a term in the order of gr_surface_kind(), with defaults for those not given.
/// Returns false if the term is of another kind or invalid.
GR_API bool gr_surface_term_values(const char *term, const char *kind, double *values, int count);
GR_API void gr_surface_free(GrSurface *surface);

/// Height [m]; finite everywhere.
GR_API double gr_surface_height(const GrSurface *surface, double x, double y);

/// Computes the heights of all nodes of a frame, row by row from the south, with `threads` threads (1 or more).
GR_API GrStatus gr_surface_bake(const GrSurface *surface, const GrGridFrame *frame, int threads, double *heights);

/// Adds the surface to a terrain as a layer on def->frame, computed tile by tile on demand. With def->mode GR_LAYER_ADD
/// it adds detail below the resolution of a map. The layer takes ownership of the surface, even if this call fails.
GR_API GrStatus gr_terrain_add_surface(GrTerrain *terrain, const GrLayerDef *def, GrSurface *surface, GrErrorLog *log);

/// Identifier of a surface baked on a frame: 32 hexadecimal digits, a hash of terms, seed, box and frame.
enum { GR_ASSET_ID_SIZE = 33 };
GR_API void gr_surface_id(const GrSurface *surface, const GrGridFrame *frame, char id[GR_ASSET_ID_SIZE]);

/// One parameter of a kind of term.
typedef struct GrTermParameter {
    const char *name;
    double value; ///< default
    double lower, upper;
    const char *help;
} GrTermParameter;

/// One kind of term. gr_surface_kind() returns them by index from 0, and NULL beyond the last.
typedef struct GrTermInfo {
    const char *name;
    const char *help;
    const GrTermParameter *parameters;
    int parameter_count;
} GrTermInfo;
GR_API const GrTermInfo *gr_surface_kind(int index);

/// ------------------------------------------------------------------------------------------------------------------
/// Rocks.

typedef enum GrRockLaw {
    GR_ROCKS_GOLOMBEK, ///< Mars: area fraction covered by rocks of diameter ≥ D: k exp(−q D), q = 1.79 + 0.152 / k
    GR_ROCKS_POWER,    ///< Moon: rocks of diameter ≥ D per square metre: coefficient D^−exponent
} GrRockLaw;

/// Relative density of rocks at (x, y), 0 … 1: 0 none, 1 as given by the law.
typedef double (*GrDensityFn)(void *context, double x, double y);

/// Start from gr_default_rock_field_def().
typedef struct GrRockFieldDef {
    GrBox2 box;
    GrRockLaw law;         ///< default: Golombek
    double k;              ///< Golombek's total area fraction, 1e-6 ≤ k < 0.6; default 0.05
    double coefficient;    ///< [1/m²]; default 0.0003 (VIPER specification)
    double exponent;       ///< default 2.482 (VIPER specification)
    double diameter_lower; ///< smallest rock [m] > 0; default 0.05
    double diameter_upper; ///< largest rock [m]; default 2
    double area_fraction;  ///< area fraction covered by rocks of these sizes; 0 (default): as given by the law
    double gap;            ///< smallest gap between the edges of two rocks [m] ≥ 0; default 0
    double height_ratio;   ///< height above ground / diameter, (0, 1]; default 0.5 (assumption: half-buried spheres)
    GrDensityFn density;   ///< NULL: uniform
    void *density_context;
    uint64_t seed;
} GrRockFieldDef;

GR_API GrRockFieldDef gr_default_rock_field_def(void);

typedef struct GrRock {
    double x, y;     ///< centre of its circle on the ground [m]
    double diameter; ///< [m]
    double height;   ///< above the ground [m]
    double yaw;      ///< [rad]
} GrRock;

typedef struct GrRockField {
    GrRock *rocks; ///< from the largest to the smallest
    int count;
    double asked;   ///< area fraction requested
    double covered; ///< area fraction covered by the rocks placed
    int not_placed; ///< rocks for which there was no room
    int left_out;   ///< rocks beyond GrTerrainPlan.rocks_most
} GrRockField;

/// Free with gr_rock_field_free().
GR_API GrStatus gr_rock_field_make(const GrRockFieldDef *def, GrRockField *out, GrErrorLog *log);
GR_API void gr_rock_field_free(GrRockField *field);

/// Reads rocks from a CSV file with the columns x_m, y_m, diameter_m and, optionally, height_m (default: `height_ratio`
/// times the diameter) and yaw_rad. `grouser terrain rocks -o` writes such files. Free with gr_rock_field_free().
GR_API GrStatus gr_rock_field_load(const char *path, double height_ratio, GrRockField *out, GrErrorLog *log);

/// Names of size laws by index from 0: golombek, power, and published laws for the Moon (viper, intercrater, haworth).
/// NULL beyond the last.
GR_API const char *gr_rock_law_name(int index);
/// Sets law, coefficient and exponent. Returns false if the name is unknown.
GR_API bool gr_rock_law_set(GrRockFieldDef *def, const char *name);

/// Adds the rocks to a terrain as a layer of half ellipsoids of their diameter and height, sampled at the nodes of the
/// layer's frame. The frame must be fine enough to resolve the smallest rocks that matter. The field is copied.
GR_API GrStatus gr_terrain_add_rocks(GrTerrain *terrain, const GrLayerDef *def, const GrRockField *field,
                                     GrErrorLog *log);

/// Number of rocks of this diameter or larger per square metre by the law of the definition.
GR_API double gr_rock_law_count(const GrRockFieldDef *def, double diameter);

#ifdef __cplusplus
}
#endif
#endif
