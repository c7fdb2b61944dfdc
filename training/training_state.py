"""What the trainings share: files that are whole or not there, and a state that is saved in time."""
import os
import signal
import time

import torch

SECONDS_BETWEEN = 180
# Products of bfloat16 take a hundred times as long as those of float32 on processors without instructions for them.
HAS_BFLOAT16 = torch.cpu.get_capabilities().get("avx512_bf16", False)


def save(state, path):
    torch.save(state, f"{path}.part")
    os.replace(f"{path}.part", path)


class Keeper:
    """Saves what `state()` returns every three minutes and at the end; `stopped` after SIGTERM."""

    def __init__(self, path, state):
        self.path, self.state, self.saved_at, self.stopped = path, state, time.time(), False
        signal.signal(signal.SIGTERM, self.stop)

    def stop(self, *_):
        self.stopped = True

    def load(self):
        """The saved state; none at the first start."""
        return torch.load(self.path, weights_only=False) if self.path.exists() else None

    def keep(self):
        if time.time() - self.saved_at > SECONDS_BETWEEN:
            self.finish()
            self.saved_at = time.time()

    def finish(self):
        save(self.state(), self.path)
