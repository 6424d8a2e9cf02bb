// Graphs: nodes with their predecessors. The nodes run one after the other when the graph is
// launched.
#include <algorithm>
#include <span>

#include "runtime/program/hip/streams.h"

using namespace heddle::program;

namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

std::unique_ptr<ihipGraph> clone(const ihipGraph& graph) {
  auto made = std::make_unique<ihipGraph>();
  std::unordered_map<const hipGraphNode*, hipGraphNode*> copies;
  for (const hipGraphNode& node : graph.nodes) {
    hipGraphNode& copy = made->nodes.emplace_back(node);
    copy.graph = made.get();
    copy.original = &node;
    copies[&node] = &copy;
    // The copy of a node has its own arguments, and its pointers must point to them.
    if (auto* kernel = std::get_if<KernelNode>(&copy.work))
      for (std::size_t i = 0; i < kernel->pointers.size(); ++i)
        kernel->pointers[i] = kernel->arguments[i].data();
    if (auto* child = std::get_if<std::shared_ptr<ihipGraph>>(&copy.work)) *child = clone(**child);
  }
  for (hipGraphNode& node : made->nodes)
    for (hipGraphNode*& need : node.needs) need = copies[need];
  return made;
}

/// The nodes in an order in which each node comes after all of its predecessors. Nodes of a cycle,
/// and nodes that depend on them, are missing.
std::vector<hipGraphNode*> ordered(ihipGraph& graph) {
  std::vector<hipGraphNode*> done;
  const auto is_done = [&](const hipGraphNode* node) {
    return std::ranges::find(done, node) != done.end();
  };
  for (bool found = true; found;) {
    found = false;
    for (hipGraphNode& node : graph.nodes)
      if (!is_done(&node) && std::ranges::all_of(node.needs, is_done)) {
        done.push_back(&node);
        found = true;
      }
  }
  return done;
}

hipError_t run(ihipGraph& graph);

hipError_t run(const hipGraphNode& node) {
  return std::visit(Overloaded{[](const NodeWork& work) { return work ? work() : hipSuccess; },
                               [](const KernelNode& kernel) { return run_kernel(kernel); },
                               [](const hipMemsetParams& params) { return fill_rows(params); },
                               [](const hipHostNodeParams& params) {
                                 params.fn(params.userData);
                                 return hipSuccess;
                               },
                               [](const std::shared_ptr<ihipGraph>& child) { return run(*child); }},
                    node.work);
}

hipError_t run(ihipGraph& graph) {
  for (const hipGraphNode* node : ordered(graph))
    if (const hipError_t error = run(*node); error != hipSuccess) return error;
  return hipSuccess;
}

template <class Work>
hipError_t add(hipGraphNode_t* made, hipGraph_t graph, const hipGraphNode_t* needs,
               std::size_t count, hipGraphNodeType type, Work work) {
  if (!made || !graph || (count > 0 && !needs)) return result(hipErrorInvalidValue);
  for (std::size_t i = 0; i < count; ++i)
    if (!needs[i] || needs[i]->graph != graph) return result(hipErrorInvalidValue);
  hipGraphNode& node = graph->nodes.emplace_back();
  node.type = type;
  node.graph = graph;
  node.needs.assign(needs, needs + count);
  node.work = std::move(work);
  *made = &node;
  return hipSuccess;
}

/// The copy of `node` in an executable graph; null if there is none.
hipGraphNode* node_in(hipGraphExec_t exec, const hipGraphNode* node) {
  if (!exec) return nullptr;
  for (hipGraphNode& copy : exec->graph->nodes)
    if (copy.original == node) return &copy;
  return nullptr;
}

template <class Params>
hipError_t get(hipGraphNode_t node, Params* params) {
  const Params* const found = node ? std::get_if<Params>(&node->work) : nullptr;
  if (!found || !params) return result(hipErrorInvalidValue);
  *params = *found;
  return hipSuccess;
}

template <class Params>
hipError_t set(hipGraphNode_t node, const Params* params) {
  if (!node || !params || !std::holds_alternative<Params>(node->work))
    return result(hipErrorInvalidValue);
  node->work = *params;
  return hipSuccess;
}

