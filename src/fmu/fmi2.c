/// FMI 2.0 over an instance of fmu_host.h.
#include "fmi2.h"

#include "fmu_host.h"

#include "alloc.h"

_Static_assert((int)fmi2Discard == (int)GR_FMU_DISCARD && (int)fmi2Fatal == (int)GR_FMU_FATAL, "statuses are the same");
_Static_assert(sizeof(fmi2ValueReference) == sizeof(uint32_t), "value references are the same");

/// A call that needs an instance in one of these modes.
#define NEEDS(c, modes, call)                                                                                          \
    do {                                                                                                               \
        if (!gr_fmu_allowed(c, modes, call)) {                                                                         \
            return fmi2Error;                                                                                          \
        }                                                                                                              \
    } while (0)

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
    (void)visible;
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

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[])
{
    NEEDS(c, GR_FMU_ANY, "fmi2SetDebugLogging");
    return (fmi2Status)gr_fmu_switch_logging(c, on != 0, count, categories);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop)
{
    NEEDS(c, GR_FMU_INSTANTIATED, "fmi2SetupExperiment");
    (void)tolerance_defined; // the scenario chooses steps and tolerances
    (void)tolerance;
    if (!isfinite(start) || (stop_defined && !(stop >= start))) {
        return (fmi2Status)gr_fmu_refuse(c, "found a start at %g s and a stop at %g s", start, stop);
    }
    ((GrFmuHost *)c)->start = start;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    NEEDS(c, GR_FMU_INSTANTIATED, "fmi2EnterInitializationMode");
    return (fmi2Status)gr_fmu_enter_initialization(c, ((GrFmuHost *)c)->start);
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    NEEDS(c, GR_FMU_INITIALIZATION, "fmi2ExitInitializationMode");
    return (fmi2Status)gr_fmu_exit_initialization(c);
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    NEEDS(c, GR_FMU_STEP | GR_FMU_FAILED | GR_FMU_EVENT | GR_FMU_CONTINUOUS, "fmi2Terminate");
    return (fmi2Status)gr_fmu_terminate(c);
}

fmi2Status fmi2Reset(fmi2Component c)
{
    NEEDS(c, GR_FMU_ANY, "fmi2Reset");
    return (fmi2Status)gr_fmu_reset(c);
}

// ---- values

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Real value[])
{
    NEEDS(c, GR_FMU_CAN_GET, "fmi2GetReal");
    return (fmi2Status)gr_fmu_get(c, GR_FMU_REAL, vr, count, value);
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Real value[])
{
    NEEDS(c, GR_FMU_CAN_SET, "fmi2SetReal");
    return (fmi2Status)gr_fmu_set(c, GR_FMU_REAL, vr, count, value);
}

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

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Boolean value[])
{
    NEEDS(c, GR_FMU_CAN_GET, "fmi2GetBoolean");
    (void)vr;
    (void)value;
    return count == 0 ? fmi2OK : (fmi2Status)gr_fmu_refuse(c, "no variable is a Boolean");
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Boolean value[])
{
    NEEDS(c, GR_FMU_CAN_SET, "fmi2SetBoolean");
    (void)vr;
    (void)value;
    return count == 0 ? fmi2OK : (fmi2Status)gr_fmu_refuse(c, "no variable is a Boolean");
}

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2String value[])
{
    NEEDS(c, GR_FMU_CAN_GET, "fmi2GetString");
    return (fmi2Status)gr_fmu_get_texts(c, vr, count, value);
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2String value[])
{
    NEEDS(c, GR_FMU_CAN_SET, "fmi2SetString");
    return (fmi2Status)gr_fmu_set_texts(c, vr, count, value);
}

// ---- saved states

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    NEEDS(c, GR_FMU_ANY, "fmi2GetFMUstate");
    return (fmi2Status)gr_fmu_save(c, state);
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    NEEDS(c, GR_FMU_ANY, "fmi2SetFMUstate");
    return (fmi2Status)gr_fmu_restore(c, state);
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    NEEDS(c, GR_FMU_ANY, "fmi2FreeFMUstate");
    return (fmi2Status)gr_fmu_release(c, state);
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    NEEDS(c, GR_FMU_ANY, "fmi2SerializedFMUstateSize");
    return (fmi2Status)gr_fmu_saved_size(c, state, size);
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    NEEDS(c, GR_FMU_ANY, "fmi2SerializeFMUstate");
    return (fmi2Status)gr_fmu_pack(c, state, (unsigned char *)bytes, size);
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    NEEDS(c, GR_FMU_ANY, "fmi2DeSerializeFMUstate");
    return (fmi2Status)gr_fmu_unpack(c, (const unsigned char *)bytes, size, state);
}

// ---- steps

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step, fmi2Boolean no_state_prior)
{
    NEEDS(c, GR_FMU_STEP, "fmi2DoStep");
    (void)no_state_prior;
    const GrFmuStatus status = gr_fmu_step(c, time, step);
    if (status == GR_FMU_DISCARD) {
        ((GrFmuHost *)c)->mode = GR_FMU_FAILED;
    }
    return (fmi2Status)status;
}

