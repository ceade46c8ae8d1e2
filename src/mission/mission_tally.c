/// Statistics of a mission, accumulated step by step, and the warnings and summary made from them.
#include "mission_data.h"

#include "account.h"
#include "alloc.h"
#include "dynamics.h"
#include "elementary.h"
#include "grain_bodies.h"
#include "law.h"
#include "number.h"
#include "out_of_memory.h"
#include "wheel_contact.h"

#include <stdio.h>
#include <string.h>

// ---- warnings about wheels

static const double SLICE_SHARE = 0.05;   // change of sinkage by twice the slices
static const double DEEP_RUT_SHARE = 0.5; // fraction of a wheel's radius

/// Warns about wheels in deep ruts on a law with one contact plane, which cannot represent both floor and walls.
static void warn_ruts(const GrMission *mission, GrRunSummary *out)
{
    const GrModel *m = mission->m;
    double deepest = 0;
    for (int i = 0; gr_ruts_over_ground(mission->d) != NULL && i < m->wheel_count; i++) {
        deepest = fmax(deepest, out->wheels[i].sinkage_mean / m->wheels[i].radius);
    }
    GrWarning *warning = deepest > DEEP_RUT_SHARE ? gr_summary_add_warning(out, out->steps, 0) : NULL;
    if (warning != NULL) {
        gr_print(warning->text, sizeof warning->text,
                 "a wheel sinks %.2g of its radius into ground that keeps ruts: outside the range in which one contact "
                 "plane describes floor and walls",
                 deepest);
    }
}

/// Warns about too few slices. The deepest slice stands for the wheel's lowest point; twice as many have their
/// outermost a quarter of a slice further out, where the wheel is deeper by a quarter of what neighbouring slices
/// differ by.
static void warn_slices(const GrMission *mission, GrRunSummary *out)
{
    double most = 0;
    for (int i = 0; mission->m->scm_bodies == NULL && i < mission->m->wheel_count; i++) {
        const GrWheelTally *tally = &mission->wheels[i];
        const double change = tally->spread_time / 4, sunk = tally->sums.sinkage_time;
        most = sunk > 0 ? fmax(most, change / sunk) : most;
    }
    const int slices = mission->m->soil_wheels != NULL ? mission->m->soil_wheels[0].slices : 1;
    GrWarning *warning = most > SLICE_SHARE ? gr_summary_add_warning(out, out->steps, 0) : NULL;
    if (warning != NULL) {
        gr_print(warning->text, sizeof warning->text,
                 "the ground differs so much across a wheel that %d slices are too few: twice as many would change its "
                 "mean sinkage by about %.2g %% (step.slices)",
                 slices, 100 * most);
    }
}

/// Warns about wheels that never touched anything. Such a rover lies on something else, or was never put down: its
/// loads, slips and sinkages of 0 are not results.
static void warn_untouched(const GrMission *mission, GrRunSummary *out)
{
    const GrModel *m = mission->m;
    int untouched = 0, first = 0;
    for (int i = m->wheel_count - 1; i >= 0; i--) {
        if (!(mission->wheels[i].sums.touch_time > 0)) {
            untouched++;
            first = i;
        }
    }
    GrWarning *warning = untouched > 0 && out->steps > 0 ? gr_summary_add_warning(out, out->steps, 0) : NULL;
    if (warning != NULL && untouched == m->wheel_count) {
        gr_print(warning->text, sizeof warning->text, "no wheel ever touched the ground or a rock: %s",
                 mission->s.dropped ? "the rover was still falling at the end"
                                    : "something else carries the rover; do not trust this run");
    } else if (warning != NULL) {
        gr_print(warning->text, sizeof warning->text,
                 "%d of %d wheels never touched the ground or a rock, the first is %s", untouched, m->wheel_count,
                 m->wheel_names[first]);
    }
}

/// Adds warnings about wheels in deep ruts, and about wheels that never touched anything.
static void mission_warn_wheels(const GrMission *mission, GrRunSummary *out)
{
    warn_slices(mission, out);
    warn_ruts(mission, out);
    warn_untouched(mission, out);
}

