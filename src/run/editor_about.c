/// What the page of an editor offers: the keys of files, what ships with the program, and pictures of rovers.
#include "drawing.h"
#include "editor.h"
#include "json.h"
#include "schema.h"
#include "shipped.h"

#include "grouser/control.h"
#include "grouser/lander.h"
#include "grouser/model.h"
#include "grouser/rover.h"
#include "grouser/soil_file.h"

#include <string.h>

static bool rover_title(const char *path, char title[GR_NOTE_SIZE], GrErrorLog *log)
{
    GrRoverDef rover;
    if (gr_rover_load(path, NULL, &rover, log) != GR_OK) {
        return false;
    }
    memcpy(title, rover.title, GR_NOTE_SIZE);
    gr_rover_free(&rover);
    return true;
}

static bool soil_title(const char *path, char title[GR_NOTE_SIZE], GrErrorLog *log)
{
    GrSoilDef soil;
    if (gr_soil_load(path, NULL, &soil, NULL, log) != GR_OK) {
        return false;
    }
    memcpy(title, soil.title, GR_NOTE_SIZE);
    return true;
}

static bool lander_title(const char *path, char title[GR_NOTE_SIZE], GrErrorLog *log)
{
    GrLanderDef lander;
    if (gr_lander_load(path, &lander, log) != GR_OK) {
        return false;
    }
    memcpy(title, lander.title, GR_NOTE_SIZE);
    return true;
}

/// Names and titles of what ships with the program.
static void put_shipped(const char *kind, bool (*title_of)(const char *, char *, GrErrorLog *), GrJson *json)
{
    GrNameList names = {0};
    GrErrorLog log = {.quiet = true};
    gr_json_begin_array(json, kind);
    gr_shipped_list(kind, ".yaml", &names, &log);
    for (int i = 0; i < names.count; i++) {
        char path[GR_FILE_PATH_SIZE], title[GR_NOTE_SIZE] = "";
        if (gr_shipped_find(kind, names.names[i], ".yaml", path) && title_of(path, title, &log)) {
            gr_json_begin_object(json, NULL);
            gr_json_string(json, "name", names.names[i]);
            gr_json_string(json, "title", title);
            gr_json_end(json);
        }
    }
    gr_json_end(json);
    gr_name_list_free(&names);
}

static void put_gravities(GrJson *json)
{
    gr_json_begin_array(json, "gravities");
    for (int i = 0; gr_gravity_name(i) != NULL; i++) {
        double size = 0;
        gr_gravity_named(gr_gravity_name(i), &size);
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "name", gr_gravity_name(i));
        gr_json_number(json, "value", size);
        gr_json_end(json);
    }
    gr_json_end(json);
}

static void put_modes(GrJson *json)
{
    gr_json_begin_array(json, "modes");
    for (int i = 0; i < GR_DRIVE_MODE_COUNT; i++) {
        gr_json_begin_object(json, NULL);
        gr_json_string(json, "name", gr_drive_mode_name((GrDriveMode)i));
        gr_json_string(json, "title", gr_drive_mode_text((GrDriveMode)i));
        gr_json_end(json);
    }
    gr_json_end(json);
}

void gr_editor_about(const GrEditor *editor, GrBuffer *out)
{
    GrBuffer schema = {0};
    GrJson keys = gr_json_to_buffer(&schema, false);
    gr_schema_write(gr_editor_is_rover(editor) ? &gr_schema_rover : &gr_schema_scenario, &keys);
    GrJson json = gr_json_to_buffer(out, false);
    gr_json_begin_object(&json, NULL);
    put_shipped("rovers", rover_title, &json);
    put_shipped("soils", soil_title, &json);
    put_shipped("landers", lander_title, &json);
    put_gravities(&json);
    put_modes(&json);
    gr_buffer_printf(out, ", \"schema\": %s", schema.failed || schema.data == NULL ? "{}" : schema.data);
    gr_json_end(&json);
    gr_json_finish(&json);
    out->failed = out->failed || schema.failed;
    gr_buffer_free(&schema);
}

bool gr_editor_picture(const char *name, GrBuffer *svg)
{
    char path[GR_FILE_PATH_SIZE];
    GrErrorLog log = {.quiet = true};
    GrRoverDef rover;
    const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    if (length == 0 || name[length] != '\0' || !gr_shipped_find("rovers", name, ".yaml", path) ||
        gr_rover_load(path, NULL, &rover, &log) != GR_OK) {
        return false;
    }
    const bool drawn = gr_rover_draw(&rover, svg, &log) == GR_OK;
    gr_rover_free(&rover);
    return drawn && !svg->failed;
}
