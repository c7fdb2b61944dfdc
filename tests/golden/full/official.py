"""
Runs the official implementation on a checkpoint with random weights and records what svc must compute.

  official.py synthesize --source DIR --folder DIR --seed N
  official.py record     --source DIR --folder DIR --seed N --precision float32|float64

`synthesize` fills the official model classes with random weights and writes FOLDER/checkpoint. `record` runs two
utterances and each stage on fixed inputs. The float32 pass records the inputs; the float64 pass replays them, and
writes golden.safetensors and golden.json in the layout of tests/fixtures: values of float64, and for each the error of
the official float32 code, from which the tolerance follows.

Model code is unmodified but for these, none of which changes a float32 value:
- Matrices of the language models stay bfloat16 in the mapped file and are widened at each product, to save memory.
- The key/value cache is as long as these runs need.
- WAV files are read here, instead of by torchaudio and librosa; noise is recorded.
- In float64, norms and rotary positions are evaluated in double.
"""

import argparse
import importlib
import json
import math
import resource
import sys
import types
import wave
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import load_file, save_file
# Before torchaudio and librosa are replaced, whose presence transformers examines.
from transformers import LlamaTokenizerFast

# Tolerance of a tensor: this many times the official code's own largest float32 error. A few numbers, such as the logits
# of one utterance, are too few to tell the scale of an error: no less than 32 units in the last place of the largest.
TOLERANCE_FACTOR = 4
SMALLEST_RELATIVE_TOLERANCE = 2**-18
PATCHES = 3
TIMESTEPS = 10
LONG_PREFILL = 70
CACHE_LENGTH = 256
RUNS = {
    "zs": {"text": "The quick brown fox.", "prompt_text": None, "prompt_wav": None},
    "cont": {"text": "It is near the river.", "prompt_text": "The lazy dog jumped.", "prompt_wav": "prompt_a.wav"},
}


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("step", choices=["synthesize", "record"])
    parser.add_argument("--source", type=Path, required=True, help="folder that contains the package voxcpm")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--precision", choices=["float32", "float64"], default="float32")
    return parser.parse_args()


def read_wav(path):
    """Mono samples as float32, and the sample rate."""
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
        samples = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
        return samples.astype(np.float32) / 32768, file.getframerate()


def stub_audio_libraries():
    """Replaces torchaudio and librosa, which the model code uses only to read a prompt."""

    def load_channels(path):
        samples, rate = read_wav(path)
        return torch.from_numpy(samples)[None], rate

    def load_resampled(path, sr, mono):
        samples, rate = read_wav(path)
        assert mono and rate == sr, "prompts have the model's own sample rate"
        return samples, rate

    for name, load in (("torchaudio", load_channels), ("librosa", load_resampled)):
        module = types.ModuleType(name)
        module.load = load
        sys.modules[name] = module


def official_modules(source, config):
    """The model's module and the classes of model and audio VAE, without running the package's own `__init__`."""
    package = types.ModuleType("voxcpm")
    package.__path__ = [str(source / "voxcpm")]
    sys.modules["voxcpm"] = package
    stub_audio_libraries()
    second = config["architecture"] == "voxcpm2"
    module = importlib.import_module("voxcpm.model.voxcpm2" if second else "voxcpm.model.voxcpm")
    return module, module.VoxCPM2Model if second else module.VoxCPMModel, module.AudioVAEV2 if second else module.AudioVAE


def keep_matrices_in_file():
    """Linear layers and token tables are created without memory, and widened to the input's precision at each use."""
    for layer in (torch.nn.Linear, torch.nn.Embedding):
        initialize = layer.__init__

        def without_memory(self, *positional, initialize=initialize, **named):
            initialize(self, *positional, **{**named, "device": "meta"})

        layer.__init__ = without_memory

    def linear(self, x):
        return F.linear(x, self.weight.to(x.dtype), self.bias)

    def embedding(self, ids):
        return F.embedding(ids, self.weight).to(torch.get_default_dtype())

    torch.nn.Linear.forward = linear
    torch.nn.Embedding.forward = embedding


