"""The demo checkpoint's model: VoxCPM 0.5B's architecture (OpenBMB/VoxCPM) in small, with the official tensor names.

The forward pass is written for training on whole utterances; the weights load unchanged in the official code.
"""
import math

import torch
import torch.nn.functional as F
from safetensors import safe_open
from torch import nn

from tokens import VOCABULARY

PATCH, LATENT = 2, 32
ROUND = 256
HIDDEN, PHONES, PHONES_OF_PATCH = 320, 41, 4

LM = dict(bos_token_id=1, eos_token_id=2, hidden_size=HIDDEN, intermediate_size=896, max_position_embeddings=2048,
          num_attention_heads=5, num_hidden_layers=6, num_key_value_heads=5, rms_norm_eps=1e-5,
          rope_scaling=dict(type="longrope", long_factor=[1.0] * 32, short_factor=[1.0] * 32, original_max_position_embeddings=2048),
          vocab_size=len(VOCABULARY), use_mup=False, scale_emb=12, dim_model_base=256, scale_depth=1.4, rope_theta=10000)
# In the official code, LocEnc and LocDiT have the number of key-value heads of the LM.
CONFIG = dict(
    architecture="voxcpm", lm_config=LM, patch_size=PATCH, feat_dim=LATENT, scalar_quantization_latent_dim=256,
    scalar_quantization_scale=9, residual_lm_num_layers=2,
    encoder_config=dict(hidden_dim=HIDDEN, ffn_dim=512, num_heads=5, num_layers=2),
    dit_config=dict(hidden_dim=HIDDEN, ffn_dim=768, num_heads=5, num_layers=4, cfm_config=dict(
        sigma_min=1e-6, solver="euler", t_scheduler="log-norm", training_cfg_rate=0.1, inference_cfg_rate=2.0, reg_loss_type="l1")),
    audio_vae_config=dict(encoder_dim=16, encoder_rates=[2, 5, 8, 8], latent_dim=LATENT, decoder_dim=256,
                          decoder_rates=[8, 8, 5, 2], depthwise=True, sample_rate=16000),
    max_length=1024, device="cpu", dtype="float32")


class Norm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, x):
        return F.rms_norm(x, x.shape[-1:], self.weight.to(x.dtype), 1e-5)


