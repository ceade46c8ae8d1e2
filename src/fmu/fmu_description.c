#include "fmu_description.h"

#include "fmu_host.h"
#include "grouser/version.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void gr_fmu_identifier(const GrScenario *scenario, char out[GR_FMU_IDENTIFIER_SIZE])
{
    const char *name = scenario->name[0] != '\0' ? scenario->name : "grouser";
    int n = 0;
    if (!isalpha((unsigned char)name[0])) {
        out[n++] = 'r';
        out[n++] = '_';
    }
    for (const char *c = name; *c != '\0' && n < GR_FMU_IDENTIFIER_SIZE - 1; c++) {
        out[n++] = (char)(isalnum((unsigned char)*c) ? *c : '_');
    }
    out[n] = '\0';
}

static void text_attribute(GrBuffer *out, const char *name, const char *value)
{
    gr_buffer_printf(out, " %s=\"", name);
    gr_buffer_xml(out, value);
    gr_buffer_puts(out, "\"");
}

static void number_attribute(GrBuffer *out, const char *name, double value)
{
    gr_buffer_printf(out, " %s=\"", name);
    gr_buffer_number(out, value);
    gr_buffer_puts(out, "\"");
}

/// Attributes of the root that both versions have.
static void put_root(const GrFmuUnit *unit, int version, const char *token, GrBuffer *out)
{
    const GrScenario *s = gr_fmu_unit_scenario(unit);
    gr_buffer_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription");
    text_attribute(out, "fmiVersion", version == 2 ? "2.0" : "3.0");
    text_attribute(out, "modelName", s->name[0] != '\0' ? s->name : "grouser");
    text_attribute(out, version == 2 ? "guid" : "instantiationToken", token);
    text_attribute(out, "description", s->title);
    text_attribute(out, "copyright", "the Grouser authors; the scenario and its files belong to their authors");
    text_attribute(out, "license", "MIT; licences of all parts: documentation/licenses");
    text_attribute(out, "generationTool", "Grouser " GROUSER_VERSION);
    text_attribute(out, "variableNamingConvention", "structured");
    gr_buffer_puts(out, version == 2 ? " numberOfEventIndicators=\"0\">\n" : ">\n");
}

static void put_abilities(const GrFmuUnit *unit, int version, GrBuffer *out)
{
    char identifier[GR_FMU_IDENTIFIER_SIZE];
    gr_fmu_identifier(gr_fmu_unit_scenario(unit), identifier);
    gr_buffer_puts(out, "  <CoSimulation");
    text_attribute(out, "modelIdentifier", identifier);
    gr_buffer_puts(out, " needsExecutionTool=\"false\" canHandleVariableCommunicationStepSize=\"true\""
                        " canBeInstantiatedOnlyOncePerProcess=\"false\" maxOutputDerivativeOrder=\"0\"");
    gr_buffer_puts(out, version == 2
                            ? " canInterpolateInputs=\"false\" canRunAsynchronuously=\"false\""
                              " canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\""
                              " canSerializeFMUstate=\"true\" providesDirectionalDerivative=\"false\"/>\n"
                            : " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\""
                              " providesDirectionalDerivatives=\"false\" providesAdjointDerivatives=\"false\""
                              " providesPerElementDependencies=\"false\" providesIntermediateUpdate=\"false\""
                              " mightReturnEarlyFromDoStep=\"true\" canReturnEarlyAfterIntermediateUpdate=\"false\""
                              " hasEventMode=\"true\" providesEvaluateDiscreteStates=\"false\"/>\n");
}

static void exponent(GrBuffer *out, const char *base, int value)
{
    if (value != 0) {
        gr_buffer_printf(out, " %s=\"%d\"", base, value);
    }
}

static void put_units(GrBuffer *out)
{
    gr_buffer_puts(out, "  <UnitDefinitions>\n");
    const GrFmuUnitRow *row;
    for (int i = 0; (row = gr_fmu_unit_row(i)) != NULL; i++) {
        gr_buffer_printf(out, "    <Unit name=\"%s\">\n      <BaseUnit", row->name);
        exponent(out, "kg", row->kg);
        exponent(out, "m", row->m);
        exponent(out, "s", row->s);
        exponent(out, "rad", row->rad);
        if (row->factor != 1) {
            number_attribute(out, "factor", row->factor);
        }
        gr_buffer_puts(out, "/>\n    </Unit>\n");
    }
    gr_buffer_puts(out, "  </UnitDefinitions>\n");
}

static void put_types(int version, GrBuffer *out)
{
    gr_buffer_puts(out, "  <TypeDefinitions>\n");
    for (int k = 0; k < GR_FMU_CHOICE_COUNT; k++) {
        const char *name = gr_fmu_choice_name((GrFmuChoice)k), *item;
        gr_buffer_printf(
            out, version == 2 ? "    <SimpleType name=\"%s\"><Enumeration>\n" : "    <EnumerationType name=\"%s\">\n",
            name);
        for (int i = 0; (item = gr_fmu_choice_item((GrFmuChoice)k, i)) != NULL; i++) {
            gr_buffer_puts(out, "      <Item");
            text_attribute(out, "name", item);
            gr_buffer_printf(out, " value=\"%d\"/>\n", i);
        }
        gr_buffer_puts(out, version == 2 ? "    </Enumeration></SimpleType>\n" : "    </EnumerationType>\n");
    }
    gr_buffer_puts(out, "  </TypeDefinitions>\n");
}

