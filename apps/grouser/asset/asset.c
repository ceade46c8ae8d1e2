/// grouser asset: rocks and wheels from parameters and a seed, and convex parts of a mesh, as OBJ files.
#include "command.h"
#include "convex_parts.h"
#include "file.h"
#include "json.h"
#include "mesh_file.h"
#include "messages.h"
#include "options.h"
#include "out_of_memory.h"
#include "report.h"
#include "rock.h"
#include "rover_def.h"
#include "text.h"
#include "wheel_mesh.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/// Values of the options.
typedef struct GrAssetParts {
    const char *mesh; ///< NULL: not given
    double scale, pieces, error;
} GrAssetParts;

// ---- grouser asset parts: a mesh as convex parts, and how far they are from it.

static GrAssetParts asset_parts_default(void)
{
    const GrConvexPartsDef def = gr_default_convex_parts_def();
    return (GrAssetParts){.scale = 1, .pieces = def.most, .error = def.error};
}

static GrStatus make(const GrAssetParts *o, GrConvexParts *out, GrErrorLog *log)
{
    GrSurfaceMesh mesh = {0};
    const GrConvexPartsDef def = {.most = (int)o->pieces, .error = o->error};
    GrStatus status = gr_mesh_file_read(o->mesh, &mesh, log);
    if (status == GR_OK) {
        GrSurfaceMesh *welded = gr_surface_mesh_weld(&mesh, gr_vec3(o->scale, o->scale, o->scale));
        status = welded != NULL ? gr_convex_parts_make(welded, &def, out, log) : gr_out_of_memory(log, o->mesh);
        gr_surface_mesh_delete(welded);
        for (int i = 0; i < log->count && status != GR_OK; i++) {
            gr_messages_set_place(log, i, (GrLocation){.file = o->mesh, .field = log->items[i].field});
        }
    }
    gr_surface_mesh_free(&mesh);
    return status;
}

static GrStatus write_parts(const char *path, const GrConvexParts *parts, GrErrorLog *log)
{
    GrBuffer text = {0};
    int before = 0;
    for (int i = 0; i < parts->count; i++) {
        char name[64];
        GrSurfaceMesh mesh = {0};
        snprintf(name, sizeof name, "object_%d_part_%d", parts->parts[i].object + 1, i + 1);
        gr_surface_mesh_convex(&mesh, parts->parts[i].hull);
        gr_surface_mesh_obj(&mesh, name, before, &text);
        text.failed = text.failed || mesh.failed;
        before += mesh.vertex_count;
        gr_surface_mesh_free(&mesh);
    }
    const GrStatus status = text.failed ? gr_out_of_memory(log, path) : gr_file_write(path, text.data, text.size, log);
    gr_buffer_free(&text);
    return status;
}

static void print_parts(const GrConvexParts *parts, bool json)
{
    const double excess = fmax(0, parts->hulls / parts->volume - 1),
                 worst = fmax(0, parts->worst); // below 0 by rounding
    if (!json) {
        printf("%d convex parts of %d object%s\n"
               "volume %.6g m³, of the parts %.6g m³: %.3g %% too much, at most %.3g %% of one object\n"
               "farthest found of a part from its object: %.4g m (%d points)\n",
               parts->count, parts->objects, parts->objects == 1 ? "" : "s", parts->volume, parts->hulls, 100 * excess,
               100 * worst, parts->distance, parts->samples);
        return;
    }
    GrJson out = gr_json_to_file(stdout, true);
    gr_json_begin_object(&out, NULL);
    gr_json_integer(&out, "parts", parts->count);
    gr_json_integer(&out, "objects", parts->objects);
    gr_json_number(&out, "volume_m3", parts->volume);
    gr_json_number(&out, "parts_volume_m3", parts->hulls);
    gr_json_number(&out, "excess_share", excess);
    gr_json_number(&out, "excess_share_of_worst", worst);
    gr_json_number(&out, "distance_m", parts->distance);
    gr_json_integer(&out, "points", parts->samples);
    gr_json_end(&out);
    gr_json_finish(&out); // main() checks stdout
}

