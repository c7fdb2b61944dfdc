"""The projection from features to latents: their 32 strongest principal components, half whitened.

`projection.py --work DIR` fits it once to the first chunks and writes DIR/projection.pt; language model and audio VAE
are both trained against it, so it must never change afterwards.
"""
import argparse
import pathlib

import torch

import chunks
import training_state
from network import LATENT

CHUNKS = 100


def fit(data):
    """{mean [84], forward [84, 32]} of features [n, 84]; the latents have unit variance together."""
    mean = data.mean(0)
    values, vectors = torch.linalg.eigh(torch.cov((data - mean).T))
    values, vectors = values.flip(0), vectors.flip(1)
    print(f"{LATENT} components explain {values[:LATENT].sum() / values.sum():.4f} of the variance")
    vectors, weight = vectors[:, :LATENT], values[:LATENT] ** -.25
    scale = ((data - mean) @ (vectors * weight)).std()
    return dict(mean=mean.float(), forward=(vectors * weight / scale).float())


def load(work):
    """A function from features [n, 84] to latents [n, 32]."""
    saved = torch.load(work / "projection.pt")
    return lambda seen: (seen - saved["mean"]) @ saved["forward"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    work = parser.parse_args().work
    if (work / "projection.pt").exists():
        raise SystemExit(f"{work / 'projection.pt'} is there already")
    paths = sorted((work / "chunks").glob("[0-9]*.npz"))[:CHUNKS]
    data = torch.cat([u.features for path in paths for u in chunks.read(path)[1]]).double()
    training_state.save(fit(data), work / "projection.pt")
