#include "model/file/gguf_file.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "runtime/error.h"

namespace svc {

GgufFile::GgufFile(const std::string & path) : path_(path), file_(path) {
    // most headers are shorter: 5 MB of vocabulary
    size_t bytes = size_t{8} << 20;
    std::optional<GgufHeader> header;
    while (!header) {
        header_bytes_.resize(std::min(bytes, file_.size()));
        if (!file_.read(file_.data(), header_bytes_.size(), header_bytes_.data())) refuse_changed();
        header = read_gguf_header(header_bytes_, file_.size(), path);
        bytes *= 4;
    }
    header_ = std::move(*header);
    for (const auto & [key, value] : header_.values) values_.emplace(key, &value);
    for (const TensorInfo & tensor : header_.tensors) places_.emplace(tensor.name, &tensor);
    require_unchanged();
}

std::vector<char> GgufFile::copy(const TensorInfo & tensor, size_t offset, size_t bytes) const {
    std::vector<char> copied(bytes);
    if (!read(tensor, offset, bytes, copied.data())) refuse_changed();
    return copied;
}

const MetadataValue * GgufFile::value(const std::string & key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : found->second;
}

double GgufFile::number(const std::string & key, std::optional<double> fallback) const {
    const MetadataValue * found = value(key);
    if (!found) {
        if (fallback) return *fallback;
        refuse("metadata key ", key, " is missing");
    }
    const bool scalar = !found->is_array && found->type != ValueType::text;
    const double number = scalar ? found->number() : NAN;
    if (!std::isfinite(number)) refuse(key, " must be a number, got ", found->type_name());
    return number;
}

int64_t GgufFile::integer(const std::string & key, std::optional<int64_t> fallback) const {
    if (fallback && !has(key)) return *fallback;
    const double value = number(key);
    if (value < 0 || value > 1e9 || value != std::floor(value))
        refuse(key, " must be an integer from 0 to 1000000000, got ", value);
    return static_cast<int64_t>(value);
}

std::string GgufFile::text(const std::string & key, std::optional<std::string> fallback) const {
    const MetadataValue * found = value(key);
    if (!found && fallback) return *fallback;
    if (!found) refuse("metadata key ", key, " is missing");
    if (found->is_array || found->type != ValueType::text) refuse(key, " must be a string, got ", found->type_name());
    std::string text;
    found->each_text([&](std::string_view only) { text = only; });
    return text;
}

std::vector<double> GgufFile::numbers(const std::string & key) const {
    const MetadataValue * found = value(key);
    if (!found) return {};
    if (!found->is_array || found->type == ValueType::text || found->type == ValueType::boolean)
        refuse(key, " must be an array of numbers, got ", found->type_name());
    std::vector<double> numbers(found->count);
    for (uint64_t i = 0; i < found->count; i++) numbers[i] = found->number(i);
    return numbers;
}

std::string GgufFile::dominant_type() const {
    std::map<TensorType, int64_t> counts;
    for (const TensorInfo & tensor : tensors()) {
        if (tensor.dimensions > 1 && !tensor.name.starts_with("audio_vae.")) counts[tensor.type] += tensor.count();
    }
    const auto most = std::max_element(counts.begin(), counts.end(), [](const auto & a, const auto & b) {
        return a.second < b.second;
    });
    std::string name = traits_of(most == counts.end() ? TensorType::f32 : most->first)->name;
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) { return std::tolower(letter); });
    return name;
}

void GgufFile::require_unchanged() const {
    if (file_.changed()) refuse_changed();
}

void GgufFile::refuse_changed() const { refuse("the file changed while it was in use; load the model again"); }

} // namespace svc