/// Cuts a mesh and prints the error of its parts; writes them as objects of an OBJ file where `output` is not NULL.
/// Returns an exit code.
static int asset_parts(const GrAssetParts *o, const char *output, bool json)
{
    if (o->mesh == NULL || !(o->scale > 0) || !(o->pieces >= 1 && o->pieces <= 1000 && o->pieces == (int)o->pieces)) {
        gr_report_error(o->mesh == NULL   ? "asset: parts needs --mesh FILE"
                        : !(o->scale > 0) ? "asset: --scale must be a positive number"
                                          : "asset: --pieces must be a whole number from 1 to 1000");
        return GR_EXIT_INPUT;
    }
    GrErrorLog log = {0};
    GrConvexParts parts = {0};
    GrStatus status = make(o, &parts, &log);
    if (status == GR_OK && output != NULL) {
        status = write_parts(output, &parts, &log);
    }
    gr_report_log(&log);
    if (status == GR_OK) {
        print_parts(&parts, json);
        if (output != NULL) {
            fprintf(json ? stderr : stdout, "wrote %s\n", output);
        }
    }
    gr_convex_parts_free(&parts);
    return gr_report_exit_code(status);
}

// ---- command

/// Values of the options; degrees and counts as typed.
typedef struct AssetOptions {
    const char *output, *kind, *primitive, *profile, *pattern;
    GrAssetParts parts;
    double seed, diameter, height, points, deviation, roughness, detail, refinement, density;
    double radius, width, crown, grousers, grouser_height, grouser_thickness, angle_deg, segments;
    bool json;
} AssetOptions;

/// Index of a name in a list of `count`, −1 with a message when it is not in the list.
static int choose(const char *option, const char *given, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(given, names[i]) == 0) {
            return i;
        }
    }
    gr_report_error("asset: --%s %s is unknown%s", option, given, gr_text_hint(given, names, count, NULL).text);
    return -1;
}

/// Accepts whole numbers only; reports others.
static bool whole(const char *option, double value, double most)
{
    if (value >= 0 && value <= most && value == (double)(uint64_t)value) {
        return true;
    }
    gr_report_error("asset: --%s must be a whole number from 0 to %.0f", option, most);
    return false;
}

static int write_obj(const GrSurfaceMesh *mesh, const char *id, const AssetOptions *o)
{
    char name[GR_MESH_ID_SIZE + 4];
    snprintf(name, sizeof name, "%s.obj", id);
    const char *path = o->output != NULL ? o->output : name;
    GrBuffer text = {0};
    GrErrorLog log = {0};
    gr_surface_mesh_obj(mesh, id, 0, &text);
    const GrStatus status = text.failed ? GR_ERROR_MEMORY : gr_file_write(path, text.data, text.size, &log);
    gr_buffer_free(&text);
    gr_report_log(&log);
    if (status == GR_OK) {
        fprintf(o->json ? stderr : stdout, "wrote %s\n", path);
    }
    return gr_report_exit_code(status);
}

static void print_rock(const GrRockMesh *rock, bool json)
{
    if (!json) {
        printf("%s: %d vertices, %d triangles, hull of %d vertices\n"
               "volume %.6g m³, mass %.6g kg, inertia %.4g %.4g %.4g kg m² about the centre of mass (the origin)\n",
               rock->id, rock->mesh.vertex_count, rock->mesh.triangle_count, rock->hull->vertex_count, rock->volume,
               rock->mass, rock->inertia.xx, rock->inertia.yy, rock->inertia.zz);
        return;
    }
    const GrSym3 i = rock->inertia;
    GrJson out = gr_json_to_file(stdout, true);
    gr_json_begin_object(&out, NULL);
    gr_json_string(&out, "id", rock->id);
    gr_json_integer(&out, "vertices", rock->mesh.vertex_count);
    gr_json_integer(&out, "triangles", rock->mesh.triangle_count);
    gr_json_integer(&out, "hull_vertices", rock->hull->vertex_count);
    gr_json_number(&out, "volume_m3", rock->volume);
    gr_json_number(&out, "mass_kg", rock->mass);
    gr_json_numbers(&out, "inertia_kgm2", (double[]){i.xx, i.yy, i.zz, i.xy, i.xz, i.yz}, 6);
    gr_json_end(&out);
    gr_json_finish(&out); // main() checks stdout
}