class Attention(nn.Module):
    def __init__(self, size, heads, groups):
        super().__init__()
        self.heads, self.groups, self.width = heads, groups, size // heads
        self.q_proj = nn.Linear(size, size, bias=False)
        self.k_proj = nn.Linear(size, groups * self.width, bias=False)
        self.v_proj = nn.Linear(size, groups * self.width, bias=False)
        self.o_proj = nn.Linear(size, size, bias=False)

    def forward(self, x, rotation, causal, shown=()):
        """([B, T, size], [log attention [B, T, T] of each head of `shown`])."""
        batch, length, _ = x.shape
        qkv = F.linear(x, torch.cat([self.q_proj.weight, self.k_proj.weight, self.v_proj.weight]))
        qkv = qkv.view(batch, length, -1, self.width).transpose(1, 2)
        qk, v = qkv[:, :self.heads + self.groups], qkv[:, self.heads + self.groups:]
        cos, sin = rotation
        half = self.width // 2
        first, second = qk[..., :half], qk[..., half:]
        qk = torch.cat([first * cos - second * sin, second * cos + first * sin], -1)
        q, k = qk[:, :self.heads], qk[:, self.heads:]
        k, v = (t.repeat_interleave(self.heads // self.groups, 1) for t in (k, v)) if self.groups < self.heads else (k, v)
        # Plain products: torch's fused attention is slower than these on processors, at such lengths.
        scores = (q @ k.transpose(-1, -2)) * (1 / math.sqrt(self.width))
        if causal:
            scores = scores + torch.full((length, length), -1e9, dtype=scores.dtype).triu(1)
        maps = [F.log_softmax(scores[:, head].float(), -1) for head in shown]
        y = scores.softmax(-1).to(v.dtype) @ v
        return self.o_proj(y.transpose(1, 2).reshape(batch, length, -1)), maps


class FeedForward(nn.Module):
    def __init__(self, size, inner):
        super().__init__()
        self.inner = inner
        self.gate_proj = nn.Linear(size, inner, bias=False)
        self.up_proj = nn.Linear(size, inner, bias=False)
        self.down_proj = nn.Linear(inner, size, bias=False)

    def forward(self, x):
        gate, up = F.linear(x, torch.cat([self.gate_proj.weight, self.up_proj.weight])).split(self.inner, -1)
        return self.down_proj(F.silu(gate) * up)


class Layer(nn.Module):
    def __init__(self, size, inner, heads, groups):
        super().__init__()
        self.self_attn = Attention(size, heads, groups)
        self.mlp = FeedForward(size, inner)
        self.input_layernorm = Norm(size)
        self.post_attention_layernorm = Norm(size)

    def forward(self, x, rotation, causal, shown=()):
        y, maps = self.self_attn(self.input_layernorm(x), rotation, causal, shown)
        x = x + y
        return x + self.mlp(self.post_attention_layernorm(x)), maps


class Transformer(nn.Module):
    """MiniCPM-4 without muP: [B, T, size] to the same."""

    def __init__(self, size, inner, heads, groups, layers, vocabulary=0):
        super().__init__()
        self.layers = nn.ModuleList(Layer(size, inner, heads, groups) for _ in range(layers))
        self.norm = Norm(size)
        if vocabulary:
            self.embed_tokens = nn.Embedding(vocabulary, size)
        angles = torch.outer(torch.arange(2048.0), 10000 ** -(torch.arange(0, size // heads, 2) / (size // heads)))
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)
        for layer in self.layers:
            layer.self_attn.o_proj.weight.data.mul_(.5)
            layer.mlp.down_proj.weight.data.mul_(.5)

    def forward(self, x, causal, shown=None):
        length, maps = x.shape[1], []
        kind = torch.bfloat16 if torch.is_autocast_enabled("cpu") else x.dtype
        rotation = self.cos[:length].to(kind), self.sin[:length].to(kind)
        for i, layer in enumerate(self.layers):
            x, own = layer(x, rotation, causal, (shown or {}).get(i, ()))
            maps += own
        x = self.norm(x)
        return (x, maps) if shown is not None else x


class LocalEncoder(nn.Module):
    def __init__(self, hidden_dim, ffn_dim, num_heads, num_layers):
        super().__init__()
        self.special_token = nn.Parameter(torch.randn(1, 1, 1, hidden_dim) * .5)
        self.in_proj = nn.Linear(LATENT, hidden_dim)
        self.encoder = Transformer(hidden_dim, ffn_dim, num_heads, num_heads, num_layers)

    def forward(self, patches):
        """[N, PATCH, LATENT] to [N, hidden_dim]."""
        x = self.in_proj(patches)
        return self.encoder(torch.cat([self.special_token[0].expand(len(x), 1, -1).to(x.dtype), x], 1), False)[:, 0]


class TimeEmbedding(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear_1, self.linear_2 = nn.Linear(size, size), nn.Linear(size, size)

    def forward(self, x):
        return self.linear_2(F.silu(self.linear_1(x)))


class LocalDiT(nn.Module):
    def __init__(self, size, inner, heads, layers):
        super().__init__()
        self.size = size
        self.in_proj, self.cond_proj = nn.Linear(LATENT, size), nn.Linear(LATENT, size)
        self.out_proj = nn.Linear(size, LATENT)
        self.time_mlp, self.delta_time_mlp = TimeEmbedding(size), TimeEmbedding(size)
        self.decoder = Transformer(size, inner, heads, heads, layers)

    def sinusoids(self, t):
        half = self.size // 2
        angles = 1000 * t[:, None] * torch.exp(torch.arange(half) * (-math.log(10000) / (half - 1)))
        return torch.cat([angles.sin(), angles.cos()], -1)

    def forward(self, x, mu, t, before):
        """Velocity [N, PATCH, LATENT] at the noisy x, given mu [N, size], t [N] and the patch before."""
        time = self.time_mlp(self.sinusoids(t)) + self.delta_time_mlp(self.sinusoids(torch.zeros_like(t)))
        x = self.in_proj(x)
        head = (mu + time)[:, None].to(x.dtype)
        return self.out_proj(self.decoder(torch.cat([head, self.cond_proj(before), x], 1), False)[:, 1 + PATCH:])


class Estimator(nn.Module):
    def __init__(self, *sizes):
        super().__init__()
        self.estimator = LocalDiT(*sizes)


class Quantizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.in_proj, self.out_proj = nn.Linear(HIDDEN, 256), nn.Linear(256, HIDDEN)

    def forward(self, x):
        x = self.in_proj(x).float().tanh()
        return self.out_proj(x + (torch.round(x * 9) / 9 - x).detach())


class Model(nn.Module):
    # Heads of the base LM that are taught to look at the text that is being said, or two characters ahead of it.
    POINTERS = {2: [0, 2], 3: [1]}
    AHEAD = [0, 2, 0]

    def __init__(self):
        super().__init__()
        dit, encoder = CONFIG["dit_config"], CONFIG["encoder_config"]
        sizes = LM["hidden_size"], LM["intermediate_size"], LM["num_attention_heads"], LM["num_key_value_heads"]
        self.base_lm = Transformer(*sizes, LM["num_hidden_layers"], LM["vocab_size"])
        self.residual_lm = Transformer(*sizes, CONFIG["residual_lm_num_layers"])
        self.feat_encoder = LocalEncoder(**encoder)
        self.feat_decoder = Estimator(dit["hidden_dim"], dit["ffn_dim"], dit["num_heads"], dit["num_layers"])
        self.fsq_layer = Quantizer()
        self.enc_to_lm_proj = nn.Linear(encoder["hidden_dim"], HIDDEN)
        self.lm_to_dit_proj = nn.Linear(HIDDEN, dit["hidden_dim"])
        self.res_to_dit_proj = nn.Linear(HIDDEN, dit["hidden_dim"])
        self.stop_proj = nn.Linear(HIDDEN, HIDDEN)
        self.stop_head = nn.Linear(HIDDEN, 2, bias=False)
        # Of the training alone: what is said now, and a first guess at the patch.
        self.helper_phones = nn.Linear(HIDDEN, PHONES_OF_PATCH * PHONES)
        self.helper_patch = nn.Linear(dit["hidden_dim"], PATCH * LATENT)
        nn.init.normal_(self.base_lm.embed_tokens.weight, std=.5)

    def losses(self, batch, rendered=1.0, noise=.3, guidance=0.0):
        """The losses of a batch (see `lm_data.collate`); `rendered` is the share of the patches that LocDiT renders.

        With `guidance`, LocDiT learns its own guided velocity (model guidance, Tang et al. 2025): at the usual
        classifier-free guidance w, the model then speaks as it would at w / (1 - guidance).
        """
        tokens, patches, text_length, audio_length = batch["tokens"], batch["patches"], batch["text_length"], batch["audio_length"]
        rows, length = tokens.shape
        position = torch.arange(length)
        is_audio = (position >= text_length[:, None]) & (position < (text_length + audio_length)[:, None])
        # The counts of rows are rounded, by repeating or leaving out some: each new shape costs a compilation of kernels.
        row, at = is_audio.nonzero(as_tuple=True)
        filled = torch.arange(-(-len(row) // ROUND) * ROUND).clamp(max=len(row) - 1)
        row, at = row[filled], at[filled]
        step = at - text_length[row]
        clean = patches[row, step]
        # The model hears its own errors when it speaks: some noise, some patches lost.
        strength = (torch.rand(rows) * noise * (torch.rand(rows) < .8))[row].view(-1, 1, 1)
        heard = clean + torch.randn_like(clean) * strength
        if noise:
            heard = torch.where((torch.rand(len(row)) < .04).view(-1, 1, 1), torch.randn_like(clean), heard)

        audio = torch.zeros(rows, length, HIDDEN)
        audio[row, at] = self.enc_to_lm_proj(self.feat_encoder(heard)).float()
        mask = is_audio[..., None].float()
        hidden, maps = self.base_lm(self.base_lm.embed_tokens(tokens) * (1 - mask) + audio, True, self.POINTERS)
        hidden = hidden.float()
        hidden = self.fsq_layer(hidden).float() * mask + hidden * (1 - mask)
        residual = self.residual_lm(hidden + audio, True).float()

        # Judged are the patches of a voice that is known: the first voice's, and those after a second of a prompt.
        every = torch.zeros(rows, patches.shape[1] + 1, PATCH, LATENT)
        every[row, step + 1] = heard
        judged = (batch["judged"][row, step] & (filled == torch.arange(len(row)))).nonzero()[:, 0]
        judged = judged[torch.randperm(len(judged))[:max(1, len(judged) // ROUND) * ROUND]]
        row, at, step, clean = row[judged], at[judged], step[judged], clean[judged]
        before_lm, before_residual = hidden[row, at - 1], residual[row, at - 1]
        mu = (self.lm_to_dit_proj(before_lm) + self.res_to_dit_proj(before_residual)).float()

        last = (step == (audio_length - 1)[row]).long()
        stop = F.cross_entropy(self.stop_head(F.silu(self.stop_proj(before_lm))).float(), last)
        phones = batch["phones"][row, step].long()
        guess = self.helper_phones(before_lm).float().view(-1, PHONES_OF_PATCH, PHONES)
        phone = F.cross_entropy(guess.flatten(0, 1), phones.flatten())
        regression = (self.helper_patch(mu).float().view(-1, PATCH, LATENT) - clean).pow(2).mean()

        place, pointer = batch["places"][row, step], 0.0
        for attention, ahead in zip(maps, self.AHEAD):
            centre = torch.minimum(place + ahead, (batch["utterance_end"][row, step] - 1).float())
            target = torch.exp(-.5 * ((position - centre[:, None]) / .9) ** 2) * (position < text_length[row][:, None])
            target = target / target.sum(1, keepdim=True)
            pointer = pointer + (target * ((target + 1e-9).log() - attention[row, at - 1])).sum(1).mean() / len(maps)

        if rendered < 1:
            chosen = slice(0, max(1, int(len(row) * rendered / ROUND)) * ROUND)
            row, step, clean, mu = row[chosen], step[chosen], clean[chosen], mu[chosen]
        conditioned = torch.rand(len(mu), 1) > CONFIG["dit_config"]["cfm_config"]["training_cfg_rate"]
        mu = mu * conditioned
        t = torch.sigmoid(torch.randn(len(mu)) - .4)
        z = torch.randn_like(clean)
        blend = t.view(-1, 1, 1)
        noisy, before, target = (1 - blend) * clean + blend * z, every[row, step], z - clean
        velocity = self.feat_decoder.estimator(noisy, mu, t, before).float()
        if guidance:
            with torch.no_grad():
                free = self.feat_decoder.estimator(noisy, torch.zeros_like(mu), t, before).float()
            target = target + guidance * (velocity.detach() - free) * conditioned[..., None]
        flow = (velocity - target).pow(2).mean()
        accuracy = (guess.argmax(-1) == phones).float().mean()
        return dict(flow=flow, stop=stop, phone=phone, regression=regression, pointer=pointer, accuracy=accuracy)


def read_weights(folder, model):
    """Loads the weights of an exported checkpoint, which has none of the helpers; returns the hours of speech heard."""
    with safe_open(folder / "model.safetensors", "pt") as file:
        model.load_state_dict({name: file.get_tensor(name).float() for name in file.keys()}, strict=False)
        return float(file.metadata()["heard"])
