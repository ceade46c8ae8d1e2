/// FMI 3.0 over an instance of fmu_host.h.
#include "fmi3.h"

#include "fmu_host.h"

#include "alloc.h"

_Static_assert((int)fmi3Discard == (int)GR_FMU_DISCARD && (int)fmi3Fatal == (int)GR_FMU_FATAL, "statuses are the same");

/// A call that needs an instance in one of these modes.
#define NEEDS(i, modes, call)                                                                                          \
    do {                                                                                                               \
        if (!gr_fmu_allowed(i, modes, call)) {                                                                         \
            return fmi3Error;                                                                                          \
        }                                                                                                              \
    } while (0)

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

// NOLINTNEXTLINE(readability-function-size): the standard's parameters
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode_used,
                                         fmi3Boolean early_return_allowed, const fmi3ValueReference required[],
                                         size_t required_count, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    (void)visible;
    (void)required; // the description denies intermediate updates
    (void)update;
    if (name == NULL || name[0] == '\0') {
        return no_instance(environment, log, "an instance needs a name");
    }
    if (required_count > 0) {
        return no_instance(environment, log, "intermediate variables are not provided");
    }
    const GrFmuHostDef def = {.name = name,
                              .token = token,
                              .resources = resources,
                              .logging = logging,
                              .say = say,
                              .logger = (void (*)(void))log,
                              .environment = environment};
    GrFmuHost *host = gr_fmu_host_create(&def);
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
    (void)visible;
    if (name == NULL || name[0] == '\0') {
        return no_instance(environment, log, "an instance needs a name");
    }
    const GrFmuHostDef def = {.name = name,
                              .token = token,
                              .resources = resources,
                              .logging = logging,
                              .exchange = true,
                              .say = say,
                              .logger = (void (*)(void))log,
                              .environment = environment};
    return gr_fmu_host_create(&def);
}

// NOLINTNEXTLINE(readability-function-size): the standard's parameters
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                               fmi3ClockUpdateCallback clock, fmi3LockPreemptionCallback lock,
                                               fmi3UnlockPreemptionCallback unlock)
{
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)clock;
    (void)lock;
    (void)unlock;
    return no_instance(environment, log, "scheduled execution is not provided");
}

void fmi3FreeInstance(fmi3Instance i)
{
    gr_fmu_host_free(i);
}

fmi3Status fmi3SetDebugLogging(fmi3Instance i, fmi3Boolean on, size_t count, const fmi3String categories[])
{
    NEEDS(i, GR_FMU_ANY, "fmi3SetDebugLogging");
    return (fmi3Status)gr_fmu_switch_logging(i, on, count, categories);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance i, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop)
{
    NEEDS(i, GR_FMU_INSTANTIATED, "fmi3EnterInitializationMode");
    (void)tolerance_defined; // the scenario chooses steps and tolerances
    (void)tolerance;
    if (stop_defined && !(stop >= start)) {
        return (fmi3Status)gr_fmu_refuse(i, "found a start at %g s and a stop at %g s", start, stop);
    }
    return (fmi3Status)gr_fmu_enter_initialization(i, start);
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance i)
{
    NEEDS(i, GR_FMU_INITIALIZATION, "fmi3ExitInitializationMode");
    return (fmi3Status)gr_fmu_exit_initialization(i);
}

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

fmi3Status fmi3Terminate(fmi3Instance i)
{
    NEEDS(i, GR_FMU_EVENT | GR_FMU_STEP | GR_FMU_FAILED | GR_FMU_CONTINUOUS, "fmi3Terminate");
    return (fmi3Status)gr_fmu_terminate(i);
}

fmi3Status fmi3Reset(fmi3Instance i)
{
    NEEDS(i, GR_FMU_ANY, "fmi3Reset");
    return (fmi3Status)gr_fmu_reset(i);
}

// ---- values: real numbers, integers, choices and texts; every variable is a scalar

