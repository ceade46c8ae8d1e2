/// FMI 2.0 over an instance of fmu_host.h.
#include "fmi2.h"

#include "fmu_host.h"

#include "alloc.h"

_Static_assert((int)fmi2Discard == (int)GR_FMU_DISCARD && (int)fmi2Fatal == (int)GR_FMU_FATAL, "statuses are the same");
_Static_assert(sizeof(fmi2ValueReference) == sizeof(uint32_t), "value references are the same");

#pragma GCC diagnostic ignored "-Wunused-parameter" // the standard's functions have more than a unit needs

/// A call that needs an instance in one of these modes.
#define NEEDS(c, modes, call)                                                                                          \
    do {                                                                                                               \
        if (!gr_fmu_allowed(c, modes, call)) {                                                                         \
            return fmi2Error;                                                                                          \
        }                                                                                                              \
    } while (0)

/// A function of the standard, in one of these modes: the status of an expression.
#define BIND(name, modes, parameters, call)                                                                            \
    fmi2Status fmi2##name parameters                                                                                   \
    {                                                                                                                  \
        NEEDS(c, modes, "fmi2" #name);                                                                                 \
        return (fmi2Status)(call);                                                                                     \
    }

const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

const char *fmi2GetVersion(void)
{
    return "2.0";
}

static void say(const GrFmuHost *host, GrFmuStatus status, const char *category, const char *text)
{
    typedef void (*Logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
    ((Logger)host->logger)(host->environment, host->name, (fmi2Status)status, category, "%s", text);
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    GrFmuHostDef def = {.name = name, .token = guid, .resources = resources, .logging = logging != 0, .say = say};
    def.exchange = type == fmi2ModelExchange;
    if (functions != NULL) {
        def.logger = (void (*)(void))functions->logger;
        def.environment = functions->componentEnvironment;
    }
    if (name == NULL || name[0] == '\0') {
        char name_of_none[] = "";
        GrFmuHost host = {.name = name_of_none, .say = def.say, .logger = def.logger, .environment = def.environment};
        gr_fmu_refuse(&host, "an instance needs a name");
        return NULL;
    }
    return gr_fmu_host_create(&def);
}

void fmi2FreeInstance(fmi2Component c)
{
    gr_fmu_host_free(c);
}

BIND(SetDebugLogging, GR_FMU_ANY, (fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[]),
     gr_fmu_switch_logging(c, on != 0, count, categories))

/// The scenario chooses steps and tolerances.
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop)
{
    NEEDS(c, GR_FMU_INSTANTIATED, "fmi2SetupExperiment");
    if (!isfinite(start) || (stop_defined && !(stop >= start))) {
        return (fmi2Status)gr_fmu_refuse(c, "found a start at %g s and a stop at %g s", start, stop);
    }
    ((GrFmuHost *)c)->start = start;
    return fmi2OK;
}

BIND(EnterInitializationMode, GR_FMU_INSTANTIATED, (fmi2Component c),
     gr_fmu_enter_initialization(c, ((GrFmuHost *)c)->start))
BIND(ExitInitializationMode, GR_FMU_INITIALIZATION, (fmi2Component c), gr_fmu_exit_initialization(c))
BIND(Terminate, GR_FMU_STEP | GR_FMU_FAILED | GR_FMU_EVENT | GR_FMU_CONTINUOUS, (fmi2Component c), gr_fmu_terminate(c))
BIND(Reset, GR_FMU_ANY, (fmi2Component c), gr_fmu_reset(c))

// ---- values

BIND(GetReal, GR_FMU_CAN_GET, (fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Real value[]),
     gr_fmu_get(c, GR_FMU_REAL, vr, count, value))
BIND(SetReal, GR_FMU_CAN_SET, (fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Real value[]),
     gr_fmu_set(c, GR_FMU_REAL, vr, count, value))
BIND(GetBoolean, GR_FMU_CAN_GET, (fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Boolean value[]),
     count == 0 ? GR_FMU_OK : gr_fmu_refuse(c, "no variable is a Boolean"))
BIND(SetBoolean, GR_FMU_CAN_SET,
     (fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Boolean value[]),
     count == 0 ? GR_FMU_OK : gr_fmu_refuse(c, "no variable is a Boolean"))
BIND(GetString, GR_FMU_CAN_GET, (fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2String value[]),
     gr_fmu_get_texts(c, vr, count, value))
BIND(SetString, GR_FMU_CAN_SET,
     (fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2String value[]),
     gr_fmu_set_texts(c, vr, count, value))

/// Choices and integers share one type here.
static GrFmuType whole_type(const GrFmuHost *host, fmi2ValueReference vr)
{
    const GrFmuVariables *list = gr_fmu_unit_variables(host->unit);
    return vr < (fmi2ValueReference)list->count && list->items[vr].type == GR_FMU_CHOICE ? GR_FMU_CHOICE
                                                                                         : GR_FMU_INTEGER;
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Integer value[])
{
    NEEDS(c, GR_FMU_CAN_GET, "fmi2GetInteger");
    GrFmuStatus status = GR_FMU_OK;
    for (size_t i = 0; i < count && status < GR_FMU_DISCARD; i++) {
        double number = 0;
        status = gr_fmu_get(c, whole_type(c, vr[i]), &vr[i], 1, &number);
        value[i] = (fmi2Integer)number;
    }
    return (fmi2Status)status;
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Integer value[])
{
    NEEDS(c, GR_FMU_CAN_SET, "fmi2SetInteger");
    GrFmuStatus status = GR_FMU_OK;
    for (size_t i = 0; i < count && status < GR_FMU_DISCARD; i++) {
        const double number = value[i];
        status = gr_fmu_set(c, whole_type(c, vr[i]), &vr[i], 1, &number);
    }
    return (fmi2Status)status;
}

// ---- saved states

BIND(GetFMUstate, GR_FMU_ANY, (fmi2Component c, fmi2FMUstate *state), gr_fmu_save(c, state))
BIND(SetFMUstate, GR_FMU_ANY, (fmi2Component c, fmi2FMUstate state), gr_fmu_restore(c, state))
BIND(FreeFMUstate, GR_FMU_ANY, (fmi2Component c, fmi2FMUstate *state), gr_fmu_release(c, state))
BIND(SerializedFMUstateSize, GR_FMU_ANY, (fmi2Component c, fmi2FMUstate state, size_t *size),
     gr_fmu_saved_size(c, state, size))
BIND(SerializeFMUstate, GR_FMU_ANY, (fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size),
     gr_fmu_pack(c, state, (unsigned char *)bytes, size))
BIND(DeSerializeFMUstate, GR_FMU_ANY, (fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state),
     gr_fmu_unpack(c, (const unsigned char *)bytes, size, state))

// ---- steps

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean no_state_prior)
{
    NEEDS(c, GR_FMU_STEP, "fmi2DoStep");
    const GrFmuStatus status = gr_fmu_step(c, time, step);
    if (status == GR_FMU_DISCARD) {
        ((GrFmuHost *)c)->mode = GR_FMU_FAILED;
    }
    return (fmi2Status)status;
}

