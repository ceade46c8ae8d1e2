/// Declarations of FMI 3.0 for co-simulation, as the standard gives them (fmi-standard.org, version 3.0.1): names and
/// types are its own. A unit exports all functions of the standard; those of abilities that its description denies
/// fail.
#ifndef GR_FMI3_H
#define GR_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FMI3_EXPORT __attribute__((visibility("default")))

typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean, fmi3Clock;
typedef const char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String category, fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64 time, fmi3Boolean set_requested,
                                               fmi3Boolean get_allowed, fmi3Boolean step_finished,
                                               fmi3Boolean can_return_early, fmi3Boolean *return_early,
                                               fmi3Float64 *return_time);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

FMI3_EXPORT const char *fmi3GetVersion(void);
FMI3_EXPORT fmi3Status fmi3SetDebugLogging(fmi3Instance i, fmi3Boolean on, size_t count, const fmi3String categories[]);
FMI3_EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                                      fmi3Boolean visible, fmi3Boolean logging,
                                                      fmi3InstanceEnvironment environment, fmi3LogMessageCallback log);
FMI3_EXPORT fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                                     fmi3Boolean visible, fmi3Boolean logging,
                                                     fmi3Boolean event_mode_used, fmi3Boolean early_return_allowed,
                                                     const fmi3ValueReference required[], size_t required_count,
                                                     fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                                     fmi3IntermediateUpdateCallback update);
FMI3_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                                           fmi3Boolean visible, fmi3Boolean logging,
                                                           fmi3InstanceEnvironment environment,
                                                           fmi3LogMessageCallback log, fmi3ClockUpdateCallback clock,
                                                           fmi3LockPreemptionCallback lock,
                                                           fmi3UnlockPreemptionCallback unlock);
FMI3_EXPORT void fmi3FreeInstance(fmi3Instance i);
FMI3_EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance i, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                                   fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop);
FMI3_EXPORT fmi3Status fmi3ExitInitializationMode(fmi3Instance i);
FMI3_EXPORT fmi3Status fmi3EnterEventMode(fmi3Instance i);
FMI3_EXPORT fmi3Status fmi3EnterStepMode(fmi3Instance i);
FMI3_EXPORT fmi3Status fmi3Terminate(fmi3Instance i);
FMI3_EXPORT fmi3Status fmi3Reset(fmi3Instance i);

// fmi3GetFloat64(), fmi3SetFloat64() and so on.
#define FMI3_TYPE_LIST(X)                                                                                              \
    X(Float32, fmi3Float32)                                                                                            \
    X(Float64, fmi3Float64)                                                                                            \
    X(Int8, fmi3Int8)                                                                                                  \
    X(UInt8, fmi3UInt8)                                                                                                \
    X(Int16, fmi3Int16)                                                                                                \
    X(UInt16, fmi3UInt16)                                                                                              \
    X(Int32, fmi3Int32)                                                                                                \
    X(UInt32, fmi3UInt32)                                                                                              \
    X(Int64, fmi3Int64)                                                                                                \
    X(UInt64, fmi3UInt64)                                                                                              \
    X(Boolean, fmi3Boolean)                                                                                            \
    X(String, fmi3String)
#define FMI3_DECLARE(name, type)                                                                                       \
    FMI3_EXPORT fmi3Status fmi3Get##name(fmi3Instance i, const fmi3ValueReference vr[], size_t count, type value[],    \
                                         size_t value_count);                                                          \
    FMI3_EXPORT fmi3Status fmi3Set##name(fmi3Instance i, const fmi3ValueReference vr[], size_t count,                  \
                                         const type value[], size_t value_count);
FMI3_TYPE_LIST(FMI3_DECLARE)
#undef FMI3_DECLARE

FMI3_EXPORT fmi3Status fmi3GetFMUState(fmi3Instance i, fmi3FMUState *state);
FMI3_EXPORT fmi3Status fmi3SetFMUState(fmi3Instance i, fmi3FMUState state);
FMI3_EXPORT fmi3Status fmi3FreeFMUState(fmi3Instance i, fmi3FMUState *state);
FMI3_EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance i, fmi3FMUState state, size_t *size);
FMI3_EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance i, fmi3FMUState state, fmi3Byte bytes[], size_t size);
FMI3_EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance i, const fmi3Byte bytes[], size_t size,
                                               fmi3FMUState *state);

FMI3_EXPORT fmi3Status fmi3UpdateDiscreteStates(fmi3Instance i, fmi3Boolean *again, fmi3Boolean *terminate,
                                                fmi3Boolean *nominals_changed, fmi3Boolean *values_changed,
                                                fmi3Boolean *next_defined, fmi3Float64 *next);
FMI3_EXPORT fmi3Status fmi3DoStep(fmi3Instance i, fmi3Float64 time, fmi3Float64 step, fmi3Boolean no_state_prior,
                                  fmi3Boolean *event_needed, fmi3Boolean *terminate, fmi3Boolean *early_return,
                                  fmi3Float64 *last_time);

// Abilities that the description denies.
FMI3_EXPORT fmi3Status fmi3GetBinary(fmi3Instance i, const fmi3ValueReference vr[], size_t count, size_t sizes[],
                                     fmi3Binary value[], size_t value_count);
