// Fibers of a block, and the order in which they run.
#include "cuda/simt/warpgroup.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <numeric>
#include <vector>

#include "simt/blocks.h"

// Saves the registers that a call preserves on the stack, stores its address in *from, and continues at `to`.
extern "C" void svc_switch_stack(void ** from, void * to);
#if defined(__x86_64__)
asm(R"(
.text
.globl svc_switch_stack
svc_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
)");
constexpr int return_word = 6, frame_words = 8;
#elif defined(__aarch64__)
asm(R"(
.text
.globl svc_switch_stack
svc_switch_stack:
    sub sp, sp, #160
    stp x19, x20, [sp]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x9, sp
    str x9, [x0]
    mov sp, x1
    ldp x19, x20, [sp]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #160
    ret
)");
constexpr int return_word = 11, frame_words = 20;
#endif

namespace svc::cuda::model {
namespace {

constexpr size_t stack_bytes = 64 * 1024, lane_bytes = 64;

struct Copy {
    void * to;
    const void * from;
    int bytes;
};

enum class State { ready, in_warp, in_block, done };

struct Thread {
    State state = State::ready;
    void * stack = nullptr;
    std::vector<std::vector<Copy>> groups; // committed, oldest first
    std::vector<Copy> open;
    bool fenced = true; // whether products may read what copies wrote
};

struct Warp {
    int arrived = 0;
    const char * what = nullptr;
    alignas(16) char inputs[32 * lane_bytes];
    alignas(16) char outputs[32 * lane_bytes];
};

// The block that runs: one at a time in the process, as thread-local variables would take a fifth of the time.
struct Block {
    int threads = 0, current = 0, arrived = 0, finished = 0;
    const Kernel * kernel = nullptr;
    const void * job = nullptr;
    void * scheduler = nullptr;
    std::vector<Thread> all;
    std::vector<int> ready; // a ring of threads
    size_t first_ready = 0, ready_count = 0;
    std::vector<Warp> warps;
    std::vector<char> shared;
    std::unique_ptr<char[]> stacks;
    size_t stack_count = 0;
    bool fenced = true; // whether that holds for all that was written before the last barrier

