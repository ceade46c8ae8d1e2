/// FMI 3.0 over an instance of fmu_host.h.
#include "fmi3.h"

#include "fmu_host.h"

#include "alloc.h"

_Static_assert((int)fmi3Discard == (int)GR_FMU_DISCARD && (int)fmi3Fatal == (int)GR_FMU_FATAL, "statuses are the same");

#pragma GCC diagnostic ignored "-Wunused-parameter" // the standard's functions have more than a unit needs

/// A call that needs an instance in one of these modes.
#define NEEDS(i, modes, call)                                                                                          \
    do {                                                                                                               \
        if (!gr_fmu_allowed(i, modes, call)) {                                                                         \
            return fmi3Error;                                                                                          \
        }                                                                                                              \
    } while (0)

/// A function of the standard, in one of these modes: the status of an expression.
#define BIND(name, modes, parameters, call)                                                                            \
    fmi3Status fmi3##name parameters                                                                                   \
    {                                                                                                                  \
        NEEDS(i, modes, "fmi3" #name);                                                                                 \
        return (fmi3Status)(call);                                                                                     \
    }

const char *fmi3GetVersion(void)
{
    return "3.0";
}

static void say(const GrFmuHost *host, GrFmuStatus status, const char *category, const char *text)
{
    ((fmi3LogMessageCallback)host->logger)(host->environment, (fmi3Status)status, category, text);
}

/// Tells the host why there is no instance.
static fmi3Instance no_instance(fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, const char *why)
{
    char name_of_none[] = "";
    const GrFmuHost host = {
        .name = name_of_none, .say = say, .logger = (void (*)(void))log, .environment = environment};
    gr_fmu_refuse(&host, "%s", why);
    return NULL;
}

static fmi3Instance instantiate(GrFmuHostDef def, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    if (def.name == NULL || def.name[0] == '\0') {
        return no_instance(environment, log, "an instance needs a name");
    }
    def.say = say;
    def.logger = (void (*)(void))log;
    def.environment = environment;
    return gr_fmu_host_create(&def);
}

// NOLINTNEXTLINE(readability-function-size): the standard's parameters
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode_used,
                                         fmi3Boolean early_return_allowed, const fmi3ValueReference required[],
                                         size_t required_count, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    const GrFmuHostDef def = {.name = name, .token = token, .resources = resources, .logging = logging};
    if (name != NULL && name[0] != '\0' && required_count > 0) { // the description denies intermediate updates
        return no_instance(environment, log, "intermediate variables are not provided");
    }
    GrFmuHost *host = instantiate(def, environment, log);
    if (host != NULL) {
        host->event_mode = event_mode_used;
        host->early_return = early_return_allowed;
    }
    return host;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log)
{
    const GrFmuHostDef def = {
        .name = name, .token = token, .resources = resources, .logging = logging, .exchange = true};
    return instantiate(def, environment, log);
}

// NOLINTNEXTLINE(readability-function-size): the standard's parameters
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                               fmi3ClockUpdateCallback clock, fmi3LockPreemptionCallback lock,
                                               fmi3UnlockPreemptionCallback unlock)
{
    return no_instance(environment, log, "scheduled execution is not provided");
}

void fmi3FreeInstance(fmi3Instance i)
{
    gr_fmu_host_free(i);
}

BIND(SetDebugLogging, GR_FMU_ANY, (fmi3Instance i, fmi3Boolean on, size_t count, const fmi3String categories[]),
     gr_fmu_switch_logging(i, on, count, categories))

/// The scenario chooses steps and tolerances.
fmi3Status fmi3EnterInitializationMode(fmi3Instance i, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop)
{
    NEEDS(i, GR_FMU_INSTANTIATED, "fmi3EnterInitializationMode");
    if (stop_defined && !(stop >= start)) {
        return (fmi3Status)gr_fmu_refuse(i, "found a start at %g s and a stop at %g s", start, stop);
    }
    return (fmi3Status)gr_fmu_enter_initialization(i, start);
}

