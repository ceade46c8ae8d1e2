/// Bands of a test: the same test on samples of the soil, and the 5 % and 95 % quantiles of every number that it
/// reports.
///
/// A test needs nothing of its own for this: facts, cells and curves of the samples' reports are compared with those of
/// the nominal one, by their place. Samples are a Latin hypercube with a fixed seed, so that all cases of a comparison
/// see the same soils and their differences have bands of their own.
#ifndef GR_TRIAL_BANDS_H
#define GR_TRIAL_BANDS_H

#include "soil_spread.h"
#include "trials.h"

/// Runs the test on `count` samples of the soil, in threads, and adds the bands to the report of the soil itself.
GrStatus gr_trial_bands(const GrTrialInput *input, const GrSoilSpread *spread, int count, GrTrialReport *report,
                        GrErrorLog *log);

#endif
