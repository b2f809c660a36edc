// File: plugin.h
//
// What both payloads do when they are loaded. Each has a file that calls it and adds its devices: cpu_payload.cc,
// gpu_payload.cc.
#ifndef STR_TF_PLUGIN_PLUGIN_H_
#define STR_TF_PLUGIN_PLUGIN_H_

namespace str {

// Registers the graph passes that the environment or the home directory asks for. False if nothing is asked for, not
// even a memory limit: then no device is to be registered either.
bool RegisterPasses();

}  // namespace str

#endif  // STR_TF_PLUGIN_PLUGIN_H_
