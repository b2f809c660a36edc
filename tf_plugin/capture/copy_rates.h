// File: copy_rates.h
//
// How fast copies between a device and the host are on this machine, for graph files.
#ifndef STR_TF_PLUGIN_CAPTURE_COPY_RATES_H_
#define STR_TF_PLUGIN_CAPTURE_COPY_RATES_H_

#include "config/graph.pb.h"

namespace str::capture {

// Sets the rates of the graph's device, or leaves them out and says why they are not known.
void SetCopyRates(config::GraphFile& graph);

}  // namespace str::capture

#endif  // STR_TF_PLUGIN_CAPTURE_COPY_RATES_H_
