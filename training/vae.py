"""The audio VAE (causal, depthwise, Snake) with the official tensor names and plain weights, for training on processors.

`official_state` turns the weights into the official file's weight-normalised ones.
"""
import ctypes
import math
import pathlib
import subprocess
import tempfile

import torch
import torch.nn.functional as F
from torch import nn

from network import CONFIG

CONFIG = CONFIG["audio_vae_config"]
TAPS = 7


def compile_kernels():
    folder = tempfile.mkdtemp()
    source = pathlib.Path(__file__).parent / "kernels.c"
    subprocess.run(["gcc", "-O3", "-march=native", "-ffast-math", "-fopenmp", "-shared", "-fPIC", source, "-o", f"{folder}/kernels.so", "-lm"], check=True)
    return ctypes.CDLL(f"{folder}/kernels.so")


KERNELS = compile_kernels()


def call(name, *arguments):
    getattr(KERNELS, name)(*(ctypes.c_void_p(a.data_ptr()) if torch.is_tensor(a) else ctypes.c_long(a) for a in arguments))


class SnakeFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, alpha):
        x, alpha = x.contiguous(), alpha.detach().flatten()
        y = torch.empty_like(x)
        call("snake", x, alpha, y, x.shape[0] * x.shape[1], x.shape[1], x.shape[2])
        ctx.save_for_backward(x, alpha)
        return y

    @staticmethod
    def backward(ctx, gy):
        x, alpha = ctx.saved_tensors
        gx, galpha = torch.empty_like(x), torch.empty(x.shape[:2])
        call("snake_back", x, alpha, gy.contiguous(), gx, galpha, x.shape[0] * x.shape[1], x.shape[1], x.shape[2])
        return gx, galpha.sum(0).view(1, -1, 1)


class SnakeDepthwiseFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, alpha, weight, bias, dilation):
        x, alpha, weight = x.contiguous(), alpha.detach().flatten(), weight.detach().reshape(-1, TAPS).contiguous()
        y = torch.empty_like(x)
        call("snake_depthwise", x, alpha, weight, bias.detach(), y, x.shape[0] * x.shape[1], x.shape[1], x.shape[2], dilation)
        ctx.save_for_backward(x, alpha, weight)
        ctx.dilation = dilation
        return y

    @staticmethod
    def backward(ctx, gy):
        x, alpha, weight = ctx.saved_tensors
        gx, galpha, gbias = torch.empty_like(x), torch.empty(x.shape[:2]), torch.empty(x.shape[:2])
        gweight = torch.empty(*x.shape[:2], TAPS)
        call("snake_depthwise_back", x, alpha, weight, gy.contiguous(), gx, gweight, gbias, galpha,
             x.shape[0] * x.shape[1], x.shape[1], x.shape[2], ctx.dilation)
        return gx, galpha.sum(0).view(1, -1, 1), gweight.sum(0)[:, None], gbias.sum(0), None


class Weights(nn.Module):
    """Weight and bias of a convolution; how they are applied is the caller's."""

    def __init__(self, out, inner, taps, transposed=False):
        super().__init__()
        made = (nn.ConvTranspose1d if transposed else nn.Conv1d)(inner, out, taps)
        self.weight, self.bias = made.weight, made.bias


class Snake(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(1, channels, 1))

    def forward(self, x):
        return SnakeFunction.apply(x, self.alpha)


def mix(weight, x, bias):
    """weight [out, in] over the channels of x [B, in, T]."""
    return torch.baddbmm(bias[None, :, None], weight.expand(len(x), -1, -1), x)


def causal(x, w, groups=1):
    taps = w.weight.shape[-1]
    return F.conv1d(F.pad(x, (taps - 1, 0)), w.weight, w.bias, groups=groups)


class ResidualUnit(nn.Module):
    def __init__(self, channels, dilation):
        super().__init__()
        self.dilation = dilation
        self.block = nn.Sequential(Snake(channels), Weights(channels, 1, TAPS), Snake(channels), Weights(channels, channels, 1))

    def forward(self, x):
        first, depthwise, second, pointwise = self.block
        y = SnakeDepthwiseFunction.apply(x, first.alpha, depthwise.weight, depthwise.bias, self.dilation)
        return x + mix(pointwise.weight[:, :, 0], second(y), pointwise.bias)


