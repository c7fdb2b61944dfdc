#include <cstring>
#include <filesystem>

#ifdef _WIN32
#include <windows.h>
#else
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "model/file/gguf_file.h"
#include "runtime/error.h"

namespace svc {

#ifndef _WIN32
namespace {

// In nanoseconds; -1 if unknown.
int64_t modification_time(int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return -1;
#ifdef __APPLE__
    const timespec & time = status.st_mtimespec;
#else
    const timespec & time = status.st_mtim;
#endif
    return static_cast<int64_t>(time.tv_sec) * 1000000000 + time.tv_nsec;
}

} // namespace
#endif

MappedFile::MappedFile(const std::string & path) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path file = fs::u8path(path);
    const fs::file_status status = fs::status(file, error);
    if (status.type() == fs::file_type::not_found) fail("MODEL_NOT_FOUND", path, ": no such file");
    if (fs::is_directory(status)) fail("MODEL_INVALID", path, " is a directory, not a .gguf file");
    if (!fs::is_regular_file(status)) fail("MODEL_INVALID", path, " is not a regular file");
    size_ = static_cast<size_t>(fs::file_size(file, error));
    if (error || size_ < 32) fail("MODEL_INVALID", path, ": not a GGUF file (", error ? 0 : size_, " bytes)");
#ifdef _WIN32
    HANDLE handle = CreateFileW(
        file.wstring().c_str(), GENERIC_READ, FILE_SHARE_READ, nullptr, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr
    );
    if (handle == INVALID_HANDLE_VALUE) fail("MODEL_INVALID", "cannot read ", path, ": Windows error ", GetLastError());
    mapping_ = CreateFileMappingW(handle, nullptr, PAGE_READONLY, 0, 0, nullptr);
    CloseHandle(handle);
    data_ = mapping_ ? static_cast<const char *>(MapViewOfFile(mapping_, FILE_MAP_READ, 0, 0, 0)) : nullptr;
    if (!data_) fail("MODEL_INVALID", "cannot map ", path, " into memory");
#else
    descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("MODEL_INVALID", "cannot read ", path, ": ", std::strerror(errno));
    modified_ = modification_time(descriptor_);
    void * address = mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor_, 0);
    if (address == MAP_FAILED) {
        const int reason = errno;
        close(descriptor_);
        if (reason == ENOMEM)
            fail("OUT_OF_MEMORY", "not enough memory or address space to map ", path, " (", size_, " bytes)");
        fail("MODEL_INVALID", "cannot map ", path, " into memory: ", std::strerror(reason));
    }
    madvise(address, size_, MADV_WILLNEED);
    data_ = static_cast<const char *>(address);
#endif
}

bool MappedFile::read(const char * data, size_t bytes, void * to) const {
#ifdef _WIN32
    std::memcpy(to, data, bytes); // Windows locks mapped files
    return true;
#else
    for (size_t done = 0; done < bytes;) {
        const ssize_t count =
            pread(descriptor_, static_cast<char *>(to) + done, bytes - done, static_cast<off_t>(data - data_ + done));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        done += static_cast<size_t>(count);
    }
    return true;
#endif
}

void MappedFile::release(const char * data, size_t bytes) const {
#ifndef _WIN32
    // only complete pages
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE)),
                 first = (static_cast<size_t>(data - data_) + page - 1) / page * page;
    const size_t last = static_cast<size_t>(data - data_) + bytes == size_
        ? size_
        : (static_cast<size_t>(data - data_) + bytes) / page * page;
    if (first < last) madvise(const_cast<char *>(data_) + first, last - first, MADV_DONTNEED);
#endif
}

bool MappedFile::changed() const {
#ifdef _WIN32
    return false; // Windows locks mapped files
#else
    // any change of its size or content sets the time
    return modification_time(descriptor_) != modified_;
#endif
}

MappedFile::~MappedFile() {
    if (!data_) return;
#ifdef _WIN32
    UnmapViewOfFile(data_);
    CloseHandle(mapping_);
#else
    munmap(const_cast<char *>(data_), size_);
    close(descriptor_);
#endif
}

} // namespace svc
