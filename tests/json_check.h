/// Is a text one JSON document? A checker for tests: RFC 8259, nothing kept.
#ifndef GR_JSON_CHECK_H
#define GR_JSON_CHECK_H

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

typedef struct GrJsonCheck {
    const char *at;
    int depth;
} GrJsonCheck;

static inline void gr_json_check_space(GrJsonCheck *c)
{
    while (*c->at != '\0' && strchr(" \t\r\n", *c->at) != NULL) {
        c->at++;
    }
}

static inline bool gr_json_check_word(GrJsonCheck *c, const char *word)
{
    if (strncmp(c->at, word, strlen(word)) != 0) {
        return false;
    }
    c->at += strlen(word);
    return true;
}

static inline bool gr_json_check_string(GrJsonCheck *c)
{
    if (!gr_json_check_word(c, "\"")) {
        return false;
    }
    while (*c->at != '"') {
        if ((unsigned char)*c->at < 0x20) {
            return false;
        }
        if (*c->at++ != '\\') {
            continue;
        }
        if (*c->at == 'u') {
            for (int i = 1; i <= 4; i++) {
                if (!isxdigit((unsigned char)c->at[i])) {
                    return false;
                }
            }
            c->at += 5;
        } else if (*c->at != '\0' && strchr("\"\\/bfnrt", *c->at) != NULL) {
            c->at++;
        } else {
            return false;
        }
    }
    c->at++;
    return true;
}

static inline bool gr_json_check_digits(GrJsonCheck *c)
{
    const char *start = c->at;
    while (isdigit((unsigned char)*c->at)) {
        c->at++;
    }
    return c->at > start;
}

static inline bool gr_json_check_number(GrJsonCheck *c)
{
    gr_json_check_word(c, "-");
    if (!gr_json_check_word(c, "0") && !gr_json_check_digits(c)) {
        return false;
    }
    if (gr_json_check_word(c, ".") && !gr_json_check_digits(c)) {
        return false;
    }
    if (*c->at == 'e' || *c->at == 'E') {
        c->at++;
        if (!gr_json_check_word(c, "-")) {
            gr_json_check_word(c, "+");
        }
        return gr_json_check_digits(c);
    }
    return true;
}

static inline bool gr_json_check_value(GrJsonCheck *c);

static inline bool gr_json_check_items(GrJsonCheck *c, const char *closer, bool keys)
{
    gr_json_check_space(c);
    if (gr_json_check_word(c, closer)) {
        return true;
    }
    for (;;) {
        gr_json_check_space(c);
        if (keys) {
            if (!gr_json_check_string(c)) {
                return false;
            }
            gr_json_check_space(c);
            if (!gr_json_check_word(c, ":")) {
                return false;
            }
        }
        if (!gr_json_check_value(c)) {
            return false;
        }
        gr_json_check_space(c);
        if (gr_json_check_word(c, closer)) {
            return true;
        }
        if (!gr_json_check_word(c, ",")) {
            return false;
        }
    }
}

static inline bool gr_json_check_value(GrJsonCheck *c)
{
    if (++c->depth > 200) {
        return false;
    }
    gr_json_check_space(c);
    const bool good = gr_json_check_word(c, "{")   ? gr_json_check_items(c, "}", true)
                      : gr_json_check_word(c, "[") ? gr_json_check_items(c, "]", false)
                      : *c->at == '"'              ? gr_json_check_string(c)
                                                   : gr_json_check_word(c, "true") || gr_json_check_word(c, "false") ||
                                            gr_json_check_word(c, "null") || gr_json_check_number(c);
    c->depth--;
    return good;
}

static inline bool gr_json_valid(const char *text)
{
    GrJsonCheck c = {.at = text};
    if (!gr_json_check_value(&c)) {
        return false;
    }
    gr_json_check_space(&c);
    return *c.at == '\0';
}

#endif
