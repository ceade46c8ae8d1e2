/// A bin of grains: spheres with contact history, walls, periodic sides, and bodies that move among them
/// (docs/grains.md).
///
///     GrBinDef def = gr_default_bin_def();
///     GrBinStart *start = NULL;
///     int count = 0;
///     GrBin *bin = NULL;
///     gr_bin_fill(&def, 0.05, 1, &start, &count, log);
///     gr_bin_create(&def, start, count, &bin, log);
///     while (bin->time < 1) {
///         gr_bin_step(bin, log);
///     }
///     gr_bin_free(bin);
///
/// The same start gives the same bits with any number of threads. A step allocates nothing.
#ifndef GR_BIN_H
#define GR_BIN_H

#include "bin_view.h"
#include "grouser/vec.h"
#include "surface_mesh.h"

#include <stddef.h>

enum { GR_CLUMP_MOST = GR_MEMBERS_MOST, GR_GRAIN_SIZES = 8, GR_GRAIN_NAME_SIZE = 64, GR_GRAIN_TITLE_SIZE = 160 };

/// What grains are made of. Start from gr_default_grain_def().
typedef struct GrGrainDef {
    char name[GR_GRAIN_NAME_SIZE];
    char title[GR_GRAIN_TITLE_SIZE];
    double diameter; ///< mean [m] > 0; default 0.004
    double spread;   ///< diameters are uniform by number in diameter (1 ± spread); [0, 0.5]; default 0.2
    int size_count;  ///< instead of both: classes of one diameter each; 0 .. GR_GRAIN_SIZES
    double size_diameter[GR_GRAIN_SIZES], size_fraction[GR_GRAIN_SIZES]; ///< [m], part of the mass (any sum)
    int clump_count; ///< spheres of which each grain consists, as one rigid body: 2 or 3; 0: one (default)
    double clump_at[GR_CLUMP_MOST][3], clump_radius[GR_CLUMP_MOST]; ///< of them, in any unit: a grain has the volume of
                                                                    ///< a sphere of its diameter
    double density;                                                 ///< of the mineral [kg/m³] > 0; default 2650
    double young;          ///< modulus that is computed with [Pa] > 0; default 5e6
    double young_mineral;  ///< of the mineral [Pa], for the reduction that is reported; default 5e10
    double poisson;        ///< [0, 0.49]; default 0.3
    double restitution;    ///< of a central impact, [0.2, 1]; default 0.5
    double friction;       ///< coefficient between grains, >= 0; default 0.5
    double rolling;        ///< coefficient of rolling resistance between grains, >= 0; default 0.1
    double wall_friction;  ///< on walls and bodies; default 0.5
    double wall_rolling;   ///< default 0.1
    double surface_energy; ///< work of adhesion of a contact [J/m²] >= 0; default 0
} GrGrainDef;

GrGrainDef gr_default_grain_def(void);

/// Of grains as rigid bodies, for one with the volume of a sphere of radius 1.
typedef struct GrClumpShape {
    int count;
    GrVec3 at[GR_CLUMP_MOST]; ///< of the spheres, from the centre of mass along the principal axes
    double radius[GR_CLUMP_MOST];
    double inertia[3]; ///< about the axes, over the mass
    double reach;      ///< of the farthest point
    double crowd;      ///< volume of the spheres, each by itself, over that of the grain
} GrClumpShape;

GrClumpShape gr_clump_shape(const GrGrainDef *grains);
/// Whether the spheres of a grain are 0, 2 or 3 that touch each other, with radii.
bool gr_clump_sound(const GrGrainDef *grains);

/// What computes a bin.
typedef struct GrBinWork {
    int threads; ///< 0: one for each processor; default 1
    int gpu;     ///< k: the k-th GPU of NVIDIA, counted from 1; default 0: none, threads compute
} GrBinWork;

typedef enum GrBinSide { GR_SIDE_WALL, GR_SIDE_PERIODIC, GR_SIDE_OPEN } GrBinSide;

/// Start from gr_default_bin_def(). The bin is 0 .. size along each axis; walls stand at its ends.
typedef struct GrBinDef {
    GrGrainDef grains;
    double size[3];     ///< [m] > 0; default 0.1, 0.1, 0.2. Grains must not leave an open side by more than a cell
    GrBinSide sides[3]; ///< of an axis; GR_SIDE_OPEN along z: a floor and no lid. Default: periodic, periodic, open
    double gravity[3];  ///< [m/s²]; default 0, 0, −9.81
    double step;        ///< over the Rayleigh time of the smallest grain, (0, 0.4]; default 0.2
    double skin;        ///< gap up to which neighbours are listed, over the mean diameter; default 0.15
    GrBinWork work;
} GrBinDef;

GrBinDef gr_default_bin_def(void);

typedef struct GrBinStart {
    GrVec3 position, velocity, spin;
    double radius;   ///< of a clump: that of a sphere of its volume
    GrQuat rotation; ///< of a clump, from its principal axes; all 0: none
} GrBinStart;

/// How a body moves: the caller sets velocity and spin before a step, the step moves it.
typedef struct GrBinBody {
    GrVec3 position; ///< of its origin
    GrQuat rotation; ///< from its frame
    GrVec3 velocity, spin;
} GrBinBody;

enum { GR_BIN_MEMORY = 48 };

typedef struct GrBinDevice GrBinDevice; ///< bin_device.h

