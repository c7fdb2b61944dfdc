"""Trains the language model: `train_lm.py --work DIR --until HOURS`, HOURS of speech heard in all.

DIR/lm.pt is written every three minutes and at SIGTERM, and taken up again at the next start. The learning rate falls
over the last 40 % of the hours; a run with a larger --until goes on from there. Where only an exported checkpoint is
left of a training, --start goes on from it.
"""
import argparse
import pathlib
import time

import numpy as np
import torch

import lm_data
import training_state
from network import Model, read_weights
from optimizer import Optimizer

WEIGHTS = dict(flow=1.0, stop=.3, phone=.5, regression=.3, pointer=.3)
# Longest sequence (seconds) and share of the patches that LocDiT renders, from so many hours on: short ones teach the alphabet.
LONGEST = [(0, 4.0), (1.5, 7.0), (5, 14.0)]
RENDERED = [(0, .25), (12, .5)]
# Share of the hours after which the rate falls. From then on, LocDiT learns to speak at the default guidance of 2 as it
# would at 4, which makes a sixth fewer word errors.
FULL_RATE, GUIDANCE = .6, .5
MATRIX_RATE, OTHER_RATE = .02, 1.5e-3
TOKENS = 4096


def current(plan, heard):
    return [value for start, value in plan if heard >= start][-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--until", type=float, required=True)
    parser.add_argument("--steps", type=int, default=10 ** 9, help="end after so many steps of this run")
    parser.add_argument("--start", type=pathlib.Path, help="checkpoint of export.py whose weights and hours a new training starts from")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)

    torch.manual_seed(1)
    model = Model()
    step, heard = 0, 0.0
    if options.start:
        heard = read_weights(options.start, model)
    optimizer = Optimizer(model)
    average = {n: p.detach().clone() for n, p in model.named_parameters()}
    keeper = training_state.Keeper(options.work / "lm.pt", lambda: dict(
        model=model.state_dict(), optimizer=optimizer.state_dict(), average=average, step=step, heard=heard))
    if saved := keeper.load():
        model.load_state_dict(saved["model"])
        optimizer.load_state_dict(saved["optimizer"])
        average, step, heard = saved["average"], saved["step"], saved["heard"]
    rng = np.random.default_rng(step)
    torch.manual_seed(step)
    data = lm_data.Data(options.work)
    held_back = data.held_back()

    def weigh(losses):
        return sum(weight * losses[name] for name, weight in WEIGHTS.items())

    figures, first, fresh = [], step, 0.0
    while heard < options.until and not keeper.stopped and step - first < options.steps:
        if time.time() - fresh > 300:
            data.refresh()
            fresh = time.time()
        batch = data.batch(rng, TOKENS, current(LONGEST, heard))
        share = heard / options.until
        rate = min(1, (step - first + 1) / 25) * min(1, max(.02, (1 - share) / (1 - FULL_RATE)))
        with torch.autocast("cpu", torch.bfloat16, enabled=training_state.HAS_BFLOAT16):
            losses = model.losses(batch, current(RENDERED, heard), guidance=GUIDANCE if share > FULL_RATE else 0)
        weigh(losses).backward()
        if optimizer.step(MATRIX_RATE * rate, OTHER_RATE * rate):
            kept = min(.998, (1 + step) / (10 + step))
            torch._foreach_lerp_(list(average.values()), [p.detach() for p in model.parameters()], 1 - kept)
        step += 1
        heard += int(batch["audio_length"].sum()) * lm_data.SECONDS_OF_PATCH / 3600
        figures.append({name: value.item() for name, value in losses.items()})
        if step % 20 == 0 or step - first == options.steps:
            means = " ".join(f"{name} {np.mean([f[name] for f in figures]):.3f}" for name in figures[0])
            print(f"{time.strftime('%T')} step {step} heard {heard:.2f} h rate {rate:.2f} {means}", flush=True)
            figures = []
        if step % 400 == 0:
            own = {n: p.detach().clone() for n, p in model.named_parameters()}
            model.load_state_dict(average, strict=False)
            with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=training_state.HAS_BFLOAT16):
                losses = model.losses(held_back, 1, 0)
            print("held back, averaged weights: " + " ".join(f"{name} {value.item():.3f}" for name, value in losses.items()), flush=True)
            model.load_state_dict(own, strict=False)
        keeper.keep()
    keeper.finish()


if __name__ == "__main__":
    main()
