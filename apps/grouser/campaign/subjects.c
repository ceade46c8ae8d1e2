/// The table of what campaigns can run: one row each.
#include "subjects.h"

const GrSubjectKind *const gr_subjects[] = {&gr_subject_scenario, &gr_subject_trial, &gr_subject_wheel,
                                            &gr_subject_function, NULL};
