/// Processors of the machine, and work that is shared out among them.
#ifndef GR_PROCESSORS_H
#define GR_PROCESSORS_H

/// Number of processors that this process may use; at least 1.
int gr_processor_count(void);

/// Does one of `shares` parts of a work. It must depend on nothing that another part does.
typedef void (*GrShareFn)(void *context, int share, int shares);

/// Does all parts of a work in `threads` threads, this one among them, and returns when they are done. threads: 0 for
/// one a processor; at most 64. Where a thread cannot be started this one does its part.
void gr_share_out(int threads, GrShareFn fn, void *context);

#endif
