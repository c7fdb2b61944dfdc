// A computation graph: built once, allocated once, computed any number of times.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ggml-executor/compute.h"

namespace svc {

class Graph {
public:
    // Whether tap() keeps intermediates.
    enum class Taps { off, on };

    Graph(const Compute & compute, size_t max_nodes, Taps taps = Taps::off);

    ggml_context * context() const { return context_.get(); }
    const Compute & compute() const { return compute_; }

    // A tensor that set() fills before each run.
    ggml_tensor * input(ggml_type type, int64_t ne0, int64_t ne1 = 1, int64_t ne2 = 1, int64_t ne3 = 1);
    // Stands for tensors of this type and shape outside the graph, to one of which it is bound when the graph is built,
    // before allocate(), and to the same or another one before each run. Only the first rows of a longer one are seen.
    ggml_tensor * slot(ggml_type type, int64_t ne0, int64_t ne1);
    void bind(ggml_tensor * slot, const ggml_tensor * tensor);
    // A tensor that get() reads after a run.
    ggml_tensor * output(ggml_tensor * tensor);
    // Computes `tensor` for its side effect at this point of the graph.
    void expand(ggml_tensor * tensor);
    // Keeps an intermediate under a name, for verification; returns it.
    ggml_tensor * tap(const std::string & name, ggml_tensor * tensor);
    const std::map<std::string, ggml_tensor *> & taps() const { return tapped_; }

    // Keeps an object alive that the graph's custom operations use.
    template <typename Object>
    Object * keep(std::unique_ptr<Object> object) {
        Object * raw = object.get();
        kept_.emplace_back(object.release(), [](void * kept) { delete static_cast<Object *>(kept); });
        return raw;
    }
    bool taps_on() const { return taps_mode_ == Taps::on; }

    // Finishes building: allocates every tensor.
    void allocate();
    void run();

    template <typename Value>
    void set(ggml_tensor * tensor, const std::vector<Value> & values) {
        set(tensor, values.data(), values.size() * sizeof(Value));
    }
    void set(ggml_tensor * tensor, const void * data, size_t bytes);
    std::vector<float> get(const ggml_tensor * tensor) const;

private:
    const Compute & compute_;
    size_t max_nodes_;
    Taps taps_mode_;
    ggml_context_ptr context_;
    ggml_cgraph * graph_;
    GraphExecutor executor_;
    std::map<std::string, ggml_tensor *> tapped_;
    std::vector<std::unique_ptr<void, void (*)(void *)>> kept_;
    void find_views();
    std::map<const ggml_tensor *, std::vector<ggml_tensor *>> views_; // of slots
    bool views_found_ = false;
};

} // namespace svc
