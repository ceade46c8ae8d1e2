/// A small importer of functional mock-up units: the functions of both versions out of the binary of this build, and
/// resources of a scenario in the test's folder, as an importer unpacks them.
#ifndef GR_TEST_IMPORTER_H
#define GR_TEST_IMPORTER_H

#include "test.h"

#include "fmi2.h"
#include "fmi3.h"
#include "fmu_resources.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FMI2_LIST(X)                                                                                                   \
    X(GetTypesPlatform)                                                                                                \
    X(GetVersion)                                                                                                      \
    X(SetDebugLogging)                                                                                                 \
    X(Instantiate)                                                                                                     \
    X(FreeInstance)                                                                                                    \
    X(SetupExperiment)                                                                                                 \
    X(EnterInitializationMode)                                                                                         \
    X(ExitInitializationMode)                                                                                          \
    X(Terminate)                                                                                                       \
    X(Reset)                                                                                                           \
    X(GetReal)                                                                                                         \
    X(GetInteger)                                                                                                      \
    X(GetBoolean)                                                                                                      \
    X(GetString)                                                                                                       \
    X(SetReal)                                                                                                         \
    X(SetInteger)                                                                                                      \
    X(SetBoolean)                                                                                                      \
    X(SetString)                                                                                                       \
    X(GetFMUstate)                                                                                                     \
    X(SetFMUstate)                                                                                                     \
    X(FreeFMUstate)                                                                                                    \
    X(SerializedFMUstateSize)                                                                                          \
    X(SerializeFMUstate)                                                                                               \
    X(DeSerializeFMUstate)                                                                                             \
    X(GetDirectionalDerivative)                                                                                        \
    X(SetRealInputDerivatives)                                                                                         \
    X(GetRealOutputDerivatives)                                                                                        \
    X(DoStep)                                                                                                          \
    X(SetTime)                                                                                                         \
    X(EnterEventMode)                                                                                                  \
    X(NewDiscreteStates)                                                                                               \
    X(EnterContinuousTimeMode)                                                                                         \
    X(CompletedIntegratorStep)                                                                                         \
    X(GetContinuousStates)                                                                                             \
    X(SetContinuousStates)                                                                                             \
    X(GetDerivatives)                                                                                                  \
    X(GetNominalsOfContinuousStates)                                                                                   \
    X(GetEventIndicators)                                                                                              \
    X(CancelStep)                                                                                                      \
    X(GetStatus)                                                                                                       \
    X(GetRealStatus)                                                                                                   \
    X(GetIntegerStatus)                                                                                                \
    X(GetBooleanStatus)                                                                                                \
    X(GetStringStatus)

#define FMI3_LIST(X)                                                                                                   \
    X(GetVersion)                                                                                                      \
    X(SetDebugLogging)                                                                                                 \
    X(InstantiateModelExchange)                                                                                        \
    X(InstantiateCoSimulation)                                                                                         \
    X(InstantiateScheduledExecution)                                                                                   \
    X(FreeInstance)                                                                                                    \
    X(EnterInitializationMode)                                                                                         \
    X(ExitInitializationMode)                                                                                          \
    X(EnterEventMode)                                                                                                  \
    X(EnterStepMode)                                                                                                   \
    X(Terminate)                                                                                                       \
    X(Reset)                                                                                                           \
    X(GetFloat64)                                                                                                      \
    X(SetFloat64)                                                                                                      \
    X(GetInt32)                                                                                                        \
    X(SetInt32)                                                                                                        \
    X(GetInt64)                                                                                                        \
    X(SetInt64)                                                                                                        \
    X(GetFloat32)                                                                                                      \
    X(SetFloat32)                                                                                                      \
    X(GetBoolean)                                                                                                      \
    X(SetBoolean)                                                                                                      \
    X(GetString)                                                                                                       \
    X(SetString)                                                                                                       \
    X(GetFMUState)                                                                                                     \
    X(SetFMUState)                                                                                                     \
    X(FreeFMUState)                                                                                                    \
    X(SerializedFMUStateSize)                                                                                          \
    X(SerializeFMUState)                                                                                               \
    X(DeserializeFMUState)                                                                                             \
    X(UpdateDiscreteStates)                                                                                            \
    X(DoStep)                                                                                                          \
    X(EvaluateDiscreteStates)                                                                                          \
    X(GetNumberOfEventIndicators)                                                                                      \
    X(GetNumberOfContinuousStates)                                                                                     \
    X(EnterConfigurationMode)                                                                                          \
    X(ExitConfigurationMode)                                                                                           \
    X(SetTime)                                                                                                         \
    X(GetClock)                                                                                                        \
    X(GetBinary)                                                                                                       \
    X(EnterContinuousTimeMode)                                                                                         \
    X(CompletedIntegratorStep)                                                                                         \
    X(GetEventIndicators)                                                                                              \
    X(GetContinuousStates)                                                                                             \
    X(SetContinuousStates)                                                                                             \
    X(GetContinuousStateDerivatives)                                                                                   \
    X(GetNominalsOfContinuousStates)                                                                                   \
    X(ActivateModelPartition)                                                                                          \
    X(GetOutputDerivatives)                                                                                            \
    X(GetDirectionalDerivative)

