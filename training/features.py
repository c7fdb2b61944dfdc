"""What a latent describes: log-mel spectrum, pitch and voicing of 40 ms of sound, at 16 kHz.

The latents of the checkpoint are a linear projection of these features (`projection.py`), not of a learned code: the
language model and the audio VAE can then be trained apart, and the model's own latents can be judged without a VAE.
"""
import functools
import math

import numpy as np
import torch

SAMPLE_RATE = 16000
FRAME = 640      # samples of a latent
HALF = FRAME // 2  # samples of a feature frame: two to a latent
BANDS = 40
SIZE = 2 * (BANDS + 2)
SHORT, LONG = 512, 1024          # windows of the spectrum and of the pitch
LOWEST_LAG, HIGHEST_LAG = 36, 288  # 444 to 55 Hz
MIDDLE_PITCH = 160.0


@functools.cache
def mel_filters():
    """[bands, bins] triangles of one area each, 60 to 7,800 Hz."""
    mel = lambda hertz: 2595 * np.log10(1 + hertz / 700)
    hertz = lambda m: 700 * (10 ** (m / 2595) - 1)
    points = hertz(np.linspace(mel(60), mel(7800), BANDS + 2))
    bins = np.linspace(0, SAMPLE_RATE / 2, SHORT // 2 + 1)
    filters = np.zeros((BANDS, len(bins)), np.float32)
    for i in range(BANDS):
        low, centre, high = points[i:i + 3]
        filters[i] = np.maximum(0, np.minimum((bins - low) / (centre - low), (high - bins) / (high - centre)))
        if not filters[i].any():
            filters[i, np.argmin(np.abs(bins - centre))] = 1
        filters[i] /= filters[i].sum()
    return torch.from_numpy(filters)


def frames(x, size):
    """[n, size] windows centred on the feature frames of x [samples], whose length is a multiple of FRAME."""
    edge = (size - HALF) // 2
    return torch.nn.functional.pad(x, (edge, edge)).unfold(0, size, HALF)[:len(x) // HALF]


def log_mel(x):
    """[n, BANDS] of x [samples], one row for 20 ms."""
    return torch.log(torch.fft.rfft(frames(x, SHORT) * torch.hann_window(SHORT)).abs() @ mel_filters().T + 0.02)


def correlation(x):
    """(energy [n], normalised autocorrelation [n, lags]) of x [samples]."""
    window = torch.hann_window(LONG)
    own = torch.fft.irfft(torch.fft.rfft(window, 2 * LONG).abs() ** 2)
    power = torch.fft.rfft(frames(x, LONG) * window, 2 * LONG).abs() ** 2
    auto = torch.fft.irfft(power)
    lags = slice(LOWEST_LAG, HIGHEST_LAG)
    return auto[:, 0], auto[:, lags] / (auto[:, :1] + 1e-4) / (own / own[0])[lags]


def pitch(energy, ratio, middle=None):
    """(log2 of pitch over MIDDLE_PITCH [n], periodicity [n]); `middle` (Hz), the speaker's usual pitch, ends octave errors."""
    lags = torch.arange(LOWEST_LAG, HIGHEST_LAG)
    score = ratio - .05 * torch.log2(lags / LOWEST_LAG)
    if middle:
        score = score - ((torch.log2(SAMPLE_RATE / lags / middle).abs() > .85) * 9)
    best = score.argmax(1)
    return torch.log2(SAMPLE_RATE / lags[best] / MIDDLE_PITCH), ratio.gather(1, best[:, None])[:, 0] * (energy > 1e-2)


def usual_pitch(signals):
    """Median pitch (Hz) of the voiced frames of a speaker's signals."""
    voiced = []
    for x in signals:
        heights, periodicity = pitch(*correlation(x))
        voiced.append(heights[periodicity > .8])
    return MIDDLE_PITCH * 2 ** torch.cat(voiced).median().item()


def features(x, middle=None):
    """[len(x) / FRAME, SIZE] of x [samples]."""
    n = len(x) // HALF
    heights, periodicity = pitch(*correlation(x), middle)
    voicing = ((periodicity - .3) / .5).clamp(0, 1)
    # A pause keeps the last pitch, sinking to the middle.
    held, current = torch.zeros(n), 0.0
    for i, (height, voiced) in enumerate(zip(heights.tolist(), voicing.tolist())):
        current = height if voiced > .6 else current * .98
        held[i] = current
    return torch.cat([(log_mel(x) / 1.5).view(n // 2, -1), 6 * held.view(n // 2, 2), 1.5 * voicing.view(n // 2, 2)], 1)
