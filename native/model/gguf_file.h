// A GGUF file, mapped into memory and read with ggml's own reader.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/ggml.h"

namespace svc {

// A file mapped read-only.
class MappedFile {
public:
    explicit MappedFile(const std::string & path);
    ~MappedFile();
    MappedFile(const MappedFile &) = delete;
    MappedFile & operator=(const MappedFile &) = delete;
    const char * data() const { return data_; }
    size_t size() const { return size_; }
    // Tells the system that these bytes need not stay in memory; they are read again when touched.
    void release(const char * data, size_t bytes) const;
    // Whether someone has written into the file or cut it since it was mapped: what is read now may be something else, and
    // reading behind its end would end the process. A file that was replaced by another is as it was.
    bool changed() const;

private:
    const char * data_ = nullptr;
    size_t size_ = 0;
#ifdef _WIN32
    void * mapping_ = nullptr;
#else
    int descriptor_ = -1;
    int64_t modified_ = 0; // in nanoseconds
#endif
};

class GgufFile {
public:
    // Fails with MODEL_NOT_FOUND (no such file) or MODEL_INVALID (a directory, truncated, foreign).
    explicit GgufFile(const std::string & path);

    const std::string & path() const { return path_; }
    const gguf_context * metadata() const { return gguf_.get(); }
    ggml_context * tensors() const { return tensors_.get(); }

    bool has(const std::string & key) const { return gguf_find_key(gguf_.get(), key.c_str()) >= 0; }
    // Any numeric or boolean type is accepted; `expected` stands in the error. A missing key without fallback is MODEL_INVALID.
    double number(const std::string & key, std::optional<double> fallback = std::nullopt) const;
    int64_t integer(const std::string & key, std::optional<int64_t> fallback = std::nullopt) const;
    std::string text(const std::string & key, std::optional<std::string> fallback = std::nullopt) const;
    // Empty when the key is missing.
    std::vector<double> numbers(const std::string & key) const;

    // nullptr when the file has no such tensor.
    const ggml_tensor * find(const std::string & name) const {
        const auto found = places_.find(name);
        return found == places_.end() ? nullptr : found->second.tensor;
    }
    // Where the tensor's data lie in the mapped file.
    const char * data(const ggml_tensor * tensor) const;
    const char * data_begin() const { return file_.data() + gguf_get_data_offset(gguf_.get()); }
    // Fails with MODEL_INVALID when the file is no longer what was loaded; to be called before it is read later on.
    void require_unchanged() const;
    void release() const { file_.release(file_.data(), file_.size()); }
    void release(const ggml_tensor * tensor) const { file_.release(data(tensor), ggml_nbytes(tensor)); }
    size_t data_size() const { return file_.size() - gguf_get_data_offset(gguf_.get()); }

private:
    std::string path_;
    MappedFile file_;
    ggml_context_ptr tensors_;
    gguf_context_ptr gguf_;
    struct Place {
        const ggml_tensor * tensor;
        size_t offset; // from data_begin()
    };
    // by name: ggml compares with every one
    std::unordered_map<std::string, Place> places_;
};

} // namespace svc
