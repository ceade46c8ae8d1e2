/// Binary glTF 2.0 (Khronos 2021) at byte level: views, accessors, curves of an animation, and the container. Meshes
/// and nodes are written by the caller as JSON into lists.
///
/// No library: Debian's tinygltf is C++ and holds the whole scene, with its own JSON, in memory. An animation of a long
/// run is written in pieces here, by the JSON writer that every other file uses.
#ifndef GR_GLTF_H
#define GR_GLTF_H

#include "buffer.h"
#include "json.h"

#include <stdint.h>

enum { GR_GLTF_VERTICES = 34962, GR_GLTF_INDICES = 34963 }; ///< targets of views

/// A growing array of objects in JSON.
typedef struct GrGltfList {
    GrBuffer text;
    GrJson json;
    int count; ///< of the objects, by whoever writes them
} GrGltfList;

/// Start with gr_gltf_begin().
typedef struct GrGltf {
    GrBuffer bin;
    GrGltfList views, accessors, meshes, nodes, channels, samplers;
    float *floats; ///< of gr_gltf_room()
    size_t floats_room;
    bool failed; ///< out of memory
} GrGltf;

void gr_gltf_begin(GrGltf *g);
void gr_gltf_free(GrGltf *g);

/// Room for `count` floats, until the next call; NULL when out of memory.
float *gr_gltf_room(GrGltf *g, size_t count);

// Accessors; each returns its number. `width`: 1, 3 or 4 numbers an element. `range`: with "min" and "max".

/// `target` of the view; 0: none.
int gr_gltf_floats(GrGltf *g, const float *values, size_t count, int width, int target, bool range);

int gr_gltf_indices(GrGltf *g, const int *indices, size_t count);

/// Bytes, four an element, of which 255 is read as 1.
int gr_gltf_colors(GrGltf *g, const unsigned char *values, size_t count);

/// Vectors most of which are 0.
int gr_gltf_sparse(GrGltf *g, const float *values, size_t count, bool range);

/// A curve of the animation: `path` is "translation", "rotation" or "weights"; `times` and `values` are accessors.
void gr_gltf_channel(GrGltf *g, int node, const char *path, int times, int values);

/// Appends the whole file. `head`: an object in JSON with all that the lists are not: "asset", "scenes", …; without
/// "buffers".
void gr_gltf_end(GrGltf *g, const char *head, GrBuffer *out);

#endif
