// Streams. Every call finishes before it returns, so streams hold no pending work. If a stream is
// captured, each call becomes a node of a graph, which runs when the graph is launched.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/program/hip/calls.h"

/// The parameters of a kernel's node. Its arguments are copied when the node is made.
struct KernelNode {
  hipKernelNodeParams params{};
  std::vector<std::string> arguments;  // the bytes of each
  std::vector<void*> pointers;         // to them
  bool is_cooperative = false;
};
/// The work of a node whose parameters cannot be changed.
using NodeWork = std::function<hipError_t()>;

struct hipGraphNode {
  hipGraphNodeType type = hipGraphNodeTypeEmpty;
  ihipGraph* graph = nullptr;
  const hipGraphNode* original = nullptr;  // of a clone
  std::vector<hipGraphNode*> needs;
  std::variant<NodeWork, KernelNode, hipMemsetParams, hipHostNodeParams, std::shared_ptr<ihipGraph>>
      work;
};
struct ihipGraph {
  std::list<hipGraphNode> nodes;
};
struct hipGraphExec {
  std::unique_ptr<ihipGraph> graph;  // a clone of the graph
};

/// A capture of calls into a graph. The calls of several streams may be captured into one graph.
struct Capture {
  std::unique_ptr<ihipGraph> graph = std::make_unique<ihipGraph>();
  unsigned long long number = 0;
  hipStream_t origin = nullptr;
};
struct ihipStream_t {
  unsigned flags = 0;
  int priority = 0, device = 0;
  std::shared_ptr<Capture> capture;  // null: what is asked happens at once
  std::vector<hipGraphNode*> needs;  // what the next node comes after
};
struct ihipEvent_t {
  std::chrono::steady_clock::time_point time;
  bool is_recorded = false;
  std::shared_ptr<Capture> capture;  // where it was recorded, if not at once
  std::vector<hipGraphNode*> needs;
};

namespace heddle::program {

/// The stream of a handle. Null and hipStreamLegacy are the null stream, and hipStreamPerThread is
/// the thread's own stream.
ihipStream_t& stream_of(hipStream_t stream);

/// Calls `work` at once. If the stream is being captured, makes a node of `work` instead.
hipError_t on_stream(hipStream_t stream, hipGraphNodeType type, NodeWork work);

/// Adds a node to the graph into which the stream is captured. Null if the stream is not captured.
hipGraphNode* add_captured(hipStream_t stream, hipGraphNodeType type);

/// What the nodes of graphs run.
hipError_t run_kernel(const KernelNode& node);
/// Copies the arguments that `params` points to into `node`. False if `params` names no kernel of
/// this program.
bool keep_arguments(KernelNode& node, const hipKernelNodeParams& params);
hipError_t fill_rows(const hipMemsetParams& params);

}  // namespace heddle::program