class EncoderBlock(nn.Module):
    def __init__(self, out, stride):
        super().__init__()
        inner = out // 2
        self.stride = stride
        self.block = nn.Sequential(*(ResidualUnit(inner, d) for d in (1, 3, 9)), Snake(inner), Weights(out, inner, 2 * stride))

    def forward(self, x):
        x, s = self.block[:4](x), self.stride
        left = 2 * math.ceil(s / 2)
        x = F.pad(x, (left, 2 * s - left)).view(*x.shape[:2], -1, s)
        pairs = torch.cat([x[:, :, :-2], x[:, :, 1:-1]], 3).permute(0, 1, 3, 2).flatten(1, 2)
        return mix(self.block[4].weight.flatten(1), pairs, self.block[4].bias)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        size = CONFIG["encoder_dim"]
        blocks = [Weights(size, 1, TAPS)]
        for stride in CONFIG["encoder_rates"]:
            size *= 2
            blocks.append(EncoderBlock(size, stride))
        self.block = nn.Sequential(*blocks)
        self.fc_mu, self.fc_logvar = Weights(CONFIG["latent_dim"], size, 3), Weights(CONFIG["latent_dim"], size, 3)

    def forward(self, x):
        """Latents [B, latent, T] of sound [B, 1, 640 T]."""
        x = causal(x, self.block[0])
        for block in self.block[1:]:
            x = block(x)
        return causal(x, self.fc_mu)


class DecoderBlock(nn.Module):
    def __init__(self, inner, out, stride):
        super().__init__()
        self.stride = stride
        self.block = nn.Sequential(Snake(inner), Weights(out, inner, 2 * stride, transposed=True), *(ResidualUnit(out, d) for d in (1, 3, 9)))

    def forward(self, x):
        x, up, s = self.block[0](x), self.block[1], self.stride
        both = torch.cat([up.weight[:, :, :s], up.weight[:, :, s:]]).flatten(1).T
        y = mix(both, torch.cat([x, F.pad(x, (1, 0))[:, :, :-1]], 1), up.bias.repeat_interleave(s))
        y = y.view(len(x), -1, s, x.shape[2]).transpose(2, 3).flatten(2)
        return self.block[2:](y)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        size, latent = CONFIG["decoder_dim"], CONFIG["latent_dim"]
        layers = [Weights(latent, 1, TAPS), Weights(size, latent, 1)]
        for i, rate in enumerate(CONFIG["decoder_rates"]):
            layers.append(DecoderBlock(size >> i, size >> i + 1, rate))
        last = size >> len(CONFIG["decoder_rates"])
        self.model = nn.Sequential(*layers, Snake(last), Weights(1, last, TAPS), nn.Tanh())

    def forward(self, z):
        """Sound [B, 1, 640 T] of latents [B, latent, T]."""
        first, second, *blocks, snake, last, _ = self.model
        x = mix(second.weight[:, :, 0], causal(z, first, z.shape[1]), second.bias)
        for block in blocks:
            x = block(x)
        x = F.pad(snake(x), (TAPS - 1, 0))
        # Seven products over the channels: convolutions to one channel are slow in torch.
        taps = last.weight[0].T @ x
        length = x.shape[2] - TAPS + 1
        return torch.tanh(sum(taps[:, j:j + 1, j:j + length] for j in range(TAPS)) + last.bias[:, None])


class AudioVAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = Encoder(), Decoder()


def official_state(vae):
    """The official checkpoint's tensors: each weight as direction and magnitude over its first axis."""
    state = {}
    for name, value in vae.state_dict().items():
        if name.endswith(".weight"):
            state[name + "_g"] = value.flatten(1).norm(dim=1).view(-1, 1, 1)
            state[name + "_v"] = value.clone()
        else:
            state[name] = value
    return state


def plain_state(official, half):
    """The plain weights of a half of what `official_state` returned: the directions, whose magnitudes are their own."""
    names = [name for name in official if name.startswith(f"{half}.") and not name.endswith("_g")]
    return {name.removeprefix(f"{half}.").removesuffix("_v"): official[name].float() for name in names}
