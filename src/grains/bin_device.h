/// A bin on a GPU. Every array of the bin has a twin there, on which the same stages run (grain_kernels.c); what the
/// rest of the program reads is copied back when it asks for it. The results have the bits of the processor's.
#ifndef GR_BIN_DEVICE_H
#define GR_BIN_DEVICE_H

#include "bin.h"

/// Opens the GPU of the definition, and copies all arrays to it.
GrStatus gr_bin_device_open(GrBin *bin, GrErrorLog *log);
void gr_bin_device_close(GrBinDevice *device);

/// Adds what some stages, or some threads, have found. Several threads may add at once.
void gr_bin_sums_add(GrBinSums *all, const GrBinSums *sums);

/// Begins a row of stages: sums are 0, and the kernels see walls and bodies where they are now.
void gr_bin_device_begin(GrBin *bin);
void gr_bin_device_stage(GrBin *bin, GrBinStage stage, int32_t count);
/// Sums of the stages since gr_bin_device_begin(), and the first fault since the device was opened.
GrStatus gr_bin_device_sums(GrBin *bin, GrBinSums *sums, GrErrorLog *log);

/// Where the numbers begin that are laid end to end; returns where they end. Arguments are arrays of the bin.
int64_t gr_bin_device_add_up(GrBin *bin, const int32_t *numbers, int32_t count, int32_t *first);
void gr_bin_device_clear(GrBin *bin, const void *array, size_t size);

/// The fault that ended the work of the device, if any.
GrStatus gr_bin_device_status(const GrBin *bin, GrErrorLog *log);

#endif
