#include "ggml-executor/devices.h"

#include "ggml-executor/ggml.h"

namespace svc {
namespace {

Device::Type type_of(ggml_backend_dev_t device) {
    switch (ggml_backend_dev_type(device)) {
    case GGML_BACKEND_DEVICE_TYPE_CPU: return Device::Type::cpu;
    case GGML_BACKEND_DEVICE_TYPE_GPU: return Device::Type::gpu;
    case GGML_BACKEND_DEVICE_TYPE_IGPU: return Device::Type::igpu;
    default: return Device::Type::accelerator;
    }
}

std::vector<std::string> features_of(ggml_backend_dev_t device) {
    const ggml_backend_reg_t registry = ggml_backend_dev_backend_reg(device);
    const auto get = reinterpret_cast<ggml_backend_get_features_t>(
        ggml_backend_reg_get_proc_address(registry, "ggml_backend_get_features")
    );
    std::vector<std::string> features;
    if (!get) return features;
    for (const ggml_backend_feature * feature = get(registry); feature->name; feature++)
        features.emplace_back(feature->name);
    return features;
}

} // namespace

std::vector<Device> ggml_devices() {
    std::vector<Device> devices;
    for (size_t i = 0; i < ggml_backend_dev_count(); i++) {
        const ggml_backend_dev_t device = ggml_backend_dev_get(i);
        Device & listed = devices.emplace_back(
            Device{
                .engine = "ggml",
                .name = ggml_backend_dev_name(device),
                .description = ggml_backend_dev_description(device),
                .type = type_of(device),
                .features = features_of(device),
            }
        );
        ggml_backend_dev_memory(device, &listed.free_bytes, &listed.total_bytes);
    }
    return devices;
}

} // namespace svc
