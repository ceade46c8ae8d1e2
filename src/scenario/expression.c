#include "expression.h"

#include "alloc.h"
#include "elementary.h"
#include "grouser/vec.h"
#include "number.h"
#include "text.h"

#include <math.h>
#include <muParserDLL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// muParser does the arithmetic. Names, functions and brackets are checked here first, for two reasons: messages can
// suggest the nearest valid name, and the library's own messages use one static buffer that threads would share.

enum { MAX_NAME = 64, MAX_DEPTH = 64 };

struct GrCalculator {
    muParserHandle_t parser;
};

static double function_sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

static double function_radians(double x)
{
    return x * GR_PI / 180;
}

static double function_degrees(double x)
{
    return x * 180 / GR_PI;
}

static double function_min(const double *x, int count)
{
    double least = x[0];
    for (int i = 1; i < count; i++) {
        least = fmin(least, x[i]);
    }
    return least;
}

static double function_max(const double *x, int count)
{
    double most = x[0];
    for (int i = 1; i < count; i++) {
        most = fmax(most, x[i]);
    }
    return most;
}

static const struct {
    const char *name;
    double (*function)(double);
} functions_1[] = {
    {"sin", gr_sin},
    {"cos", gr_cos},
    {"tan", gr_tan},
    {"asin", gr_asin},
    {"acos", gr_acos},
    {"atan", gr_atan},
    {"sinh", gr_sinh},
    {"cosh", gr_cosh},
    {"tanh", gr_tanh},
    {"sqrt", sqrt},
    {"cbrt", gr_cbrt},
    {"exp", gr_exp},
    {"log", gr_log},
    {"log10", gr_log10},
    {"abs", fabs},
    {"floor", floor},
    {"ceil", ceil},
    {"round", round},
    {"sign", function_sign},
    {"radians", function_radians},
    {"degrees", function_degrees},
};

static const struct {
    const char *name;
    double (*function)(double, double);
} functions_2[] = {{"atan2", gr_atan2}, {"pow", gr_pow}, {"hypot", gr_hypot}, {"mod", fmod}};

static const struct {
    const char *name;
    double (*function)(const double *, int);
} functions_n[] = {{"min", function_min}, {"max", function_max}};

static const struct {
    const char *name;
    double value;
} constants[] = {{"pi", GR_PI}, {"deg", GR_PI / 180}, {"inf", INFINITY}};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

enum { FUNCTION_COUNT = COUNT(functions_1) + COUNT(functions_2) + COUNT(functions_n) };

static int function_names(const char **names)
{
    int count = 0;
    for (int i = 0; i < COUNT(functions_1); i++) {
        names[count++] = functions_1[i].name;
    }
    for (int i = 0; i < COUNT(functions_2); i++) {
        names[count++] = functions_2[i].name;
    }
    for (int i = 0; i < COUNT(functions_n); i++) {
        names[count++] = functions_n[i].name;
    }
    return count;
}

