#include "expression.h"

#include "alloc.h"
#include "elementary.h"
#include "grouser/vec.h"
#include "number.h"
#include "text.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// A parser by precedence: an operand, then operators as long as they bind at least as tightly as asked for. Values are
// computed on the way, without a tree and without memory. Of `c ? a : b` both are computed and one is kept, so that a
// name that does not exist is found wherever it stands.

enum { MAX_NAME = 64, MAX_DEPTH = 64, MAX_NESTED = 200 };

static double sign_of(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : 0;
}

static double to_radians(double x)
{
    return x * GR_PI / 180;
}

static double to_degrees(double x)
{
    return x * 180 / GR_PI;
}

/// Functions of one value, or of two; one of two that takes any number is applied from left to right.
typedef struct Function {
    const char *name;
    int least, most; ///< arguments
    double (*one)(double);
    double (*two)(double, double);
} Function;

static const Function functions[] = {
    {"sin", 1, 1, gr_sin, NULL},     {"cos", 1, 1, gr_cos, NULL},         {"tan", 1, 1, gr_tan, NULL},
    {"asin", 1, 1, gr_asin, NULL},   {"acos", 1, 1, gr_acos, NULL},       {"atan", 1, 1, gr_atan, NULL},
    {"sinh", 1, 1, gr_sinh, NULL},   {"cosh", 1, 1, gr_cosh, NULL},       {"tanh", 1, 1, gr_tanh, NULL},
    {"sqrt", 1, 1, sqrt, NULL},      {"cbrt", 1, 1, gr_cbrt, NULL},       {"exp", 1, 1, gr_exp, NULL},
    {"log", 1, 1, gr_log, NULL},     {"log10", 1, 1, gr_log10, NULL},     {"abs", 1, 1, fabs, NULL},
    {"floor", 1, 1, floor, NULL},    {"ceil", 1, 1, ceil, NULL},          {"round", 1, 1, round, NULL},
    {"sign", 1, 1, sign_of, NULL},   {"radians", 1, 1, to_radians, NULL}, {"degrees", 1, 1, to_degrees, NULL},
    {"atan2", 2, 2, NULL, gr_atan2}, {"pow", 2, 2, NULL, gr_pow},         {"hypot", 2, 2, NULL, gr_hypot},
    {"mod", 2, 2, NULL, fmod},       {"min", 1, INT_MAX, NULL, fmin},     {"max", 1, INT_MAX, NULL, fmax},
};

static const struct {
    const char *name;
    double value;
} constants[] = {{"pi", GR_PI}, {"deg", GR_PI / 180}, {"inf", INFINITY}};

typedef enum Operation {
    OR,
    AND,
    EQUAL,
    UNEQUAL,
    AT_MOST,
    AT_LEAST,
    BELOW,
    ABOVE,
    PLUS,
    MINUS,
    TIMES,
    DIVIDED,
    POWER
} Operation;

enum { LOWEST = 1, POWERS = 6 }; // levels; a sign takes in powers only: -2^2 is -4

/// Longer texts before their beginnings.
static const struct {
    const char *text;
    Operation operation;
    int level; ///< more binds more tightly
} operators[] = {
    {"||", OR, 1},       {"&&", AND, 2},    {"==", EQUAL, 3}, {"!=", UNEQUAL, 3}, {"<=", AT_MOST, 3},
    {">=", AT_LEAST, 3}, {"<", BELOW, 3},   {">", ABOVE, 3},  {"+", PLUS, 4},     {"-", MINUS, 4},
    {"*", TIMES, 5},     {"/", DIVIDED, 5}, {"^", POWER, 6},
};

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/// A square, the most frequent power, is rounded once.
static double power(double x, double y)
{
    return y == 2 ? x * x : gr_pow(x, y);
}

static double apply(Operation operation, double a, double b)
{
    switch (operation) {
    case OR:
        return a != 0 || b != 0;
    case AND:
        return a != 0 && b != 0;
    case EQUAL:
        return a == b;
    case UNEQUAL:
        return a != b;
    case AT_MOST:
        return a <= b;
    case AT_LEAST:
        return a >= b;
    case BELOW:
        return a < b;
    case ABOVE:
        return a > b;
    case PLUS:
        return a + b;
    case MINUS:
        return a - b;
    case TIMES:
        return a * b;
    case DIVIDED:
        return a / b;
    case POWER:
        return power(a, b);
    }
    return (double)NAN;
}

