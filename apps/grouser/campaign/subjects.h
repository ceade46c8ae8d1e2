/// What campaigns can run.
#ifndef GR_SUBJECTS_H
#define GR_SUBJECTS_H

#include "subject.h"

extern const GrSubjectKind gr_subject_trial, gr_subject_wheel;
extern const GrSubjectKind *const gr_subjects[]; ///< NULL-terminated

#endif