static void put_experiment(const GrFmuUnit *unit, GrBuffer *out)
{
    const GrScenario *s = gr_fmu_unit_scenario(unit);
    gr_buffer_puts(out, "  <LogCategories>\n");
    for (int i = 0; i < GR_FMU_CATEGORY_COUNT; i++) {
        gr_buffer_printf(out, "    <Category name=\"%s\"/>\n", gr_fmu_categories[i]);
    }
    gr_buffer_puts(out, "  </LogCategories>\n  <DefaultExperiment startTime=\"0\"");
    number_attribute(out, "stopTime", s->mission.duration);
    number_attribute(out, "stepSize", 1 / s->record_rate);
    gr_buffer_puts(out, "/>\n");
}

static const char *causality(GrFmuRole role)
{
    static const char *const NAMES[] = {"independent", "parameter", "parameter", "input", "output"};
    return NAMES[role];
}

static const char *variability(const GrFmuVariable *v)
{
    return v->role == GR_FMU_FIXED     ? "fixed"
           : v->role == GR_FMU_TUNABLE ? "tunable"
           : v->type == GR_FMU_REAL    ? "continuous"
                                       : "discrete";
}

static bool has_start(const GrFmuVariable *v)
{
    return v->role != GR_FMU_TIME && v->role != GR_FMU_OUTPUT;
}

/// Attributes of a variable that depend on its type.
static void put_kind(const GrFmuVariable *v, GrBuffer *out)
{
    if (v->type == GR_FMU_CHOICE) {
        text_attribute(out, "declaredType", gr_fmu_choice_name(v->choice));
    }
    if (v->unit[0] != '\0') {
        text_attribute(out, "unit", v->unit);
    }
    if (v->type == GR_FMU_REAL && has_start(v) && isfinite(v->lower)) {
        number_attribute(out, "min", v->lower);
    }
    if (v->type == GR_FMU_REAL && has_start(v) && isfinite(v->upper)) {
        number_attribute(out, "max", v->upper);
    }
    if (has_start(v)) {
        number_attribute(out, "start", v->start);
    }
}

static void put_variable(const GrFmuVariable *v, int reference, int version, GrBuffer *out)
{
    static const char *const OLD[] = {"Real", "Integer", "Enumeration", "String"};
    static const char *const NEW[] = {"Float64", "Int32", "Enumeration", "String"};
    gr_buffer_printf(out, "    <%s", version == 2 ? "ScalarVariable" : NEW[v->type]);
    text_attribute(out, "name", v->name);
    gr_buffer_printf(out, " valueReference=\"%d\"", reference);
    if (v->text[0] != '\0') {
        text_attribute(out, "description", v->text);
    }
    text_attribute(out, "causality", causality(v->role));
    text_attribute(out, "variability", variability(v));
    if (version == 2) {
        gr_buffer_printf(out, "><%s", OLD[v->type]);
        put_kind(v, out);
        gr_buffer_puts(out, "/></ScalarVariable>\n");
    } else {
        put_kind(v, out);
        gr_buffer_puts(out, "/>\n");
    }
}

/// Outputs, and the same as unknowns of the initialisation. Outputs are those of the last step: no input acts on them
/// within a communication point, so that a host need not look for algebraic loops.
static void put_structure(const GrFmuVariables *list, int version, GrBuffer *out)
{
    static const char *const GROUPS[] = {"Outputs", "InitialUnknowns"};
    static const char *const ITEMS[] = {"Output", "InitialUnknown"};
    static const char *const DEPENDENCIES[] = {" dependencies=\"\"", ""};
    gr_buffer_puts(out, "  <ModelStructure>\n");
    for (int k = 0; k < 2; k++) {
        if (version == 2) {
            gr_buffer_printf(out, "    <%s>\n", GROUPS[k]);
        }
        for (int i = 0; i < list->count; i++) {
            if (list->items[i].role == GR_FMU_OUTPUT && version == 2) {
                gr_buffer_printf(out, "      <Unknown index=\"%d\"%s/>\n", i + 1, DEPENDENCIES[k]);
            } else if (list->items[i].role == GR_FMU_OUTPUT) {
                gr_buffer_printf(out, "    <%s valueReference=\"%d\"%s/>\n", ITEMS[k], i, DEPENDENCIES[k]);
            }
        }
        if (version == 2) {
            gr_buffer_printf(out, "    </%s>\n", GROUPS[k]);
        }
    }
    gr_buffer_puts(out, "  </ModelStructure>\n");
}

void gr_fmu_describe(const GrFmuUnit *unit, int version, const char *token, GrBuffer *out)
{
    const GrFmuVariables *list = gr_fmu_unit_variables(unit);
    put_root(unit, version, token, out);
    put_abilities(unit, version, out);
    put_units(out);
    put_types(version, out);
    put_experiment(unit, out);
    gr_buffer_puts(out, "  <ModelVariables>\n");
    for (int i = 0; i < list->count; i++) {
        put_variable(&list->items[i], i, version, out);
    }
    gr_buffer_puts(out, "  </ModelVariables>\n");
    put_structure(list, version, out);
    gr_buffer_puts(out, "</fmiModelDescription>\n");
}
