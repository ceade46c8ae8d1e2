#include "text.h"

#include <ctype.h>
#include <string.h>

enum { MAX_WORD = 63 };

static int min3(int a, int b, int c)
{
    const int ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/// Levenshtein distance without regard to case; words longer than MAX_WORD compare by their beginning.
static int edit_distance(const char *a, const char *b)
{
    int row[MAX_WORD + 1];
    const int nb = (int)strnlen(b, MAX_WORD);
    const int na = (int)strnlen(a, MAX_WORD);
    for (int j = 0; j <= nb; j++) {
        row[j] = j;
    }
    for (int i = 1; i <= na; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= nb; j++) {
            const int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            const int next = min3(row[j] + 1, row[j - 1] + 1, diagonal + !same);
            diagonal = row[j];
            row[j] = next;
        }
    }
    return row[nb];
}

const char *gr_text_nearest(const char *word, const char *const *candidates, int count)
{
    const char *best = NULL;
    int best_distance = 0;
    for (int i = 0; i < count; i++) {
        const int distance = edit_distance(word, candidates[i]);
        if (best == NULL || distance < best_distance) {
            best = candidates[i];
            best_distance = distance;
        }
    }
    const int allowed = 1 + (int)strnlen(word, MAX_WORD) / 3;
    return best != NULL && best_distance <= allowed ? best : NULL;
}

int gr_text_copy(char *out, size_t size, const char *text)
{
    const size_t length = strlen(text);
    const size_t kept = length < size ? length : size - 1;
    memcpy(out, text, kept);
    out[kept] = '\0';
    return kept == length;
}