def evaluate_in_double():
    """Norms, rotary tables and their application, which the official code evaluates in float32 at any precision."""
    module = importlib.import_module("voxcpm.modules.minicpm4.model")

    def rms_layernorm(hidden, weight, eps):
        return hidden * torch.rsqrt(hidden.pow(2).mean(dim=-1, keepdim=True) + eps) * weight

    def apply_rotary_pos_emb(q, k, cos, sin):
        return q * cos + module.rotate_half(q) * sin, k * cos + module.rotate_half(k) * sin

    def tables(self, seq_len, device, dtype):
        self.max_seq_len_cached = seq_len
        is_long = seq_len > self.original_max_position_embeddings
        factors = torch.tensor(self.long_factor if is_long else self.short_factor, dtype=torch.float64)
        exponents = torch.arange(0, self.dim, 2, dtype=torch.float64) / self.dim
        positions = torch.arange(CACHE_LENGTH, dtype=torch.float64)
        angles = torch.outer(positions, 1 / factors) / self.base**exponents
        angles = torch.cat((angles, angles), dim=-1)
        self.cos_cached = angles.cos() * self.scaling_factor
        self.sin_cached = angles.sin() * self.scaling_factor

    module.rms_layernorm = rms_layernorm
    module.apply_rotary_pos_emb = apply_rotary_pos_emb
    module.MiniCPMLongRoPE._set_cos_sin_cache = tables


def build_model(source, folder, precision):
    """The official model without weights, its architecture, and its tokenizer."""
    raw = json.loads((folder / "checkpoint" / "config.json").read_text())
    module, model_class, vae_class = official_modules(source, raw)
    module.get_dtype = lambda name: torch.get_default_dtype()
    if precision == "float64":
        evaluate_in_double()
    config = module.VoxCPMConfig.model_validate({**raw, "device": "cpu", "dtype": "float32", "max_length": CACHE_LENGTH})
    vae = vae_class(config=config.audio_vae_config)
    keep_matrices_in_file()
    torch.set_default_dtype(getattr(torch, precision))
    tokenizer = LlamaTokenizerFast.from_pretrained(folder / "checkpoint")
    return model_class(config, tokenizer, vae, device="cpu").eval(), raw["architecture"]


def set_parameter(model, name, value):
    path, _, leaf = name.rpartition(".")
    owner = model.get_submodule(path)
    assert owner._parameters[leaf].shape == value.shape, f"{name}: {tuple(value.shape)}"
    owner._parameters[leaf] = torch.nn.Parameter(value, requires_grad=False)


def load_weights(model, folder, dtype):
    names = {name for name, _ in model.named_parameters()}
    with safe_open(folder / "checkpoint" / "model.safetensors", "pt") as file:
        for name in file.keys():
            value = file.get_tensor(name)
            # The local transformers run at every step of flow matching: widened once.
            is_used_once = value.ndim == 2 and not name.startswith("feat_")
            set_parameter(model, name, value if is_used_once else value.to(dtype))
            names.discard(name)
    vae = load_file(folder / "checkpoint" / "audiovae.safetensors")
    for name, value in vae.items():
        if value.is_floating_point():
            set_parameter(model, f"audio_vae.{name}", value.to(dtype))
            names.discard(f"audio_vae.{name}")
    assert not names, f"without weights: {sorted(names)}"
    return model


# --- weights ---------------------------------------------------------------------------------------------------------


def deviation(name, shape):
    """
    Matrices keep the magnitude of normalized inputs. Queries and keys are larger, so that attention is neither uniform
    nor a single position; the stop head is small, as its two logits are compared with each other.
    """
    if len(shape) < 2:
        return 0.05
    if "embed_tokens" in name or "special_token" in name:
        return 1.0
    gain = 1.4 if ".q_proj." in name or ".k_proj." in name else 1.0
    return gain / math.sqrt(shape[-1])


