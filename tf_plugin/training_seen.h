// File: training_seen.h
//
// Says at the end of the process if STR was asked for something and saw no training step: nothing that was asked for
// may end without a word.
#ifndef STR_TF_PLUGIN_TRAINING_SEEN_H_
#define STR_TF_PLUGIN_TRAINING_SEEN_H_

#include <string>

namespace str {

// The passes saw the graph of a training step.
void NoteTrainingStep();

// What was asked for, "STR_BUDGET" for example. Once per process.
void SayAtExitIfNoneSeen(const std::string& asked);

}  // namespace str

#endif  // STR_TF_PLUGIN_TRAINING_SEEN_H_
