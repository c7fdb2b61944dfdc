"""Sequences for the language model: texts and latents of a voice, with prompts in front."""
import dataclasses

import torch

import chunks
import projection
import speakers
import tokens
from network import LATENT, PATCH, PHONES_OF_PATCH

KNOWN_AFTER = 12  # patches of a prompt after which its voice is known: one second
SECONDS_OF_PATCH = .08
ROUND_LENGTH = 32  # each new shape of a batch costs a compilation of kernels
FIRST = speakers.CATALOGUE[0].name


@dataclasses.dataclass
class Utterance:
    ids: list
    patches: torch.Tensor  # [n, PATCH, LATENT]
    phones: torch.Tensor   # [n, PHONES_OF_PATCH]
    places: torch.Tensor   # [n] of the text, in characters


def prepare(said, project):
    n = len(said.features) // PATCH
    return Utterance(tokens.encode(said.text), project(said.features).view(n, PATCH, LATENT),
                     said.phones.view(n, PHONES_OF_PATCH), said.places.view(n, PHONES_OF_PATCH).mean(1))


@dataclasses.dataclass
class Sequence:
    ids: list
    utterances: list
    offsets: list  # of each utterance's text in ids
    judged_from: int

    @property
    def patches(self):
        return sum(len(u.patches) for u in self.utterances)

    def __len__(self):
        return len(self.ids) + 1 + self.patches


def padded(length):
    return -(-length // ROUND_LENGTH) * ROUND_LENGTH


def collate(sequences):
    """Tensors of a batch, padded at the end: tokens [B, T], and for each of the A patches of audio its latents
    [B, A, PATCH, LATENT], phones, place in the tokens, end of its utterance's text, and whether it is judged."""
    rows = len(sequences)
    audio_length = torch.tensor([s.patches for s in sequences])
    text_length = torch.tensor([len(s.ids) + 1 for s in sequences])
    most = padded(int(audio_length.max()))
    batch = dict(
        tokens=torch.zeros(rows, padded(int((text_length + audio_length).max())), dtype=torch.long),
        patches=torch.zeros(rows, most, PATCH, LATENT), phones=torch.zeros(rows, most, PHONES_OF_PATCH, dtype=torch.uint8),
        places=torch.zeros(rows, most), utterance_end=torch.zeros(rows, most, dtype=torch.long),
        judged=torch.zeros(rows, most, dtype=torch.bool), text_length=text_length, audio_length=audio_length)
    for row, s in enumerate(sequences):
        batch["tokens"][row, :len(s.ids) + 1] = torch.tensor([*s.ids, tokens.AUDIO_START])
        at = 0
        for utterance, offset in zip(s.utterances, s.offsets):
            part = slice(at, at + len(utterance.patches))
            batch["patches"][row, part] = utterance.patches
            batch["phones"][row, part] = utterance.phones
            batch["places"][row, part] = utterance.places + offset - .5
            batch["utterance_end"][row, part] = offset + len(utterance.ids)
            at = part.stop
        batch["judged"][row, s.judged_from:at] = True
    return batch


class Data:
    """The chunks of a folder; `refresh` takes up those that were written since."""

    def __init__(self, work):
        self.work, self.project = work, projection.load(work)
        self.seen, self.by_speaker, self.all = set(), {}, []
        self.queue = []

    def refresh(self):
        for path in sorted((self.work / "chunks").glob("[0-9][0-9][0-9][0-9].npz")):
            if path.name not in self.seen:
                self.seen.add(path.name)
                name, said = chunks.read(path)
                utterances = [prepare(u, self.project) for u in said]
                self.by_speaker.setdefault(name, []).extend(utterances)
                self.all += [(name, u) for u in utterances]

    def held_back(self):
        """A batch of sentences that no training hears: five of each voice, with a prompt but for the first voice."""
        sequences = []
        for speaker in speakers.CATALOGUE:
            said = [prepare(u, self.project) for u in chunks.held_back(self.work, speaker)]
            for i in range(5):
                chosen = [said[i]] if speaker.name == FIRST else [said[i + 5], said[i]]
                sequences.append(self.join(chosen, None, 0 if speaker.name == FIRST else len(said[i + 5].patches)))
        return collate(sequences)

    def join(self, utterances, rng, judged_from):
        plain = rng is None
        ids, offsets = ([tokens.ID[tokens.SPACE]] if plain or rng.random() < .95 else []), []
        for i, utterance in enumerate(utterances):
            if i and (plain or rng.random() < .7):
                ids.append(tokens.ID[tokens.SPACE])
            offsets.append(len(ids))
            ids += utterance.ids
        if not plain and rng.random() < .03:
            ids.append(tokens.ID[tokens.SPACE])
        return Sequence(ids, utterances, offsets, judged_from)

    def draw(self, rng, most_seconds):
        """A sequence of one voice: mostly a prompt of one to three utterances before the text to say."""
        name, target = self.all[rng.integers(len(self.all))]
        mates = self.by_speaker[name]
        room = most_seconds / SECONDS_OF_PATCH - len(target.patches)
        before = 0 if name == FIRST and rng.random() < .6 else rng.choice([1, 1, 2, 3])
        chosen = [target]
        for _ in range(before + (rng.random() < .15)):
            mate = mates[rng.integers(len(mates))]
            if len(mate.patches) <= room:
                chosen.insert(0, mate)
                room -= len(mate.patches)
        return self.join(chosen, rng, 0 if name == FIRST else KNOWN_AFTER)

    def batch(self, rng, budget, most_seconds):
        """About `budget` tokens of sequences of like length."""
        if not self.queue:
            drawn = [s for s in (self.draw(rng, most_seconds) for _ in range(600)) if s.patches <= most_seconds / SECONDS_OF_PATCH and s.patches > s.judged_from]
            drawn.sort(key=len)
            while drawn and len(drawn) >= (count := max(1, budget // padded(len(drawn[-1])))):
                self.queue.append(drawn[-count:])
                del drawn[-count:]
            rng.shuffle(self.queue)
        return collate(self.queue.pop())