hipError_t set_kernel(hipGraphNode_t node, const hipKernelNodeParams* params) {
  if (!node || !params || node->type != hipGraphNodeTypeKernel) return result(hipErrorInvalidValue);
  KernelNode kernel;
  if (!keep_arguments(kernel, *params)) return result(hipErrorInvalidDeviceFunction);
  node->work = std::move(kernel);
  return hipSuccess;
}

/// Returns a list of nodes as HIP does. If `nodes` is null, only sets *count to the length of the
/// list. Otherwise fills `nodes`, which has room for *count nodes, and sets *count to the number of
/// nodes that were written.
hipError_t give(std::span<hipGraphNode* const> all, hipGraphNode_t* nodes, std::size_t* count) {
  if (!count) return result(hipErrorInvalidValue);
  if (nodes)
    for (std::size_t i = 0; i < *count; ++i) nodes[i] = i < all.size() ? all[i] : nullptr;
  *count = nodes ? std::min(*count, all.size()) : all.size();
  return hipSuccess;
}

NodeWork copying(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind) {
  return [=] { return copy(to, from, bytes, kind, "a node of a graph"); };
}

}  // namespace

extern "C" {

hipError_t hipGraphCreate(hipGraph_t* graph, unsigned) {
  if (!graph) return result(hipErrorInvalidValue);
  *graph = new ihipGraph;
  return hipSuccess;
}
hipError_t hipGraphClone(hipGraph_t* made, hipGraph_t original) {
  if (!made || !original) return result(hipErrorInvalidValue);
  *made = clone(*original).release();
  return hipSuccess;
}
hipError_t hipGraphDestroy(hipGraph_t graph) {
  if (!graph) return result(hipErrorInvalidValue);
  delete graph;
  return hipSuccess;
}
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t* exec, hipGraph_t graph,
                                        unsigned long long) {
  if (!exec || !graph) return result(hipErrorInvalidValue);
  if (ordered(*graph).size() != graph->nodes.size()) return result(hipErrorInvalidValue);
  *exec = new hipGraphExec{clone(*graph)};
  return hipSuccess;
}
hipError_t hipGraphInstantiate(hipGraphExec_t* exec, hipGraph_t graph, hipGraphNode_t*, char*,
                               std::size_t) {
  return hipGraphInstantiateWithFlags(exec, graph, 0);
}
hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t) {
  return result(exec ? hipSuccess : hipErrorInvalidValue);
}
hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream) {
  if (!exec) return result(hipErrorInvalidValue);
  const std::shared_ptr<ihipGraph> child(stream_of(stream).capture ? clone(*exec->graph) : nullptr);
  if (!child) return result(run(*exec->graph));
  add_captured(stream, hipGraphNodeTypeGraph)->work = child;
  return hipSuccess;
}
hipError_t hipGraphExecDestroy(hipGraphExec_t exec) {
  if (!exec) return result(hipErrorInvalidValue);
  delete exec;
  return hipSuccess;
}
hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t* wrong,
                              hipGraphExecUpdateResult* said) {
  if (!exec || !graph || !said) return result(hipErrorInvalidValue);
  if (wrong) *wrong = nullptr;
  *said = hipGraphExecUpdateErrorTopologyChanged;
  auto made = clone(*graph);
  if (made->nodes.size() != exec->graph->nodes.size())
    return result(hipErrorGraphExecUpdateFailure);
  auto now = made->nodes.begin();
  for (const hipGraphNode& before : exec->graph->nodes) {
    if (before.needs.size() != now->needs.size()) return result(hipErrorGraphExecUpdateFailure);
    if (before.type != now->type) {
      *said = hipGraphExecUpdateErrorNodeTypeChanged;
      return result(hipErrorGraphExecUpdateFailure);
    }
    // The program refers to nodes of the graph from which the executable graph was first made.
    now++->original = before.original;
  }
  *said = hipGraphExecUpdateSuccess;
  exec->graph = std::move(made);
  return hipSuccess;
}

hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* count) {
  if (!graph) return result(hipErrorInvalidValue);
  std::vector<hipGraphNode*> all;
  for (hipGraphNode& node : graph->nodes) all.push_back(&node);
  return give(all, nodes, count);
}
hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t* nodes, std::size_t* count) {
  if (!graph) return result(hipErrorInvalidValue);
  std::vector<hipGraphNode*> all;
  for (hipGraphNode& node : graph->nodes)
    if (node.needs.empty()) all.push_back(&node);
  return give(all, nodes, count);
}
hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t* from, hipGraphNode_t* to,
                            std::size_t* count) {
  if (!graph || !count) return result(hipErrorInvalidValue);
  std::vector<hipGraphNode*> begins, ends;
  for (hipGraphNode& node : graph->nodes)
    for (hipGraphNode* need : node.needs) {
      begins.push_back(need);
      ends.push_back(&node);
    }
  std::size_t same = *count;
  if (const hipError_t error = give(begins, from, &same); error != hipSuccess) return error;
  return give(ends, to, count);
}
hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType* type) {
  if (!node || !type) return result(hipErrorInvalidValue);
  *type = node->type;
  return hipSuccess;
}
hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t* nodes,
                                       std::size_t* count) {
  return node ? give(node->needs, nodes, count) : result(hipErrorInvalidValue);
}
hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t* nodes,
                                         std::size_t* count) {
  if (!node) return result(hipErrorInvalidValue);
  std::vector<hipGraphNode*> all;
  for (hipGraphNode& other : node->graph->nodes)
    if (std::ranges::find(other.needs, node) != other.needs.end()) all.push_back(&other);
  return give(all, nodes, count);
}
hipError_t hipGraphNodeFindInClone(hipGraphNode_t* found, hipGraphNode_t original,
                                   hipGraph_t copy) {
  if (!found || !original || !copy) return result(hipErrorInvalidValue);
  for (hipGraphNode& node : copy->nodes)
    if (node.original == original) {
      *found = &node;
      return hipSuccess;
    }
  return result(hipErrorInvalidValue);
}
hipError_t hipGraphDestroyNode(hipGraphNode_t node) {
  if (!node) return result(hipErrorInvalidValue);
  ihipGraph& graph = *node->graph;
  for (hipGraphNode& other : graph.nodes) std::erase(other.needs, node);
  graph.nodes.remove_if([&](const hipGraphNode& other) { return &other == node; });
  return hipSuccess;
}
hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                   const hipGraphNode_t* to, std::size_t count) {
  if (!graph || (count > 0 && (!from || !to))) return result(hipErrorInvalidValue);
  for (std::size_t i = 0; i < count; ++i) to[i]->needs.push_back(from[i]);
  return hipSuccess;
}
hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t* from,
                                      const hipGraphNode_t* to, std::size_t count) {
  if (!graph || (count > 0 && (!from || !to))) return result(hipErrorInvalidValue);
  for (std::size_t i = 0; i < count; ++i) std::erase(to[i]->needs, from[i]);
  return hipSuccess;
}