BIND(CancelStep, GR_FMU_ANY, (fmi2Component c), gr_fmu_refuse(c, "no step is under way: steps are not asynchronous"))

/// What may be asked about the last step. No step is ever pending.
enum { STEPPED = GR_FMU_STEP | GR_FMU_FAILED | GR_FMU_TERMINATED };

fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind, fmi2Real *value)
{
    NEEDS(c, STEPPED, "fmi2GetRealStatus");
    if (kind != fmi2LastSuccessfulTime) {
        return fmi2Discard;
    }
    *value = ((GrFmuHost *)c)->last.time;
    return fmi2OK;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind, fmi2Boolean *value)
{
    NEEDS(c, STEPPED, "fmi2GetBooleanStatus");
    if (kind != fmi2Terminated) {
        return fmi2Discard;
    }
    *value = ((GrFmuHost *)c)->last.ended;
    return fmi2OK;
}

BIND(GetStatus, STEPPED, (fmi2Component c, fmi2StatusKind kind, fmi2Status *value), fmi2Discard)
BIND(GetIntegerStatus, STEPPED, (fmi2Component c, fmi2StatusKind kind, fmi2Integer *value), fmi2Discard)
BIND(GetStringStatus, STEPPED, (fmi2Component c, fmi2StatusKind kind, fmi2String *value), fmi2Discard)

