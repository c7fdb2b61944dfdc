#include "ggml-executor/graph.h"

#include "runtime/error.h"
#include "ggml-executor/library.h"
#include "runtime/memory.h"

namespace svc {

Graph::Graph(const Compute & compute, size_t max_nodes, Taps taps)
    : compute_(compute), max_nodes_(max_nodes), taps_mode_(taps) {
    // every node may have views and inputs
    const size_t bytes = ggml_tensor_overhead() * max_nodes * 2 + ggml_graph_overhead_custom(max_nodes, false);
    // the scheduler copies them
    require_memory(2 * bytes);
    context_.reset(ggml_init({bytes, nullptr, true}));
    if (!context_) fail("OUT_OF_MEMORY", "not enough memory for a graph of ", max_nodes, " nodes");
    graph_ = ggml_new_graph_custom(context_.get(), max_nodes, false);
}

ggml_tensor * Graph::input(ggml_type type, int64_t ne0, int64_t ne1, int64_t ne2, int64_t ne3) {
    ggml_tensor * tensor = ggml_new_tensor_4d(context_.get(), type, ne0, ne1, ne2, ne3);
    ggml_set_input(tensor);
    return tensor;
}

ggml_tensor * Graph::slot(ggml_type type, int64_t ne0, int64_t ne1) {
    ggml_tensor * tensor = ggml_new_tensor_2d(context_.get(), type, ne0, ne1);
    views_[tensor];
    return tensor;
}

void Graph::bind(ggml_tensor * slot, const ggml_tensor * tensor) {
    if (slot->data == tensor->data && slot->buffer == tensor->buffer) return;
    if (!views_found_) find_views();
    slot->data = tensor->data;
    slot->buffer = tensor->buffer;
    for (ggml_tensor * view : views_.at(slot)) {
        view->data = static_cast<char *>(slot->data) + view->view_offs;
        view->buffer = slot->buffer;
    }
}

void Graph::find_views() {
    for (ggml_tensor * tensor = ggml_get_first_tensor(context_.get()); tensor;
         tensor = ggml_get_next_tensor(context_.get(), tensor)) {
        const auto found = views_.find(tensor->view_src);
        if (found != views_.end()) found->second.push_back(tensor);
    }
    views_found_ = true;
}

ggml_tensor * Graph::output(ggml_tensor * tensor) {
    ggml_set_output(tensor);
    expand(tensor);
    return tensor;
}

void Graph::expand(ggml_tensor * tensor) { ggml_build_forward_expand(graph_, tensor); }

ggml_tensor * Graph::tap(const std::string & name, ggml_tensor * tensor) {
    if (taps_mode_ == Taps::on) {
        // a copy: the tensor may be a view or be overwritten in place
        ggml_tensor * copy = ggml_cont(context_.get(), tensor);
        output(copy);
        tapped_[name] = copy;
    }
    return tensor;
}

void Graph::allocate() {
    compute_.note_graph();
    executor_ = compute_.graph_executor(max_nodes_);
    if (!ggml_backend_sched_alloc_graph(executor_.scheduler.get(), graph_)) {
        fail(
            "OUT_OF_MEMORY", "not enough memory for a graph of ", ggml_graph_n_nodes(graph_),
            " nodes: ", take_ggml_log()
        );
    }
}

void Graph::run() {
    compute_.require_device();
    const std::unique_lock<std::mutex> cores = compute_.take_cores();
    ggml_status status = GGML_STATUS_FAILED;
    std::string problem;
    try {
        status = ggml_backend_sched_graph_compute(executor_.scheduler.get(), graph_);
    } catch (const std::exception & error) {
        // of a driver
        problem = error.what();
    }
    if (status == GGML_STATUS_SUCCESS) return;
    if (status == GGML_STATUS_ALLOC_FAILED) fail("OUT_OF_MEMORY", "not enough memory to compute the graph");
    if (problem.empty()) problem = take_ggml_log();
    if (!compute_.is_cpu()) compute_.lose_device(problem);
    fail("INTERNAL", "the computation failed with ggml status ", static_cast<int>(status), ": ", problem);
}

void Graph::set(ggml_tensor * tensor, const void * data, size_t bytes) {
    // an input that no node reads is not allocated
    if (!tensor->buffer) return;
    if (bytes != ggml_nbytes(tensor))
        fail("INTERNAL", "a graph input must have ", ggml_nbytes(tensor), " bytes, got ", bytes);
    ggml_backend_tensor_set(tensor, data, 0, bytes);
}

std::vector<float> Graph::get(const ggml_tensor * tensor) const {
    std::vector<float> values(ggml_nelements(tensor));
    ggml_backend_tensor_get(tensor, values.data(), 0, values.size() * sizeof(float));
    return values;
}

} // namespace svc
