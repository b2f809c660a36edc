#include "tests/fake_gpu/device_figures.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

namespace str::fake_gpu {
namespace {

// The words of protobuf's text format: names, numbers and punctuation; neighbouring strings as one, without their
// quotes.
std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  bool after_string = false;
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (std::isspace(static_cast<unsigned char>(c))) {
      ++i;
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '"') {
      const size_t end = std::min(text.find('"', i + 1), text.size());
      const std::string string = text.substr(i + 1, end - i - 1);
      if (after_string) {
        words.back() += string;
      } else {
        words.push_back(string);
      }
      after_string = true;
      i = end + 1;
      continue;
    } else if (c == '{' || c == '}' || c == ':') {
      words.emplace_back(1, c);
      ++i;
    } else {
      const size_t end = std::min(text.find_first_of(" \t\n{}:#", i), text.size());
      words.push_back(text.substr(i, end - i));
      i = end;
    }
    if (!std::isspace(static_cast<unsigned char>(c)) && c != '#') after_string = false;
  }
  return words;
}

// All values by their path, such as "flops_per_second.value", in the order of the text.
std::optional<std::multimap<std::string, std::string>> Values(const std::vector<std::string>& words,
                                                              std::string* error) {
  std::multimap<std::string, std::string> values;
  std::vector<std::string> path;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "}") {
      if (path.empty()) {
        *error = "a '}' too many";
        return std::nullopt;
      }
      path.pop_back();
      continue;
    }
    const bool opens = i + 1 < words.size() && words[i + 1] == "{";
    const bool has_value = i + 2 < words.size() && words[i + 1] == ":";
    if (opens) {
      path.push_back(words[i]);
      ++i;
    } else if (has_value) {
      std::string name;
      for (const std::string& part : path) name += part + ".";
      values.emplace(name + words[i], words[i + 2]);
      i += 2;
    } else {
      *error = "'" + words[i] + "' has no value";
      return std::nullopt;
    }
  }
  if (!path.empty()) {
    *error = "a '}' is missing";
    return std::nullopt;
  }
  return values;
}

int64_t Ns(double amount, double per_second) { return per_second > 0 ? std::llround(amount / per_second * 1e9) : 0; }

}  // namespace

int64_t DeviceFigures::KernelNs(const std::string& op, int64_t flops, int64_t moved_bytes) const {
  double share = 1;
  for (const auto& [pattern, of_all] : efficiencies) {
    if (std::regex_match(op, pattern)) {
      share = of_all;
      break;
    }
  }
  return op_overhead_ns + std::max(Ns(flops, flops_per_second * share), Ns(moved_bytes, memory_bytes_per_second));
}

int64_t DeviceFigures::CopyOutNs(int64_t bytes) const { return copy_latency_ns + Ns(bytes, copy_out_bytes_per_second); }

int64_t DeviceFigures::CopyInNs(int64_t bytes) const { return copy_latency_ns + Ns(bytes, copy_in_bytes_per_second); }

int64_t DeviceFigures::CopyOnDeviceNs(int64_t bytes) const {
  return op_overhead_ns + Ns(2.0 * bytes, memory_bytes_per_second);
}

std::optional<DeviceFigures> ParseDeviceFigures(const std::string& text, std::string* error) {
  const auto values = Values(Words(text), error);
  if (!values.has_value()) return std::nullopt;
  DeviceFigures figures;
  const auto read = [&](const char* name, bool required) {
    const auto found = values->find(name);
    if (found == values->end()) {
      if (required) *error = std::string(name) + " is missing";
      return 0.0;
    }
    char* end = nullptr;
    const double number = std::strtod(found->second.c_str(), &end);
    if (*end != '\0' || end == found->second.c_str() || number < 0 || (required && number == 0)) {
      *error = std::string(name) + ": '" + found->second + "' is no figure";
    }
    return number;
  };
  error->clear();
  figures.flops_per_second = read("flops_per_second.value", true);
  figures.memory_bytes_per_second = read("memory_bytes_per_second.value", true);
  figures.copy_out_bytes_per_second = read("copy_out_bytes_per_second.value", true);
  figures.copy_in_bytes_per_second = read("copy_in_bytes_per_second.value", true);
  figures.copy_latency_ns = static_cast<int64_t>(read("copy_latency_ns", false));
  figures.op_overhead_ns = static_cast<int64_t>(read("op_overhead_ns", false));
  // Equal keys of a multimap keep their order, so that the n-th op belongs to the n-th share.
  auto share = values->lower_bound("efficiency.share");
  for (auto op = values->lower_bound("efficiency.op"); op != values->upper_bound("efficiency.op"); ++op, ++share) {
    if (share == values->end() || share->first != "efficiency.share") {
      *error = "an efficiency without a share";
      break;
    }
    try {
      figures.efficiencies.emplace_back(std::regex(op->second), std::strtod(share->second.c_str(), nullptr));
    } catch (const std::regex_error&) {
      *error = "efficiency.op: '" + op->second + "' is no regular expression";
    }
  }
  if (!error->empty()) return std::nullopt;
  return figures;
}

std::optional<DeviceFigures> ReadDeviceFigures(const std::string& path, std::string* error) {
  std::ifstream file(path);
  if (!file) {
    *error = "cannot be read";
    return std::nullopt;
  }
  std::ostringstream text;
  text << file.rdbuf();
  return ParseDeviceFigures(text.str(), error);
}

}  // namespace str::fake_gpu
