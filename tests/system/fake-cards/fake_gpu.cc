// A ggml GPU library that computes on the CPU and fails as the environment tells it to:
//
//   FAKE_GPU       good, or the fault: abort-loading, abort-product, hang, hang-loading, no-memory, lost, wrong
//   FAKE_GPU_WHEN  a file: the fault happens once it exists, and removes it; otherwise it happens always
//   FAKE_GPU_NODES faults of computing happen in graphs of at least so many nodes; those of models have hundreds
//   FAKE_GPU_CARDS number of devices (default 1); faults after loading are those of the first
//   FAKE_GPU_FREE  bytes that the device reports as free
//   FAKE_GPU_LOADS a file that gets a line each time the library is loaded
//
// The structures are the binary interface of ggml's backends, version 2, with the members that are not used as plain
// pointers.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "ggml-backend.h"
#include "ggml.h"

struct ggml_backend_buffer_type {
    const char * (*get_name)(ggml_backend_buffer_type_t);
    ggml_backend_buffer_t (*alloc_buffer)(ggml_backend_buffer_type_t, size_t);
    size_t (*get_alignment)(ggml_backend_buffer_type_t);
    size_t (*get_max_size)(ggml_backend_buffer_type_t);
    size_t (*get_alloc_size)(ggml_backend_buffer_type_t, const ggml_tensor *);
    bool (*is_host)(ggml_backend_buffer_type_t);
    ggml_backend_dev_t device;
    void * context;
};

struct ggml_backend {
    ggml_guid_t guid;
    const char * (*get_name)(ggml_backend_t);
    void (*free)(ggml_backend_t);
    void *set_tensor_async, *get_tensor_async, *set_tensor_2d_async, *get_tensor_2d_async, *cpy_tensor_async;
    void *synchronize, *graph_plan_create, *graph_plan_free, *graph_plan_update, *graph_plan_compute;
    ggml_status (*graph_compute)(ggml_backend_t, ggml_cgraph *);
    void *event_record, *event_wait, *graph_optimize;
    ggml_backend_dev_t device;
    void * context;
};

struct ggml_backend_device {
    const char * (*get_name)(ggml_backend_dev_t);
    const char * (*get_description)(ggml_backend_dev_t);
    void (*get_memory)(ggml_backend_dev_t, size_t *, size_t *);
    enum ggml_backend_dev_type (*get_type)(ggml_backend_dev_t);
    void (*get_props)(ggml_backend_dev_t, ggml_backend_dev_props *);
    ggml_backend_t (*init_backend)(ggml_backend_dev_t, const char *);
    ggml_backend_buffer_type_t (*get_buffer_type)(ggml_backend_dev_t);
    void *get_host_buffer_type, *buffer_from_host_ptr;
    bool (*supports_op)(ggml_backend_dev_t, const ggml_tensor *);
    bool (*supports_buft)(ggml_backend_dev_t, ggml_backend_buffer_type_t);
    void *offload_op, *event_new, *event_free, *event_synchronize;
    ggml_backend_reg_t reg;
    void * context;
};

struct ggml_backend_reg {
    int api_version;
    const char * (*get_name)(ggml_backend_reg_t);
    size_t (*get_device_count)(ggml_backend_reg_t);
    ggml_backend_dev_t (*get_device)(ggml_backend_reg_t, size_t);
    void * (*get_proc_address)(ggml_backend_reg_t, const char *);
    void * context;
};

namespace {

struct Card {
    std::string name, description, id;
    ggml_backend_device device;
    ggml_backend_buffer_type memory;
    bool faulty;
};

std::vector<Card> cards;
ggml_backend_reg registry;
int products = 0;

std::string variable(const char * name, const char * otherwise) {
    const char * value = std::getenv(name);
    return value ? value : otherwise;
}

// Whether a fault happens now.
bool happens(const char * fault) {
    if (variable("FAKE_GPU", "good") != fault) return false;
    const std::string when = variable("FAKE_GPU_WHEN", "");
    return when.empty() || unlink(when.c_str()) == 0;
}

[[noreturn]] void die(const char * message) {
    std::fprintf(stderr, "/build/ggml-fake.cu:104: %s\n", message);
    std::abort();
}

[[noreturn]] void hang() {
    for (;;) pause();
}

ggml_backend_dev_t cpu() { return ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_CPU); }
Card & card_of(ggml_backend_dev_t device) { return *static_cast<Card *>(device->context); }

ggml_status compute(ggml_backend_t backend, ggml_cgraph * graph) {
    const bool small = ggml_graph_n_nodes(graph) < std::atoi(variable("FAKE_GPU_NODES", "0").c_str());
    if (!card_of(backend->device).faulty || small)
        return ggml_backend_graph_compute(static_cast<ggml_backend_t>(backend->context), graph);
    for (int i = 0; i < ggml_graph_n_nodes(graph); i++) {
        if (ggml_graph_node(graph, i)->op == GGML_OP_MUL_MAT && ++products >= 3 && happens("abort-product"))
            die("fake error: the provided PTX was compiled with an unsupported toolchain.");
    }
    if (happens("hang")) hang();
    if (happens("lost")) return GGML_STATUS_FAILED;
    const ggml_status status = ggml_backend_graph_compute(static_cast<ggml_backend_t>(backend->context), graph);
    ggml_tensor * last = ggml_graph_node(graph, -1);
    if (happens("wrong") && last->type == GGML_TYPE_F32) static_cast<float *>(last->data)[0] += 100;
    return status;
}

