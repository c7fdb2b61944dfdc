"""Muon for the matrices (momentum made orthogonal by Newton-Schulz steps), AdamW for everything else."""
import torch

from training_state import HAS_BFLOAT16


def orthogonal(gradients):
    """[n, rows, columns] with all singular values near 1."""
    x = gradients.bfloat16() if HAS_BFLOAT16 else gradients
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.mT
    for _ in range(4):
        square = x @ x.mT
        x = 3.4445 * x + (-4.7750 * square + 2.0315 * (square @ square)) @ x
    return (x.mT if tall else x).float()


def is_matrix(name, parameter):
    return parameter.ndim == 2 and min(parameter.shape) >= 64 and not name.startswith(("base_lm.embed_tokens", "helper", "stop_head"))


class Optimizer:
    def __init__(self, model, matrix=is_matrix, momentum=.95, decay=.02):
        self.momentum, self.decay = momentum, decay
        self.matrices = {n: p for n, p in model.named_parameters() if matrix(n, p)}
        self.others = [p for n, p in model.named_parameters() if n not in self.matrices]
        self.moments = {n: torch.zeros_like(p) for n, p in self.matrices.items()}
        self.adam = torch.optim.AdamW(self.others, lr=1e-3, betas=(.9, .97), weight_decay=0, foreach=True)

    def step(self, matrix_rate, other_rate):
        """Applies and clears the gradients; false, and nothing is applied, where one is not finite."""
        norm = torch.nn.utils.clip_grad_norm_(self.others, 1.0)
        if finite := bool(torch.isfinite(norm)):
            by_shape = {}
            for name, p in self.matrices.items():
                if p.grad is not None:
                    by_shape.setdefault(p.shape, []).append(name)
            for shape, names in by_shape.items():
                for at in range(0, len(names), 8):
                    some = names[at:at + 8]
                    for n in some:
                        self.moments[n].lerp_(self.matrices[n].grad, 1 - self.momentum)
                    updates = orthogonal(torch.stack([self.matrices[n].grad.lerp(self.moments[n], self.momentum).flatten(1) for n in some]))
                    scale = max(1, shape[0] / shape[1:].numel()) ** .5
                    for n, update in zip(some, updates):
                        self.matrices[n].data.mul_(1 - matrix_rate * self.decay).add_(update.view(shape), alpha=-matrix_rate * scale)
            for group in self.adam.param_groups:
                group["lr"] = other_rate
            self.adam.step()
        for p in [*self.matrices.values(), *self.others]:
            p.grad = None
        return finite

    def state_dict(self):
        return dict(moments=self.moments, adam=self.adam.state_dict())

    def load_state_dict(self, state):
        for name, moment in self.moments.items():
            moment.copy_(state["moments"][name])
        self.adam.load_state_dict(state["adam"])