BIND(ExitInitializationMode, GR_FMU_INITIALIZATION, (fmi3Instance i), gr_fmu_exit_initialization(i))

fmi3Status fmi3EnterEventMode(fmi3Instance i)
{
    NEEDS(i, GR_FMU_STEP | GR_FMU_CONTINUOUS, "fmi3EnterEventMode");
    GrFmuHost *host = i;
    if (!host->event_mode && !host->exchange) {
        return (fmi3Status)gr_fmu_refuse(host, "the instance was made without event mode");
    }
    host->mode = GR_FMU_EVENT;
    return fmi3OK;
}

fmi3Status fmi3EnterStepMode(fmi3Instance i)
{
    NEEDS(i, GR_FMU_EVENT, "fmi3EnterStepMode");
    GrFmuHost *host = i;
    if (host->exchange) {
        return (fmi3Status)gr_fmu_refuse(host, "the instance was made for model exchange");
    }
    host->mode = GR_FMU_STEP;
    return fmi3OK;
}

BIND(Terminate, GR_FMU_EVENT | GR_FMU_STEP | GR_FMU_FAILED | GR_FMU_CONTINUOUS, (fmi3Instance i), gr_fmu_terminate(i))
BIND(Reset, GR_FMU_ANY, (fmi3Instance i), gr_fmu_reset(i))

// ---- values: real numbers, integers, choices and texts; every variable is a scalar

/// Values of a type of the unit, by a function of the host.
#define VALUES(name, modes, type, call)                                                                                \
    BIND(name, modes, (fmi3Instance i, const fmi3ValueReference vr[], size_t count, type value[], size_t value_count), \
         value_count == count ? (call) : gr_fmu_refuse(i, "%zu values of %zu variables", value_count, count))
VALUES(GetFloat64, GR_FMU_CAN_GET, fmi3Float64, gr_fmu_get(i, GR_FMU_REAL, vr, count, value))
VALUES(SetFloat64, GR_FMU_CAN_SET, const fmi3Float64, gr_fmu_set(i, GR_FMU_REAL, vr, count, value))
VALUES(GetString, GR_FMU_CAN_GET, fmi3String, gr_fmu_get_texts(i, vr, count, value))
VALUES(SetString, GR_FMU_CAN_SET, const fmi3String, gr_fmu_set_texts(i, vr, count, value))

