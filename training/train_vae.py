"""Trains the audio VAE's halves against the fixed latents: `train_vae.py decoder|encoder --work DIR --until STEPS`.

The decoder learns to turn latents into sound by spectra of several resolutions and, from --adversary on, also against
discriminators of spectrograms (as in UnivNet); the encoder learns the latents of a sound. DIR/decoder.pt or
DIR/encoder.pt is written every three minutes and at SIGTERM, and taken up again at the next start.
"""
import argparse
import functools
import pathlib
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import chunks
import features
import projection
import training_state
import vae
from optimizer import Optimizer

CLIPS, FRAMES, BEFORE = 24, 16, 3  # clips of a step, latents that are judged of each, and those that only lead in
RESOLUTIONS = [(128, 32, 20), (256, 64, 40), (512, 128, 60), (1024, 256, 80), (2048, 512, 80)]  # window, hop, bands
MATRIX_RATE, OTHER_RATE = .016, 2e-3
ADVERSARY_CLIPS, ADVERSARY_RATE = 10, 4e-4


class Data:
    """Random clips of the chunks: sound [B, 1, 640 FRAMES] and latents [B, 32, BEFORE + FRAMES]."""

    def __init__(self, work, most=320):
        project = projection.load(work)
        paths = sorted((work / "chunks").glob("[0-9]*.npz"))[:most]
        self.clips = [(said.sound, project(said.features).T) for path in paths for said in chunks.read(path)[1]]
        self.lengths = np.cumsum([z.shape[1] for _, z in self.clips], dtype=float)

    def batch(self, rng, count=CLIPS):
        sounds, latents = torch.zeros(count, 1, FRAMES * features.FRAME), torch.zeros(count, vae.CONFIG["latent_dim"], BEFORE + FRAMES)
        for i in range(count):
            sound, z = self.clips[int(np.searchsorted(self.lengths, rng.random() * self.lengths[-1]))]
            start = int(rng.integers(-BEFORE, max(1, z.shape[1] - FRAMES - BEFORE + 1)))
            part = z[:, max(0, start):start + BEFORE + FRAMES]
            latents[i, :, max(0, -start):max(0, -start) + part.shape[1]] = part
            heard = sound[(start + BEFORE) * features.FRAME:][:FRAMES * features.FRAME].float() / 32768
            sounds[i, 0, :len(heard)] = heard
        return sounds, latents