hipError_t hipGraphAddKernelNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* needs, std::size_t count,
                                 const hipKernelNodeParams* params) {
  KernelNode kernel;
  if (!params) return result(hipErrorInvalidValue);
  if (!keep_arguments(kernel, *params)) return result(hipErrorInvalidDeviceFunction);
  return add(node, graph, needs, count, hipGraphNodeTypeKernel, std::move(kernel));
}
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams* params) {
  auto* const kernel = node ? std::get_if<KernelNode>(&node->work) : nullptr;
  if (!kernel || !params) return result(hipErrorInvalidValue);
  *params = kernel->params;
  params->kernelParams = kernel->pointers.data();
  return hipSuccess;
}
hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams* params) {
  return set_kernel(node, params);
}
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipKernelNodeParams* params) {
  return set_kernel(node_in(exec, node), params);
}
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t* node, hipGraph_t graph,
                                   const hipGraphNode_t* needs, std::size_t count, void* to,
                                   const void* from, std::size_t bytes, hipMemcpyKind kind) {
  return add(node, graph, needs, count, hipGraphNodeTypeMemcpy, copying(to, from, bytes, kind));
}
hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void* to, const void* from,
                                         std::size_t bytes, hipMemcpyKind kind) {
  if (!node || node->type != hipGraphNodeTypeMemcpy) return result(hipErrorInvalidValue);
  node->work = copying(to, from, bytes, kind);
  return hipSuccess;
}
hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void* to,
                                             const void* from, std::size_t bytes,
                                             hipMemcpyKind kind) {
  return hipGraphMemcpyNodeSetParams1D(node_in(exec, node), to, from, bytes, kind);
}
hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t* node, hipGraph_t graph,
                                         const hipGraphNode_t* needs, std::size_t count,
                                         const void* symbol, const void* from, std::size_t bytes,
                                         std::size_t offset, hipMemcpyKind kind) {
  return add(node, graph, needs, count, hipGraphNodeTypeMemcpy,
             NodeWork([=] { return hipMemcpyToSymbol(symbol, from, bytes, offset, kind); }));
}
hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t* node, hipGraph_t graph,
                                           const hipGraphNode_t* needs, std::size_t count, void* to,
                                           const void* symbol, std::size_t bytes,
                                           std::size_t offset, hipMemcpyKind kind) {
  return add(node, graph, needs, count, hipGraphNodeTypeMemcpy,
             NodeWork([=] { return hipMemcpyFromSymbol(to, symbol, bytes, offset, kind); }));
}
hipError_t hipGraphAddMemsetNode(hipGraphNode_t* node, hipGraph_t graph,
                                 const hipGraphNode_t* needs, std::size_t count,
                                 const hipMemsetParams* params) {
  if (!params || !params->dst) return result(hipErrorInvalidValue);
  return add(node, graph, needs, count, hipGraphNodeTypeMemset, *params);
}
hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams* params) {
  return get(node, params);
}
hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams* params) {
  return set(node, params);
}
hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                           const hipMemsetParams* params) {
  return set(node_in(exec, node), params);
}
hipError_t hipGraphAddHostNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* needs,
                               std::size_t count, const hipHostNodeParams* params) {
  if (!params || !params->fn) return result(hipErrorInvalidValue);
  return add(node, graph, needs, count, hipGraphNodeTypeHost, *params);
}
hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams* params) {
  return get(node, params);
}
hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams* params) {
  return set(node, params);
}
hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                         const hipHostNodeParams* params) {
  return set(node_in(exec, node), params);
}
hipError_t hipGraphAddEmptyNode(hipGraphNode_t* node, hipGraph_t graph, const hipGraphNode_t* needs,
                                std::size_t count) {
  return add(node, graph, needs, count, hipGraphNodeTypeEmpty, NodeWork());
}
hipError_t hipGraphAddChildGraphNode(hipGraphNode_t* node, hipGraph_t graph,
                                     const hipGraphNode_t* needs, std::size_t count,
                                     hipGraph_t child) {
  if (!child || child == graph) return result(hipErrorInvalidValue);
  return add(node, graph, needs, count, hipGraphNodeTypeGraph,
             std::shared_ptr<ihipGraph>(clone(*child)));
}
hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t* child) {
  auto* const found = node ? std::get_if<std::shared_ptr<ihipGraph>>(&node->work) : nullptr;
  if (!found || !child) return result(hipErrorInvalidValue);
  *child = found->get();
  return hipSuccess;
}
hipError_t hipGraphAddEventRecordNode(hipGraphNode_t* node, hipGraph_t graph,
                                      const hipGraphNode_t* needs, std::size_t count,
                                      hipEvent_t event) {
  if (!event) return result(hipErrorInvalidValue);
  return add(node, graph, needs, count, hipGraphNodeTypeEventRecord,
             NodeWork([=] { return hipEventRecord(event, nullptr); }));
}
hipError_t hipGraphAddEventWaitNode(hipGraphNode_t* node, hipGraph_t graph,
                                    const hipGraphNode_t* needs, std::size_t count,
                                    hipEvent_t event) {
  if (!event) return result(hipErrorInvalidValue);
  return add(node, graph, needs, count, hipGraphNodeTypeWaitEvent, NodeWork());
}
}