// ---- tallies and summary

static const double SPIN_SLIP = 0.9;       // a wheel with more slip spins
static const double LARGE_SLIP = 0.6;      // from here on another 0.01 of slip costs 2.5 % of the distance
static const double RESIDUAL_SHARE = 0.01; // fraction of the energy turnover that a run may lose or gain
static const double LEAST_HEIGHT = 1e-3;   // [m] the energy that lifts the rover by this much is always turned over
// Fraction of a wheel's radius: wheels sink by about this much, and an error that is small beside the work of sinking
// in once does not matter, however little a short run turns over.
static const double LEAST_SINKAGE = 0.05;
static const double SWING_SHARE = 0.05,
                    SWING_SPEED = 1e-3;  // smallest reversal that counts: fraction of the speed, speed of the rim [m/s]
static const double SWINGS_SHARE = 0.02; // fraction of steps in which a wheel's speed may reverse its change
static const double ROLLED_SHARE = 0.2;  // fraction of steps in which a wheel may roll out of its contact with soil
static const double GRID_ROWS = 1;       // fewest rows of nodes in front of a wheel's lowest point
static const double REST_FORCE = 1e-6;   // largest unbalanced force at the start, divided by the weight
static const double PUSH_FORCE = 1e-2;   // largest force on a dropped rover at its start, divided by the weight
static const double HOP_HEIGHT = 1e-3;   // [m] smallest hop that counts
enum { LANDING_STEPS = 20 };             // steps in which a landing wheel sinks that give its sinkage to a few per cent
static const double LANDING_TRAVEL = 1e-4; // [m] in fewer steps, a sinkage of less than this per step does not matter
enum { HOPS = 2 };                         // hops of a wheel after which the result is chaotic; 1 on elastic soil
static const double DAMPED_SHARE = 0.3;    // fraction of the energy turnover that numerical damping may take

static const char *warning_text(int warning)
{
    if (warning < GR_WARN_DRIVE) {
        return gr_soil_flag_text(1 << (warning - GR_WARN_SOIL));
    }
    if (warning < GR_WARN_STEP) {
        return gr_drive_flag_text(warning - GR_WARN_DRIVE);
    }
    static const char *const texts[] = {
        "the error of the shortest step is above the tolerance",
        "the chassis touches the ground or a rock",
        "a wheel spins: its slip is above 0.9",
        "a wheel slips by more than 0.6, outside the range in which distances are good to a few per cent",
        "a step above 2 ms while a loose rock is pushed: work and forces on it are unreliable",
        "loose rocks are pushed: single contacts decide; work and distance may be wrong by more than a few per cent",
        "a flexible wheel is deflected by more than half its radius: outside the range of its linear spring",
        "a wheel carries more than five times its share of the weight: an impact, whose peak load depends on the step",
        "the rover jumps off the ground: later results may be wrong by more than a few per cent",
        "a wheel bounces and lands beside its own rut: its sinkage depends on where it lands and is unreliable",
        "a wheel bounces after a fall: small differences decide; results may be wrong by more than a few per cent",
        "a wheel lands within a few long steps: its sinkage depends on them and is unreliable"};
    return texts[warning - GR_WARN_STEP];
}

/// Speed of the wheel's centre along the wheel, on any ground.
static double hub_speed(const GrModel *m, const GrData *d, int i)
{
    const GrBodyFrame *frame = &d->tree.frame[m->wheels[i].body];
    const GrVec3 centre = gr_wheel_centre(m, d, i);
    const GrVec3 axle = gr_mat3_mul_vec(&frame->rotation, m->wheels[i].axle);
    return gr_dot(gr_twist_at(frame->twist, centre), gr_normalize(gr_cross(axle, gr_vec3(0, 0, 1))));
}

/// Counts steps in which a wheel's speed rises and falls alternately by a considerable fraction: a sign of steps too
/// long for motor, soil or rock.
static void tally_swing(GrWheelTally *tally, double rate, double radius)
{
    const double change = rate - tally->rate, size = fmin(fabs(change), fabs(tally->change));
    tally->swings += change * tally->change < 0 && radius * size > SWING_SHARE * radius * fabs(rate) + SWING_SPEED;
    tally->change = change;
    tally->rate = rate;
}

