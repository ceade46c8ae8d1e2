/// Names and texts of an enum, as a table made from its X-macro list:
///
///     static const GrNamed OUTCOMES[] = {GR_OUTCOME_LIST(GR_NAMED_ROW)};
#ifndef GR_NAMED_H
#define GR_NAMED_H

typedef struct GrNamed {
    const char *name, *text;
} GrNamed;

#define GR_NAMED_ROW(constant, name, text) {#name, text},

/// Member `member` of row `value`; "unknown" for a value outside the enum.
#define GR_NAMED_GET(table, value, member)                                                                             \
    ((unsigned)(value) < sizeof(table) / sizeof(table)[0] ? (table)[value].member : "unknown")

#endif