FMI3_EXPORT fmi3Status fmi3SetBinary(fmi3Instance i, const fmi3ValueReference vr[], size_t count, const size_t sizes[],
                                     const fmi3Binary value[], size_t value_count);
FMI3_EXPORT fmi3Status fmi3GetClock(fmi3Instance i, const fmi3ValueReference vr[], size_t count, fmi3Clock value[]);
FMI3_EXPORT fmi3Status fmi3SetClock(fmi3Instance i, const fmi3ValueReference vr[], size_t count,
                                    const fmi3Clock value[]);
FMI3_EXPORT fmi3Status fmi3GetIntervalDecimal(fmi3Instance i, const fmi3ValueReference vr[], size_t count,
                                              fmi3Float64 interval[], fmi3IntervalQualifier qualifier[]);
FMI3_EXPORT fmi3Status fmi3GetIntervalFraction(fmi3Instance i, const fmi3ValueReference vr[], size_t count,
                                               fmi3UInt64 counter[], fmi3UInt64 resolution[],
                                               fmi3IntervalQualifier qualifier[]);
FMI3_EXPORT fmi3Status fmi3GetShiftDecimal(fmi3Instance i, const fmi3ValueReference vr[], size_t count,
                                           fmi3Float64 shift[]);
FMI3_EXPORT fmi3Status fmi3GetShiftFraction(fmi3Instance i, const fmi3ValueReference vr[], size_t count,
                                            fmi3UInt64 counter[], fmi3UInt64 resolution[]);
FMI3_EXPORT fmi3Status fmi3SetIntervalDecimal(fmi3Instance i, const fmi3ValueReference vr[], size_t count,
                                              const fmi3Float64 interval[]);
FMI3_EXPORT fmi3Status fmi3SetIntervalFraction(fmi3Instance i, const fmi3ValueReference vr[], size_t count,
                                               const fmi3UInt64 counter[], const fmi3UInt64 resolution[]);
FMI3_EXPORT fmi3Status fmi3SetShiftDecimal(fmi3Instance i, const fmi3ValueReference vr[], size_t count,
                                           const fmi3Float64 shift[]);
FMI3_EXPORT fmi3Status fmi3SetShiftFraction(fmi3Instance i, const fmi3ValueReference vr[], size_t count,
                                            const fmi3UInt64 counter[], const fmi3UInt64 resolution[]);
FMI3_EXPORT fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance i, fmi3ValueReference vr, size_t *count);
FMI3_EXPORT fmi3Status fmi3GetVariableDependencies(fmi3Instance i, fmi3ValueReference dependent, size_t elements[],
                                                   fmi3ValueReference independents[], size_t independent_elements[],
                                                   fmi3DependencyKind kinds[], size_t count);
FMI3_EXPORT fmi3Status fmi3GetDirectionalDerivative(fmi3Instance i, const fmi3ValueReference unknown[], size_t unknowns,
                                                    const fmi3ValueReference known[], size_t knowns,
                                                    const fmi3Float64 seed[], size_t seeds, fmi3Float64 sensitivity[],
                                                    size_t sensitivities);
FMI3_EXPORT fmi3Status fmi3GetAdjointDerivative(fmi3Instance i, const fmi3ValueReference unknown[], size_t unknowns,
                                                const fmi3ValueReference known[], size_t knowns,
                                                const fmi3Float64 seed[], size_t seeds, fmi3Float64 sensitivity[],
                                                size_t sensitivities);
FMI3_EXPORT fmi3Status fmi3EnterConfigurationMode(fmi3Instance i);
FMI3_EXPORT fmi3Status fmi3ExitConfigurationMode(fmi3Instance i);
FMI3_EXPORT fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance i);
FMI3_EXPORT fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance i);
FMI3_EXPORT fmi3Status fmi3CompletedIntegratorStep(fmi3Instance i, fmi3Boolean no_state_prior, fmi3Boolean *event_mode,
                                                   fmi3Boolean *terminate);
FMI3_EXPORT fmi3Status fmi3SetTime(fmi3Instance i, fmi3Float64 time);
FMI3_EXPORT fmi3Status fmi3SetContinuousStates(fmi3Instance i, const fmi3Float64 states[], size_t count);
FMI3_EXPORT fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance i, fmi3Float64 derivatives[], size_t count);
FMI3_EXPORT fmi3Status fmi3GetEventIndicators(fmi3Instance i, fmi3Float64 indicators[], size_t count);
FMI3_EXPORT fmi3Status fmi3GetContinuousStates(fmi3Instance i, fmi3Float64 states[], size_t count);
FMI3_EXPORT fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance i, fmi3Float64 nominals[], size_t count);
FMI3_EXPORT fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance i, size_t *count);
FMI3_EXPORT fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance i, size_t *count);
FMI3_EXPORT fmi3Status fmi3GetOutputDerivatives(fmi3Instance i, const fmi3ValueReference vr[], size_t count,
                                                const fmi3Int32 order[], fmi3Float64 value[], size_t value_count);
FMI3_EXPORT fmi3Status fmi3ActivateModelPartition(fmi3Instance i, fmi3ValueReference clock, fmi3Float64 time);

#endif
