/// Turns the sources of grains into an all-double build, beside the single one in the same program: what single
/// precision and fixed point cost is the difference of the two. The build includes it before all else.
#ifndef GR_IN_DOUBLE_H
#define GR_IN_DOUBLE_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wdouble-promotion"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#ifdef __clang__
#pragma clang diagnostic ignored "-Wkeyword-macro"
#endif

#define GR_GRAINS_DOUBLE
#define GR_LANES 1
#define float double
#define __builtin_sqrtf(a)     __builtin_sqrt(a)

#define gr_bed_answer          gr_bed_answer_double
#define gr_bed_device_check    gr_bed_device_check_double
#define gr_bed_prepare         gr_bed_prepare_double
#define gr_bed_settle          gr_bed_settle_double
#define gr_bed_surface         gr_bed_surface_double
#define gr_bin_add_body        gr_bin_add_body_double
#define gr_bin_bytes           gr_bin_bytes_double
#define gr_bin_count           gr_bin_count_double
#define gr_bin_check           gr_bin_check_double
#define gr_bin_create          gr_bin_create_double
#define gr_bin_create_empty    gr_bin_create_empty_double
#define gr_bin_device_add_up   gr_bin_device_add_up_double
#define gr_bin_device_begin    gr_bin_device_begin_double
#define gr_bin_device_clear    gr_bin_device_clear_double
#define gr_bin_device_close    gr_bin_device_close_double
#define gr_bin_device_open     gr_bin_device_open_double
#define gr_bin_device_stage    gr_bin_device_stage_double
#define gr_bin_device_status   gr_bin_device_status_double
#define gr_bin_device_sums     gr_bin_device_sums_double
#define gr_bin_fetch           gr_bin_fetch_double
#define gr_bin_grains          gr_bin_grains_double
#define gr_bin_kinetic         gr_bin_kinetic_double
#define gr_bin_sums_add        gr_bin_sums_add_double
#define gr_bin_take            gr_bin_take_double
#define gr_bin_fill            gr_bin_fill_double
#define gr_bin_free            gr_bin_free_double
#define gr_bin_is_snapshot     gr_bin_is_snapshot_double
#define gr_bin_load            gr_bin_load_double
#define gr_bin_measure         gr_bin_measure_double
#define gr_bin_pack            gr_bin_pack_double
#define gr_bin_position        gr_bin_position_double
#define gr_bin_rayleigh        gr_bin_rayleigh_double
#define gr_bin_rebuild         gr_bin_rebuild_double
#define gr_bin_rig_answer      gr_bin_rig_answer_double
#define gr_bin_rig_area        gr_bin_rig_area_double
#define gr_bin_rig_create      gr_bin_rig_create_double
#define gr_bin_rig_fit_mesh    gr_bin_rig_fit_mesh_double
#define gr_bin_rig_free        gr_bin_rig_free_double
#define gr_bin_rig_load        gr_bin_rig_load_double
#define gr_bin_rig_mesh        gr_bin_rig_mesh_double
#define gr_bin_rig_name        gr_bin_rig_name_double
#define gr_bin_rig_read        gr_bin_rig_read_double
#define gr_bin_rig_progress    gr_bin_rig_progress_double
#define gr_bin_rig_save        gr_bin_rig_save_double
#define gr_bin_rig_step        gr_bin_rig_step_double
#define gr_bin_save            gr_bin_save_double
#define gr_bin_solid           gr_bin_solid_double
#define gr_bin_step            gr_bin_step_double
#define gr_bin_surface         gr_bin_surface_double
#define gr_bin_unpack          gr_bin_unpack_double
#define gr_clump_shape         gr_clump_shape_double
#define gr_clump_sound         gr_clump_sound_double
#define gr_default_bed_def     gr_default_bed_def_double
#define gr_default_bin_def     gr_default_bin_def_double
#define gr_default_bin_rig_def gr_default_bin_rig_def_double
#define gr_default_grain_def   gr_default_grain_def_double
#define gr_mesh_lathe          gr_mesh_lathe_double
#define gr_precision_cases     gr_precision_cases_double

#endif