/// Speed at which the motor of a wheel should turn it [rad/s].
static double commanded_rate(const GrModel *m, const GrData *d, int body)
{
    const GrMotorKind kind = m->tree.joints[body].motor.kind;
    const bool by_speed = kind == GR_MOTOR_SPEED || kind == GR_MOTOR_PID || kind == GR_MOTOR_DC;
    return body > 0 && by_speed ? d->tree.command[body] : 0;
}

/// Contact states: on each kind of ground that there is one.
static void tally_states(GrWheelTally *tally, const GrModel *m, const GrData *d, int wheel, double dt)
{
    for (int k = 0; k < GR_SURFACE_COUNT; k++) {
        const GrContactMode mode = d->mode_log[wheel].mode[k];
        const bool there = k == GR_ON_SOFT ? gr_wheel_on_soil(m, wheel) : d->rigid != NULL;
        if (there) {
            tally->state_entries[mode] += tally->state_time[mode] == 0 || tally->state[k] != mode;
            tally->state_time[mode] += dt;
            tally->state[k] = mode;
        }
    }
}

static void tally_wheel(GrMission *mission, int i, double dt, unsigned *flags, double *slip_most)
{
    const GrModel *m = mission->m;
    const GrData *d = mission->d;
    const int body = m->wheels[i].body;
    const GrSoilOutput *soil = &d->contact[i].soil;
    GrWheelTally *tally = &mission->wheels[i];
    const double radius = gr_rolling_radius(m, i), rate = body > 0 ? gr_joint_velocity(&m->tree, &d->tree, body) : 0;
    const double rolled = tally->sums.rolled;
    GrWheelSample now;
    gr_mission_sample_wheel(mission, i, dt, &now);
    const double distance = gr_wheel_sums_add(&tally->sums, m, i, &now, dt);
    tally_swing(tally, rate, radius);
    tally_states(tally, m, d, i, dt);
    *slip_most = tally->sums.rolled > rolled ? fmax(*slip_most, tally->sums.slip_now) : *slip_most;
    *flags |= soil->sinkage > 0 ? (unsigned)soil->flags : 0;
    tally->spread_time += soil->sinkage > 0 ? d->contact[i].spread * dt : 0;
    mission->s.rolled += distance / m->wheel_count;
    mission->s.commanded += fabs(commanded_rate(m, d, body)) * radius * dt / m->wheel_count;
    mission->s.travelled += (rate == 0                        ? 0
                             : gr_wheel_sign(m, i) * rate > 0 ? 1
                                                              : -1) *
                            hub_speed(m, d, i) * dt / m->wheel_count;
}

static void tally_chassis(GrMission *mission)
{
    GrMissionState *s = &mission->s;
    const GrVec3 at = gr_base_position(&mission->d->tree);
    double roll, pitch, heading;
    s->distance += gr_hypot(at.x - s->last.x, at.y - s->last.y);
    s->last = at;
    gr_climb_sums_add(&s->climbs, gr_dot(at, mission->up));
    gr_attitude(gr_base_rotation(&mission->d->tree), &roll, &pitch, &heading);
    s->roll_max = fmax(s->roll_max, fabs(roll));
    s->pitch_max = fmax(s->pitch_max, fabs(pitch));
    s->cross_track_max = fmax(s->cross_track_max, fabs(s->control.cross_track));
}

/// Soil that unloads along its own line keeps the deepest sinkage of a landing: steps must resolve how the wheel
/// is stopped.
static void tally_sinking(GrMission *mission, int wheel, bool carried)
{
    GrWheelTally *tally = &mission->wheels[wheel];
    const double sinkage = mission->d->contact[wheel].soil.sinkage;
    if (!carried) {
        tally->sunk = sinkage > 0 ? tally->sunk : 0;
        tally->deeper = 0;
        tally->sinking = 0;
        tally->falls = true;
    } else if (tally->falls && sinkage > tally->sunk) {
        tally->deeper += sinkage - tally->sunk;
        tally->sunk = sinkage;
        tally->sinking++;
    } else if (tally->falls) {
        tally->falls = false;
        if (tally->sinking < LANDING_STEPS && tally->deeper > LANDING_TRAVEL * tally->sinking) {
            gr_mission_warn(mission, GR_WARN_LANDS);
        }
    }
}