@functools.cache
def filters(window, bands):
    points = 700 * (10 ** (torch.linspace(0, 2595 * np.log10(1 + 8000 / 700), bands + 2) / 2595) - 1)
    bins = torch.linspace(0, 8000, window // 2 + 1)
    low, middle, high = points[:-2, None], points[1:-1, None], points[2:, None]
    made = torch.minimum((bins - low) / (middle - low), (high - bins) / (high - middle)).clamp(min=0)
    return made / made.sum(1, keepdim=True).clamp(min=1e-6)


def magnitude(x, window, hop):
    """[B, bins, frames] of x [B, samples]."""
    z = torch.stft(x, window, hop, window=torch.hann_window(window), pad_mode="constant", return_complex=True)
    return (z.real ** 2 + z.imag ** 2 + 1e-9).sqrt()


def spectral_loss(made, true):
    """Difference of log-mel spectra at all resolutions, and of plain spectra at the middle ones."""
    total = 0.0
    for window, hop, bands in RESOLUTIONS:
        ours, theirs = magnitude(made[:, 0], window, hop), magnitude(true[:, 0], window, hop)
        mel, floor = filters(window, bands), 4e-3 * (window / 1024) ** .5
        total = total + ((mel @ ours + floor).log() - (mel @ theirs + floor).log()).abs().mean()
        if window in (512, 1024):
            total = total + .3 * (ours - theirs).norm() / (theirs.norm() + 1e-3)
            total = total + .15 * ((ours + 1e-2).log() - (theirs + 1e-2).log()).abs().mean()
    return total / len(RESOLUTIONS)


class Discriminator(nn.Module):
    """Judges spectrograms of three resolutions; returns scores and all layers' features."""

    def __init__(self, size=16):
        super().__init__()
        def tower():
            layers = [nn.Conv2d(1, size, (3, 9), padding=(1, 4))]
            layers += [nn.Conv2d(size, size, (3, 9), stride=(1, 2), padding=(1, 4)) for _ in range(3)]
            return nn.ModuleList([*layers, nn.Conv2d(size, size, 3, padding=1), nn.Conv2d(size, 1, 3, padding=1)])
        self.towers = nn.ModuleList(tower() for _ in range(3))
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.utils.parametrizations.weight_norm(module)

    def forward(self, x):
        seen = []
        for (window, hop), tower in zip([(256, 64), (512, 128), (1024, 256)], self.towers):
            h = (magnitude(x[:, 0], window, hop) + 1e-4).log().transpose(1, 2)[:, None] / 3
            for i, layer in enumerate(tower):
                h = layer(h)
                if i < len(tower) - 1:
                    h = F.leaky_relu(h, .1)
                seen.append((i == len(tower) - 1, h))
        return [h for last, h in seen if last], [h for last, h in seen if not last]


def is_matrix(name, p):
    return p.ndim == 3 and min(p.shape[0], p[0].numel()) >= 16


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("half", choices=["decoder", "encoder"])
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--until", type=int, required=True)
    parser.add_argument("--adversary", type=int, default=10 ** 9, help="first step of the decoder with discriminators")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--start", type=pathlib.Path, help="checkpoint of export.py whose weights a new training starts from")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)

    torch.manual_seed(1)
    model = getattr(vae.AudioVAE(), options.half)
    if options.start:
        model.load_state_dict(vae.plain_state(torch.load(options.start / "audiovae.pth")["state_dict"], options.half))
    optimizer = Optimizer(model, is_matrix)
    judge = Discriminator()
    judging = torch.optim.AdamW(judge.parameters(), lr=ADVERSARY_RATE, betas=(.8, .99))
    step = 0
    keeper = training_state.Keeper(options.work / f"{options.half}.pt", lambda: dict(
        model=model.state_dict(), optimizer=optimizer.state_dict(), judge=judge.state_dict(), judging=judging.state_dict(), step=step))
    if saved := keeper.load():
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        judge.load_state_dict(saved["judge"])
        judging.load_state_dict(saved["judging"])
        step = saved["step"]
    rng = np.random.default_rng(step)
    torch.manual_seed(step)
    data = Data(options.work)

    def against(made, true):
        """The adversarial loss of the decoder; teaches the discriminators on the way."""
        some = torch.randperm(CLIPS)[:ADVERSARY_CLIPS]
        made, true = made[some], true[some]
        real, fake = judge(true)[0], judge(made.detach())[0]
        loss = sum(((1 - r) ** 2).mean() + (f ** 2).mean() for r, f in zip(real, fake))
        judging.zero_grad()
        loss.backward()
        judging.step()
        with torch.no_grad():
            _, wanted = judge(true)
        scores, given = judge(made)
        alike = sum((g - w).abs().mean() / (w.abs().mean() + .05) for g, w in zip(given, wanted)) / len(wanted)
        return .1 * sum(((1 - s) ** 2).mean() for s in scores) + .5 * alike, loss.item()

    figures, first = [], step
    while step < options.until and not keeper.stopped:
        sounds, latents = data.batch(rng)
        share = step / options.until
        rate = min(1, (step - first + 1) / 10) * (1 if share < .4 else max(.03, (1 - share) / .6))
        judged = 0.0
        if options.half == "decoder":
            noisy = latents + torch.randn_like(latents) * torch.rand(len(latents), 1, 1) * .3
            made = model(noisy)[:, :, BEFORE * features.FRAME:]
            loss = spectral_loss(made, sounds)
            shown = loss.item()
            if step >= options.adversary:
                extra, judged = against(made, sounds)
                loss = loss + extra
        else:
            # The first latents of a clip depend on sound before it.
            loss = (model(sounds)[:, :, 2:] - latents[:, :, BEFORE + 2:]).pow(2).mean()
            shown = loss.item()
        loss.backward()
        optimizer.step(MATRIX_RATE * rate, OTHER_RATE * rate)
        step += 1
        figures.append((shown, judged))
        if step % 20 == 0 or step == options.until:
            print(f"{time.strftime('%T')} {options.half} {step} of {options.until} loss {np.mean(figures, 0)[0]:.4f} judge {np.mean(figures, 0)[1]:.3f} rate {rate:.2f}", flush=True)
            figures = []
        keeper.keep()
    keeper.finish()


if __name__ == "__main__":
    main()