ggml_backend_t open_card(ggml_backend_dev_t device, const char *) {
    static ggml_guid guid = {'f', 'a', 'k', 'e'};
    auto * backend = new ggml_backend();
    backend->guid = &guid;
    backend->get_name = [](ggml_backend_t self) { return card_of(self->device).name.c_str(); };
    backend->free = [](ggml_backend_t self) {
        ggml_backend_free(static_cast<ggml_backend_t>(self->context));
        delete self;
    };
    backend->graph_compute = compute;
    backend->device = device;
    const ggml_backend_t inner = ggml_backend_dev_init(cpu(), nullptr);
    const auto set_threads = reinterpret_cast<ggml_backend_set_n_threads_t>(
        ggml_backend_reg_get_proc_address(ggml_backend_dev_backend_reg(cpu()), "ggml_backend_set_n_threads")
    );
    set_threads(inner, 1);
    backend->context = inner;
    return backend;
}

ggml_backend_buffer_t allocate(ggml_backend_buffer_type_t type, size_t bytes) {
    if (card_of(type->device).faulty && happens("no-memory")) return nullptr;
    return ggml_backend_buft_alloc_buffer(ggml_backend_cpu_buffer_type(), bytes);
}

void describe(ggml_backend_dev_t device, ggml_backend_dev_props * properties) {
    const Card & card = card_of(device);
    *properties = {};
    properties->name = card.name.c_str();
    properties->description = card.description.c_str();
    properties->type = GGML_BACKEND_DEVICE_TYPE_GPU;
    properties->device_id = card.id.c_str();
    device->get_memory(device, &properties->memory_free, &properties->memory_total);
}

void make_card(Card & card, size_t index) {
    card.name = "CUDA" + std::to_string(index);
    card.description = "Fake GPU " + std::to_string(index);
    card.id = "0000:0" + std::to_string(index) + ":00.0";
    card.faulty = index == 0;
    card.memory = {};
    card.memory.get_name = [](ggml_backend_buffer_type_t type) { return card_of(type->device).name.c_str(); };
    card.memory.alloc_buffer = allocate;
    card.memory.get_alignment = [](ggml_backend_buffer_type_t) {
        return ggml_backend_buft_get_alignment(ggml_backend_cpu_buffer_type());
    };
    card.memory.is_host = [](ggml_backend_buffer_type_t) { return true; };
    card.memory.device = &card.device;
    card.device = {};
    card.device.get_name = [](ggml_backend_dev_t self) { return card_of(self).name.c_str(); };
    card.device.get_description = [](ggml_backend_dev_t self) { return card_of(self).description.c_str(); };
    card.device.get_memory = [](ggml_backend_dev_t, size_t * free, size_t * total) {
        *total = size_t{8} << 30;
        *free = std::strtoull(variable("FAKE_GPU_FREE", "8589934592").c_str(), nullptr, 10);
    };
    card.device.get_type = [](ggml_backend_dev_t) { return GGML_BACKEND_DEVICE_TYPE_GPU; };
    card.device.get_props = describe;
    card.device.init_backend = open_card;
    card.device.get_buffer_type = [](ggml_backend_dev_t self) { return &card_of(self).memory; };
    card.device.supports_op = [](ggml_backend_dev_t, const ggml_tensor * op) {
        return ggml_backend_dev_supports_op(cpu(), op);
    };
    card.device.supports_buft = [](ggml_backend_dev_t self, ggml_backend_buffer_type_t type) {
        return type == &card_of(self).memory || ggml_backend_buft_is_host(type);
    };
    card.device.reg = &registry;
    card.device.context = &card;
}

} // namespace

extern "C" ggml_backend_reg_t ggml_backend_init() {
    if (std::FILE * log = std::fopen(variable("FAKE_GPU_LOADS", "/dev/null").c_str(), "a")) {
        std::fputs("loaded\n", log);
        std::fclose(log);
    }
    if (happens("abort-loading")) die("fake error: the driver is broken");
    if (happens("hang-loading")) hang();
    cards.resize(std::strtoul(variable("FAKE_GPU_CARDS", "1").c_str(), nullptr, 10));
    for (size_t i = 0; i < cards.size(); i++) make_card(cards[i], i);
    registry.api_version = 2;
    registry.get_name = [](ggml_backend_reg_t) { return "CUDA"; };
    registry.get_device_count = [](ggml_backend_reg_t) { return cards.size(); };
    registry.get_device = [](ggml_backend_reg_t, size_t index) { return &cards[index].device; };
    registry.get_proc_address = [](ggml_backend_reg_t, const char *) -> void * { return nullptr; };
    return &registry;
}