/// A dropped rover bounces, and may come down beside the place where it has deformed the ground. After a few hops the
/// motion is chaotic: small differences decide where the rover comes to rest.
static void tally_landings(GrMission *mission)
{
    const GrModel *m = mission->m;
    const GrData *d = mission->d;
    // laws with one contact plane see a wheel in its rut or beside it, not both
    const bool planes = d->ruts != NULL && m->scm_bodies == NULL;
    const double now = gr_data_time(d), fall = gr_norm(m->tree.gravity);
    for (int i = 0; mission->s.dropped && i < m->wheel_count; i++) {
        GrWheelTally *tally = &mission->wheels[i];
        // a wheel that flies up in its own dent carries nothing
        const bool carried = d->contact[i].soil.sinkage > 0 && d->contact[i].soil.wrench[2] > 0;
        if (m->soil_unloads) {
            tally_sinking(mission, i, carried);
        }
        if (!carried && !(d->rigid != NULL && d->rigid_contact[i].count > 0)) {
            tally->lifted = tally->landed;
            continue;
        }
        const GrVec3 at = gr_add(gr_base_position(&d->tree), gr_wheel_centre(m, d, i));
        const double flight = now - tally->left_time; // up and down: its height is g t²/8
        if (tally->lifted && fall * flight * flight > 8 * HOP_HEIGHT) {
            const double beside = gr_hypot(at.x - tally->left.x, at.y - tally->left.y);
            tally->hops++;
            if (planes && beside > m->options.surface.rut_cell) {
                gr_mission_warn(mission, GR_WARN_AGAIN);
            }
            const bool springs = m->soil_wheels != NULL && (gr_law_traits(m->soil_wheels[i].law) & GR_LAW_SPRING) != 0;
            if (tally->hops >= (springs ? 1 : HOPS)) {
                gr_mission_warn(mission, GR_WARN_HOPS);
            }
        }
        tally->landed = true;
        tally->lifted = false;
        tally->left = at;
        tally->left_time = now;
    }
}

/// Detects hard impacts and jumps, which a driving rover does not have. A dropped one does.
static void tally_blows(GrMission *mission)
{
    const GrModel *m = mission->m;
    if (mission->s.dropped || !(mission->weight > 0)) {
        return;
    }
    double most = 0;
    bool touches = gr_norm(gr_belly_force(mission)) > 0;
    for (int i = 0; i < m->wheel_count; i++) {
        const GrVec3 force = gr_wheel_force(mission, i);
        most = fmax(most, gr_dot(force, mission->up));
        touches = touches || gr_dot(force, force) > 0;
    }
    if (most * m->wheel_count > GR_BLOW_FACTOR * mission->weight) {
        gr_mission_warn(mission, GR_WARN_BLOW);
    }
    if (!touches) {
        gr_mission_warn(mission, GR_WARN_JUMP);
    }
}

/// Kinetic energy ½ Δvᵀ M Δv of the change of all velocities in a step [J]. Over a backward Euler step the work of the
/// forces at its end, F·v dt, exceeds the change of ½ vᵀ M v by just this: the energy that the integrator damps.
static double step_energy(const GrMission *mission, double dt)
{
    const GrTree *t = &mission->m->tree;
    GrTreeData *d = &mission->d->tree;
    GrTwist *rate = d->work_twist;
    const double *a = d->acceleration;
    rate[0] = (GrTwist){gr_vec3(a[3], a[4], a[5]), gr_vec3(a[0], a[1], a[2])};
    double sum = gr_power(gr_inertia_mul(&d->inertia[0], rate[0]), rate[0]);
    for (int b = 1; b < t->body_count; b++) {
        const GrJoint *j = &t->joints[b];
        const double change = j->ratio * a[j->dof];
        rate[b] = gr_twist_madd(rate[j->parent], change, d->frame[b].motion);
        sum += gr_power(gr_inertia_mul(&d->inertia[b], rate[b]), rate[b]) + j->motor.rotor_inertia * change * change;
    }
    return 0.5 * dt * dt * sum;
}

