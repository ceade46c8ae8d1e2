/// Runs of a batch as a kernel: a thread for each. clang compiles this file, and the sources of the step that it calls,
/// to code for GPUs (src/CMakeLists.txt); the tests compile all of it for the processor, where a GPU that they make up
/// calls the kernels.
#include "lane.h"

#include "device_call.h"

#include <string.h>

#ifdef __NVPTX__
#define GR_KERNEL __attribute__((nvptx_kernel)) void

static int32_t thread_number(void)
{
    return (int32_t)(__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x());
}
#else
#define GR_KERNEL void

static int32_t thread_number(void)
{
    return gr_lane_thread;
}
#endif

/// Copies words: neighbouring threads read neighbouring rows, and a loop over bytes would be slow.
static void copy(void *to, const void *from, size_t size)
{
    uint64_t *out = to;
    const uint64_t *in = from;
    for (size_t k = 0; k < size / sizeof *out; k++) {
        out[k] = in[k];
    }
}

/// Points the mission's parts into the thread's memory, which then holds the row.
static bool bring(GrMission *mission, GrData *d, unsigned char *row, unsigned char *memory)
{
    GrLaneRow at = gr_lane_row(mission, 0);
    if (!gr_data_place(mission->m, d, memory + at.data)) {
        return false;
    }
    at = gr_lane_row(mission, d->size);
    copy(&mission->s, row + at.state, sizeof mission->s);
    copy(memory + at.wheels, row + at.wheels, at.size - at.wheels);
    mission->wheels = (GrWheelTally *)(void *)(memory + at.wheels);
    mission->arrivals = (GrArrival *)(void *)(memory + at.arrivals);
    mission->drive = (double *)(void *)(memory + at.drive);
    mission->d = d;
    if (d->rigid != NULL) {
        gr_rigid_state_refresh(mission->m->rigid.world, d->rigid);
    }
    if (mission->def.pull != 0) {
        gr_data_set_force(d, GR_POINTER(gr_mission_pull_force), mission);
    }
    return true;
}

static void take_back(const GrMission *mission, unsigned char *row, const unsigned char *memory)
{
    const GrLaneRow at = gr_lane_row(mission, mission->d->size);
    copy(row + at.state, &mission->s, sizeof mission->s);
    copy(row + at.wheels, memory + at.wheels, at.size - at.wheels);
}

static GrLaneState drive(const GrLaneCall *call, unsigned char *row, unsigned char *memory)
{
    const GrLaneHead *head = (const GrLaneHead *)(const void *)row;
    GrMission mission = *(const GrMission *)head->mission;
    GrData d;
    if (!bring(&mission, &d, row, memory)) {
        return GR_LANE_REFUSED;
    }
    for (int32_t k = 0; k < call->steps && gr_mission_goes_on(&mission, head->until); k++) {
        gr_mission_step(&mission, fmin(head->until, mission.def.duration));
    }
    if (mission.s.outcome == GR_OUTCOME_FAILED) { // there is more room elsewhere
        return GR_LANE_REFUSED;
    }
    take_back(&mission, row, memory);
    return gr_mission_goes_on(&mission, head->until) ? GR_LANE_GOES_ON : GR_LANE_DONE;
}

GR_KERNEL gr_lane_drive(GrLaneCall call)
{
    uint64_t memory[GR_LANE_MEMORY / sizeof(uint64_t)];
    const int32_t k = thread_number();
    if (k < call.count) {
        const int32_t run = call.order[k];
        call.states[run] = (int32_t)drive(&call, call.rows + (size_t)run * call.row_size, (unsigned char *)memory);
    }
}