/// Whole numbers of a type of the unit: integers are Int32, choices are Int64.
#define WHOLE(name, type, own)                                                                                         \
    fmi3Status fmi3Get##name(fmi3Instance i, const fmi3ValueReference vr[], size_t count, type value[],                \
                             size_t value_count)                                                                       \
    {                                                                                                                  \
        NEEDS(i, GR_FMU_CAN_GET, "fmi3Get" #name);                                                                     \
        GrFmuStatus status =                                                                                           \
            value_count == count ? GR_FMU_OK : gr_fmu_refuse(i, "%zu values of %zu variables", value_count, count);    \
        for (size_t k = 0; k < count && status < GR_FMU_DISCARD; k++) {                                                \
            double number = 0;                                                                                         \
            status = gr_fmu_get(i, own, &vr[k], 1, &number);                                                           \
            value[k] = (type)number;                                                                                   \
        }                                                                                                              \
        return (fmi3Status)status;                                                                                     \
    }                                                                                                                  \
    fmi3Status fmi3Set##name(fmi3Instance i, const fmi3ValueReference vr[], size_t count, const type value[],          \
                             size_t value_count)                                                                       \
    {                                                                                                                  \
        NEEDS(i, GR_FMU_CAN_SET, "fmi3Set" #name);                                                                     \
        GrFmuStatus status =                                                                                           \
            value_count == count ? GR_FMU_OK : gr_fmu_refuse(i, "%zu values of %zu variables", value_count, count);    \
        for (size_t k = 0; k < count && status < GR_FMU_DISCARD; k++) {                                                \
            const double number = (double)value[k];                                                                    \
            status = gr_fmu_set(i, own, &vr[k], 1, &number);                                                           \
        }                                                                                                              \
        return (fmi3Status)status;                                                                                     \
    }
WHOLE(Int32, fmi3Int32, GR_FMU_INTEGER)
WHOLE(Int64, fmi3Int64, GR_FMU_CHOICE)

/// Types of which the unit has no variables.
#define ABSENT(name, type)                                                                                             \
    BIND(Get##name, GR_FMU_CAN_GET,                                                                                    \
         (fmi3Instance i, const fmi3ValueReference vr[], size_t count, type value[], size_t value_count),              \
         count == 0 && value_count == 0 ? GR_FMU_OK : gr_fmu_refuse(i, "no variable has the type " #name))             \
    BIND(Set##name, GR_FMU_CAN_SET,                                                                                    \
         (fmi3Instance i, const fmi3ValueReference vr[], size_t count, const type value[], size_t value_count),        \
         count == 0 && value_count == 0 ? GR_FMU_OK : gr_fmu_refuse(i, "no variable has the type " #name))
ABSENT(Float32, fmi3Float32)
ABSENT(Int8, fmi3Int8)
ABSENT(UInt8, fmi3UInt8)
ABSENT(Int16, fmi3Int16)
ABSENT(UInt16, fmi3UInt16)
ABSENT(UInt32, fmi3UInt32)
ABSENT(UInt64, fmi3UInt64)
ABSENT(Boolean, fmi3Boolean)

// ---- saved states

BIND(GetFMUState, GR_FMU_ANY, (fmi3Instance i, fmi3FMUState *state), gr_fmu_save(i, state))
BIND(SetFMUState, GR_FMU_ANY, (fmi3Instance i, fmi3FMUState state), gr_fmu_restore(i, state))
BIND(FreeFMUState, GR_FMU_ANY, (fmi3Instance i, fmi3FMUState *state), gr_fmu_release(i, state))
BIND(SerializedFMUStateSize, GR_FMU_ANY, (fmi3Instance i, fmi3FMUState state, size_t *size),
     gr_fmu_saved_size(i, state, size))
BIND(SerializeFMUState, GR_FMU_ANY, (fmi3Instance i, fmi3FMUState state, fmi3Byte bytes[], size_t size),
     gr_fmu_pack(i, state, bytes, size))
BIND(DeserializeFMUState, GR_FMU_ANY, (fmi3Instance i, const fmi3Byte bytes[], size_t size, fmi3FMUState *state),
     gr_fmu_unpack(i, bytes, size, state))

// ---- steps and events

fmi3Status fmi3DoStep(fmi3Instance i, fmi3Float64 time, fmi3Float64 step, fmi3Boolean no_state_prior,
                      fmi3Boolean *event_needed, fmi3Boolean *terminate, fmi3Boolean *early_return,
                      fmi3Float64 *last_time)
{
    NEEDS(i, GR_FMU_STEP, "fmi3DoStep");
    GrFmuHost *host = i;
    if (event_needed == NULL || terminate == NULL || early_return == NULL || last_time == NULL) {
        return (fmi3Status)gr_fmu_refuse(host, "fmi3DoStep needs pointers for its results");
    }
    GrFmuStatus status = gr_fmu_step(host, time, step);
    *event_needed = status < GR_FMU_ERROR && host->event_mode && host->last.event;
    *terminate = host->last.ended;
    *last_time = host->last.time;
    *early_return = false;
    if (status < GR_FMU_ERROR && host->last.time < time + step) {
        *early_return = host->early_return;
        // the end of a drive is not a failure, as hosts understand Discard: `terminate` reports it
        status = GR_FMU_OK;
    }
    return (fmi3Status)status;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance i, fmi3Boolean *again, fmi3Boolean *terminate,
                                    fmi3Boolean *nominals_changed, fmi3Boolean *values_changed,
                                    fmi3Boolean *next_defined, fmi3Float64 *next)
{
    NEEDS(i, GR_FMU_EVENT, "fmi3UpdateDiscreteStates");
    GrFmuHost *host = i;
    if (again == NULL || terminate == NULL || nominals_changed == NULL || values_changed == NULL ||
        next_defined == NULL || next == NULL) {
        return (fmi3Status)gr_fmu_refuse(host, "fmi3UpdateDiscreteStates needs pointers for its results");
    }
    *again = *nominals_changed = *values_changed = *next_defined = false;
    *terminate = host->last.ended;
    *next = 0;
    return (fmi3Status)gr_fmu_switch(host, values_changed);
}

// ---- model exchange

/// A call of model exchange that needs an instance in one of these modes.
#define EXCHANGE(name, modes, parameters, call)                                                                        \
    BIND(name, modes, parameters,                                                                                      \
         ((const GrFmuHost *)i)->exchange                                                                              \
             ? (call)                                                                                                  \
             : gr_fmu_refuse(i, "%s: the instance was made for co-simulation", "fmi3" #name))

static GrFmuStatus enter_continuous_time(GrFmuHost *host)
{
    host->mode = GR_FMU_CONTINUOUS;
    return GR_FMU_OK;
}

static GrFmuStatus count_events(const GrFmuHost *host, size_t *count)
{
    GrErrorLog log = {0};
    *count = (size_t)gr_fmu_unit_events(host->unit, NULL, &log);
    return GR_FMU_OK;
}

static GrFmuStatus count_states(const GrFmuHost *host, size_t *count)
{
    *count = (size_t)gr_fmu_unit_states(host->unit);
    return GR_FMU_OK;
}

/// Modes in which continuous states are known.
enum { SOLVED = GR_FMU_INITIALIZATION | GR_FMU_EVENT | GR_FMU_CONTINUOUS };

EXCHANGE(EnterContinuousTimeMode, GR_FMU_EVENT, (fmi3Instance i), enter_continuous_time(i))

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance i, fmi3Boolean no_state_prior, fmi3Boolean *event_mode,
                                       fmi3Boolean *terminate)
{
    NEEDS(i, GR_FMU_CONTINUOUS, "fmi3CompletedIntegratorStep");
    if (event_mode == NULL || terminate == NULL) {
        return (fmi3Status)gr_fmu_refuse(i, "fmi3CompletedIntegratorStep needs pointers for its results");
    }
    *event_mode = *terminate = false;
    return (fmi3Status)gr_fmu_completed_step(i);
}

EXCHANGE(SetTime, GR_FMU_EVENT | GR_FMU_CONTINUOUS, (fmi3Instance i, fmi3Float64 time), gr_fmu_set_time(i, time))
EXCHANGE(GetEventIndicators, SOLVED, (fmi3Instance i, fmi3Float64 indicators[], size_t count),
         gr_fmu_event_indicators(i, indicators, count))
EXCHANGE(GetNumberOfEventIndicators, GR_FMU_ANY, (fmi3Instance i, size_t *count), count_events(i, count))
EXCHANGE(GetNumberOfContinuousStates, GR_FMU_ANY, (fmi3Instance i, size_t *count), count_states(i, count))
EXCHANGE(SetContinuousStates, GR_FMU_CONTINUOUS, (fmi3Instance i, const fmi3Float64 states[], size_t count),
         gr_fmu_set_states(i, states, count))
EXCHANGE(GetContinuousStateDerivatives, SOLVED, (fmi3Instance i, fmi3Float64 values[], size_t count),
         gr_fmu_get_states(i, GR_FMU_STATE_RATES, values, count))
EXCHANGE(GetContinuousStates, SOLVED, (fmi3Instance i, fmi3Float64 values[], size_t count),
         gr_fmu_get_states(i, GR_FMU_STATE_VALUES, values, count))
EXCHANGE(GetNominalsOfContinuousStates, SOLVED, (fmi3Instance i, fmi3Float64 values[], size_t count),
         gr_fmu_get_states(i, GR_FMU_STATE_SIZES, values, count))

// ---- abilities that the description denies

#define DENIED(name, why, parameters) BIND(name, GR_FMU_ANY, parameters, gr_fmu_refuse(i, "%s: %s", "fmi3" #name, why))
DENIED(GetBinary, "no variable is binary",
       (fmi3Instance i, const fmi3ValueReference vr[], size_t count, size_t sizes[], fmi3Binary value[],
        size_t value_count))
DENIED(SetBinary, "no variable is binary",
       (fmi3Instance i, const fmi3ValueReference vr[], size_t count, const size_t sizes[], const fmi3Binary value[],
        size_t value_count))
DENIED(GetClock, "the unit has no clocks",
       (fmi3Instance i, const fmi3ValueReference vr[], size_t count, fmi3Clock value[]))
DENIED(SetClock, "the unit has no clocks",
       (fmi3Instance i, const fmi3ValueReference vr[], size_t count, const fmi3Clock value[]))
DENIED(GetIntervalDecimal, "the unit has no clocks",
       (fmi3Instance i, const fmi3ValueReference vr[], size_t count, fmi3Float64 interval[],
        fmi3IntervalQualifier qualifier[]))
DENIED(GetIntervalFraction, "the unit has no clocks",
       (fmi3Instance i, const fmi3ValueReference vr[], size_t count, fmi3UInt64 counter[], fmi3UInt64 resolution[],
        fmi3IntervalQualifier qualifier[]))
DENIED(GetShiftDecimal, "the unit has no clocks",
       (fmi3Instance i, const fmi3ValueReference vr[], size_t count, fmi3Float64 shift[]))
DENIED(GetShiftFraction, "the unit has no clocks",
       (fmi3Instance i, const fmi3ValueReference vr[], size_t count, fmi3UInt64 counter[], fmi3UInt64 resolution[]))
DENIED(SetIntervalDecimal, "the unit has no clocks",
       (fmi3Instance i, const fmi3ValueReference vr[], size_t count, const fmi3Float64 interval[]))
DENIED(SetIntervalFraction, "the unit has no clocks",
       (fmi3Instance i, const fmi3ValueReference vr[], size_t count, const fmi3UInt64 counter[],
        const fmi3UInt64 resolution[]))
DENIED(SetShiftDecimal, "the unit has no clocks",
       (fmi3Instance i, const fmi3ValueReference vr[], size_t count, const fmi3Float64 shift[]))
DENIED(SetShiftFraction, "the unit has no clocks",
       (fmi3Instance i, const fmi3ValueReference vr[], size_t count, const fmi3UInt64 counter[],
        const fmi3UInt64 resolution[]))
DENIED(GetNumberOfVariableDependencies, "dependencies are those of the description",
       (fmi3Instance i, fmi3ValueReference vr, size_t *count))
DENIED(GetVariableDependencies, "dependencies are those of the description",
       (fmi3Instance i, fmi3ValueReference dependent, size_t elements[], fmi3ValueReference independents[],
        size_t independent_elements[], fmi3DependencyKind kinds[], size_t count))
DENIED(GetDirectionalDerivative, "derivatives are not provided",
       (fmi3Instance i, const fmi3ValueReference unknown[], size_t unknowns, const fmi3ValueReference known[],
        size_t knowns, const fmi3Float64 seed[], size_t seeds, fmi3Float64 sensitivity[], size_t sensitivities))
DENIED(GetAdjointDerivative, "derivatives are not provided",
       (fmi3Instance i, const fmi3ValueReference unknown[], size_t unknowns, const fmi3ValueReference known[],
        size_t knowns, const fmi3Float64 seed[], size_t seeds, fmi3Float64 sensitivity[], size_t sensitivities))
DENIED(EnterConfigurationMode, "there are no structural parameters", (fmi3Instance i))
DENIED(ExitConfigurationMode, "there are no structural parameters", (fmi3Instance i))
DENIED(EvaluateDiscreteStates, "is not provided", (fmi3Instance i))
DENIED(GetOutputDerivatives, "derivatives of outputs are not provided",
       (fmi3Instance i, const fmi3ValueReference vr[], size_t count, const fmi3Int32 order[], fmi3Float64 value[],
        size_t value_count))
DENIED(ActivateModelPartition, "the unit has no clocks", (fmi3Instance i, fmi3ValueReference clock, fmi3Float64 time))
