/// Saved states of a unit.
#include "fmu_unit_data.h"

#include "alloc.h"
#include "out_of_memory.h"

#include <string.h>

/// First in a saved state. The layout of the rest is that of this build.
typedef struct Header {
    char magic[8];
    uint64_t variables, mission; ///< number of values, bytes of the mission
    GrFmuProgress progress;
} Header;

static const char MAGIC[8] = {'G', 'R', 'F', 'M', 'U', '0', '0', '1'};

size_t gr_fmu_unit_state_size(const GrFmuUnit *unit)
{
    return unit->contact != NULL ? gr_contact_size(gr_fmu_contact_unit(unit->contact))
                                 : gr_mission_size(unit->world->mission);
}

GrStatus gr_fmu_unit_state_save(const GrFmuUnit *unit, void *out)
{
    return unit->contact != NULL ? gr_contact_save(gr_fmu_contact_unit(unit->contact), out)
                                 : gr_mission_save(unit->world->mission, out);
}

GrStatus gr_fmu_unit_state_restore(GrFmuUnit *unit, const void *saved, size_t size, GrErrorLog *log)
{
    return unit->contact != NULL ? gr_contact_restore(gr_fmu_contact_unit(unit->contact), saved, size, log)
                                 : gr_mission_restore(unit->world->mission, saved, size, log);
}

size_t gr_fmu_unit_size(const GrFmuUnit *unit)
{
    return sizeof(Header) + sizeof(double) * (size_t)unit->variables.count + gr_fmu_unit_state_size(unit);
}

GrStatus gr_fmu_unit_save(GrFmuUnit *unit, void *out, GrErrorLog *log)
{
    const size_t values = sizeof(double) * (size_t)unit->variables.count;
    Header header;
    memset(&header, 0, sizeof header); // padding too: equal states are equal bytes
    memcpy(header.magic, MAGIC, sizeof MAGIC);
    header.variables = (uint64_t)unit->variables.count;
    header.mission = gr_fmu_unit_state_size(unit);
    header.progress = unit->progress;
    memcpy(out, &header, sizeof header);
    memcpy((unsigned char *)out + sizeof header, unit->values, values);
    const GrStatus status = gr_fmu_unit_state_save(unit, (unsigned char *)out + sizeof header + values);
    return status == GR_OK ? GR_OK : gr_out_of_memory(log, NULL);
}

/// Whether parameters in `values` differ from those of the present world.
static bool parameters_differ(const GrFmuUnit *unit, const double *values)
{
    bool differ = unit->stale;
    for (int i = 0; i < unit->variables.count; i++) {
        const GrFmuRole role = unit->variables.items[i].role;
        differ = differ || ((role == GR_FMU_TUNABLE || role == GR_FMU_FIXED) && values[i] != unit->values[i]);
    }
    return differ;
}

/// Header of a saved state, after checks of its size.
static GrStatus read_header(const GrFmuUnit *unit, const void *saved, size_t size, Header *header, GrErrorLog *log)
{
    const size_t values = sizeof(double) * (size_t)unit->variables.count;
    if (size < sizeof *header) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "the state is cut short: %zu bytes", size);
    }
    memcpy(header, saved, sizeof *header);
    if (memcmp(header->magic, MAGIC, sizeof MAGIC) != 0 || header->variables != (uint64_t)unit->variables.count) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "not a state of this unit");
    }
    if (size - sizeof *header < values || header->mission != size - sizeof *header - values) {
        return gr_error_add(log, GR_ERROR_SYNTAX, (GrLocation){0}, "the state is cut short: %zu bytes", size);
    }
    return GR_OK;
}

GrStatus gr_fmu_unit_restore(GrFmuUnit *unit, const void *saved, size_t size, GrErrorLog *log)
{
    const size_t count = (size_t)unit->variables.count;
    Header header = {.mission = 0};
    GrStatus status = read_header(unit, saved, size, &header, log);
    if (status != GR_OK) {
        return status;
    }
    double *values = gr_calloc(count, sizeof *values);
    if (values == NULL) {
        return gr_out_of_memory(log, NULL);
    }
    memcpy(values, (const unsigned char *)saved + sizeof header, sizeof *values * count);
    unit->stale = parameters_differ(unit, values);
    unit->progress.begun = false; // the mission comes from the saved state
    memcpy(unit->values, values, sizeof *values * count);
    status = gr_fmu_unit_refresh(unit, log);
    if (status == GR_OK) {
        const unsigned char *mission = (const unsigned char *)saved + sizeof header + sizeof *values * count;
        status = gr_fmu_unit_state_restore(unit, mission, (size_t)header.mission, log);
    }
    memcpy(unit->values, values, sizeof *values * count);
    unit->progress = header.progress;
    unit->now = header.progress.time;
    unit->old = true;
    gr_free(values);
    return status;
}
