/// Processors of the machine.
#ifndef GR_PROCESSORS_H
#define GR_PROCESSORS_H

/// Number of processors that this process may use; at least 1.
int gr_processor_count(void);

#endif
