#include "tf_plugin/device/device_memories.h"

#include <map>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "tensorflow/core/util/device_name_utils.h"

namespace str::device {
namespace {

struct Memories {
  absl::Mutex mutex;
  std::map<std::string, DeviceMemory*, std::less<>> by_device ABSL_GUARDED_BY(mutex);
};

Memories& AllMemories() {
  static Memories* const memories = new Memories;
  return *memories;
}

}  // namespace

std::string ShortDeviceName(const std::string& device) {
  tensorflow::DeviceNameUtils::ParsedName parsed;
  if (!tensorflow::DeviceNameUtils::ParseFullName(device, &parsed) || !parsed.has_type) return device;
  return absl::StrCat(parsed.type, ":", parsed.id);
}

void SetDeviceMemory(absl::string_view short_name, DeviceMemory* memory) {
  Memories& all = AllMemories();
  absl::MutexLock lock(&all.mutex);
  all.by_device[std::string(short_name)] = memory;
}

DeviceMemory* FindDeviceMemory(absl::string_view short_name) {
  Memories& all = AllMemories();
  absl::MutexLock lock(&all.mutex);
  const auto found = all.by_device.find(short_name);
  return found == all.by_device.end() ? nullptr : found->second;
}

std::string WhyNotObserved(absl::string_view short_name) {
  if (FindDeviceMemory(short_name) != nullptr) return "";
  return absl::StrCat("it runs on ", short_name,
                      ", which is not a device of STR's; in a process with GPUs, what runs on "
                      "GPUs is planned");
}

}  // namespace str::device
