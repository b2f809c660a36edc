// File: copy_rates.h
//
// How fast copies between a device and the host are on this machine, measured once for each device.
#ifndef STR_TF_PLUGIN_CAPTURE_COPY_RATES_H_
#define STR_TF_PLUGIN_CAPTURE_COPY_RATES_H_

#include <string>

#include "tf_plugin/kernels/copy_engine.h"

namespace str::capture {

const kernels::CopyRates& CopyRatesHere(const std::string& device);

}  // namespace str::capture

#endif  // STR_TF_PLUGIN_CAPTURE_COPY_RATES_H_
