// Pointwise and depthwise operations of the audio VAE on a team of threads.
namespace svc {
namespace SVC_ISA {

// sin²(x); squaring makes the sign lost by reducing x modulo pi irrelevant
inline F32x16 f_sine_squared(F32x16 x) {
    const F32x16 n = f_round(f_mul(x, f_set(0.318309886f)));
    F32x16 r = f_fnma(n, f_set(3.140625f), x);
    r = f_fnma(n, f_set(9.67653589793e-4f), r);
    const F32x16 square = f_mul(r, r);
    F32x16 p = f_set(-2.50521084e-8f);
    p = f_fma(p, square, f_set(2.75573192e-6f));
    p = f_fma(p, square, f_set(-1.98412698e-4f));
    p = f_fma(p, square, f_set(8.33333333e-3f));
    p = f_fma(p, square, f_set(-1.66666667e-1f));
    p = f_fma(f_mul(p, square), r, r);
    return f_mul(p, p);
}

inline F32x16 f_snake(F32x16 x, F32x16 alpha, F32x16 reciprocal) {
    return f_fma(f_sine_squared(f_mul(x, alpha)), reciprocal, x);
}

inline void snake(const SnakeJob & job, Member & member) {
    share_range(member, job.frames, [&](int first, int last) {
        for (int c = 0; c < job.channels; c += 16) {
            const int count = job.channels - c;
            const F32x16 alpha = load_some(job.alpha + c, count), reciprocal = load_some(job.reciprocal + c, count);
            for (int t = first; t < last; t++) {
                const size_t at = static_cast<size_t>(t) * job.channels + c;
                store_some(job.out + at, f_snake(load_some(job.x + at, count), alpha, reciprocal), count);
            }
        }
    });
}

// Frames convolved at once; they and their context fit in the L1 cache.
constexpr int frame_chunk = 128;
constexpr int max_context = 54;

inline void snake_depthwise_channels(const SnakeDepthwiseJob & job, int c, float * extended) {
    const int channels = job.channels, count = channels - c, context = 6 * job.dilation;
    const F32x16 alpha = load_some(job.alpha + c, count), reciprocal = load_some(job.reciprocal + c, count);
    const F32x16 next_alpha = load_some(job.next_alpha + c, count),
                 next_reciprocal = load_some(job.next_reciprocal + c, count);
    const F32x16 bias = load_some(job.bias + c, count);
    F32x16 taps[7];
    for (int k = 0; k < 7; k++) taps[k] = load_some(job.taps[k] + c, count);
    for (int t = 0; t < context; t++)
        f_store(extended + t * 16, load_some(job.state + static_cast<size_t>(t) * channels + c, count));
    for (int first = 0; first < job.frames; first += frame_chunk) {
        const int frames = job.frames - first < frame_chunk ? job.frames - first : frame_chunk;
        const float * x = job.x + static_cast<size_t>(first) * channels + c;
        float * out = job.out + static_cast<size_t>(first) * channels + c;
        for (int t = 0; t < frames; t++)
            f_store(
                extended + (context + t) * 16,
                f_snake(load_some(x + static_cast<size_t>(t) * channels, count), alpha, reciprocal)
            );
        for (int t = 0; t < frames; t++) {
            F32x16 sum = bias;
            for (int k = 0; k < 7; k++) sum = f_fma(taps[k], f_load(extended + (t + k * job.dilation) * 16), sum);
            store_some(out + static_cast<size_t>(t) * channels, f_snake(sum, next_alpha, next_reciprocal), count);
        }
        // in ascending order, as source and target may overlap
        for (int t = 0; t < context; t++) f_store(extended + t * 16, f_load(extended + (frames + t) * 16));
    }
    for (int t = 0; t < context; t++)
        store_some(job.state + static_cast<size_t>(t) * channels + c, f_load(extended + t * 16), count);
}

// Jobs of several streams.
inline void snake_depthwise(const SnakeDepthwiseJob * jobs, int count, Member & member) {
    const int blocks = (jobs[0].channels + 15) / 16;
    share(member, blocks * count, [&](int unit) {
        float extended[(frame_chunk + max_context) * 16];
        snake_depthwise_channels(jobs[unit / blocks], unit % blocks * 16, extended);
    });
}

} // namespace SVC_ISA
} // namespace svc
