#include "model/file/tensor_type.h"

#include <cmath>
#include <cstring>
#include <iterator>

namespace svc {
namespace {

// By number; types that were removed from the format have no name.
constexpr TensorTypeTraits all[] = {
    {"f32", 1, 4, false, true},       {"f16", 1, 2, false, true},       {"q4_0", 32, 18, true, true},
    {"q4_1", 32, 20, true, true},     {nullptr, 0, 0, false, false},    {nullptr, 0, 0, false, false},
    {"q5_0", 32, 22, true, true},     {"q5_1", 32, 24, true, true},     {"q8_0", 32, 34, true, true},
    {"q8_1", 32, 36, true, false},    {"q2_K", 256, 84, true, true},    {"q3_K", 256, 110, true, true},
    {"q4_K", 256, 144, true, true},   {"q5_K", 256, 176, true, true},   {"q6_K", 256, 210, true, true},
    {"q8_K", 256, 292, true, false},  {"iq2_xxs", 256, 66, true, true}, {"iq2_xs", 256, 74, true, true},
    {"iq3_xxs", 256, 98, true, true}, {"iq1_s", 256, 50, true, true},   {"iq4_nl", 32, 18, true, true},
    {"iq3_s", 256, 110, true, true},  {"iq2_s", 256, 82, true, true},   {"iq4_xs", 256, 136, true, true},
    {"i8", 1, 1, false, false},       {"i16", 1, 2, false, false},      {"i32", 1, 4, false, false},
    {"i64", 1, 8, false, false},      {"f64", 1, 8, false, false},      {"iq1_m", 256, 56, true, true},
    {"bf16", 1, 2, false, true},      {nullptr, 0, 0, false, false},    {nullptr, 0, 0, false, false},
    {nullptr, 0, 0, false, false},    {"tq1_0", 256, 54, true, true},   {"tq2_0", 256, 66, true, true},
    {nullptr, 0, 0, false, false},    {nullptr, 0, 0, false, false},    {nullptr, 0, 0, false, false},
    {"mxfp4", 32, 17, true, true},
};

template <typename Value>
Value at(const char * data) {
    Value value;
    std::memcpy(&value, data, sizeof(value));
    return value;
}

float from_bits(uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
}

float from_half(uint16_t bits) {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const float magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
        : exponent == 0                    ? std::ldexp(static_cast<float>(fraction), -24)
                                           : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
    return bits >> 15 ? -magnitude : magnitude;
}

void widen_q4_0(const char * block, float * values) {
    const float scale = from_half(at<uint16_t>(block));
    for (int i = 0; i < 16; i++) {
        const int both = static_cast<uint8_t>(block[2 + i]);
        values[i] = scale * static_cast<float>((both & 15) - 8);
        values[i + 16] = scale * static_cast<float>((both >> 4) - 8);
    }
}

void widen_q8_0(const char * block, float * values) {
    const float scale = from_half(at<uint16_t>(block));
    for (int i = 0; i < 32; i++) values[i] = scale * static_cast<float>(static_cast<int8_t>(block[2 + i]));
}

void widen_q5_0(const char * block, float * values) {
    const float scale = from_half(at<uint16_t>(block));
    const auto fifth_bits = at<uint32_t>(block + 2);
    for (int i = 0; i < 16; i++) {
        const int both = static_cast<uint8_t>(block[6 + i]);
        const auto fifth = [&](int index) { return static_cast<int>(fifth_bits >> index & 1) << 4; };
        values[i] = scale * static_cast<float>(((both & 15) | fifth(i)) - 16);
        values[i + 16] = scale * static_cast<float>((both >> 4 | fifth(i + 16)) - 16);
    }
}

// Eight groups of 32 values, each with a scale and a minimum of 6 bits; the fifth bits of q5_k are before the nibbles.
template <bool Fifth>
void widen_k(const char * block, float * values) {
    const float scale = from_half(at<uint16_t>(block)), minimum = from_half(at<uint16_t>(block + 2));
    const auto * packed = reinterpret_cast<const uint8_t *>(block + 4);
    const auto * fifths = reinterpret_cast<const uint8_t *>(block + 16);
    const uint8_t * nibbles = fifths + (Fifth ? 32 : 0);
    for (int group = 0; group < 8; group++) {
        const int low = group & 3;
        const int factor = group < 4 ? packed[low] & 63 : (packed[low + 8] & 15) | (packed[low] >> 6) << 4;
        const int offset = group < 4 ? packed[low + 4] & 63 : packed[low + 8] >> 4 | (packed[low + 4] >> 6) << 4;
        for (int i = 0; i < 32; i++) {
            const int both = nibbles[group / 2 * 32 + i], fifth = Fifth ? fifths[i] >> group & 1 : 0;
            const int number = (group % 2 ? both >> 4 : both & 15) | fifth << 4;
            values[group * 32 + i] =
                scale * static_cast<float>(factor) * static_cast<float>(number) - minimum * static_cast<float>(offset);
        }
    }
}

// Sixteen groups of 16 values, each with a signed scale. A half has 64 bytes of lower nibbles and 32 of upper pairs of bits.
void widen_q6_k(const char * block, float * values) {
    const auto * nibbles = reinterpret_cast<const uint8_t *>(block);
    const auto * pairs = nibbles + 128;
    const auto * factors = reinterpret_cast<const int8_t *>(block + 192);
    const float scale = from_half(at<uint16_t>(block + 208));
    for (int i = 0; i < 256; i++) {
        const int half = i / 128, quarter = i / 32 % 4, place = i % 32;
        const int both = nibbles[half * 64 + quarter % 2 * 32 + place],
                  pair = pairs[half * 32 + place] >> 2 * quarter & 3;
        const int number = (quarter < 2 ? both & 15 : both >> 4) | pair << 4;
        values[i] = scale * static_cast<float>(factors[i / 16]) * static_cast<float>(number - 32);
    }
}

} // namespace

const TensorTypeTraits * traits_of(TensorType type) {
    const auto number = static_cast<uint32_t>(type);
    return number < std::size(all) && all[number].name ? &all[number] : nullptr;
}

bool widen(TensorType type, const char * data, int64_t count, float * values) {
    switch (type) {
    case TensorType::f32: std::memcpy(values, data, count * sizeof(float)); return true;
    case TensorType::f16:
        for (int64_t i = 0; i < count; i++) values[i] = from_half(at<uint16_t>(data + 2 * i));
        return true;
    case TensorType::bf16:
        for (int64_t i = 0; i < count; i++)
            values[i] = from_bits(static_cast<uint32_t>(at<uint16_t>(data + 2 * i)) << 16);
        return true;
    case TensorType::q4_0:
        for (int64_t i = 0; i < count; i += 32) widen_q4_0(data + i / 32 * 18, values + i);
        return true;
    case TensorType::q8_0:
        for (int64_t i = 0; i < count; i += 32) widen_q8_0(data + i / 32 * 34, values + i);
        return true;
    case TensorType::q4_k:
        for (int64_t i = 0; i < count; i += 256) widen_k<false>(data + i / 256 * 144, values + i);
        return true;
    case TensorType::q5_0:
        for (int64_t i = 0; i < count; i += 32) widen_q5_0(data + i / 32 * 22, values + i);
        return true;
    case TensorType::q5_k:
        for (int64_t i = 0; i < count; i += 256) widen_k<true>(data + i / 256 * 176, values + i);
        return true;
    case TensorType::q6_k:
        for (int64_t i = 0; i < count; i += 256) widen_q6_k(data + i / 256 * 210, values + i);
        return true;
    default: return false;
    }
}

} // namespace svc