def random_weights(model, seed):
    """bfloat16 weights of everything but the audio VAE; each depends on the seed and its place."""
    for index, (name, parameter) in enumerate(model.named_parameters()):
        if name.startswith("audio_vae."):
            continue
        generator = torch.Generator().manual_seed(seed * 100_003 + index)
        values = torch.randn(parameter.shape, generator=generator, dtype=torch.float32)
        values.mul_(deviation(name, parameter.shape))
        if "norm" in name:
            values.add_(1)
        yield name, values.to(torch.bfloat16)


def is_convolution(module):
    return hasattr(module, "weight_g")


def randomize_vae(vae, seed):
    """
    Random directions; gains are set layer by layer so that each convolution's output has unit deviation, and the
    waveform is far from clipping. Otherwise signals would vanish or explode in thirty random layers. Residual units of
    the decoder add little, as in trained ones: at equal weight, they would amplify each error of a latent several times.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in vae.named_parameters():
            drawn = torch.randn(parameter.shape, generator=generator, dtype=torch.float32)
            if name.endswith("weight_v"):
                parameter.data = drawn
            elif name.endswith("weight_g"):
                parameter.data = torch.ones_like(drawn)
            elif name.endswith("alpha") or "scale_embed" in name:
                parameter.data = torch.exp(0.3 * drawn)
            else:
                parameter.data = 0.05 * drawn

        last = [module for module in vae.decoder.modules() if is_convolution(module)][-1]

        units = [module for module in vae.decoder.modules() if type(module).__name__ == "CausalResidualUnit"]
        deviations = {last: 0.3, **{unit.block[-1]: 0.25 for unit in units}}

        def normalize(module, _, output):
            scale = deviations.get(module, 1.0) / output.std().clamp_min(1e-6)
            module.weight_g.data *= scale
            return output * scale

        handles = [module.register_forward_hook(normalize) for module in vae.modules() if is_convolution(module)]
        vae.encode(speech_like(vae.chunk_size * 16, vae.sample_rate)[None], vae.sample_rate)
        vae.decode(torch.randn(1, vae.latent_dim, 16, generator=generator, dtype=torch.float32))
        for handle in handles:
            handle.remove()


def speech_like(samples, rate):
    """A voice of 120 Hz with syllables and a little breath; the same on every machine to 16 bits."""
    time = np.arange(samples) / rate
    phase = 2 * np.pi * 120 * (time + 0.01 * np.sin(2 * np.pi * 2.5 * time))
    voice = sum(np.sin(harmonic * phase) / harmonic for harmonic in range(1, 24))
    breath = np.random.default_rng(1).standard_normal(samples)
    wave_form = (0.15 * voice + 0.02 * breath) * (0.6 + 0.4 * np.sin(2 * np.pi * 4 * time))
    return torch.from_numpy(wave_form.astype(np.float32))[None]


def synthesize(options):
    folder = options.folder / "checkpoint"
    model, _ = build_model(options.source, options.folder, "float32")
    with torch.inference_mode(False):
        randomize_vae(model.audio_vae, options.seed)
    vae = {name: value.detach().clone().contiguous() for name, value in model.audio_vae.state_dict().items()}
    save_file(vae, folder / "audiovae.safetensors", {"format": "pt"})
    save_file(dict(random_weights(model, options.seed)), folder / "model.part", {"format": "pt"})
    (folder / "model.part").rename(folder / "model.safetensors")

    rate = getattr(model, "_encode_sample_rate", model.sample_rate)
    samples = int(4.3 * model.patch_size * model.audio_vae.chunk_size)
    pcm = np.round(speech_like(samples, rate)[0].numpy().clip(-1, 1) * 32767).astype("<i2")
    with wave.open(str(options.folder / "prompt_a.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(pcm.tobytes())


# --- recording -------------------------------------------------------------------------------------------------------


class Recorder:
    """Inputs and results of modules while an utterance is generated."""

    def __init__(self, model):
        self.model = model
        self.log = {}
        self.handles = []

    def add(self, name, value):
        self.log.setdefault(name, []).append(value.detach().clone())

    def __enter__(self):
        model = self.model

        def before(module, action):
            self.handles.append(module.register_forward_pre_hook(action, with_kwargs=True))

        def after(module, action):
            self.handles.append(module.register_forward_hook(action, with_kwargs=True))

        after(model.base_lm, lambda _, __, named, out: self.prefilled("lm", named, out))
        after(model.residual_lm, lambda _, __, named, out: self.prefilled("rlm", named, out))
        before(model.lm_to_dit_proj, lambda _, given, __: self.add("lm_hidden", given[0]))
        before(model.res_to_dit_proj, lambda _, given, __: self.add("residual_hidden", given[0]))
        after(model.stop_head, lambda _, __, ___, out: self.add("stop_logits", out))
        before(model.feat_decoder, lambda _, __, named: self.flow(named))
        before(model.feat_decoder.estimator, lambda _, given, __: self.estimate(given))
        before(model.audio_vae.decoder, lambda _, given, __: self.add("latents", given[0]))
        for name, module in (("lm", model.base_lm), ("rlm", model.residual_lm)):
            self.record_steps(name, module)
        return self

    def __exit__(self, *_):
        for handle in self.handles:
            handle.remove()
        del self.model.base_lm.forward_step, self.model.residual_lm.forward_step

    def prefilled(self, name, named, out):
        self.add(f"{name}.prefill_in", named["inputs_embeds"])
        self.add(f"{name}.prefill_out", out[0])

    def record_steps(self, name, module):
        step = type(module).forward_step

        def forward_step(embeds, position):
            self.add(f"{name}.step_in", embeds)
            return step(module, embeds, position)

        module.forward_step = forward_step

    def flow(self, named):
        self.add("mu", named["mu"])
        self.add("cond", named["cond"])

    def estimate(self, given):
        for name, value in zip(("x", "dit_mu", "t", "dit_cond", "dt"), given):
            self.add(name, value)


class RecordedNoise:
    """Takes the place of torch.randn in flow matching: the same numbers at each precision."""

    def __init__(self, seed):
        self.generator = torch.Generator().manual_seed(seed)
        self.draws = []

    def __call__(self, shape, device=None, dtype=None):
        drawn = torch.randn_original(shape, generator=self.generator, dtype=torch.float32)
        self.draws.append(drawn[0])
        return drawn.to(dtype)


class ReplayedNoise:
    def __init__(self, noise):
        self.noise = noise

    def __call__(self, shape, device=None, dtype=None):
        return self.noise.to(dtype).reshape(shape)


def record_run(model, name, run, folder, seed):
    """The tensors of one utterance, and a description of it."""
    noise = RecordedNoise(seed)
    torch.randn = noise
    tensors = {}
    with Recorder(model) as recorder:
        cache = None
        if run["prompt_wav"]:
            cache = model.build_prompt_cache(prompt_text=run["prompt_text"], prompt_wav_path=str(folder / run["prompt_wav"]))
            tensors["prompt_a.feat"] = cache["audio_feat"]
        wav, _, feat = model.generate_with_prompt_cache(
            target_text=run["text"], prompt_cache=cache, min_len=PATCHES - 1, max_len=PATCHES,
            inference_timesteps=TIMESTEPS, cfg_value=2.0,
        )
    log = recorder.log
    prefix = f"e2e.{name}"
    tensors |= {
        f"{prefix}.noise": torch.stack(noise.draws),
        f"{prefix}.lm_hidden": torch.cat(log["lm_hidden"]),
        f"{prefix}.residual_hidden": torch.cat(log["residual_hidden"]),
        f"{prefix}.stop_logits": torch.cat(log["stop_logits"]),
        f"{prefix}.latents": log["latents"][0][0],
        f"{prefix}.feat": feat,
        f"{prefix}.wav": wav[0],
        f"{prefix}.prefill_in": log["lm.prefill_in"][0][0],
        f"{prefix}.prefill_out": log["lm.prefill_out"][0][0],
    }
    prompt = cache["audio_feat"].shape[0] if cache else 0
    ids = model.text_tokenizer((run["prompt_text"] or "") + run["text"]) + [101]
    generated = len(log["lm_hidden"])
    description = {
        **run, "reference_wav": None, "seed": seed, "min_len": PATCHES - 1, "max_len": PATCHES,
        "effective_max_len": PATCHES, "inference_timesteps": TIMESTEPS, "cfg_value": 2.0, "streaming": False,
        "retry_badcase": False, "text_token": ids + [0] * prompt, "text_mask": [1] * len(ids) + [0] * prompt,
        "audio_mask": [0] * len(ids) + [1] * prompt, "num_patches": generated, "stopped_early": False,
        "stop_flags": [int(logits.argmax()) for logits in tensors[f"{prefix}.stop_logits"]],
        "context_patches": log["latents"][0].shape[-1] // model.patch_size - generated,
        "wav_len": wav.shape[-1], "chunk_lens": None,
    }
    return tensors, description, log


def stage_inputs(model, log, tensors, folder, seed):
    """Inputs of the stages, mostly those of the prompted utterance."""
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return torch.randn_original(shape, generator=generator, dtype=torch.float32)

    hidden = model.config.lm_config.hidden_size
    inputs = {}
    for name in ("lm", "rlm"):
        inputs[f"{name}.in_embeds"] = log[f"{name}.prefill_in"][0]
        inputs[f"{name}.step_in"] = torch.cat(log[f"{name}.step_in"])
        inputs[f"{name}.long_in"] = normal(1, LONG_PREFILL, hidden)
    inputs["embed.ids"] = torch.tensor(model.text_tokenizer(RUNS["zs"]["text"])[:8], dtype=torch.int32)
    inputs["enc.in"] = tensors["prompt_a.feat"][None]
    inputs["fsq.in"] = log["lm.prefill_out"][0][:, -16:]
    # One early, one late, and one without the condition.
    calls = (0, -1)
    for name, key in (("x", "x"), ("mu", "dit_mu"), ("t", "t"), ("cond", "dit_cond"), ("dt", "dt")):
        rows = [log[key][call][0] for call in calls] + [log[key][4][1]]
        inputs[f"dit.{name}"] = torch.stack(rows)
    inputs["cfm.z"] = tensors["e2e.cont.noise"][:1]
    inputs["cfm.mu"] = log["mu"][0]
    inputs["cfm.cond"] = log["cond"][0]
    samples, _ = read_wav(folder / "prompt_a.wav")
    length = model.patch_size * model.audio_vae.chunk_size
    padded = F.pad(torch.from_numpy(samples), (-len(samples) % length, 0))
    inputs["vae.enc.in_a"] = padded[None, None]
    inputs["vae.dec.z"] = log["latents"][0]
    return inputs


def language_model(model, name, inputs):
    module = model.base_lm if name == "lm" else model.residual_lm
    layers = {}
    handles = [
        layer.register_forward_hook(lambda _, __, out, index=index: layers.update({f"{name}.layer{index}.out": out[0]}))
        for index, layer in enumerate(module.layers)
    ]
    out, cache = module(inputs_embeds=inputs[f"{name}.in_embeds"], is_causal=True)
    for handle in handles:
        handle.remove()
    results = {**layers, f"{name}.out": out}
    for index in (0, len(cache) - 1):
        results[f"{name}.k{index}"], results[f"{name}.v{index}"] = cache[index]
    module.kv_cache.fill_caches(cache)
    steps = [
        module.forward_step(row[None], torch.tensor([module.kv_cache.step()])) for row in inputs[f"{name}.step_in"]
    ]
    results[f"{name}.step_out"] = torch.cat(steps)
    results[f"{name}.long_out_tail"] = module(inputs_embeds=inputs[f"{name}.long_in"], is_causal=True)[0][:, -2:]
    return results


def quantized(model, hidden):
    """Values of the quantizer before and after rounding."""
    layer = model.fsq_layer
    tanh = torch.tanh(layer.in_proj(hidden))
    return tanh, torch.round(tanh * layer.scale) / layer.scale


def flow(model, inputs, timesteps, cfg):
    torch.randn = ReplayedNoise(inputs["cfm.z"])
    return model.feat_decoder(
        mu=inputs["cfm.mu"], n_timesteps=timesteps, patch_size=model.patch_size, cond=inputs["cfm.cond"], cfg_value=cfg
    )


def stages(model, inputs):
    results = {**language_model(model, "lm", inputs), **language_model(model, "rlm", inputs)}
    scale = model.config.lm_config.scale_emb if model.config.lm_config.use_mup else 1.0
    results["embed.out"] = model.base_lm.embed_tokens(inputs["embed.ids"].long()) * scale
    patches = torch.cat([inputs["enc.in"], torch.zeros_like(inputs["enc.in"][:, :1])], dim=1)
    results["enc.out"] = model.feat_encoder(patches)
    results["enc.proj_out"] = model.enc_to_lm_proj(results["enc.out"])
    results["fsq.tanh"], results["fsq.q"] = quantized(model, inputs["fsq.in"])
    results["fsq.out"] = model.fsq_layer(inputs["fsq.in"])
    results["stop.logits"] = model.stop_head(model.stop_actn(model.stop_proj(inputs["fsq.in"])))
    if hasattr(model, "fusion_concat_proj"):
        first, second = inputs["fsq.in"].chunk(2, dim=1)
        results["fusion.out"] = model.fusion_concat_proj(torch.cat((first, second), dim=-1))

    estimator = model.feat_decoder.estimator
    dit = {name: inputs[f"dit.{name}"] for name in ("x", "mu", "t", "cond", "dt")}
    results["dit.t_emb"] = estimator.time_embeddings(dit["t"])
    results["dit.t_mlp"] = estimator.time_mlp(results["dit.t_emb"])
    results["dit.dt_mlp"] = estimator.delta_time_mlp(estimator.time_embeddings(dit["dt"]))
    results["dit.out"] = estimator(dit["x"], dit["mu"], dit["t"], dit["cond"], dit["dt"])
    calls = {}
    for timesteps, cfg in ((10, 2.0), (10, 1.0), (4, 2.0)):
        name = f"cfm.out.n{timesteps}_cfg{cfg:g}"
        counted = []
        handle = estimator.register_forward_hook(lambda *_: counted.append(1))
        results[name] = flow(model, inputs, timesteps, cfg)
        handle.remove()
        calls[name] = len(counted)

    vae = model.audio_vae
    rate = getattr(model, "_encode_sample_rate", model.sample_rate)
    results["vae.enc.mu_a"] = vae.encode(inputs["vae.enc.in_a"], rate)
    results["vae.dec.wav"] = vae.decode(inputs["vae.dec.z"])
    return results, calls


def measure(single, double):
    """Largest absolute error, and root mean square error relative to the values."""
    difference = single.double() - double.double()
    power = double.double().pow(2).sum().clamp_min(1e-300)
    return difference.abs().max().item(), (difference.pow(2).sum() / power).sqrt().item()


def describe(model, architecture, folder):
    vae = model.audio_vae
    encode_rate = getattr(model, "_encode_sample_rate", model.sample_rate)
    hop = vae.chunk_size
    decode_hop = getattr(model, "_decode_chunk_size", hop)
    samples, rate = read_wav(folder / "prompt_a.wav")
    texts = [run["text"] for run in RUNS.values()]
    wrapped = model.text_tokenizer
    return {
        "architecture": architecture,
        "derived": {
            "patch_size": model.patch_size, "feat_dim": model.feat_dim, "encode_sample_rate": encode_rate,
            "output_sample_rate": model.sample_rate, "hop_encode": hop, "hop_decode": decode_hop,
            "samples_per_patch_in": hop * model.patch_size, "samples_per_patch_out": decode_hop * model.patch_size,
            "vocab_size": model.config.lm_config.vocab_size, "streaming_prefix_len": 4 if architecture == "voxcpm2" else 3,
            "mu_tokens": 2 if architecture == "voxcpm2" else 1,
        },
        "wavs": {"prompt_a.wav": {"sample_rate": rate, "frames": len(samples), "channels": 1}},
        "tokenizer": [
            {"text": text, "raw_tokens": wrapped.tokenizer.tokenize(text), "tokens": wrapped.tokenize(text),
             "ids": wrapped(text), "core_text": text, "core_ids": wrapped(text)}
            for text in texts
        ],
    }


def record(options):
    folder, seed = options.folder, options.seed
    dtype = getattr(torch, options.precision)
    torch.randn_original = torch.randn
    model, architecture = build_model(options.source, folder, options.precision)
    load_weights(model, folder, dtype)
    encode, decode = model.audio_vae.encode, model.audio_vae.decode
    model.audio_vae.encode = lambda audio, rate: encode(audio.to(dtype), rate)
    model.audio_vae.decode = lambda latents: decode(latents.to(dtype))

    tensors, runs, log = {}, {}, {}
    for index, (name, run) in enumerate(RUNS.items()):
        recorded, runs[name], log = record_run(model, name, run, folder, seed + index)
        tensors |= recorded
    inputs_path = folder / "inputs.safetensors"
    with torch.inference_mode():
        if options.precision == "float32":
            inputs = stage_inputs(model, log, tensors, folder, seed)
            save_file({name: value.contiguous().clone() for name, value in inputs.items()}, inputs_path)
        inputs = load_file(inputs_path)
        results, calls = stages(model, {n: v.to(dtype) if v.is_floating_point() else v for n, v in inputs.items()})
        # What the quantizer makes of the language model's hidden states.
        hidden = torch.cat([results["lm.out"][0], results["lm.step_out"]])
        quantizer_tanh, quantizer_codes = quantized(model, hidden)
    tensors |= results
    extra = {"lm.q": quantizer_codes}
    if options.precision == "float32":
        save_file({n: v.float().contiguous().clone() for n, v in (tensors | extra).items()}, folder / "float32.safetensors")
        return
    single = load_file(folder / "float32.safetensors")
    flips = int((single["lm.q"] - quantizer_codes.float()).abs().gt(0.01).sum())
    scaled = quantizer_tanh * model.fsq_layer.scale
    margin = float((scaled - torch.floor(scaled) - 0.5).abs().min() / model.fsq_layer.scale)
    errors = {name: measure(single[name], value) for name, value in tensors.items() if not name.endswith(".noise")}
    tolerances = {
        name: max(TOLERANCE_FACTOR * error, SMALLEST_RELATIVE_TOLERANCE * value.abs().max().item())
        for name, (error, _) in errors.items()
        for value in [tensors[name]]
    }
    spreads = {name: tensors[name].std().item() for name in errors}
    golden = {
        "name": folder.name, "torch": torch.__version__, "seed": seed,
        **describe(model, architecture, folder), "runs": runs, "cfm_estimator_calls": calls, "entries": {},
        "fsq_min_margin_before_rounding": margin, "fsq_flips_of_float32": flips,
        "f32_vs_f64": {name: error for name, (error, _) in errors.items()},
        "f32_relative": {name: error for name, (_, error) in errors.items()},
        "deviation": spreads, "tol": tolerances,
    }
    saved = {n: v.float().contiguous().clone() if v.is_floating_point() else v for n, v in (inputs | tensors | extra).items()}
    save_file(saved, folder / "golden.safetensors")
    (folder / "golden.json").write_text(json.dumps(golden, indent=1))


options = arguments()
torch.set_num_threads(2)
{"synthesize": synthesize, "record": record}[options.step](options)
print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.1f} GB")
