#include "rover_yaml.h"

#include "alloc.h"
#include "rover_parts.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

// Bodies may come in any order. They are first read in the order of the file, then sorted: the chassis, then parents
// before their children, otherwise as in the file.

typedef struct Entry {
    GrNode *node;
    GrBodyDef body;
    GrJointDef joint;
    GrNode *parent_node;
    bool broken; ///< not a mapping
    int parent;  ///< entry, −1 for the chassis
    int index;   ///< in the rover, −1 until it is placed
} Entry;

typedef struct Entries {
    Entry *items;
    int count;
} Entries;

static int find_entry(const Entries *entries, const char *name)
{
    for (int i = 0; i < entries->count; i++) {
        if (strcmp(entries->items[i].body.name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static void read_name(const GrNode *node, char *out, size_t size)
{
    if (!gr_text_copy(out, size, node->key)) {
        gr_node_error(node, GR_ERROR_NAME, "the name has more than %zu bytes", size - 1);
    } else if (strpbrk(node->key, ".[]= \t\n") != NULL) {
        gr_node_error(node, GR_ERROR_NAME, "invalid name '%s': names must not contain . [ ] = or spaces", node->key);
    }
}

static void read_entry(GrNode *node, Entry *entry)
{
    *entry = (Entry){
        .node = node, .body = gr_default_body_def(), .joint = gr_default_joint_def(), .parent = -1, .index = -1};
    node->used = true;
    read_name(node, entry->body.name, sizeof entry->body.name);
    gr_text_copy(entry->joint.name, sizeof entry->joint.name, entry->body.name);
    entry->broken = !gr_node_is_mapping(node);
    if (entry->broken) {
        return;
    }
    entry->parent_node = gr_field(node, "parent", GR_OPTIONAL);
    const bool has_mass = gr_read_body(node, &entry->body);
    GrNode *joint = gr_field_mapping(node, "joint", entry->parent_node != NULL ? GR_REQUIRED : GR_OPTIONAL);
    if (joint != NULL && entry->parent_node == NULL) {
        gr_node_error(joint, GR_ERROR_FIELD, "a joint needs a parent; only the chassis may omit both");
    } else if (joint != NULL) {
        gr_read_joint(joint, &entry->joint);
    }
    const bool moves = entry->parent_node == NULL || (joint != NULL && entry->joint.kind != GR_JOINT_FIXED);
    if (has_mass && entry->body.mass == 0 && moves) {
        gr_node_error(gr_node_find(node, "mass_kg"), GR_ERROR_VALUE,
                      "a body that moves must have mass; 0 is only allowed on a fixed joint");
    }
    gr_fields_end(node);
}

static void resolve_parent(Entries *entries, Entry *entry)
{
    char name[GR_NAME_SIZE];
    if (entry->parent_node == NULL || !gr_node_text(entry->parent_node, name, sizeof name)) {
        return;
    }
    entry->parent = find_entry(entries, name);
    const char **names = entry->parent < 0 ? gr_calloc((size_t)entries->count + 1, sizeof *names) : NULL;
    if (names != NULL) {
        for (int i = 0; i < entries->count; i++) {
            names[i] = entries->items[i].body.name;
        }
        if (strstr(name, "${") == NULL) { // otherwise reported when repeat: was expanded
            gr_node_error(entry->parent_node, GR_ERROR_NAME, "there is no body '%s'%s", name,
                          gr_suggestion(entry->node->document->log, name, names, entries->count).text);
        }
        gr_free(names);
    } else if (entry->parent < 0) {
        gr_node_out_of_memory(entry->node);
    }
}

/// The first body without a parent; another one is an error.
static Entry *find_chassis(Entries *entries)
{
    Entry *chassis = NULL;
    for (int i = 0; i < entries->count; i++) {
        Entry *entry = &entries->items[i];
        const bool hangs = entry->broken || entry->parent_node != NULL;
        if (!hangs && chassis == NULL) {
            chassis = entry;
        } else if (!hangs) {
            gr_node_error(entry->node, GR_ERROR_FIELD, "has no parent, but '%s' is already the chassis",
                          chassis->body.name);
        }
    }
    return chassis;
}

static void report_circle(const Entries *entries, const Entry *start)
{
    // After as many steps as there are bodies, following the parents has reached the cycle.
    const Entry *entry = start;
    for (int i = 0; i < entries->count; i++) {
        if (entry->parent < 0) {
            return;
        }
        entry = &entries->items[entry->parent];
    }
    char text[200] = "";
    size_t used = 0;
    const Entry *first = entry;
    do {
        const int written = snprintf(text + used, sizeof text - used, "%s -> ", entry->body.name);
        used = used + (size_t)written < sizeof text ? used + (size_t)written : used;
        entry = &entries->items[entry->parent];
    } while (entry != first && used < sizeof text - 70);
    gr_node_error(first->node, GR_ERROR_MODEL, "bodies are each other's parents in a cycle: %s%s", text,
                  first->body.name);
}

/// Moves an entry into the rover; its parent must be there already.
static void place(const Entries *entries, Entry *entry, GrRoverDef *rover)
{
    entry->index = gr_rover_add_body(rover, &entry->body);
    if (entry->index < 0) {
        gr_node_out_of_memory(entry->node);
        return;
    }
    entry->body.shapes = NULL; // now owned by the rover
    if (entry->parent < 0) {
        return;
    }
    if (gr_find_joint(rover, entry->joint.name) >= 0) {
        gr_node_error(entry->node, GR_ERROR_NAME, "there is another joint '%s'", entry->joint.name);
    }
    entry->joint.parent = entries->items[entry->parent].index;
    entry->joint.child = entry->index;
    if (gr_rover_add_joint(rover, &entry->joint) < 0) {
        gr_node_out_of_memory(entry->node);
    }
}

/// False after an error.
static bool place_all(Entries *entries, Entry *chassis, GrRoverDef *rover)
{
    place(entries, chassis, rover);
    for (bool progress = true; progress;) {
        progress = false;
        for (int i = 0; i < entries->count; i++) {
            Entry *entry = &entries->items[i];
            if (entry->index < 0 && entry->parent >= 0 && entries->items[entry->parent].index >= 0) {
                place(entries, entry, rover);
                progress = entry->index >= 0;
            }
        }
    }
    for (int i = 0; i < entries->count; i++) {
        if (entries->items[i].index < 0 && entries->items[i].parent >= 0) {
            report_circle(entries, &entries->items[i]);
        }
        if (entries->items[i].index < 0) {
            return false;
        }
    }
    return true;
}

/// True when every body has its place, so that other parts may refer to bodies and joints.
static bool read_bodies(GrNode *root, GrRoverDef *rover)
{
    GrNode *bodies = gr_field_mapping(root, "bodies", GR_REQUIRED);
    if (bodies == NULL) {
        return false;
    }
    Entries entries = {.items = gr_calloc((size_t)bodies->count + 1, sizeof *entries.items)};
    if (entries.items == NULL) {
        gr_node_out_of_memory(bodies);
        return false;
    }
    for (GrNode *node = bodies->first; node != NULL; node = node->next) {
        read_entry(node, &entries.items[entries.count++]);
    }
    for (int i = 0; i < entries.count; i++) {
        resolve_parent(&entries, &entries.items[i]);
    }
    Entry *chassis = find_chassis(&entries);
    const bool complete = chassis != NULL && place_all(&entries, chassis, rover);
    if (chassis == NULL) {
        gr_node_error(bodies, GR_ERROR_MODEL, "there is no chassis: one body without a parent is needed");
    }
    for (int i = 0; i < entries.count; i++) {
        gr_shapes_free(entries.items[i].body.shapes, entries.items[i].body.shape_count);
    }
    gr_free(entries.items);
    return complete;
}

GrStatus gr_rover_read_yaml(GrDocument *document, GrRoverDef *out)
{
    GrNode *root = document->root;
    *out = gr_default_rover_def();
    gr_read_heading(root, out);
    if (read_bodies(root, out)) {
        gr_read_wheels(root, out);
        gr_read_couplings(root, out);
        gr_read_sensors(root, out);
        gr_read_localisation(root, out);
    }
    gr_field(root, "wheels", GR_OPTIONAL);
    gr_field(root, "couplings", GR_OPTIONAL);
    gr_field(root, "sensors", GR_OPTIONAL);
    gr_field(root, "localisation", GR_OPTIONAL);
    gr_fields_end(root);
    gr_rover_warn_ignored(root, out);
    if (document->status != GR_OK) {
        gr_rover_free(out);
    }
    return document->status;
}

GrStatus gr_rover_parse_yaml(const char *text, size_t length, const char *file, const char *const *overrides,
                             GrRoverDef *out, GrErrorLog *log)
{
    *out = gr_default_rover_def();
    GrDocument *document;
    GrStatus status = gr_document_parse(text, length, file, &document, log);
    if (status != GR_OK) {
        return status;
    }
    gr_document_prepare(document, overrides);
    status = gr_rover_read_yaml(document, out);
    gr_document_free(document);
    return status;
}
