/// Dates as days since 2000-01-01T12:00:00, by the Gregorian calendar. Days have 86400 s: leap seconds are added where
/// the places of bodies are computed.
#include "grouser/sky.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_YEAR = 1900, LAST_YEAR = 2100, DAYS_TO_2000 = 730425 }; // from 1 March of the year 0

/// Days since 1 March of the year 0. Years begin in March, so that a leap day is the last of its year.
static long day_number(int year, int month, int day)
{
    const int shifted = (month + 9) % 12;
    const long y = year - shifted / 10;
    return 365 * y + y / 4 - y / 100 + y / 400 + (shifted * 306 + 5) / 10 + day - 1;
}

static int month_length(int year, int month)
{
    static const int DAYS[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return DAYS[month - 1] + (month == 2 && leap);
}

/// `count` digits as a number; −1: there are others.
static int digits(const char *text, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (!isdigit((unsigned char)text[i])) {
            return -1;
        }
        value = 10 * value + (text[i] - '0');
    }
    return value;
}

/// "T00:00:00Z" as a part of the day; negative: it is something else.
static double read_clock(const char *text)
{
    if (strlen(text) != 10 || text[0] != 'T' || text[3] != ':' || text[6] != ':' || text[9] != 'Z') {
        return -1;
    }
    const int hour = digits(text + 1, 2), minute = digits(text + 4, 2), second = digits(text + 7, 2);
    const bool good = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
    return good ? (hour * 3600 + minute * 60 + second) / 86400.0 : -1;
}

bool gr_date_parse(const char *text, double *days)
{
    if (strlen(text) < 10 || text[4] != '-' || text[7] != '-') {
        return false;
    }
    const int year = digits(text, 4), month = digits(text + 5, 2), day = digits(text + 8, 2);
    if (year < FIRST_YEAR || year > LAST_YEAR || month < 1 || month > 12 || day < 1 ||
        day > month_length(year, month)) {
        return false;
    }
    const double part = text[10] == '\0' ? 0 : read_clock(text + 10);
    *days = (double)(day_number(year, month, day) - DAYS_TO_2000) - 0.5 + part;
    return part >= 0;
}

void gr_date_format(double days, char out[32])
{
    const double seconds = rint((days + 0.5) * 86400), whole = floor(seconds / 86400);
    const long second = (long)(seconds - whole * 86400), number = (long)whole + DAYS_TO_2000;
    long year = (long)floor((10000.0 * (double)number + 14780) / 3652425);
    if (day_number((int)year, 3, 1) > number) {
        year--;
    }
    const long of_year = number - day_number((int)year, 3, 1), shifted = (100 * of_year + 52) / 3060;
    const int month = (int)((shifted + 2) % 12 + 1), day = (int)(of_year - (shifted * 306 + 5) / 10 + 1);
    snprintf(out, 32, "%04d-%02d-%02dT%02d:%02d:%02dZ", (int)(year + (shifted + 2) / 12), month, day,
             (int)(second / 3600 % 24), (int)(second / 60 % 60), (int)(second % 60));
}
