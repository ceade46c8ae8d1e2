/// Functions of the simulator that the page's worker calls (viewer/src/playground/worker.ts). Texts are valid until the
/// next call; an empty one means that all is well.
#ifndef GR_PLAYGROUND_H
#define GR_PLAYGROUND_H

const char *playground_open(const char *scenario);
const char *playground_advance(void);
const char *playground_flush(int blocks);
const char *playground_message(char *text);
double playground_time(void);
double playground_period(void);
int playground_is_over(void);
int playground_by_hand(void);
const char *playground_hash(void);

#endif