void gr_mission_tally(GrMission *mission, double dt)
{
    unsigned flags = 0;
    bool flat = false, rolled = false;
    double slip = 0;
    for (int i = 0; i < mission->m->wheel_count; i++) {
        tally_wheel(mission, i, dt, &flags, &slip);
        rolled = rolled || (mission->m->soil_wheels != NULL && dt * gr_pace_rolled(mission->m, mission->d, i) > 1);
        flat =
            flat || gr_wheel_deflection(mission->m, mission->d, i) > GR_DEFLECTION_LIMIT * mission->m->wheels[i].radius;
    }
    flags |= dt > gr_grain_time(mission->m, mission->d) ? GR_FLAG_STEP : 0;
    mission->s.step_energy += mission->m->integrator->order == 1 ? step_energy(mission, dt) : 0;
    tally_landings(mission);
    tally_blows(mission);
    tally_chassis(mission);
    gr_mission_tally_self(mission, dt);
    for (int k = 0; k < GR_FLAG_COUNT; k++) {
        if (flags & (1u << k)) {
            gr_mission_warn(mission, GR_WARN_SOIL + k);
        }
    }
    if (slip > LARGE_SLIP) {
        gr_mission_warn(mission, slip > SPIN_SLIP ? GR_WARN_SPIN : GR_WARN_SLIP);
    }
    mission->s.rolled_out += rolled;
    if (flat) {
        gr_mission_warn(mission, GR_WARN_FLEX);
    }
}

static void summarise_arrivals(const GrMission *mission, GrRunSummary *out)
{
    long missed = 0;
    double first = 0;
    for (int k = 0; k < out->way_point_count; k++) {
        const GrArrival *arrival = &mission->arrivals[k];
        out->way_points[k] = *arrival;
        out->way_points_reached += arrival->state == GR_ARRIVAL_REACHED;
        if (arrival->state == GR_ARRIVAL_MISSED && missed++ == 0) {
            first = arrival->time;
        }
    }
    GrWarning *warning = missed > 0 ? gr_summary_add_warning(out, missed, first) : NULL;
    if (warning != NULL) {
        gr_print(warning->text, sizeof warning->text, "a way-point was passed outside its tolerance of %.3g m",
                 mission->control.def.tolerance);
    }
}

/// Most energy that the soil under the wheels can return [J]: it was compressed before the run began, and laws with
/// elastic unloading return that work when a wheel lifts or turns.
static double stored_in_soil(const GrRunSummary *s)
{
    double sum = 0;
    for (int i = 0; i < s->wheel_count; i++) {
        sum += s->wheels[i].load_mean * s->wheels[i].sinkage_mean;
    }
    return sum;
}

static double smallest_radius(const GrModel *m)
{
    double least = INFINITY;
    for (int i = 0; i < m->wheel_count; i++) {
        least = fmin(least, m->wheels[i].radius);
    }
    return m->wheel_count > 0 ? least : 0;
}

/// Energy of a fall that is booked before it is kinetic energy [J]: a first-order step moves the rover with its
/// velocity at the end of the step, so that positions are half a step ahead of velocities. It is not an error as long
/// as the step stays the same, and vanishes at rest.
static double fall_ahead(const GrMission *mission, const GrBalance *balance)
{
    const double down = -gr_dot(balance->linear, mission->up) / balance->mass - mission->s.start_down;
    return mission->m->integrator->order == 1 ? 0.5 * mission->s.last_step * mission->weight * down : 0;
}