    void enter(int thread) { current = place.thread = thread; }
    void make_ready(int thread) {
        all[thread].state = State::ready;
        ready[(first_ready + ready_count++) % ready.size()] = thread;
    }
    int take_ready() {
        const int thread = ready[first_ready];
        first_ready = (first_ready + 1) % ready.size();
        ready_count--;
        return thread;
    }
};
Block block;
std::mutex one_launch;

std::vector<const Kernel *> & kernels() {
    static std::vector<const Kernel *> all;
    return all;
}

// Continues with the next thread that can run, or returns to the launch when all are done.
void yield() {
    Thread & from = block.all[block.current];
    if (block.ready_count > 0) {
        const int next = block.take_ready();
        block.enter(next);
        return svc_switch_stack(&from.stack, block.all[next].stack);
    }
    if (block.finished < block.threads) refuse("the threads wait for each other", block.kernel->name);
    svc_switch_stack(&from.stack, block.scheduler);
}

void run_thread() {
    block.kernel->run(block.job);
    Thread & thread = block.all[block.current];
    if (!thread.groups.empty() || !thread.open.empty()) refuse("a copy was never waited for", block.kernel->name);
    if (!products_are_awaited()) refuse("a product was never waited for", block.kernel->name);
    thread.state = State::done;
    block.finished++;
    yield();
}

void * fresh_stack(int thread) {
    char * top = block.stacks.get() + (thread + 1) * stack_bytes;
    auto * frame = reinterpret_cast<void **>(top) - frame_words;
    for (int i = 0; i < frame_words; i++) frame[i] = nullptr;
    frame[return_word] = reinterpret_cast<void *>(run_thread);
    return frame;
}

void run_block() {
    constexpr int poison = 0xff; // NaN as float, -1 as integer
    std::memset(block.shared.data(), poison, block.shared.size());
    for (int i = 0; i < block.threads; i++) {
        block.all[i].stack = fresh_stack(i);
        block.all[i].fenced = true;
        block.make_ready(i);
    }
    for (Warp & warp : block.warps) warp.arrived = 0;
    block.arrived = block.finished = 0;
    block.fenced = true;
    block.enter(block.take_ready());
    svc_switch_stack(&block.scheduler, block.all[block.current].stack);
}

// Of `count` threads from `first`, those in this state go on.
void release(int first, int count, State waiting) {
    for (int i = first; i < first + count; i++) {
        if (block.all[i].state == waiting) block.make_ready(i);
    }
}

} // namespace

void refuse(const char * what, const char * detail) {
    std::fprintf(stderr, "SIMT model: %s (%s)\n", what, detail);
    std::abort();
}

Kernel::Kernel(const char * name, int most, size_t bytes, void (*body)(const void *))
    : name(name), most_threads(most), job_bytes(bytes), run(body) {
    kernels().push_back(this);
}

const Kernel & find_kernel(const char * name) {
    for (const Kernel * kernel : kernels()) {
        if (std::strcmp(kernel->name, name) == 0) return *kernel;
    }
    refuse("no such kernel", name);
}

Place place;
char * shared_memory() { return block.shared.data(); }
size_t shared_bytes() { return block.shared.size(); }
bool copies_are_fenced() { return block.fenced; }
void fence_matrix() { block.all[block.current].fenced = true; }

void block_barrier() {
    block.fenced = block.fenced && block.all[block.current].fenced;
    if (++block.arrived == block.threads) {
        block.arrived = 0;
        return release(0, block.threads, State::in_block);
    }
    block.all[block.current].state = State::in_block;
    yield();
}

void together(
    const char * what, Compute compute, const void * input, size_t input_bytes, void * output, size_t output_bytes
) {
    const int lane = block.current % 32, first = block.current - lane;
    Warp & warp = block.warps[block.current / 32];
    if (warp.arrived > 0 && warp.what != what && std::strcmp(warp.what, what) != 0)
        refuse("lanes of a warp diverge", what);
    if (input_bytes > lane_bytes || output_bytes > lane_bytes) refuse("a fragment is too large", what);
    warp.what = what;
    if (input_bytes > 0) std::memcpy(warp.inputs + lane * input_bytes, input, input_bytes);
    if (++warp.arrived == 32) {
        warp.arrived = 0;
        compute(warp.inputs, warp.outputs);
        release(first, 32, State::in_warp);
    } else {
        block.all[block.current].state = State::in_warp;
        yield();
    }
    if (output_bytes > 0) std::memcpy(output, warp.outputs + lane * output_bytes, output_bytes);
}

void defer_copy(void * to, const void * from, int bytes) {
    const auto misaligned = [&](const void * address) { return reinterpret_cast<uintptr_t>(address) % bytes != 0; };
    if (misaligned(to) || misaligned(from)) refuse("a copy is not aligned", block.kernel->name);
    const std::vector<char> & shared = block.shared;
    if (static_cast<char *>(to) < shared.data() || static_cast<char *>(to) + bytes > shared.data() + shared.size())
        refuse("a copy leaves shared memory", block.kernel->name);
    block.all[block.current].open.push_back({to, from, bytes});
}
void commit_copies() {
    Thread & thread = block.all[block.current];
    thread.groups.push_back(std::move(thread.open));
    thread.open.clear();
}
void wait_copies(int pending) {
    Thread & thread = block.all[block.current];
    while (thread.groups.size() > static_cast<size_t>(pending)) {
        if (!thread.groups.front().empty()) thread.fenced = false;
        for (const Copy & copy : thread.groups.front()) std::memcpy(copy.to, copy.from, copy.bytes);
        thread.groups.erase(thread.groups.begin());
    }
}

void launch(
    const Kernel & kernel, const int grid[3], int threads, size_t shared_bytes, const void * job, unsigned order
) {
    const std::lock_guard lock(one_launch);
    if (threads % 32 != 0 || threads < 32 || threads > kernel.most_threads)
        refuse("bad number of threads", kernel.name);
    const size_t all = static_cast<size_t>(threads);
    if (block.stack_count < all) {
        block.stacks = std::make_unique_for_overwrite<char[]>(all * stack_bytes);
        block.stack_count = all;
    }
    block.threads = threads;
    block.all.resize(all);
    block.ready.resize(all);
    block.first_ready = 0;
    block.warps.resize(all / 32);
    block.shared.resize(shared_bytes);
    block.kernel = &kernel;
    block.job = job;
    const unsigned count = static_cast<unsigned>(grid[0] * grid[1] * grid[2]);
    // a step without a common divisor visits every block once
    unsigned step = order % count | 1u;
    while (std::gcd(step, count) != 1) step += 2;
    for (unsigned i = 0; i < count; i++) {
        const unsigned index = static_cast<unsigned>(static_cast<uint64_t>(i) * step % count);
        std::copy_n(grid, 3, place.grid);
        place.block[0] = static_cast<int>(index % grid[0]);
        place.block[1] = static_cast<int>(index / grid[0] % grid[1]);
        place.block[2] = static_cast<int>(index / grid[0] / grid[1]);
        run_block();
    }
}

} // namespace svc::cuda::model
