"""Writes the trained model as an official checkpoint: `export.py --work DIR --output FOLDER [--half]`, --half in float16.

A training can start from such a checkpoint (`--start`).
"""
import argparse
import json
import pathlib

import torch
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers

import tokens
import vae
from network import CONFIG

CARD = {"max_text_characters": 120, "languages": ["en"]}


def write_tokenizer(folder):
    tokenizer = Tokenizer(models.BPE(vocab=tokens.ID, merges=[], unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend(tokens.SPACE), normalizers.Replace(" ", tokens.SPACE)])
    tokenizer.decoder = decoders.Sequence([decoders.Replace(tokens.SPACE, " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    special = {name: dict(content=name, lstrip=False, normalized=False, rstrip=False, single_word=False, special=True) for name in tokens.SPECIAL}
    tokenizer.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in tokens.SPECIAL])
    tokenizer.save(str(folder / "tokenizer.json"))
    names = dict(bos_token="<s>", eos_token="</s>", unk_token="<unk>", additional_special_tokens=tokens.SPECIAL[3:])
    (folder / "special_tokens_map.json").write_text(json.dumps(names, indent=2))
    (folder / "tokenizer_config.json").write_text(json.dumps(dict(
        names, tokenizer_class="LlamaTokenizerFast", add_bos_token=False, add_eos_token=False, pad_token=None, legacy=True,
        clean_up_tokenization_spaces=False, sp_model_kwargs={}, model_max_length=CONFIG["max_length"],
        added_tokens_decoder={str(tokens.ID[name]): special[name] for name in tokens.SPECIAL}), indent=2))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--half", action="store_true")
    options = parser.parse_args()
    kind = torch.float16 if options.half else torch.float32
    folder = options.output
    folder.mkdir(parents=True, exist_ok=True)

    trained = torch.load(options.work / "lm.pt", weights_only=False)
    weights = {name: value.float().clone() for name, value in trained["average"].items() if not name.startswith("helper")}
    rows = weights["base_lm.embed_tokens.weight"]
    for row, source in tokens.shared_rows().items():
        rows[row] = rows[source]
    save_file({name: value.to(kind).contiguous() for name, value in weights.items()}, folder / "model.safetensors",
              metadata={"format": "pt", "heard": f"{trained['heard']:.2f}"})

    audio_vae = vae.AudioVAE()
    for half in ("encoder", "decoder"):
        if (path := options.work / f"{half}.pt").exists():
            getattr(audio_vae, half).load_state_dict(torch.load(path, weights_only=False)["model"])
    state = {name: value.to(kind) for name, value in vae.official_state(audio_vae).items()}
    torch.save({"state_dict": state}, folder / "audiovae.pth")

    (folder / "config.json").write_text(json.dumps(CONFIG | {"svc": CARD}, indent=2))
    write_tokenizer(folder)
    count = sum(value.numel() for value in weights.values()) / 1e6
    print(f"{count:.2f} M parameters, audio VAE {sum(p.numel() for p in audio_vae.parameters()) / 1e6:.2f} M, {trained['heard']:.1f} h heard")


if __name__ == "__main__":
    main()
