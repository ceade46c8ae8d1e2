/// Frames of a recording after a jump. A message of /tf has the rover's bodies, but only those rocks that moved since
/// the last message: the frames at a time are the newest of each child frame, from all messages before it.
#ifndef GR_PLAYER_FRAMES_H
#define GR_PLAYER_FRAMES_H

#include "mcap_read.h"
#include "topic_sink.h"

/// Puts one message with all frames at a time [ns]. Does nothing where the newest message has as many frames as the
/// first: it has all of them.
GrStatus gr_player_put_frames(GrMcapReader *reader, int topic, uint64_t time, const GrTopicSink *sink, int channel,
                              GrErrorLog *log);

#endif