fmi3Status fmi3GetFloat64(fmi3Instance i, const fmi3ValueReference vr[], size_t count, fmi3Float64 value[],
                          size_t value_count)
{
    NEEDS(i, GR_FMU_CAN_GET, "fmi3GetFloat64");
    return (fmi3Status)(value_count == count ? gr_fmu_get(i, GR_FMU_REAL, vr, count, value)
                                             : gr_fmu_refuse(i, "%zu values of %zu variables", value_count, count));
}

fmi3Status fmi3SetFloat64(fmi3Instance i, const fmi3ValueReference vr[], size_t count, const fmi3Float64 value[],
                          size_t value_count)
{
    NEEDS(i, GR_FMU_CAN_SET, "fmi3SetFloat64");
    return (fmi3Status)(value_count == count ? gr_fmu_set(i, GR_FMU_REAL, vr, count, value)
                                             : gr_fmu_refuse(i, "%zu values of %zu variables", value_count, count));
}

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
    fmi3Status fmi3Get##name(fmi3Instance i, const fmi3ValueReference vr[], size_t count, type value[],                \
                             size_t value_count)                                                                       \
    {                                                                                                                  \
        NEEDS(i, GR_FMU_CAN_GET, "fmi3Get" #name);                                                                     \
        (void)vr;                                                                                                      \
        (void)value;                                                                                                   \
        return count == 0 && value_count == 0 ? fmi3OK                                                                 \
                                              : (fmi3Status)gr_fmu_refuse(i, "no variable has the type " #name);       \
    }                                                                                                                  \
    fmi3Status fmi3Set##name(fmi3Instance i, const fmi3ValueReference vr[], size_t count, const type value[],          \
                             size_t value_count)                                                                       \
    {                                                                                                                  \
        NEEDS(i, GR_FMU_CAN_SET, "fmi3Set" #name);                                                                     \
        (void)vr;                                                                                                      \
        (void)value;                                                                                                   \
        return count == 0 && value_count == 0 ? fmi3OK                                                                 \
                                              : (fmi3Status)gr_fmu_refuse(i, "no variable has the type " #name);       \
    }
ABSENT(Float32, fmi3Float32)
ABSENT(Int8, fmi3Int8)
ABSENT(UInt8, fmi3UInt8)
ABSENT(Int16, fmi3Int16)
ABSENT(UInt16, fmi3UInt16)
ABSENT(UInt32, fmi3UInt32)
ABSENT(UInt64, fmi3UInt64)
ABSENT(Boolean, fmi3Boolean)

fmi3Status fmi3GetString(fmi3Instance i, const fmi3ValueReference vr[], size_t count, fmi3String value[],
                         size_t value_count)
{
    NEEDS(i, GR_FMU_CAN_GET, "fmi3GetString");
    return (fmi3Status)(value_count == count ? gr_fmu_get_texts(i, vr, count, value)
                                             : gr_fmu_refuse(i, "%zu values of %zu variables", value_count, count));
}

fmi3Status fmi3SetString(fmi3Instance i, const fmi3ValueReference vr[], size_t count, const fmi3String value[],
                         size_t value_count)
{
    NEEDS(i, GR_FMU_CAN_SET, "fmi3SetString");
    return (fmi3Status)(value_count == count ? gr_fmu_set_texts(i, vr, count, value)
                                             : gr_fmu_refuse(i, "%zu values of %zu variables", value_count, count));
}

// ---- saved states

fmi3Status fmi3GetFMUState(fmi3Instance i, fmi3FMUState *state)
{
    NEEDS(i, GR_FMU_ANY, "fmi3GetFMUState");
    return (fmi3Status)gr_fmu_save(i, state);
}

fmi3Status fmi3SetFMUState(fmi3Instance i, fmi3FMUState state)
{
    NEEDS(i, GR_FMU_ANY, "fmi3SetFMUState");
    return (fmi3Status)gr_fmu_restore(i, state);
}

fmi3Status fmi3FreeFMUState(fmi3Instance i, fmi3FMUState *state)
{
    NEEDS(i, GR_FMU_ANY, "fmi3FreeFMUState");
    return (fmi3Status)gr_fmu_release(i, state);
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance i, fmi3FMUState state, size_t *size)
{
    NEEDS(i, GR_FMU_ANY, "fmi3SerializedFMUStateSize");
    return (fmi3Status)gr_fmu_saved_size(i, state, size);
}

fmi3Status fmi3SerializeFMUState(fmi3Instance i, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    NEEDS(i, GR_FMU_ANY, "fmi3SerializeFMUState");
    return (fmi3Status)gr_fmu_pack(i, state, bytes, size);
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance i, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    NEEDS(i, GR_FMU_ANY, "fmi3DeserializeFMUState");
    return (fmi3Status)gr_fmu_unpack(i, bytes, size, state);
}

// ---- steps and events

fmi3Status fmi3DoStep(fmi3Instance i, fmi3Float64 time, fmi3Float64 step, fmi3Boolean no_state_prior,
                      fmi3Boolean *event_needed, fmi3Boolean *terminate, fmi3Boolean *early_return,
                      fmi3Float64 *last_time)
{
    NEEDS(i, GR_FMU_STEP, "fmi3DoStep");
    (void)no_state_prior;
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
#define NEEDS_EXCHANGE(i, modes, call)                                                                                 \
    do {                                                                                                               \
        NEEDS(i, modes, call);                                                                                         \
        if (!((const GrFmuHost *)(i))->exchange) {                                                                     \
            return (fmi3Status)gr_fmu_refuse(i, "%s: the instance was made for co-simulation", call);                  \
        }                                                                                                              \
    } while (0)

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance i)
{
    NEEDS_EXCHANGE(i, GR_FMU_EVENT, "fmi3EnterContinuousTimeMode");
    ((GrFmuHost *)i)->mode = GR_FMU_CONTINUOUS;
    return fmi3OK;
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance i, fmi3Boolean no_state_prior, fmi3Boolean *event_mode,
                                       fmi3Boolean *terminate)
{
    NEEDS(i, GR_FMU_CONTINUOUS, "fmi3CompletedIntegratorStep");
    (void)no_state_prior;
    if (event_mode == NULL || terminate == NULL) {
        return (fmi3Status)gr_fmu_refuse(i, "fmi3CompletedIntegratorStep needs pointers for its results");
    }
    *event_mode = *terminate = false;
    return (fmi3Status)gr_fmu_completed_step(i);
}

fmi3Status fmi3SetTime(fmi3Instance i, fmi3Float64 time)
{
    NEEDS_EXCHANGE(i, GR_FMU_EVENT | GR_FMU_CONTINUOUS, "fmi3SetTime");
    return (fmi3Status)gr_fmu_set_time(i, time);
}

fmi3Status fmi3GetEventIndicators(fmi3Instance i, fmi3Float64 indicators[], size_t count)
{
    NEEDS_EXCHANGE(i, GR_FMU_INITIALIZATION | GR_FMU_EVENT | GR_FMU_CONTINUOUS, "fmi3GetEventIndicators");
    return (fmi3Status)gr_fmu_event_indicators(i, indicators, count);
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance i, size_t *count)
{
    NEEDS_EXCHANGE(i, GR_FMU_ANY, "fmi3GetNumberOfEventIndicators");
    GrErrorLog log = {0};
    *count = (size_t)gr_fmu_unit_events(((GrFmuHost *)i)->unit, NULL, &log);
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance i, size_t *count)
{
    NEEDS_EXCHANGE(i, GR_FMU_ANY, "fmi3GetNumberOfContinuousStates");
    *count = (size_t)gr_fmu_unit_states(((GrFmuHost *)i)->unit);
    return fmi3OK;
}

fmi3Status fmi3SetContinuousStates(fmi3Instance i, const fmi3Float64 states[], size_t count)
{
    NEEDS_EXCHANGE(i, GR_FMU_CONTINUOUS, "fmi3SetContinuousStates");
    return (fmi3Status)gr_fmu_set_states(i, states, count);
}

/// What a host asks of continuous states.
#define STATES(name, what)                                                                                             \
    fmi3Status fmi3##name(fmi3Instance i, fmi3Float64 values[], size_t count)                                          \
    {                                                                                                                  \
        NEEDS_EXCHANGE(i, GR_FMU_INITIALIZATION | GR_FMU_EVENT | GR_FMU_CONTINUOUS, "fmi3" #name);                     \
        return (fmi3Status)gr_fmu_get_states(i, what, values, count);                                                  \
    }
STATES(GetContinuousStateDerivatives, GR_FMU_STATE_RATES)
STATES(GetContinuousStates, GR_FMU_STATE_VALUES)
STATES(GetNominalsOfContinuousStates, GR_FMU_STATE_SIZES)

// ---- abilities that the description denies

#define DENIED(call, why)                                                                                              \
    do {                                                                                                               \
        NEEDS(i, GR_FMU_ANY, call);                                                                                    \
        return (fmi3Status)gr_fmu_refuse(i, "%s: %s", call, why);                                                      \
    } while (0)

fmi3Status fmi3GetBinary(fmi3Instance i, const fmi3ValueReference vr[], size_t count, size_t sizes[],
                         fmi3Binary value[], size_t value_count)
{
    (void)vr;
    (void)count;
    (void)sizes;
    (void)value;
    (void)value_count;
    DENIED("fmi3GetBinary", "no variable is binary");
}

fmi3Status fmi3SetBinary(fmi3Instance i, const fmi3ValueReference vr[], size_t count, const size_t sizes[],
                         const fmi3Binary value[], size_t value_count)
{
    (void)vr;
    (void)count;
    (void)sizes;
    (void)value;
    (void)value_count;
    DENIED("fmi3SetBinary", "no variable is binary");
}

fmi3Status fmi3GetClock(fmi3Instance i, const fmi3ValueReference vr[], size_t count, fmi3Clock value[])
{
    (void)vr;
    (void)count;
    (void)value;
    DENIED("fmi3GetClock", "the unit has no clocks");
}

fmi3Status fmi3SetClock(fmi3Instance i, const fmi3ValueReference vr[], size_t count, const fmi3Clock value[])
{
    (void)vr;
    (void)count;
    (void)value;
    DENIED("fmi3SetClock", "the unit has no clocks");
}

fmi3Status fmi3GetIntervalDecimal(fmi3Instance i, const fmi3ValueReference vr[], size_t count, fmi3Float64 interval[],
                                  fmi3IntervalQualifier qualifier[])
{
    (void)vr;
    (void)count;
    (void)interval;
    (void)qualifier;
    DENIED("fmi3GetIntervalDecimal", "the unit has no clocks");
}

fmi3Status fmi3GetIntervalFraction(fmi3Instance i, const fmi3ValueReference vr[], size_t count, fmi3UInt64 counter[],
                                   fmi3UInt64 resolution[], fmi3IntervalQualifier qualifier[])
{
    (void)vr;
    (void)count;
    (void)counter;
    (void)resolution;
    (void)qualifier;
    DENIED("fmi3GetIntervalFraction", "the unit has no clocks");
}

fmi3Status fmi3GetShiftDecimal(fmi3Instance i, const fmi3ValueReference vr[], size_t count, fmi3Float64 shift[])
{
    (void)vr;
    (void)count;
    (void)shift;
    DENIED("fmi3GetShiftDecimal", "the unit has no clocks");
}

fmi3Status fmi3GetShiftFraction(fmi3Instance i, const fmi3ValueReference vr[], size_t count, fmi3UInt64 counter[],
                                fmi3UInt64 resolution[])
{
    (void)vr;
    (void)count;
    (void)counter;
    (void)resolution;
    DENIED("fmi3GetShiftFraction", "the unit has no clocks");
}

fmi3Status fmi3SetIntervalDecimal(fmi3Instance i, const fmi3ValueReference vr[], size_t count,
                                  const fmi3Float64 interval[])
{
    (void)vr;
    (void)count;
    (void)interval;
    DENIED("fmi3SetIntervalDecimal", "the unit has no clocks");
}

fmi3Status fmi3SetIntervalFraction(fmi3Instance i, const fmi3ValueReference vr[], size_t count,
                                   const fmi3UInt64 counter[], const fmi3UInt64 resolution[])
{
    (void)vr;
    (void)count;
    (void)counter;
    (void)resolution;
    DENIED("fmi3SetIntervalFraction", "the unit has no clocks");
}

fmi3Status fmi3SetShiftDecimal(fmi3Instance i, const fmi3ValueReference vr[], size_t count, const fmi3Float64 shift[])
{
    (void)vr;
    (void)count;
    (void)shift;
    DENIED("fmi3SetShiftDecimal", "the unit has no clocks");
}

fmi3Status fmi3SetShiftFraction(fmi3Instance i, const fmi3ValueReference vr[], size_t count, const fmi3UInt64 counter[],
                                const fmi3UInt64 resolution[])
{
    (void)vr;
    (void)count;
    (void)counter;
    (void)resolution;
    DENIED("fmi3SetShiftFraction", "the unit has no clocks");
}

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance i, fmi3ValueReference vr, size_t *count)
{
    (void)vr;
    (void)count;
    DENIED("fmi3GetNumberOfVariableDependencies", "dependencies are those of the description");
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance i, fmi3ValueReference dependent, size_t elements[],
                                       fmi3ValueReference independents[], size_t independent_elements[],
                                       fmi3DependencyKind kinds[], size_t count)
{
    (void)dependent;
    (void)elements;
    (void)independents;
    (void)independent_elements;
    (void)kinds;
    (void)count;
    DENIED("fmi3GetVariableDependencies", "dependencies are those of the description");
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance i, const fmi3ValueReference unknown[], size_t unknowns,
                                        const fmi3ValueReference known[], size_t knowns, const fmi3Float64 seed[],
                                        size_t seeds, fmi3Float64 sensitivity[], size_t sensitivities)
{
    (void)unknown;
    (void)unknowns;
    (void)known;
    (void)knowns;
    (void)seed;
    (void)seeds;
    (void)sensitivity;
    (void)sensitivities;
    DENIED("fmi3GetDirectionalDerivative", "derivatives are not provided");
}

fmi3Status fmi3GetAdjointDerivative(fmi3Instance i, const fmi3ValueReference unknown[], size_t unknowns,
                                    const fmi3ValueReference known[], size_t knowns, const fmi3Float64 seed[],
                                    size_t seeds, fmi3Float64 sensitivity[], size_t sensitivities)
{
    (void)unknown;
    (void)unknowns;
    (void)known;
    (void)knowns;
    (void)seed;
    (void)seeds;
    (void)sensitivity;
    (void)sensitivities;
    DENIED("fmi3GetAdjointDerivative", "derivatives are not provided");
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance i)
{
    DENIED("fmi3EnterConfigurationMode", "there are no structural parameters");
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance i)
{
    DENIED("fmi3ExitConfigurationMode", "there are no structural parameters");
}

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance i)
{
    DENIED("fmi3EvaluateDiscreteStates", "is not provided");
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance i, const fmi3ValueReference vr[], size_t count,
                                    const fmi3Int32 order[], fmi3Float64 value[], size_t value_count)
{
    (void)vr;
    (void)count;
    (void)order;
    (void)value;
    (void)value_count;
    DENIED("fmi3GetOutputDerivatives", "derivatives of outputs are not provided");
}

fmi3Status fmi3ActivateModelPartition(fmi3Instance i, fmi3ValueReference clock, fmi3Float64 time)
{
    (void)clock;
    (void)time;
    DENIED("fmi3ActivateModelPartition", "the unit has no clocks");
}