/// Energy that appears from nowhere, or that the integrator damps, means that the steps were too long.
static void check_balance(const GrMission *mission, GrRunSummary *out)
{
    const GrEnergySample *e = &out->energy;
    const double used = (fabs(e->motor) + fabs(e->mechanical) + fabs(e->soil) + fabs(e->joints) + fabs(e->pull)) / 2 +
                        LEAST_HEIGHT * mission->weight;
    const GrBalance balance = gr_mission_balance(mission);
    const double turned = fmax(used + balance.kinetic, // all the energy of a fall still in progress
                               LEAST_SINKAGE * smallest_radius(mission->m) * mission->weight);
    const double residual = e->residual - fall_ahead(mission, &balance);
    const double found = fmax(fabs(residual), -(e->soil + e->joints) - stored_in_soil(out)); // losses are positive
    GrWarning *warning = found > RESIDUAL_SHARE * turned ? gr_summary_add_warning(out, out->steps, out->time) : NULL;
    if (warning != NULL) {
        gr_print(warning->text, sizeof warning->text,
                 "the energy balance is off by %.3g %%: the steps are too long to trust this run",
                 100 * found / turned);
    }
    const double damped = mission->s.step_energy / used;
    warning = damped > DAMPED_SHARE ? gr_summary_add_warning(out, out->steps, out->time) : NULL;
    if (warning != NULL) {
        gr_print(warning->text, sizeof warning->text,
                 "velocities change so much from step to step that the integrator damps up to %.0f %% of the energy "
                 "turnover: the steps are too long to trust this run",
                 100 * damped);
    }
}

/// Warns when the run did not start with the rover at rest where it was placed.
static void check_start(const GrMission *mission, GrRunSummary *out)
{
    const GrMissionState *s = &mission->s;
    if (s->start_push > PUSH_FORCE) {
        GrWarning *inside = gr_summary_add_warning(out, 1, 0);
        gr_print(inside->text, sizeof inside->text,
                 "wheels start in the ground, which pushes them out with %.3g times the weight: loads are unreliable; "
                 "start higher",
                 s->start_push);
    }
    GrWarning *warning = s->start_fall > 0 || s->start_force > REST_FORCE ? gr_summary_add_warning(out, 1, 0) : NULL;
    if (warning != NULL && s->start_fall > 0) {
        gr_print(warning->text, sizeof warning->text,
                 "no equilibrium was found at the start: the rover was dropped into place within %.2g s%s",
                 s->start_fall, s->start_moves ? " and did not come to rest: do not trust this run" : "");
    } else if (warning != NULL) {
        gr_print(warning->text, sizeof warning->text,
                 "the rover is not quite in equilibrium at the start: the largest unbalanced force is %.2g of the "
                 "weight",
                 s->start_force);
    }
}

/// Warns when something happens in more than `share` of the steps that shows that they are too long.
static void check_steps(GrRunSummary *out, long count, double share, const char *what)
{
    const double part = (double)count / (double)out->steps;
    GrWarning *warning = (double)count > share * (double)out->steps ? gr_summary_add_warning(out, count, 0) : NULL;
    if (warning != NULL) {
        gr_print(warning->text, sizeof warning->text,
                 "%s, in %.0f %% of the steps: they are too long to trust this run", what, 100 * part);
    }
}

static long most_swings(const GrMission *mission)
{
    long most = 0;
    for (int i = 0; i < mission->m->wheel_count; i++) {
        most = mission->wheels[i].swings > most ? mission->wheels[i].swings : most;
    }
    return most;
}

/// Warns about wheels on law scm that sink in so little that they touch few rows of nodes. Each row that comes into or
/// out of contact is a jump of the force, so forces depend on the grid and the step.
static void check_grid(const GrMission *mission, GrRunSummary *out)
{
    const GrModel *m = mission->m;
    const double cell = m->options.surface.rut_cell;
    double least = INFINITY;
    for (int i = 0; m->scm_bodies != NULL && i < m->wheel_count; i++) {
        if (mission->wheels[i].sums.soil_time > 0 && mission->wheels[i].sums.rolled > GR_SLIP_DISTANCE) {
            least = fmin(least, sqrt(2 * m->wheels[i].radius * fmax(0, out->wheels[i].sinkage_mean)));
        }
    }
    GrWarning *warning = least < GRID_ROWS * cell ? gr_summary_add_warning(out, out->steps, 0) : NULL;
    if (warning != NULL) {
        gr_print(warning->text, sizeof warning->text,
                 "wheels touch %.2g rows of the grid of law scm in front of their axle, on soil this stiff: loads and "
                 "torques are unreliable; try ruts.cell_m of %.1g m",
                 least / cell, fmax(least / GRID_ROWS, 1e-4));
    }
}

