#include "tests/fake_gpu/driver.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

namespace str::fake_gpu {
namespace {

std::FILE* OpenLog(const std::string& path) {
  if (path.empty()) return stderr;
  std::FILE* const file = std::fopen(path.c_str(), "a");
  if (file == nullptr) {
    std::fprintf(stderr, "fake_gpu: FAKE_GPU_LOG=%s cannot be written\n", path.c_str());
    std::exit(1);
  }
  return file;
}

std::optional<DeviceFigures> FiguresOf(const std::string& path) {
  if (path.empty()) return std::nullopt;
  std::string error;
  std::optional<DeviceFigures> figures = ReadDeviceFigures(path, &error);
  if (!figures.has_value()) {
    std::fprintf(stderr, "fake_gpu: FAKE_GPU_DEVICE_FILE=%s: %s\n", path.c_str(), error.c_str());
    std::exit(1);
  }
  return figures;
}

// In pieces, between which other streams' work can run: a copy is not one instant on a GPU either.
void CopyInPieces(char* to, const char* from, int64_t bytes, bool pause) {
  constexpr int64_t kPiece = 64 << 10;
  for (int64_t at = 0; at < bytes; at += kPiece) {
    std::memcpy(to + at, from + at, std::min(kPiece, bytes - at));
    if (pause) std::this_thread::yield();
  }
}

}  // namespace

Driver::Driver(const Settings& settings)
    : settings_(settings),
      report_(OpenLog(settings.log)),
      figures_(FiguresOf(settings.device_file)),
      checker_(&report_),
      host_(settings.host_clock),
      clock_(settings.launch_ns) {
  for (int i = 0; i < settings.devices; ++i) memories_.push_back(std::make_unique<DeviceMemory>(settings.memory_bytes));
}

Driver::~Driver() {
  while (!streams_.empty()) DestroyStream(*streams_.begin());
}

Driver& Driver::Get() {
  static Driver* const driver = new Driver(SettingsFromEnvironment());
  return *driver;
}

// Memory.

DeviceMemory* Driver::MemoryOf(uintptr_t address, int* device) {
  for (size_t i = 0; i < memories_.size(); ++i) {
    if (!memories_[i]->Contains(address)) continue;
    if (device != nullptr) *device = static_cast<int>(i);
    return memories_[i].get();
  }
  return nullptr;
}

std::optional<Driver::Place> Driver::FindLocked(uintptr_t address) {
  Place place;
  if (DeviceMemory* const memory = MemoryOf(address, &place.device); memory != nullptr) {
    const std::optional<Range> found = memory->Find(address);
    if (!found.has_value()) return std::nullopt;
    place.range = *found;
    return place;
  }
  const auto after = pinned_.upper_bound(address);
  if (after == pinned_.begin()) return std::nullopt;
  const auto found = std::prev(after);
  if (address >= found->first + found->second.bytes) return std::nullopt;
  place.range = {found->first, static_cast<uint64_t>(found->second.bytes)};
  place.kind = MemoryKind::kPinned;
  return place;
}

std::optional<Driver::Place> Driver::Find(uintptr_t address) {
  Lock lock(mutex_);
  return FindLocked(address);
}

char* Driver::AliasLocked(uintptr_t address) {
  DeviceMemory* const memory = MemoryOf(address);
  return memory != nullptr ? memory->Alias(address) : reinterpret_cast<char*>(address);
}

char* Driver::Alias(uintptr_t address) {
  Lock lock(mutex_);
  return AliasLocked(address);
}

Result Driver::Allocate(int device, int64_t bytes, uintptr_t* address) {
  if (bytes <= 0) return Result::kInvalidValue;
  Lock lock(mutex_);
  const std::optional<Range> range = memories_.at(device)->Allocate(bytes);
  if (!range.has_value()) return Result::kOutOfMemory;
  if (settings_.check) checker_.Allocated(*range, MemoryKind::kDevice);
  *address = range->begin;
  return Result::kOk;
}

Result Driver::Free(uintptr_t address) {
  {
    Lock lock(mutex_);
    DeviceMemory* const memory = MemoryOf(address);
    const std::optional<Range> range = memory == nullptr ? std::nullopt : memory->Find(address);
    if (!range.has_value() || range->begin != address) {
      report_.Add(Problem::kBadPointer, "free of an address that is no allocation");
      return Result::kInvalidValue;
    }
    if (settings_.check) checker_.FreedByHost(*range, host_.Mine());
    memory->GiveBack(address);
  }
  // A GPU's driver waits here too. Only the checker holds it against the caller.
  DrainAll();
  Lock lock(mutex_);
  MemoryOf(address)->Recycle(address);
  return Result::kOk;
}

Result Driver::AllocateInOrder(Stream* stream, int64_t bytes, uintptr_t* address) {
  if (bytes <= 0) return Result::kInvalidValue;
  bool addresses_left = true;
  {
    Lock lock(mutex_);
    addresses_left = memories_.at(stream->device)->HasHole(bytes);
  }
  // Memory that was freed, on a stream that has not come so far.
  if (!addresses_left) DrainAll();
  Lock lock(mutex_);
  const std::optional<Range> range = memories_.at(stream->device)->Allocate(bytes);
  if (!range.has_value()) return Result::kOutOfMemory;
  report_.Count("allocations in order");
  const Operation by = Tick(stream, "allocation");
  if (settings_.check) checker_.Allocated(*range, MemoryKind::kDevice, by);
  *address = range->begin;
  return Result::kOk;
}

Result Driver::FreeInOrder(Stream* stream, uintptr_t address) {
  Lock lock(mutex_);
  DeviceMemory* const memory = MemoryOf(address);
  const std::optional<Range> range = memory == nullptr ? std::nullopt : memory->Find(address);
  if (!range.has_value() || range->begin != address) {
    report_.Add(Problem::kBadPointer, "free, in a stream's order, of an address that is no allocation");
    return Result::kInvalidValue;
  }
  const Operation by = Tick(stream, "free");
  if (settings_.check) checker_.FreedByStream(*range, by, stream->clock);
  memory->GiveBack(address);
  stream->thread.Push(
      [this, memory, address] {
        Lock lock(mutex_);
        memory->Recycle(address);
      },
      /*may_delay=*/false);
  return Result::kOk;
}

Result Driver::AllocatePinned(int64_t bytes, void** address) {
  if (bytes <= 0) return Result::kInvalidValue;
  Lock lock(mutex_);
  if (settings_.pinned_limit_bytes > 0 && pinned_bytes_ + bytes > settings_.pinned_limit_bytes) {
    return Result::kOutOfMemory;
  }
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return Result::kOutOfMemory;
  *address = memory;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(memory);
  pinned_[begin] = {bytes, /*ours=*/true};
  pinned_bytes_ += bytes;
  report_.Count("pinned bytes", bytes);
  if (settings_.check) checker_.Allocated({begin, static_cast<uint64_t>(bytes)}, MemoryKind::kPinned);
  return Result::kOk;
}

Result Driver::RegisterPinned(void* address, int64_t bytes) {
  Lock lock(mutex_);
  const uintptr_t begin = reinterpret_cast<uintptr_t>(address);
  if (bytes <= 0 || FindLocked(begin).has_value()) return Result::kInvalidValue;
  pinned_[begin] = {bytes, /*ours=*/false};
  if (settings_.check) checker_.Allocated({begin, static_cast<uint64_t>(bytes)}, MemoryKind::kPinned);
  return Result::kOk;
}

Result Driver::FreePinned(void* address) {
  int64_t bytes = 0;
  {
    Lock lock(mutex_);
    const auto found = pinned_.find(reinterpret_cast<uintptr_t>(address));
    if (found == pinned_.end() || !found->second.ours) {
      report_.Add(Problem::kBadPointer, "free of host memory that is not pinned");
      return Result::kInvalidValue;
    }
    bytes = found->second.bytes;
    if (settings_.check) checker_.FreedByHost({found->first, static_cast<uint64_t>(bytes)}, host_.Mine());
    pinned_bytes_ -= bytes;
    report_.Count("pinned bytes", -bytes);
    pinned_.erase(found);
  }
  DrainAll();
  // The system may hand these addresses to anybody from now on.
  Lock lock(mutex_);
  if (settings_.check) checker_.Forget({reinterpret_cast<uintptr_t>(address), static_cast<uint64_t>(bytes)});
  munmap(address, bytes);
  return Result::kOk;
}

Result Driver::UnregisterPinned(void* address) {
  Lock lock(mutex_);
  const auto found = pinned_.find(reinterpret_cast<uintptr_t>(address));
  if (found == pinned_.end() || found->second.ours) return Result::kNotFound;
  const Range range{found->first, static_cast<uint64_t>(found->second.bytes)};
  if (settings_.check) {
    checker_.FreedByHost(range, host_.Mine());
    checker_.Forget(range);
  }
  pinned_.erase(found);
  return Result::kOk;
}

void Driver::MemoryInfo(int device, int64_t* free_bytes, int64_t* total_bytes) {
  Lock lock(mutex_);
  *total_bytes = memories_.at(device)->limit_bytes();
  *free_bytes = *total_bytes - memories_.at(device)->used_bytes();
}

// Streams.

Operation Driver::Tick(Stream* stream, const std::string& name) {
  ++operations_;
  stream->clock.Join(host_.Mine());
  stream->clock.Set(stream->id, ++stream->count);
  return {stream->id, stream->count, names_.Get(name)};
}

Stream* Driver::CreateStream(int device) {
  Lock lock(mutex_);
  Stream* const stream = new Stream(next_stream_++, device, settings_);
  streams_.insert(stream);
  return stream;
}

void Driver::DestroyStream(Stream* stream) {
  stream->thread.Drain();
  {
    Lock lock(mutex_);
    streams_.erase(stream);
    ended_ns_ = std::max(ended_ns_, stream->end_ns);
  }
  delete stream;
}

void Driver::DrainAll() {
  std::vector<Stream*> streams;
  {
    Lock lock(mutex_);
    streams.assign(streams_.begin(), streams_.end());
  }
  for (Stream* const stream : streams) stream->thread.Drain();
}

Stream* Driver::DefaultStream(int device) {
  {
    Lock lock(mutex_);
    if (const auto found = default_streams_.find(device); found != default_streams_.end()) return found->second;
  }
  Stream* const stream = CreateStream(device);
  Lock lock(mutex_);
  return default_streams_.emplace(device, stream).first->second;
}

void Driver::Saw(const VectorClock& clock, std::optional<int64_t> waited_until_ns) {
  Lock lock(mutex_);
  host_.Saw(clock);
  if (waited_until_ns.has_value()) clock_.HostWaited(*waited_until_ns);
}

void Driver::Synchronize(Stream* stream) {
  VectorClock clock;
  int64_t end_ns = 0;
  {
    Lock lock(mutex_);
    clock = stream->clock;
    end_ns = stream->end_ns;
  }
  stream->thread.Drain();
  Saw(clock, end_ns);
}

void Driver::SynchronizeDevice(int device) {
  std::vector<Stream*> streams;
  {
    Lock lock(mutex_);
    for (Stream* const stream : streams_) {
      if (stream->device == device) streams.push_back(stream);
    }
  }
  for (Stream* const stream : streams) Synchronize(stream);
}

Result Driver::Query(Stream* stream) {
  VectorClock clock;
  {
    Lock lock(mutex_);
    clock = stream->clock;
  }
  if (!stream->thread.Idle()) return Result::kNotReady;
  Saw(clock, std::nullopt);
  return Result::kOk;
}

void Driver::HostFunction(Stream* stream, std::function<void()> function) {
  Lock lock(mutex_);
  Tick(stream, "host function");
  stream->thread.Push(
      [this, clock = stream->clock, function = std::move(function)] {
        Saw(clock, std::nullopt);
        function();
      },
      /*may_delay=*/true);
}

// Events.

void Driver::Record(const std::shared_ptr<Event>& event, Stream* stream) {
  Lock lock(mutex_);
  Tick(stream, "event");
  // The stream reaches it when its work has ended, but not before the host has enqueued it.
  const int64_t number = event->Record(stream->clock, std::max(stream->end_ns, clock_.host_ns()));
  stream->thread.Push(
      [this, event, number] {
        event->Complete(number, {std::chrono::steady_clock::now(), operations_});
      },
      /*may_delay=*/false);
}

void Driver::WaitFor(Stream* stream, const std::shared_ptr<Event>& event) {
  Lock lock(mutex_);
  const Event::Recording recording = event->Last();
  stream->clock.Join(recording.clock);
  stream->end_ns = std::max(stream->end_ns, recording.ns);
  stream->thread.Push([event, number = recording.number] { event->WaitFor(number); }, /*may_delay=*/false);
}

Result Driver::Query(const Event& event) {
  const Event::Recording recording = event.Last();
  Event::Completion completion;
  if (!event.Completed(&completion)) return Result::kNotReady;
  if (recording.number > 0 && operations_ - completion.operations < settings_.notice_operations &&
      std::chrono::steady_clock::now() - completion.time < std::chrono::microseconds(settings_.notice_us)) {
    return Result::kNotReady;
  }
  Saw(recording.clock, std::nullopt);
  return Result::kOk;
}

void Driver::Synchronize(Event& event) {
  const Event::Recording recording = event.Last();
  event.WaitFor(recording.number);
  Saw(recording.clock, recording.ns);
}

Result Driver::Elapsed(const Event& from, const Event& to, double* milliseconds) {
  if (!settings_.timer) return Result::kInvalidValue;
  const Event::Recording first = from.Last(), second = to.Last();
  Event::Completion first_end, second_end;
  if (first.number == 0 || second.number == 0) return Result::kInvalidValue;
  if (!from.Completed(&first_end) || !to.Completed(&second_end)) return Result::kNotReady;
  *milliseconds = figures_.has_value()
                      ? (second.ns - first.ns) / 1e6
                      : std::chrono::duration<double, std::milli>(second_end.time - first_end.time).count();
  return Result::kOk;
}

// Work.

void Driver::CheckRead(Stream* stream, Range range, const Operation& by) {
  if (settings_.check) checker_.Read(range, by, stream->clock);
}

void Driver::CheckWrite(Stream* stream, Range range, const Operation& by) {
  if (settings_.check) checker_.Write(range, by, stream->clock);
}

// A range that begins in device or pinned memory must lie in one allocation; other host memory is not known here.
bool Driver::CheckRange(Range range, const char* what) {
  const std::optional<Place> place = FindLocked(range.begin);
  if (!place.has_value() && MemoryOf(range.begin) == nullptr) return true;
  if (place.has_value() && range.end() <= place->range.end()) return true;
  char text[160];
  std::snprintf(text, sizeof(text), "%s: %#zx+%zu is in no allocation%s", what, static_cast<size_t>(range.begin),
                static_cast<size_t>(range.bytes), place.has_value() ? ": it leaves the one in which it begins" : "");
  report_.Add(checker_.Freed(range.begin) ? Problem::kUseAfterFree : Problem::kBadPointer, text);
  return false;
}

void Driver::Spend(Stream* stream, Engine engine, int64_t duration_ns) {
  stream->end_ns = clock_.Enqueue(stream->device, engine, stream->end_ns, duration_ns);
}

Result Driver::Copy(uintptr_t to, uintptr_t from, int64_t bytes, Stream* stream, bool blocking) {
  if (bytes == 0) return Result::kOk;
  bool wait = blocking;
  {
    Lock lock(mutex_);
    const bool to_device = MemoryOf(to) != nullptr;
    const bool from_device = MemoryOf(from) != nullptr;
    const char* const name =
        to_device ? (from_device ? "copy on device" : "copy in") : (from_device ? "copy out" : "copy on the host");
    const Range target{to, static_cast<uint64_t>(bytes)}, source{from, static_cast<uint64_t>(bytes)};
    if (!to_device && !from_device) {
      report_.Add(Problem::kBadPointer, "a copy in which no address is of a device");
      return Result::kInvalidValue;
    }
    if (!CheckRange(target, name) || !CheckRange(source, name)) return Result::kInvalidValue;
    const Operation by = Tick(stream, name);
    CheckRead(stream, source, by);
    CheckWrite(stream, target, by);
    report_.Count(name);
    report_.Count(std::string(name) + " bytes", bytes);
    if (to_device && from_device) {
      Spend(stream, Engine::kCompute, figures_.has_value() ? figures_->CopyOnDeviceNs(bytes) : 0);
    } else if (to_device) {
      Spend(stream, Engine::kCopyIn, figures_.has_value() ? figures_->CopyInNs(bytes) : 0);
    } else {
      Spend(stream, Engine::kCopyOut, figures_.has_value() ? figures_->CopyOutNs(bytes) : 0);
    }
    std::shared_ptr<std::vector<char>> staged;
    const bool pageable =
        (!to_device && !FindLocked(to).has_value()) || (!from_device && !FindLocked(from).has_value());
    if (pageable && !blocking) {
      report_.Add(Problem::kPageable, name);
      ++stream->pageable_copies;
      // As a GPU's driver does it: out of a staging buffer on the way in, waiting on the way out.
      if (to_device) {
        const char* const begin = reinterpret_cast<const char*>(from);
        staged = std::make_shared<std::vector<char>>(begin, begin + bytes);
      } else {
        wait = true;
      }
    }
    char* const to_alias = AliasLocked(to);
    const char* const from_alias = staged != nullptr ? staged->data() : AliasLocked(from);
    stream->thread.Push([to_alias, from_alias, bytes, staged,
                         pause = settings_.delay_us > 0] { CopyInPieces(to_alias, from_alias, bytes, pause); },
                        /*may_delay=*/true);
  }
  if (wait) Synchronize(stream);
  return Result::kOk;
}

Result Driver::Fill(uintptr_t to, int64_t bytes, std::function<void(char*)> fill, Stream* stream, bool blocking) {
  if (bytes == 0) return Result::kOk;
  {
    Lock lock(mutex_);
    const Range target{to, static_cast<uint64_t>(bytes)};
    if (!FindLocked(to).has_value()) {
      report_.Add(Problem::kBadPointer, "fill of an address that is no allocation");
      return Result::kInvalidValue;
    }
    if (!CheckRange(target, "fill")) return Result::kInvalidValue;
    CheckWrite(stream, target, Tick(stream, "fill"));
    Spend(stream, Engine::kCompute, figures_.has_value() ? figures_->CopyOnDeviceNs(bytes) : 0);
    stream->thread.Push([fill = std::move(fill), alias = AliasLocked(to)] { fill(alias); }, /*may_delay=*/true);
  }
  if (blocking) Synchronize(stream);
  return Result::kOk;
}

void Driver::Launch(Stream* stream, Kernel kernel) {
  Lock lock(mutex_);
  report_.Count("launches");
  const Operation by = Tick(stream, kernel.name);
  for (const Range& range : kernel.reads) {
    if (CheckRange(range, kernel.name.c_str())) CheckRead(stream, range, by);
  }
  for (const Range& range : kernel.writes) {
    if (CheckRange(range, kernel.name.c_str())) CheckWrite(stream, range, by);
  }
  Spend(stream, Engine::kCompute,
        figures_.has_value() ? figures_->KernelNs(kernel.name, kernel.flops, kernel.moved_bytes) : 0);
  stream->thread.Push(std::move(kernel.run), /*may_delay=*/true);
}

void Driver::KernelNotRun(Stream* stream, const std::string& name) {
  report_.Add(Problem::kKernelNotRun, name);
  Lock lock(mutex_);
  Tick(stream, name);
}

// The virtual clock.

void Driver::Time(int64_t* host_ns, int64_t* device_ns) {
  Lock lock(mutex_);
  *host_ns = clock_.host_ns();
  *device_ns = ended_ns_;
  for (const Stream* const stream : streams_) *device_ns = std::max(*device_ns, stream->end_ns);
}

void Driver::HostWaited(Stream* stream, int64_t notice_ns) {
  Lock lock(mutex_);
  clock_.HostWaited(stream->end_ns + notice_ns);
}

VectorClock Driver::HandOver() {
  Lock lock(mutex_);
  return host_.Mine();
}

void Driver::Receive(const VectorClock& clock) { Saw(clock, std::nullopt); }

int64_t Driver::PageableCopies(Stream* stream) {
  Lock lock(mutex_);
  return stream->pageable_copies;
}

}  // namespace str::fake_gpu
