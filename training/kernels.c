/* The audio VAE's activations for training on processors, over rows of [batch * channels][samples]:
 * Snake, x + sin(alpha x)^2 / alpha, alone and before a causal depthwise convolution of seven taps `dilation` apart.
 * Fused, they read and write each row once; torch's own operations do so a dozen times.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TAPS = 7 };

static float inverse(float alpha) { return 1.0f / (alpha + 1e-9f); }

static void snake_row(const float *restrict x, float *restrict y, float alpha, long length) {
  const float scale = inverse(alpha);
  for (long t = 0; t < length; t++) {
    const float s = sinf(alpha * x[t]);
    y[t] = x[t] + scale * s * s;
  }
}

/* Turns the gradient g of a row of Snake into that of x, in place; returns that of alpha. */
static float snake_row_back(const float *restrict x, float *restrict g, float alpha, long length) {
  const float scale = inverse(alpha);
  float sum = 0;
  for (long t = 0; t < length; t++) {
    const float s = sinf(alpha * x[t]), twice = 2 * s * sinf(alpha * x[t] + 1.57079633f);
    sum += g[t] * scale * (x[t] * twice - s * s * scale);
    g[t] *= 1 + twice;
  }
  return sum;
}

void snake(const float *x, const float *alpha, float *y, long rows, long channels, long length) {
#pragma omp parallel for schedule(dynamic, 4)
  for (long r = 0; r < rows; r++) snake_row(x + r * length, y + r * length, alpha[r % channels], length);
}

void snake_back(const float *x, const float *alpha, const float *gy, float *gx, float *galpha, long rows, long channels,
                long length) {
#pragma omp parallel for schedule(dynamic, 4)
  for (long r = 0; r < rows; r++) {
    memcpy(gx + r * length, gy + r * length, length * sizeof(float));
    galpha[r] = snake_row_back(x + r * length, gx + r * length, alpha[r % channels], length);
  }
}

void snake_depthwise(const float *x, const float *alpha, const float *weight, const float *bias, float *y, long rows,
                     long channels, long length, long dilation) {
#pragma omp parallel
  {
    float *before = calloc(length + (TAPS - 1) * dilation, sizeof(float));
    float *s = before + (TAPS - 1) * dilation;
#pragma omp for schedule(dynamic, 4)
    for (long r = 0; r < rows; r++) {
      const long c = r % channels, d = dilation;
      const float *w = weight + c * TAPS;
      float *out = y + r * length;
      snake_row(x + r * length, s, alpha[c], length);
      for (long t = 0; t < length; t++)
        out[t] = bias[c] + w[0] * s[t - 6 * d] + w[1] * s[t - 5 * d] + w[2] * s[t - 4 * d] + w[3] * s[t - 3 * d] +
                 w[4] * s[t - 2 * d] + w[5] * s[t - d] + w[6] * s[t];
    }
    free(before);
  }
}

void snake_depthwise_back(const float *x, const float *alpha, const float *weight, const float *gy, float *gx,
                          float *gweight, float *gbias, float *galpha, long rows, long channels, long length,
                          long dilation) {
#pragma omp parallel
  {
    const long d = dilation, edge = (TAPS - 1) * d;
    float *before = calloc(length + edge, sizeof(float)), *after = calloc(length + edge, sizeof(float));
    float *s = before + edge;
#pragma omp for schedule(dynamic, 4)
    for (long r = 0; r < rows; r++) {
      const float *w = weight + r % channels * TAPS;
      float *g = after, *out = gx + r * length;
      memcpy(g, gy + r * length, length * sizeof(float));
      snake_row(x + r * length, s, alpha[r % channels], length);
      float sum = 0, sums[TAPS] = {0};
      for (long t = 0; t < length; t++) {
        sum += g[t];
        sums[0] += g[t] * s[t - 6 * d];
        sums[1] += g[t] * s[t - 5 * d];
        sums[2] += g[t] * s[t - 4 * d];
        sums[3] += g[t] * s[t - 3 * d];
        sums[4] += g[t] * s[t - 2 * d];
        sums[5] += g[t] * s[t - d];
        sums[6] += g[t] * s[t];
      }
      gbias[r] = sum;
      memcpy(gweight + r * TAPS, sums, sizeof sums);
      for (long t = 0; t < length; t++)
        out[t] = w[0] * g[t + 6 * d] + w[1] * g[t + 5 * d] + w[2] * g[t + 4 * d] + w[3] * g[t + 3 * d] +
                 w[4] * g[t + 2 * d] + w[5] * g[t + d] + w[6] * g[t];
      galpha[r] = snake_row_back(x + r * length, out, alpha[r % channels], length);
    }
    free(before);
    free(after);
  }
}
