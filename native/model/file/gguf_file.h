// A GGUF file, mapped into memory.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/file/gguf_header.h"
#include "runtime/error.h"

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
    // Copies bytes without touching the mapping, which would crash the process where the file has been truncated. Whether
    // all of them are still there.
    bool read(const char * data, size_t bytes, void * to) const;
    // Lets the system drop these bytes from memory; they are read again on access.
    void release(const char * data, size_t bytes) const;
    // Whether the file was written to or truncated since it was mapped: its content may be wrong, and reading past its
    // end would crash the process. Replacing the file by another does not affect the mapping.
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
    // Fails with MODEL_NOT_FOUND (no such file) or MODEL_INVALID (a directory, truncated or not a model).
    explicit GgufFile(const std::string & path);

    const std::string & path() const { return path_; }
    // In file order.
    const std::vector<TensorInfo> & tensors() const { return header_.tensors; }
    // A metadata value; null when the file has none.
    const MetadataValue * value(const std::string & key) const;

    bool has(const std::string & key) const { return value(key) != nullptr; }
    // Accept any numeric or boolean type. A missing key without a fallback fails with MODEL_INVALID.
    double number(const std::string & key, std::optional<double> fallback = std::nullopt) const;
    int64_t integer(const std::string & key, std::optional<int64_t> fallback = std::nullopt) const;
    std::string text(const std::string & key, std::optional<std::string> fallback = std::nullopt) const;
    // Empty when the key is missing.
    std::vector<double> numbers(const std::string & key) const;

    // nullptr when the file has no such tensor.
    const TensorInfo * find(const std::string & name) const {
        const auto found = places_.find(name);
        return found == places_.end() ? nullptr : found->second;
    }
    // The place of the tensor's data in the mapped file. Only read() may look there: touching bytes of a file that has become
    // shorter ends the process.
    const char * data(const TensorInfo & tensor) const { return file_.data() + header_.data_offset + tensor.offset; }
    // Copies bytes of the tensor, as MappedFile::read().
    bool read(const TensorInfo & tensor, size_t offset, size_t bytes, void * to) const {
        return file_.read(data(tensor) + offset, bytes, to);
    }
    // A copy of bytes of the tensor. Fails with MODEL_INVALID if the file has become shorter.
    std::vector<char> copy(const TensorInfo & tensor, size_t offset, size_t bytes) const;
    std::vector<char> copy(const TensorInfo & tensor) const { return copy(tensor, 0, tensor.bytes()); }
    // ggml's name, in lower case, of the type that most values of matrices have, those of the audio VAE left out.
    std::string dominant_type() const;
    // Fails with MODEL_INVALID if the file changed since it was loaded; call before reading it again.
    void require_unchanged() const;
    [[noreturn]] void refuse_changed() const;
    // Fails with MODEL_INVALID: the path, then the problem.
    template <typename... Problem>
    [[noreturn]] void refuse(const Problem &... problem) const {
        fail("MODEL_INVALID", path_, ": ", problem...);
    }

private:
    std::string path_;
    MappedFile file_;
    std::string header_bytes_; // which the values point to
    GgufHeader header_;
    std::unordered_map<std::string, const TensorInfo *> places_;
    std::unordered_map<std::string, const MetadataValue *> values_;
};

} // namespace svc