GrStatus gr_mission_summary(const GrMission *mission, GrRunSummary *out, GrErrorLog *log)
{
    const GrMissionState *s = &mission->s;
    const GrModel *m = mission->m;
    const double time = gr_data_time(mission->d);
    const GrOdometry *odometry = &s->control.odometry;
    const int way_points = gr_mission_way_point_count(mission);
    GrWheelSummary *wheels = gr_calloc((size_t)m->wheel_count + 1, sizeof *wheels);
    GrArrival *arrivals = gr_calloc((size_t)way_points + 1, sizeof *arrivals);
    GrWarning *warnings = gr_calloc(GR_WARNINGS_MAX, sizeof *warnings);
    GrSelfContact *contacts = gr_calloc((size_t)s->self_count + 1, sizeof *contacts);
    if (wheels == NULL || arrivals == NULL || warnings == NULL || contacts == NULL) {
        gr_free(wheels);
        gr_free(arrivals);
        gr_free(warnings);
        gr_free(contacts);
        return gr_out_of_memory(log, NULL);
    }
    const GrBalance balance = gr_mission_balance(mission);
    *out = (GrRunSummary){
        .outcome = s->outcome,
        .outcome_time = s->outcome_time,
        .time = time,
        .distance = s->distance,
        .progress = gr_hypot(s->last.x - s->start.x, s->last.y - s->start.y),
        .climb = s->climbs.climb,
        .descent = s->climbs.descent,
        .roll_max = s->roll_max,
        .pitch_max = s->pitch_max,
        .cross_track_max = s->cross_track_max,
        .odometry_error = s->control.started ? gr_hypot(odometry->x - s->last.x, odometry->y - s->last.y) : 0,
        .supply = gr_mission_summarise_supply(mission),
        .energy = gr_account_balance(&s->account, balance.kinetic, balance.gravity, balance.spring),
        .steps = s->steps,
        .step_min = s->step_min,
        .step_max = s->step_max,
        .way_points = arrivals,
        .way_point_count = way_points,
        .state_hash = gr_data_hash(m, mission->d),
        .wheels = wheels,
        .wheel_count = m->wheel_count,
        .warnings = warnings,
        .self_contacts = contacts,
    };
    out->energy_per_metre = s->distance > 0 ? out->energy.electric / s->distance : (double)NAN;
    snprintf(out->cause, sizeof out->cause, "%s", s->cause);
    for (int i = 0; i < m->wheel_count; i++) {
        wheels[i] = gr_wheel_sums_result(&mission->wheels[i].sums, time);
        wheels[i].chatter = gr_mode_log_chatter(&mission->d->mode_log[i]);
        memcpy(wheels[i].state_time, mission->wheels[i].state_time, sizeof wheels[i].state_time);
        memcpy(wheels[i].state_entries, mission->wheels[i].state_entries, sizeof wheels[i].state_entries);
    }
    gr_mission_summarise_self(mission, out);
    check_start(mission, out);
    check_balance(mission, out);
    check_steps(out, most_swings(mission), SWINGS_SHARE, "the speed of a wheel alternates from step to step");
    check_steps(out, mission->s.rolled_out, ROLLED_SHARE,
                "a wheel rolls further in a step than its contact with this stiff soil is long");
    check_grid(mission, out);
    mission_warn_wheels(mission, out);
    for (int k = 0; k < GR_WARN_COUNT; k++) {
        GrWarning *warning =
            s->warning_count[k] > 0 ? gr_summary_add_warning(out, s->warning_count[k], s->warning_first[k]) : NULL;
        if (warning != NULL) {
            snprintf(warning->text, sizeof warning->text, "%s", warning_text(k));
        }
    }
    summarise_arrivals(mission, out);
    return GR_OK;
}
