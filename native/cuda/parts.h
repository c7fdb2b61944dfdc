// Work on many rows, by several threads: loading packs billions of weights.
#pragma once
#include <algorithm>
#include <cstdint>
#include <system_error>
#include <thread>
#include <vector>

namespace svc::cuda {

// Calls work(first, last) for parts of `count` rows, at the same time. It writes to its rows only, and does not fail.
template <typename Work>
void in_parts(int count, const Work & work) {
    constexpr int most_threads = 16, fewest_rows = 64;
    const int threads = std::clamp(
        std::min(static_cast<int>(std::thread::hardware_concurrency()), count / fewest_rows), 1, most_threads
    );
    const auto first_of = [&](int part) { return static_cast<int>(static_cast<int64_t>(count) * part / threads); };
    std::vector<std::thread> others;
    for (int part = 1; part < threads; part++) {
        try {
            others.emplace_back([&work, first_of, part] { work(first_of(part), first_of(part + 1)); });
        } catch (const std::system_error &) {
            work(first_of(part), first_of(part + 1)); // the system refuses more threads
        }
    }
    work(0, first_of(1));
    for (std::thread & other : others) other.join();
}

} // namespace svc::cuda