typedef struct GrBin {
    GrBinDef def;
    GrBinView view;
    GrBinBody bodies[GR_BODIES];
    double plane_at[GR_PLANES]; ///< [m]
    GrVec3 plane_velocity[GR_PLANES];
    GrVec3 force[GR_SURFACES];  ///< of the last step, on walls and bodies [N]
    GrVec3 moment[GR_SURFACES]; ///< about the origin of a body [N m]
    double time, dt;
    double damping; ///< of all velocities, for settling [1/s]; default 0
    GrClumpShape shape;
    double mean_radius;                     ///< of grains; of clumps: of spheres of their volume
    double least_radius, most_radius, mass; ///< radii of single spheres
    double unit[3], low[3];                 ///< of fixed-point positions [m]
    int64_t steps, rebuilds;
    bool listed;   ///< the neighbour lists hold
    int most_near; ///< neighbours of a grain at the last rebuild
    int body_count;
    void *memory[GR_BIN_MEMORY]; ///< of the arrays
    size_t memory_size[GR_BIN_MEMORY];
    int memory_count;
    GrBinDevice *device; ///< NULL: threads compute, or no stage has run yet
} GrBin;

/// How many grains there are: clumps count once, which view.count does not.
int gr_bin_count(const GrBin *bin);

/// Radii below, overlaps above 5 % of a radius, a step beyond the limit, or more memory than there is are errors with
/// the number. `count` grains; `bin` is NULL after an error.
GrStatus gr_bin_create(const GrBinDef *def, const GrBinStart *start, int count, GrBin **bin, GrErrorLog *log);
/// The same with the radii alone: no grain has a place or a list yet. For gr_bin_load().
GrStatus gr_bin_create_empty(const GrBinDef *def, const GrBinStart *start, int count, GrBin **bin, GrErrorLog *log);
void gr_bin_free(GrBin *bin);

/// The checks of gr_bin_create() that need no grains.
GrStatus gr_bin_check(const GrBinDef *def, GrErrorLog *log);

/// Bytes for `count` grains, without bodies.
double gr_bin_bytes(const GrBinDef *def, double count);

/// Rayleigh time of the smallest grain [s]: a step is `def->step` of it.
double gr_bin_rayleigh(const GrGrainDef *grains, double radius);

/// Grains on a loose lattice from z = `from` up, with small random velocities; as many as make a settled bed of about
/// `height`. Free `start` with gr_free().
GrStatus gr_bin_fill(const GrBinDef *def, double from, double height, uint64_t seed, GrBinStart **start, int *count,
                     GrErrorLog *log);

/// An array of the bin, cleared; NULL when out of memory.
void *gr_bin_take(GrBin *bin, size_t count, size_t size);

/// Adds a body of triangles at the origin; its index goes to `body`. Its frame is that of the mesh. Along a periodic
/// axis it must reach no farther from its origin than half a period.
GrStatus gr_bin_add_body(GrBin *bin, const GrSurfaceMesh *mesh, double friction, double rolling, int *body,
                         GrErrorLog *log);

/// One step: forces on all grains, their motion, and that of walls and bodies. GR_ERROR_NUMERIC where grains have left
/// the bin or moved without bound.
GrStatus gr_bin_step(GrBin *bin, GrErrorLog *log);

/// Makes new neighbour lists now, and sorts the grains. A step does so when it needs them.
GrStatus gr_bin_rebuild(GrBin *bin, GrErrorLog *log);

GrVec3 gr_bin_position(const GrBin *bin, const GrGrain *grain);

/// Copies grains, lists and histories back where a GPU has them. False: it failed, and the next step says how.
bool gr_bin_fetch(const GrBin *bin);
/// The grains as they are now. Read bin->view.now only after this: on a GPU they are elsewhere.
const GrGrain *gr_bin_grains(const GrBin *bin);

// Snapshots: the whole state, so that a run goes on with the same bits.

/// `extra`: `size` bytes of the caller's own state. Bodies are the caller's: it adds them again after gr_bin_load().
GrStatus gr_bin_save(const GrBin *bin, const char *path, const void *extra, size_t size, GrErrorLog *log);
/// `work` replaces that of the definition. GR_ERROR_SYNTAX where the file is damaged, of another build or has
/// `extra` of another size.
GrStatus gr_bin_load(const char *path, GrBinWork work, void *extra, size_t size, GrBin **bin, GrErrorLog *log);

// The same in memory. `path`: for messages, may be NULL.

void gr_bin_pack(const GrBin *bin, const void *extra, size_t size, GrBuffer *out);
GrStatus gr_bin_unpack(const char *data, size_t size, const char *path, GrBinWork work, void *extra, size_t extra_size,
                       GrBin **bin, GrErrorLog *log);
/// Whether a file begins as a snapshot does.
bool gr_bin_is_snapshot(const char *path);

// What a bin looks like as a whole.

typedef struct GrBinMeasure {
    double kinetic;   ///< energy [J], of translation and rotation
    double elastic;   ///< energy of normal and tangential springs [J]
    double potential; ///< energy, from z = 0 [J]
    GrVec3 momentum;  ///< [kg m/s]
    double contacts;  ///< mean number of touching grains
    double overlap;   ///< largest, over the radius
    double top;       ///< of the highest grain [m]
    double fastest;   ///< [m/s]
    uint64_t hash;    ///< of all states, independent of their order
} GrBinMeasure;

GrBinMeasure gr_bin_measure(const GrBin *bin);
/// The kinetic energy alone, which needs no lists.
double gr_bin_kinetic(const GrBin *bin);

/// Part of the volume between two heights that is solid, grains cut by the planes (exact for spheres).
double gr_bin_solid(const GrBin *bin, double z0, double z1);

/// Height of the surface over a grid of nx x ny cells, row after row from low y: the highest point of a grain in each;
/// 0 where there is none.
void gr_bin_surface(const GrBin *bin, int nx, int ny, double *height);

#endif