static int make_rock(const AssetOptions *o)
{
    static const char *const KINDS[] = {"hull", "noise", "deviation"}, *const PRIMITIVES[] = {
#define GR_PRIMITIVE_NAME(id, name) #name,
                                                                           GR_ROCK_PRIMITIVE_LIST(GR_PRIMITIVE_NAME)
#undef GR_PRIMITIVE_NAME
                                                                       };
    const int kind = choose("kind", o->kind, KINDS, 3),
              primitive = choose("primitive", o->primitive, PRIMITIVES, GR_ROCK_PRIMITIVE_COUNT);
    if (kind < 0 || primitive < 0 || !whole("seed", o->seed, 9007199254740992.0) || !whole("points", o->points, 1000) ||
        !whole("refinement", o->refinement, 6)) {
        return GR_EXIT_INPUT;
    }
    const GrRockDef def = {
        .kind = (GrRockKind)kind,
        .diameter = o->diameter,
        .height = o->height,
        .points = (int)o->points,
        .primitive = (GrRockPrimitive)primitive,
        .deviation = o->deviation,
        .roughness = o->roughness,
        .detail = o->detail,
        .refinement = (int)o->refinement,
        .density = o->density,
        .seed = (uint64_t)o->seed,
    };
    GrErrorLog log = {0};
    GrRockMesh rock;
    const GrStatus status = gr_rock_create(&def, &rock, &log);
    gr_report_log(&log);
    if (status != GR_OK) {
        return gr_report_exit_code(status);
    }
    print_rock(&rock, o->json);
    const int exit_code = write_obj(&rock.mesh, rock.id, o);
    gr_rock_free(&rock);
    return exit_code;
}

static int make_wheel(const AssetOptions *o)
{
    static const char *const PROFILES[] = {"flat", "convex"};
    const int profile = choose("profile", o->profile, PROFILES, 2),
              pattern = choose("pattern", o->pattern, gr_grouser_pattern_names, GR_GROUSER_PATTERNS);
    if (profile < 0 || pattern < 0 || !whole("grousers", o->grousers, 200) || !whole("segments", o->segments, 720)) {
        return GR_EXIT_INPUT;
    }
    const GrWheelMeshDef def = {
        .radius = o->radius,
        .width = o->width,
        .profile = (GrRimProfile)profile,
        .crown = o->crown,
        .pattern = (GrGrouserPattern)pattern,
        .grouser_count = (int)o->grousers,
        .grouser_height = o->grouser_height,
        .grouser_thickness = o->grouser_thickness,
        .grouser_angle = o->angle_deg * GR_PI / 180,
        .segments = (int)o->segments,
    };
    GrErrorLog log = {0};
    GrWheelMesh wheel;
    const GrStatus status = gr_wheel_mesh_create(&def, &wheel, &log);
    gr_report_log(&log);
    if (status != GR_OK) {
        return gr_report_exit_code(status);
    }
    if (o->json) {
        GrJson out = gr_json_to_file(stdout, true);
        gr_json_begin_object(&out, NULL);
        gr_json_string(&out, "id", wheel.id);
        gr_json_integer(&out, "vertices", wheel.mesh.vertex_count);
        gr_json_integer(&out, "triangles", wheel.mesh.triangle_count);
        gr_json_number(&out, "rim_volume_m3", wheel.rim_volume);
        gr_json_end(&out);
        gr_json_finish(&out); // main() checks stdout
    } else {
        printf("%s: %d vertices, %d triangles, solid rim %.6g m³\n", wheel.id, wheel.mesh.vertex_count,
               wheel.mesh.triangle_count, wheel.rim_volume);
    }
    const int exit_code = write_obj(&wheel.mesh, wheel.id, o);
    gr_wheel_mesh_free(&wheel);
    return exit_code;
}

static AssetOptions defaults(void)
{
    const GrRockDef rock = gr_default_rock_def();
    const GrWheelMeshDef wheel = gr_default_wheel_mesh_def();
    return (AssetOptions){
        .kind = "hull",
        .primitive = "cylinder",
        .deviation = rock.deviation,
        .profile = "flat",
        .pattern = "straight",
        .seed = (double)rock.seed,
        .diameter = rock.diameter,
        .height = rock.height,
        .points = rock.points,
        .roughness = rock.roughness,
        .detail = rock.detail,
        .refinement = rock.refinement,
        .density = rock.density,
        .radius = wheel.radius,
        .width = wheel.width,
        .crown = wheel.crown,
        .grousers = wheel.grouser_count,
        .grouser_height = wheel.grouser_height,
        .grouser_thickness = wheel.grouser_thickness,
        .angle_deg = 20,
        .parts = asset_parts_default(),
        .segments = wheel.segments,
    };
}

