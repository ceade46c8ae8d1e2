/// The ground around the rover as grid_map_msgs/GridMap.
///
/// Indices of a grid map begin at the corner of largest x and y, and its matrix is stored by columns:
///
///        ^ x     row 0, column 0 is the corner (max x, max y)
///        |       row i is towards smaller x, column j towards smaller y
///   y <--+       element (i, j) is data[j * rows + i]
#include "alloc.h"
#include "ground_window.h"
#include "ros_parts.h"

#include <math.h>

enum { CELLS = GR_ROS_MAP_CELLS, COUNT = CELLS * CELLS };

bool gr_ros_map_init(GrRosMap *map)
{
    map->heights = gr_calloc(COUNT, sizeof *map->heights);
    return map->heights != NULL;
}

void gr_ros_map_free(GrRosMap *map)
{
    gr_free(map->heights);
    map->heights = NULL;
}

static void read_heights(GrRosMap *map, const GrRecordDef *record, double x, double y)
{
    const double half = 0.5 * (CELLS - 1) * GR_ROS_MAP_CELL;
    for (int j = 0; j < CELLS; j++) {
        for (int i = 0; i < CELLS; i++) {
            const double cell_x = x + half - i * GR_ROS_MAP_CELL, cell_y = y + half - j * GR_ROS_MAP_CELL;
            map->heights[j * CELLS + i] = (float)gr_window_height(record->terrain, record->ruts, cell_x, cell_y);
        }
    }
}

void gr_ros_map_fill(GrRosMap *map, const GrRecordDef *record, double time, GrVec3 at)
{
    const double x = GR_ROS_MAP_CELL * rint(at.x / GR_ROS_MAP_CELL), y = GR_ROS_MAP_CELL * rint(at.y / GR_ROS_MAP_CELL);
    read_heights(map, record, x, y);
    map->dims[0] =
        (std_msgs_msg_dds__MultiArrayDimension_){.label = (char *)"column_index", .size = CELLS, .stride = COUNT};
    map->dims[1] =
        (std_msgs_msg_dds__MultiArrayDimension_){.label = (char *)"row_index", .size = CELLS, .stride = CELLS};
    map->layer = (std_msgs_msg_dds__Float32MultiArray_){
        .layout = {.dim = {._maximum = 2, ._length = 2, ._buffer = map->dims}},
        .data = {._maximum = COUNT, ._length = COUNT, ._buffer = map->heights},
    };
    map->layers[0] = (char *)"elevation";
    map->message = (grid_map_msgs_msg_dds__GridMap_){
        .header = gr_ros_header(time, GR_ROS_MAP_FRAME),
        .info = {.resolution = GR_ROS_MAP_CELL,
                 .length_x = CELLS * GR_ROS_MAP_CELL,
                 .length_y = CELLS * GR_ROS_MAP_CELL,
                 .pose = {.position = {x, y, 0}, .orientation = {.w = 1}}},
        .layers = {._maximum = 1, ._length = 1, ._buffer = map->layers},
        .basic_layers = {._maximum = 1, ._length = 1, ._buffer = map->layers},
        .data = {._maximum = 1, ._length = 1, ._buffer = &map->layer},
    };
}