static bool is_function(const char *name)
{
    const char *names[FUNCTION_COUNT];
    const int count = function_names(names);
    for (int i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static const double *find_constant(const char *name)
{
    for (int i = 0; i < COUNT(constants); i++) {
        if (strcmp(constants[i].name, name) == 0) {
            return &constants[i].value;
        }
    }
    return NULL;
}

bool gr_expression_is_reserved(const char *name)
{
    return is_function(name) || find_constant(name) != NULL;
}

// Not isalpha and isdigit: those depend on the locale.
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool gr_expression_is_name(const char *name)
{
    const char *c = name;
    while (is_letter(*c) || (c > name && is_digit(*c))) {
        c++;
    }
    return c > name && *c == '\0' && c - name < MAX_NAME;
}

GrCalculator *gr_calculator_create(void)
{
    GrCalculator *evaluator = gr_calloc(1, sizeof *evaluator);
    if (evaluator == NULL) {
        return NULL;
    }
    muParserHandle_t parser = mupCreate(muBASETYPE_FLOAT);
    mupClearFun(parser);
    for (int i = 0; i < COUNT(functions_1); i++) {
        mupDefineFun1(parser, functions_1[i].name, functions_1[i].function, 1);
    }
    for (int i = 0; i < COUNT(functions_2); i++) {
        mupDefineFun2(parser, functions_2[i].name, functions_2[i].function, 1);
    }
    for (int i = 0; i < COUNT(functions_n); i++) {
        mupDefineMultFun(parser, functions_n[i].name, functions_n[i].function, 1);
    }
    evaluator->parser = parser;
    return evaluator;
}

void gr_calculator_free(GrCalculator *evaluator)
{
    if (evaluator != NULL) {
        mupRelease(evaluator->parser);
        gr_free(evaluator);
    }
}

/// Length of the number at `c`, 0 when there is none.
static int number_length(const char *c)
{
    const char *start = c;
    int digits = 0;
    for (; is_digit(*c); c++) {
        digits++;
    }
    if (*c == '.') {
        for (c++; is_digit(*c); c++) {
            digits++;
        }
    }
    if (digits == 0) {
        return 0;
    }
    if (*c == 'e' || *c == 'E') {
        const char *exponent = c + 1 + (c[1] == '+' || c[1] == '-');
        if (is_digit(*exponent)) {
            for (c = exponent; is_digit(*c); c++) {
            }
        }
    }
    return (int)(c - start);
}

bool gr_number_parse(const char *text, double *value)
{
    const char *digits = text + (*text == '-' || *text == '+');
    const int length = number_length(digits);
    if (length == 0 || digits[length] != '\0') {
        return false;
    }
    *value = gr_number_read(text, NULL);
    return true;
}

typedef struct Name {
    char text[MAX_NAME];
    double value;
} Name;

/// One pass over the expression before it is given to muParser.
typedef struct Scan {
    const char *text;
    const GrScope *scope;
    GrExpressionError *error;
    int position;
    int depth;
    Name names[GR_EXPRESSION_NAMES];
    int name_count;
} Scan;

static bool fail(Scan *scan, const char *text)
{
    scan->error->position = scan->position;
    snprintf(scan->error->text, sizeof scan->error->text, "%s", text);
    return false;
}

static bool fail_unknown(Scan *scan, const char *kind, const char *name, const char *const *known, int count)
{
    char text[200];
    snprintf(text, sizeof text, "unknown %s '%s'%.100s", kind, name, gr_text_hint(name, known, count, "").text);
    return fail(scan, text);
}

static bool fail_unknown_variable(Scan *scan, const char *name)
{
    enum { CAPACITY = 1024 };
    const char **known = gr_calloc(CAPACITY, sizeof *known);
    if (known == NULL) { // the message without a suggestion
        return fail_unknown(scan, "name", name, NULL, 0);
    }
    int count = 0;
    if (scan->scope != NULL && scan->scope->names != NULL) {
        count = scan->scope->names(scan->scope->context, known, CAPACITY - COUNT(constants));
    }
    for (int i = 0; i < COUNT(constants); i++) {
        known[count++] = constants[i].name;
    }
    fail_unknown(scan, "name", name, known, count);
    gr_free(known);
    return false;
}

static bool scan_variable(Scan *scan, const char *name)
{
    for (int i = 0; i < scan->name_count; i++) {
        if (strcmp(scan->names[i].text, name) == 0) {
            return true;
        }
    }
    if (scan->name_count == GR_EXPRESSION_NAMES) {
        return fail(scan, "more than 32 different names in one expression");
    }
    double value = 0;
    const double *constant = find_constant(name);
    if (constant != NULL) {
        value = *constant;
    } else {
        GrLookup found = GR_LOOKUP_UNKNOWN;
        if (scan->scope != NULL && scan->scope->lookup != NULL) {
            found = scan->scope->lookup(scan->scope->context, name, &value);
        }
        if (found == GR_LOOKUP_FAILED) {
            return false;
        }
        if (found == GR_LOOKUP_UNKNOWN) {
            return fail_unknown_variable(scan, name);
        }
    }
    Name *entry = &scan->names[scan->name_count++];
    gr_text_copy(entry->text, sizeof entry->text, name);
    entry->value = value;
    return true;
}

static bool scan_name(Scan *scan, int *length)
{
    char name[MAX_NAME];
    const char *start = scan->text + scan->position;
    int n = 0;
    while (is_letter(start[n]) || is_digit(start[n])) {
        n++;
    }
    *length = n;
    if (n >= MAX_NAME) {
        return fail(scan, "a name of more than 63 characters");
    }
    memcpy(name, start, (size_t)n);
    name[n] = '\0';
    const char *next = start + n + strspn(start + n, " \t\n");
    if (*next != '(') {
        return scan_variable(scan, name);
    }
    if (!is_function(name)) {
        const char *names[FUNCTION_COUNT];
        return fail_unknown(scan, "function", name, names, function_names(names));
    }
    return true;
}

static bool scan_mark(Scan *scan)
{
    const char c = scan->text[scan->position];
    char text[64];
    if (c == '(') {
        return ++scan->depth <= MAX_DEPTH || fail(scan, "brackets nested deeper than 64");
    }
    if (c == ')') {
        return --scan->depth >= 0 || fail(scan, "a ')' without its '('");
    }
    if (c == ',') {
        return scan->depth > 0 || fail(scan, "a ',' outside of a function's brackets");
    }
    if (strchr("+-*/^<>=!&|?: \t\n", c) != NULL) {
        return true;
    }
    snprintf(text, sizeof text, (unsigned char)c < 0x80 ? "unexpected '%c'" : "unexpected character", c);
    return fail(scan, text);
}

/// Checks every token and resolves every name.
static bool scan_all(Scan *scan)
{
    const size_t length = strlen(scan->text);
    if (length > GR_EXPRESSION_LENGTH) {
        return fail(scan, "an expression of more than 1024 characters");
    }
    while (scan->position < (int)length) {
        const char *c = scan->text + scan->position;
        int step = number_length(c);
        if (step > 0 && is_letter(c[step])) {
            scan->position += step;
            return fail(scan, "a name directly after a number; is a '*' missing?");
        }
        if (step == 0 && is_letter(*c)) {
            if (!scan_name(scan, &step)) {
                return false;
            }
        } else if (step == 0) {
            step = 1;
            if (!scan_mark(scan)) {
                return false;
            }
        }
        scan->position += step;
    }
    return scan->depth == 0 || fail(scan, "a '(' without its ')'");
}

/// muParser's codes that can remain after scan_all(), in words.
static const char *parser_error_text(int code)
{
    switch (code) {
    case 0:
        return "an operator where none is allowed";
    case 2:
        return "the expression ends too early";
    case 3:
    case 4:
        return "a ',' where none is allowed";
    case 5:
    case 6:
        return "two values without an operator between them";
    case 7:
        return "a bracket where none is allowed";
    case 14:
        return "too many arguments for the function";
    case 15:
        return "too few arguments for the function";
    case 25:
        return "an empty expression";
    case 32:
    case 33:
        return "a '?' without its ':', or a ':' without its '?'";
    default:
        return "not a valid expression";
    }
}

/// Whether an expression is one name, perhaps with a sign: the most frequent kind, which needs no parser.
static bool is_one_name(const Scan *scan, double *value)
{
    const bool negative = scan->text[0] == '-';
    if (scan->name_count != 1 || strcmp(scan->text + negative, scan->names[0].text) != 0) {
        return false;
    }
    *value = negative ? -scan->names[0].value : scan->names[0].value;
    return true;
}

bool gr_expression_evaluate(GrCalculator *evaluator, const char *text, const GrScope *scope, double *value,
                            GrExpressionError *error)
{
    Scan scan = {.text = text, .scope = scope, .error = error};
    *error = (GrExpressionError){0};
    if (!scan_all(&scan)) {
        return false;
    }
    double only;
    if (is_one_name(&scan, &only) && !isnan(only)) {
        *value = only;
        return true;
    }
    muParserHandle_t parser = evaluator->parser;
    mupErrorReset(parser);
    mupClearConst(parser);
    for (int i = 0; i < scan.name_count; i++) {
        mupDefineConst(parser, scan.names[i].text, scan.names[i].value);
    }
    mupSetExpr(parser, text);
    const double result = mupEval(parser);
    if (mupError(parser)) {
        const int position = mupGetErrorPos(parser);
        scan.position = position < 0 ? 0 : position < (int)strlen(text) ? position : (int)strlen(text);
        return fail(&scan, parser_error_text(mupGetErrorCode(parser)));
    }
    if (isnan(result)) {
        scan.position = 0;
        return fail(&scan, "the value is not a number (0/0, or a root or logarithm of a negative number)");
    }
    *value = result;
    return true;
}