#define FMI2_MEMBER(name) __typeof__(fmi2##name) *name;
#define FMI3_MEMBER(name) __typeof__(fmi3##name) *name;

typedef struct Fmi2 {
    FMI2_LIST(FMI2_MEMBER)
} Fmi2;

typedef struct Fmi3 {
    FMI3_LIST(FMI3_MEMBER)
} Fmi3;

static Fmi2 fmi2;
static Fmi3 fmi3;

static inline void take(void *handle, const char *name, void *function)
{
    void *symbol = dlsym(handle, name);
    if (symbol == NULL) {
        fail_msg("the binary lacks %s", name);
    }
    memcpy(function, &symbol, sizeof symbol);
}

static inline void open_binary(void)
{
    void *handle = dlopen(GR_TEST_FMU, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        fail_msg("%s", dlerror());
    }
#define FMI2_TAKE(name) take(handle, "fmi2" #name, &fmi2.name);
    FMI2_LIST(FMI2_TAKE)
#define FMI3_TAKE(name) take(handle, "fmi3" #name, &fmi3.name);
    FMI3_LIST(FMI3_TAKE)
}

/// What an importer knows of a unit.
typedef struct Import {
    char resources[1100]; ///< folder
    char uri[1200];
    GrFmuVariables variables; ///< of `unit`
    GrFmuUnit *unit;
} Import;

static const char TOKEN[] = "{a token}";

/// Lays down the resources of a scenario, or of contact in it, in the folder `name`.
static inline void unpack_as(GrFmuContactKind contact, const char *scenario, const char *const *overrides,
                             const char *name, Import *out)
{
    GrErrorLog log = {0};
    GrFmuFiles files;
    char place[GR_FILE_PATH_SIZE], path[4096], here[1024];
    assert_non_null(getcwd(here, sizeof here));
    const GrFmuUnitDef def = {.scenario = scenario, .overrides = overrides, .contact = contact};
    out->unit = gr_fmu_collect(&def, &files, place, &log);
    assert_non_null(out->unit);
    out->variables = *gr_fmu_unit_variables(out->unit);
    snprintf(out->resources, sizeof out->resources, "%.900s/%.100s/resources", here, name);
    snprintf(out->uri, sizeof out->uri, "file://%s", out->resources);
    for (int i = 0; i < files.count; i++) {
        snprintf(path, sizeof path, "%s/%s", out->resources, files.items[i].path);
        *strrchr(path, '/') = '\0';
        assert_int_equal(gr_folder_make(path, &log), GR_OK);
        snprintf(path, sizeof path, "%s/%s", out->resources, files.items[i].path);
        assert_int_equal(gr_file_write(path, files.items[i].data.data, files.items[i].data.size, &log), GR_OK);
    }
    GrBuffer list = {0};
    gr_fmu_list_write(TOKEN, out->unit, place, overrides, &list);
    snprintf(path, sizeof path, "%s/%s", out->resources, gr_fmu_list_name);
    assert_int_equal(gr_file_write(path, list.data, list.size, &log), GR_OK);
    gr_buffer_free(&list);
    gr_fmu_files_free(&files);
}

