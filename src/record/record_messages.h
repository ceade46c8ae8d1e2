/// Messages of other parts of the program, such as sensors, into the file run.mcap of a recording.
///
/// The file belongs to the thread that writes samples. Messages are kept until the next sample, which then waits for
/// that thread, or until there are many bytes: the order in the file does not depend on wall time.
#ifndef GR_RECORD_MESSAGES_H
#define GR_RECORD_MESSAGES_H

#include "grouser/record.h"
#include "topic_sink.h"

/// The sink of run.mcap, to open channels before the first sample; a sink without functions: there is no such file.
GrTopicSink gr_record_sink(GrRecord *record);

/// Adds a message to a channel. The bytes are copied.
GrStatus gr_record_message(GrRecord *record, int channel, double time, const GrBuffer *bytes, GrErrorLog *log);

#endif
