/// Designs under the same conditions: rovers, wheels, soils, laws, runs. Says which is better in which quantity, by how
/// much, and how sure that is.
///
///     GrComparison c = {.sample_count = 32};
///     gr_comparison_design(&c, "curiosity_like", "mars_sand");
///     gr_comparison_design(&c, "mer_like", "mars_sand");
///     const int slope = gr_comparison_quantity(&c, (GrComparedQuantity){.key = "slope_deg", .text = "slope", .unit =
///     "°",
///                                                                    .scale = 1, .sense = 1});
///     c.values[slope][0] = (GrComparedValue){.value = 12.1, .samples = of_curiosity};
///     c.values[slope][1] = (GrComparedValue){.value = 14.2, .samples = of_mer};
///     gr_comparison_verdict(&c, text, sizeof text);
///
/// Designs on the same soil see the same samples of it: sample i of one is compared with sample i of the other, and
/// their difference scatters less than the values do. Different soils vary independently: all pairs are compared.
#ifndef GR_COMPARISON_H
#define GR_COMPARISON_H

#include "page.h"
#include "statistics.h"

enum { GR_COMPARED_DESIGNS = 24, GR_COMPARED_QUANTITIES = 24, GR_COMPARED_VERDICT = 1600 };

typedef struct GrComparedQuantity {
    const char *key;  ///< in JSON, with the unit of the values
    const char *text; ///< in words
    const char *unit; ///< of what is displayed
    double scale;     ///< displayed over stored number
    int sense;        ///< +1: more is better; −1: less is; 0: neither
    double accuracy;  ///< stored differences up to this are 0
    bool of_design;   ///< known exactly, such as a mass: no sample of a soil changes it
    bool is_share;    ///< of samples that succeed: each sample is 0 or 1
} GrComparedQuantity;

typedef struct GrComparedValue {
    double value;          ///< NAN: none
    const double *samples; ///< value on each sample; they outlive the comparison. NULL: the value on all of them
    double error;          ///< standard deviation of an independent error of value and samples
    bool at_least;         ///< the value is a lower bound
} GrComparedValue;

/// Zero-initialise before use. Strings and samples belong to the caller.
typedef struct GrComparison {
    const char *labels[GR_COMPARED_DESIGNS];
    const char *soils[GR_COMPARED_DESIGNS];                ///< designs with the same text see the same samples
    GrComparedQuantity quantities[GR_COMPARED_QUANTITIES]; ///< the headline first
    GrComparedValue values[GR_COMPARED_QUANTITIES][GR_COMPARED_DESIGNS];
    int design_count, quantity_count;
    int sample_count; ///< 0: no bands
} GrComparison;

/// The number of the design; GR_COMPARED_DESIGNS − 1 of them at most.
int gr_comparison_design(GrComparison *c, const char *label, const char *soil);
/// The number of the quantity, whose values are NAN.
int gr_comparison_quantity(GrComparison *c, GrComparedQuantity quantity);

/// One quantity of two designs.
typedef struct GrDifference {
    double value;  ///< b − a
    GrBand band;   ///< of 90 %; NAN: none
    double better; ///< probability that b is better; a tie counts half. NAN: neither is, or no samples tell
} GrDifference;

GrDifference gr_comparison_difference(const GrComparison *c, int quantity, int a, int b);

/// What an engineer would sign, the headline first.
void gr_comparison_verdict(const GrComparison *c, char *out, size_t size);

/// The table of values and differences, each against the first design.
void gr_comparison_page(const GrComparison *c, GrPage *page);

/// The members `verdict` and `differences` of an open object.
void gr_comparison_json(const GrComparison *c, GrJson *json);

#endif
