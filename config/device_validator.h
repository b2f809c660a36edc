// The rules of a device description: a known version, a name, memory, and four figures, each positive, finite and with
// a source; a host has memory, a disk has space and two such figures.
#ifndef STR_CONFIG_DEVICE_VALIDATOR_H_
#define STR_CONFIG_DEVICE_VALIDATOR_H_

#include "absl/status/status.h"
#include "config/device.pb.h"

namespace str::config {

// InvalidArgument naming the field; the first violation found.
absl::Status ValidateDevice(const DeviceFile& device);

}  // namespace str::config

#endif  // STR_CONFIG_DEVICE_VALIDATOR_H_