static int run(int argc, char **argv)
{
    AssetOptions o = defaults();
    const GrOption options[] = {
        {.name = "output", .letter = 'o', .value = "FILE", .text = &o.output, .help = "OBJ file; default: ID.obj"},
        {.name = "kind", .value = "NAME", .text = &o.kind, .help = "rock: hull (default), noise or deviation"},
        {.name = "seed", .value = "N", .number = &o.seed, .help = "rock"},
        {.name = "diameter", .value = "M", .number = &o.diameter, .help = "rock [m]"},
        {.name = "height", .value = "M", .number = &o.height, .help = "rock [m]"},
        {.name = "points", .value = "N", .number = &o.points, .help = "hull and deviation: size of the cloud"},
        {.name = "primitive",
         .value = "NAME",
         .text = &o.primitive,
         .help = "deviation: cylinder (default) and others"},
        {.name = "deviation",
         .value = "X",
         .number = &o.deviation,
         .help = "deviation: standard deviation over radius"},
        {.name = "roughness", .value = "X", .number = &o.roughness, .help = "noise rock: large scale, over the radius"},
        {.name = "detail", .value = "X", .number = &o.detail, .help = "noise rock: small scale, over the radius"},
        {.name = "refinement", .value = "N", .number = &o.refinement, .help = "noise rock: 20 · 4^N triangles"},
        {.name = "density", .value = "X", .number = &o.density, .help = "rock [kg/m³]"},
        {.name = "radius", .value = "M", .number = &o.radius, .help = "wheel [m]"},
        {.name = "width", .value = "M", .number = &o.width, .help = "wheel [m]"},
        {.name = "profile", .value = "NAME", .text = &o.profile, .help = "wheel: flat (default) or convex"},
        {.name = "crown", .value = "M", .number = &o.crown, .help = "convex wheel: middle over edges [m]"},
        {.name = "grousers", .value = "N", .number = &o.grousers, .help = "wheel: how many; 0: smooth"},
        {.name = "pattern", .value = "NAME", .text = &o.pattern, .help = "wheel: straight (default), slanted, chevron"},
        {.name = "grouser-height", .value = "M", .number = &o.grouser_height, .help = "wheel [m]"},
        {.name = "grouser-thickness", .value = "M", .number = &o.grouser_thickness, .help = "wheel [m]"},
        {.name = "grouser-angle", .value = "DEG", .number = &o.angle_deg, .help = "slanted, chevron: against the axle"},
        {.name = "segments", .value = "N", .number = &o.segments, .help = "wheel: around the rim"},
        {.name = "mesh", .value = "FILE", .text = &o.parts.mesh, .help = "parts: OBJ or STL file, of closed surfaces"},
        {.name = "scale", .value = "X", .number = &o.parts.scale, .help = "parts: metres per unit of the file"},
        {.name = "pieces", .value = "N", .number = &o.parts.pieces, .help = "parts: most of one object (default 16)"},
        {.name = "error", .value = "X", .number = &o.parts.error, .help = "parts: volume too much (default 0.05)"},
        {.name = "json", .flag = &o.json, .help = "print JSON"},
    };
    const char *arguments[1];
    int exit_code;
    const int count = (int)(sizeof options / sizeof options[0]);
    if (gr_options_parse(&gr_command_asset, options, count, argc, argv, arguments, 1, 1, &exit_code) < 0) {
        return exit_code;
    }
    static const char *const ASSETS[] = {"rock", "wheel", "parts"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(arguments[0], ASSETS[i]) == 0) {
            return i == 0 ? make_rock(&o) : i == 1 ? make_wheel(&o) : asset_parts(&o.parts, o.output, o.json);
        }
    }
    gr_report_error("asset: '%s' cannot be made; allowed: rock, wheel, parts", arguments[0]);
    return GR_EXIT_INPUT;
}

const GrCommand gr_command_asset = {
    .name = "asset",
    .summary = "generate a rock or a wheel as an OBJ file; cut a mesh into convex parts",
    .usage = "asset rock|wheel|parts [OPTION]... [-o FILE] [--json]",
    .details =
        "Makes a rock (convex hull of a random cloud in a cylinder, or of one that deviates from a primitive, or a\n"
        "sphere deformed by noise) or a wheel (rim and grousers) and writes its surface. Volume, mass and inertia are "
        "printed; the id is a hash of the\n"
        "parameters and the seed: the same input gives the same bytes.\n"
        "asset parts cuts each closed object of a mesh into convex parts, and prints how much volume they have\n"
        "too much and how far they reach beyond it.",
    .example = "  grouser asset rock --kind noise --diameter 0.4 --seed 7 -o rock.obj\n"
               "  grouser asset wheel --radius 0.25 --width 0.2 --grousers 24 --pattern chevron --json\n"
               "  grouser asset parts --mesh lander.stl --pieces 24 -o parts.obj",
    .run = run,
};