// ---- model exchange

static GrFmuStatus enter(GrFmuHost *host, GrFmuMode mode)
{
    host->mode = mode;
    return GR_FMU_OK;
}

BIND(EnterEventMode, GR_FMU_CONTINUOUS, (fmi2Component c), enter(c, GR_FMU_EVENT))
BIND(EnterContinuousTimeMode, GR_FMU_EVENT, (fmi2Component c), enter(c, GR_FMU_CONTINUOUS))

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    NEEDS(c, GR_FMU_EVENT, "fmi2NewDiscreteStates");
    if (info == NULL) {
        return (fmi2Status)gr_fmu_refuse(c, "fmi2NewDiscreteStates needs a pointer for its result");
    }
    bool changed = false;
    const GrFmuStatus status = gr_fmu_switch(c, &changed);
    *info = (fmi2EventInfo){.valuesOfContinuousStatesChanged = changed};
    return (fmi2Status)status;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_state_prior, fmi2Boolean *event_mode,
                                       fmi2Boolean *terminate)
{
    NEEDS(c, GR_FMU_CONTINUOUS, "fmi2CompletedIntegratorStep");
    if (event_mode == NULL || terminate == NULL) {
        return (fmi2Status)gr_fmu_refuse(c, "fmi2CompletedIntegratorStep needs pointers for its results");
    }
    *event_mode = *terminate = 0;
    return (fmi2Status)gr_fmu_completed_step(c);
}

/// Modes in which continuous states are known.
enum { SOLVED = GR_FMU_INITIALIZATION | GR_FMU_EVENT | GR_FMU_CONTINUOUS };

BIND(SetTime, GR_FMU_EVENT | GR_FMU_CONTINUOUS, (fmi2Component c, fmi2Real time), gr_fmu_set_time(c, time))
BIND(GetEventIndicators, SOLVED, (fmi2Component c, fmi2Real indicators[], size_t count),
     gr_fmu_event_indicators(c, indicators, count))
BIND(SetContinuousStates, GR_FMU_CONTINUOUS, (fmi2Component c, const fmi2Real states[], size_t count),
     gr_fmu_set_states(c, states, count))
BIND(GetDerivatives, SOLVED, (fmi2Component c, fmi2Real derivatives[], size_t count),
     gr_fmu_get_states(c, GR_FMU_STATE_RATES, derivatives, count))
BIND(GetContinuousStates, SOLVED, (fmi2Component c, fmi2Real states[], size_t count),
     gr_fmu_get_states(c, GR_FMU_STATE_VALUES, states, count))
BIND(GetNominalsOfContinuousStates, SOLVED, (fmi2Component c, fmi2Real nominals[], size_t count),
     gr_fmu_get_states(c, GR_FMU_STATE_SIZES, nominals, count))

// ---- abilities that the description denies

BIND(GetDirectionalDerivative, GR_FMU_ANY,
     (fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns, const fmi2ValueReference known[],
      size_t knowns, const fmi2Real seed[], fmi2Real sensitivity[]),
     gr_fmu_refuse(c, "directional derivatives are not provided"))
BIND(SetRealInputDerivatives, GR_FMU_ANY,
     (fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Integer order[], const fmi2Real value[]),
     gr_fmu_refuse(c, "inputs are not interpolated"))
BIND(GetRealOutputDerivatives, GR_FMU_ANY,
     (fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Integer order[], fmi2Real value[]),
     gr_fmu_refuse(c, "derivatives of outputs are not provided"))