// ---- model exchange

fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    NEEDS(c, GR_FMU_CONTINUOUS, "fmi2EnterEventMode");
    ((GrFmuHost *)c)->mode = GR_FMU_EVENT;
    return fmi2OK;
}

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

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c)
{
    NEEDS(c, GR_FMU_EVENT, "fmi2EnterContinuousTimeMode");
    ((GrFmuHost *)c)->mode = GR_FMU_CONTINUOUS;
    return fmi2OK;
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_state_prior, fmi2Boolean *event_mode,
                                       fmi2Boolean *terminate)
{
    NEEDS(c, GR_FMU_CONTINUOUS, "fmi2CompletedIntegratorStep");
    (void)no_state_prior;
    if (event_mode == NULL || terminate == NULL) {
        return (fmi2Status)gr_fmu_refuse(c, "fmi2CompletedIntegratorStep needs pointers for its results");
    }
    *event_mode = *terminate = 0;
    return (fmi2Status)gr_fmu_completed_step(c);
}

fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time)
{
    NEEDS(c, GR_FMU_EVENT | GR_FMU_CONTINUOUS, "fmi2SetTime");
    return (fmi2Status)gr_fmu_set_time(c, time);
}

fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[], size_t count)
{
    NEEDS(c, GR_FMU_INITIALIZATION | GR_FMU_EVENT | GR_FMU_CONTINUOUS, "fmi2GetEventIndicators");
    return (fmi2Status)gr_fmu_event_indicators(c, indicators, count);
}

fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real states[], size_t count)
{
    NEEDS(c, GR_FMU_CONTINUOUS, "fmi2SetContinuousStates");
    return (fmi2Status)gr_fmu_set_states(c, states, count);
}

fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t count)
{
    NEEDS(c, GR_FMU_INITIALIZATION | GR_FMU_EVENT | GR_FMU_CONTINUOUS, "fmi2GetDerivatives");
    return (fmi2Status)gr_fmu_get_states(c, GR_FMU_STATE_RATES, derivatives, count);
}

fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real states[], size_t count)
{
    NEEDS(c, GR_FMU_INITIALIZATION | GR_FMU_EVENT | GR_FMU_CONTINUOUS, "fmi2GetContinuousStates");
    return (fmi2Status)gr_fmu_get_states(c, GR_FMU_STATE_VALUES, states, count);
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominals[], size_t count)
{
    NEEDS(c, GR_FMU_INITIALIZATION | GR_FMU_EVENT | GR_FMU_CONTINUOUS, "fmi2GetNominalsOfContinuousStates");
    return (fmi2Status)gr_fmu_get_states(c, GR_FMU_STATE_SIZES, nominals, count);
}

fmi2Status fmi2CancelStep(fmi2Component c)
{
    NEEDS(c, GR_FMU_ANY, "fmi2CancelStep");
    return (fmi2Status)gr_fmu_refuse(c, "no step is under way: steps are not asynchronous");
}

/// What may be asked about the last step.
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

fmi2Status fmi2GetStatus(fmi2Component c, fmi2StatusKind kind, fmi2Status *value)
{
    NEEDS(c, STEPPED, "fmi2GetStatus");
    (void)kind; // no step is ever pending
    (void)value;
    return fmi2Discard;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, fmi2StatusKind kind, fmi2Integer *value)
{
    NEEDS(c, STEPPED, "fmi2GetIntegerStatus");
    (void)kind;
    (void)value;
    return fmi2Discard;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, fmi2StatusKind kind, fmi2String *value)
{
    NEEDS(c, STEPPED, "fmi2GetStringStatus");
    (void)kind;
    (void)value;
    return fmi2Discard;
}

// ---- abilities that the description denies

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,
                                        const fmi2ValueReference known[], size_t knowns, const fmi2Real seed[],
                                        fmi2Real sensitivity[])
{
    NEEDS(c, GR_FMU_ANY, "fmi2GetDirectionalDerivative");
    (void)unknown;
    (void)unknowns;
    (void)known;
    (void)knowns;
    (void)seed;
    (void)sensitivity;
    return (fmi2Status)gr_fmu_refuse(c, "directional derivatives are not provided");
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                       const fmi2Integer order[], const fmi2Real value[])
{
    NEEDS(c, GR_FMU_ANY, "fmi2SetRealInputDerivatives");
    (void)vr;
    (void)count;
    (void)order;
    (void)value;
    return (fmi2Status)gr_fmu_refuse(c, "inputs are not interpolated");
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[], size_t count,
                                        const fmi2Integer order[], fmi2Real value[])
{
    NEEDS(c, GR_FMU_ANY, "fmi2GetRealOutputDerivatives");
    (void)vr;
    (void)count;
    (void)order;
    (void)value;
    return (fmi2Status)gr_fmu_refuse(c, "derivatives of outputs are not provided");
}
