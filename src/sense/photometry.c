#include "photometry.h"

#include "noise.h"

#include <math.h>

// ---- light

static const double W = 0.32357, LOBE = 0.23955, WEIGHT = 0.30452, SURGE = 1.80238, WIDTH = 0.07145;

static double multiple(double x)
{
    return (1 + 2 * x) / (1 + 2 * x * sqrt(1 - W));
}

static double lobe(double phase, double b)
{
    const double d = 1 - 2 * b * phase + b * b;
    return (1 - b * b) / (d * sqrt(d));
}

static double scattered(double incidence, double emission, double phase)
{
    const double half = sqrt(fmax(0, 1 - phase) / fmax(1e-12, 1 + phase)); // tan(g/2)
    const double opposition = SURGE / (1 + half / WIDTH);
    const double particle = 0.5 * (1 + WEIGHT) * lobe(phase, LOBE) + 0.5 * (1 - WEIGHT) * lobe(phase, -LOBE);
    return incidence / (incidence + emission) *
           ((1 + opposition) * particle + multiple(incidence) * multiple(emission) - 1);
}

double gr_hapke(double incidence, double emission, double phase)
{
    static const double COS_30 = 0.86602540378443865;
    return scattered(incidence, emission, phase) / scattered(COS_30, 1, COS_30);
}

// ---- pattern

double gr_ground_pattern(uint64_t seed, double x, double y, double finest, double footprint)
{
    static const double DEVIATION = 0.176; // of gr_noise()
    double sum = 0, length = finest;
    int octaves = 0;
    while (length <= GR_PATTERN_COARSEST) {
        // whole from four pixels a wave on, nothing below two
        const double seen = fmin(1, fmax(0, 0.5 * length / footprint - 1));
        octaves++;
        if (seen > 0) {
            sum += seen * gr_noise(seed + (uint64_t)octaves, x / length, y / length);
        }
        length *= 2;
    }
    return octaves > 0 ? sum / (DEVIATION * sqrt(octaves)) : 0;
}

GrSoilLook gr_soil_look(int soil)
{
    static const GrSoilLook LOOKS[] = {{1, 1}, {0.72, 2}, {1.3, 0.7}, {0.85, 4}, {1.15, 1.5}, {0.6, 3}};
    return LOOKS[soil > 0 ? soil % (int)(sizeof LOOKS / sizeof LOOKS[0]) : 0];
}