static const Function *find_function(const char *name)
{
    for (int i = 0; i < COUNT(functions); i++) {
        if (strcmp(functions[i].name, name) == 0) {
            return &functions[i];
        }
    }
    return NULL;
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
    return find_function(name) != NULL || find_constant(name) != NULL;
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

/// `position` is that of the next character to read.
typedef struct Parser {
    const char *text;
    const GrScope *scope;
    GrExpressionError *error;
    int position;
    int depth;  ///< brackets that are open
    int nested; ///< calls of binary() that have not returned
} Parser;

static bool choice(Parser *p, double *value);

static bool fail(Parser *p, const char *text)
{
    p->error->position = p->position;
    snprintf(p->error->text, sizeof p->error->text, "%s", text);
    return false;
}

static bool fail_unknown(Parser *p, const char *kind, const char *name, const char *const *known, int count)
{
    char text[200];
    snprintf(text, sizeof text, "unknown %s '%s'%.100s", kind, name, gr_text_hint(name, known, count, "").text);
    return fail(p, text);
}

static bool fail_unknown_function(Parser *p, const char *name)
{
    const char *known[COUNT(functions)];
    for (int i = 0; i < COUNT(functions); i++) {
        known[i] = functions[i].name;
    }
    return fail_unknown(p, "function", name, known, COUNT(functions));
}

static bool fail_unknown_variable(Parser *p, const char *name)
{
    enum { CAPACITY = 1024 };
    const char **known = gr_calloc(CAPACITY, sizeof *known);
    if (known == NULL) { // the message without a suggestion
        return fail_unknown(p, "name", name, NULL, 0);
    }
    int count = 0;
    if (p->scope != NULL && p->scope->names != NULL) {
        count = p->scope->names(p->scope->context, known, CAPACITY - COUNT(constants));
    }
    for (int i = 0; i < COUNT(constants); i++) {
        known[count++] = constants[i].name;
    }
    fail_unknown(p, "name", name, known, count);
    gr_free(known);
    return false;
}

/// The next character that is not a blank.
static char peek(Parser *p)
{
    p->position += (int)strspn(p->text + p->position, " \t\n");
    return p->text[p->position];
}

static bool fail_mark(Parser *p, char c)
{
    if (strchr("*/^<>=!&|?:", c) != NULL) {
        return fail(p, "unexpected operator");
    }
    char text[64];
    snprintf(text, sizeof text, (unsigned char)c < 0x80 ? "unexpected '%c'" : "unexpected character", c);
    return fail(p, text);
}

/// Says what is wrong where a value should begin.
static bool fail_value(Parser *p)
{
    const char c = peek(p);
    switch (c) {
    case '\0':
        return fail(p, p->text[strspn(p->text, " \t\n")] == '\0' ? "an empty expression"
                                                                 : "the expression ends too early");
    case ')':
        return fail(p, p->depth > 0 ? "unexpected bracket" : "a ')' without its '('");
    case ',':
        return fail(p, "unexpected ','");
    default:
        return fail_mark(p, c);
    }
}

static bool name_value(Parser *p, const char *name, double *value)
{
    const double *constant = find_constant(name);
    if (constant != NULL) {
        *value = *constant;
        return true;
    }
    GrLookup found = GR_LOOKUP_UNKNOWN;
    if (p->scope != NULL && p->scope->lookup != NULL) {
        found = p->scope->lookup(p->scope->context, name, value);
    }
    return found == GR_LOOKUP_FOUND || (found == GR_LOOKUP_UNKNOWN && fail_unknown_variable(p, name));
}

/// The arguments of a function, up to its ')'.
static bool arguments(Parser *p, const Function *function, double *value)
{
    double x;
    int count = 0;
    *value = 0;
    while (count > 0 || peek(p) != ')') {
        if (!choice(p, &x)) {
            return false;
        }
        *value = function->one != NULL ? function->one(x) : count == 0 ? x : function->two(*value, x);
        count++;
        if (peek(p) != ',') {
            break;
        }
        if (count == function->most) {
            return fail(p, "too many arguments for the function");
        }
        p->position++;
    }
    return peek(p) != ')' || count >= function->least || fail(p, "too few arguments for the function");
}

/// Says what is wrong behind a whole expression, at the end or before a ')'.
static bool fail_behind(Parser *p)
{
    const char c = peek(p);
    double value;
    switch (c) {
    case '\0':
        return fail(p, "a '(' without its ')'");
    case ')':
        return fail(p, "a ')' without its '('");
    case ',':
        return fail(p, p->depth > 0 ? "unexpected ','" : "a ',' outside of a function's brackets");
    case ':':
        return fail(p, "a ':' without its '?'");
    default:
        break;
    }
    const int at = p->position;
    if (is_letter(c) && !choice(p, &value)) { // more likely a wrong name, as in 10 kg
        return false;
    }
    p->position = at;
    return is_letter(c) || c == '(' || number_length(p->text + at) > 0
               ? fail(p, "two values without an operator between them")
               : fail_mark(p, c);
}

/// What stands between '(' and ')': the arguments of a function, or an expression.
static bool brackets(Parser *p, const Function *function, double *value)
{
    if (p->depth == MAX_DEPTH) {
        return fail(p, "brackets nested deeper than 64");
    }
    p->position++;
    p->depth++;
    if (!(function != NULL ? arguments(p, function, value) : choice(p, value))) {
        return false;
    }
    if (peek(p) != ')') {
        return fail_behind(p);
    }
    p->position++;
    p->depth--;
    return true;
}

/// A name, or a function with its arguments.
static bool name_or_call(Parser *p, double *value)
{
    char name[MAX_NAME];
    const char *start = p->text + p->position;
    int length = 0;
    while (is_letter(start[length]) || is_digit(start[length])) {
        length++;
    }
    if (length >= MAX_NAME) {
        return fail(p, "a name of more than 63 characters");
    }
    memcpy(name, start, (size_t)length);
    name[length] = '\0';
    const int begin = p->position;
    p->position += length;
    const bool called = peek(p) == '(';
    const Function *function = called ? find_function(name) : NULL;
    if (function != NULL) {
        return brackets(p, function, value);
    }
    p->position = begin;
    if (called) {
        return fail_unknown_function(p, name);
    }
    if (!name_value(p, name, value)) {
        return false;
    }
    p->position += length;
    return true;
}

static bool operand(Parser *p, double *value)
{
    const char c = peek(p);
    const int length = number_length(p->text + p->position);
    if (length > 0) {
        *value = gr_number_read(p->text + p->position, NULL);
        p->position += length;
        return !is_letter(p->text[p->position]) || fail(p, "a name directly after a number; is a '*' missing?");
    }
    if (is_letter(c)) {
        return name_or_call(p, value);
    }
    return c == '(' ? brackets(p, NULL, value) : fail_value(p);
}

/// Index of the operator at the next character, -1 when there is none.
static int find_operator(Parser *p)
{
    peek(p);
    for (int i = 0; i < COUNT(operators); i++) {
        if (strncmp(p->text + p->position, operators[i].text, strlen(operators[i].text)) == 0) {
            return i;
        }
    }
    return -1;
}

/// Operands and the operators between them that bind at `level` or more tightly.
static bool binary(Parser *p, int level, double *value)
{
    const char c = peek(p);
    const bool negative = c == '-', sign = negative || c == '+';
    *value = 0; // also where there is none
    p->position += sign;
    if (++p->nested > MAX_NESTED) {
        return fail(p, "nested deeper than 200 operators and brackets");
    }
    if (sign && (peek(p) == '-' || peek(p) == '+')) { // more likely a slip than meant
        return fail(p, "unexpected operator");
    }
    if (!(sign ? binary(p, POWERS, value) : operand(p, value))) {
        return false;
    }
    *value = negative ? -*value : *value;
    for (int i = find_operator(p); i >= 0 && operators[i].level >= level; i = find_operator(p)) {
        double right;
        p->position += (int)strlen(operators[i].text);
        // 2^3^2 is 2^(3^2), all others go from left to right
        if (!binary(p, operators[i].level + (operators[i].level < POWERS), &right)) {
            return false;
        }
        *value = apply(operators[i].operation, *value, right);
    }
    p->nested--;
    return true;
}

/// condition ? a : b, or an expression without a choice.
static bool choice(Parser *p, double *value)
{
    double a, b;
    if (!binary(p, LOWEST, value)) {
        return false;
    }
    if (peek(p) != '?') {
        return true;
    }
    p->position++;
    if (!choice(p, &a)) {
        return false;
    }
    if (peek(p) != ':') {
        return fail(p, "a '?' without its ':'");
    }
    p->position++;
    p->nested++;
    if (p->nested > MAX_NESTED) {
        return fail(p, "nested deeper than 200 operators and brackets");
    }
    if (!choice(p, &b)) {
        return false;
    }
    p->nested--;
    *value = *value != 0 ? a : b;
    return true;
}

bool gr_expression_evaluate(const char *text, const GrScope *scope, double *value, GrExpressionError *error)
{
    Parser p = {.text = text, .scope = scope, .error = error};
    double result;
    *error = (GrExpressionError){0};
    if (strlen(text) > GR_EXPRESSION_LENGTH) {
        return fail(&p, "an expression of more than 1024 characters");
    }
    if (!choice(&p, &result)) {
        return false;
    }
    if (peek(&p) != '\0') {
        return fail_behind(&p);
    }
    if (isnan(result)) {
        p.position = 0;
        return fail(&p, "the value is not a number (0/0, or a root or logarithm of a negative number)");
    }
    *value = result;
    return true;
}