static inline void unpack(const char *scenario, const char *const *overrides, const char *name, Import *out)
{
    unpack_as(GR_FMU_ROVER, scenario, overrides, name, out);
}

static inline uint32_t vr_of(const Import *import, const char *name)
{
    for (int i = 0; i < import->variables.count; i++) {
        if (strcmp(import->variables.items[i].name, name) == 0) {
            return (uint32_t)i;
        }
    }
    fail_msg("there is no variable %s", name);
    return 0;
}

/// Messages of a unit: the number and the last.
typedef struct Heard {
    int count;
    char last[2000];
} Heard;

static inline void hear3(void *environment, fmi3Status status, const char *category, const char *message)
{
    Heard *heard = environment;
    (void)status;
    (void)category;
    heard->count++;
    snprintf(heard->last, sizeof heard->last, "%s", message);
}

static inline void hear2(void *environment, const char *instance, fmi2Status status, const char *category,
                         const char *message, ...)
{
    Heard *heard = environment;
    (void)instance;
    (void)status;
    (void)category;
    va_list arguments;
    va_start(arguments, message);
    heard->count++;
    vsnprintf(heard->last, sizeof heard->last, message, arguments);
    va_end(arguments);
}

static inline fmi2Component make2(const Import *import, Heard *heard)
{
    const fmi2CallbackFunctions functions = {hear2, calloc, free, NULL, heard};
    return fmi2.Instantiate("unit", fmi2CoSimulation, TOKEN, import->uri, &functions, 0, 0);
}

static inline fmi3Instance make3(const Import *import, Heard *heard, bool events, bool early)
{
    return fmi3.InstantiateCoSimulation("unit", TOKEN, import->resources, false, false, events, early, NULL, 0, heard,
                                        hear3, NULL);
}

/// An instance of FMI 2 that is ready for its first step.
static inline fmi2Component start2(const Import *import, Heard *heard)
{
    fmi2Component c = make2(import, heard);
    assert_non_null(c);
    assert_int_equal(fmi2.SetupExperiment(c, 0, 0, 0, 0, 0), fmi2OK);
    assert_int_equal(fmi2.EnterInitializationMode(c), fmi2OK);
    assert_int_equal(fmi2.ExitInitializationMode(c), fmi2OK);
    return c;
}

static inline uint64_t hash2(const Import *import, fmi2Component c)
{
    const fmi2ValueReference vr = vr_of(import, "state_hash");
    fmi2String text = NULL;
    assert_int_equal(fmi2.GetString(c, &vr, 1, &text), fmi2OK);
    return strtoull(text, NULL, 16);
}

static inline double real2(const Import *import, fmi2Component c, const char *name)
{
    const fmi2ValueReference vr = vr_of(import, name);
    double value = 0;
    assert_in_range(fmi2.GetReal(c, &vr, 1, &value), fmi2OK, fmi2Warning);
    return value;
}

static inline fmi2Status put2(const Import *import, fmi2Component c, const char *name, double value)
{
    const fmi2ValueReference vr = vr_of(import, name);
    if (import->variables.items[vr].type == GR_FMU_REAL) {
        return fmi2.SetReal(c, &vr, 1, &value);
    }
    const int whole = (int)value;
    return fmi2.SetInteger(c, &vr, 1, &whole);
}

/// Steps of length `step` from `from` to `until`; a parameter out of its usual range is a warning.
static inline void drive2(fmi2Component c, double from, double until, double step)
{
    const int count = (int)((until - from) / step + 0.5);
    for (int k = 0; k < count; k++) {
        assert_in_range(fmi2.DoStep(c, from + k * step, step, 1), fmi2OK, fmi2Warning);
    }
}

#endif
