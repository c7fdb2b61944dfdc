"""Measures a model file with svc itself: `evaluate.py words|numbers|stops|voices|sheet --work DIR --model FILE --svc "node bin/svc.js"`.

words    word errors on the 200 sentences held back, by Whisper, and the spectral distance to the teacher
numbers  word errors on sentences with digits, with --normalize
stops    500 sentences: whether each ends by itself, and its length beside the teacher's
voices   whether speech after a prompt is nearest to that voice (Resemblyzer), and its pitch (Praat)
teacher  word errors of the teachers themselves, and nothing of the model
sheet    a picture (--output) of spectrograms: the teacher, the model, and another model (--beside)

WHISPER_MODEL is the size of Whisper, which is downloaded on first use, or a folder; otherwise it is "base".
"""
import argparse
import functools
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import tempfile
import textwrap

import numpy as np
import scipy.io.wavfile
import torch

import chunks
import features
import speakers
import synthesize
import texts


def speak(options, lines, *more):
    """[(samples, entry of the manifest)] of requests for `svc batch`."""
    folder = pathlib.Path(tempfile.mkdtemp())
    requests = "".join(json.dumps({"id": str(i), "seed": 1 + i, **line}) + "\n" for i, line in enumerate(lines))
    (folder / "lines.jsonl").write_text(requests)
    subprocess.run([*shlex.split(options.svc), "batch", "--input", folder / "lines.jsonl", "--output-dir", folder / "out", "--quiet",
                    "--model-path", options.model, *more], check=True)
    entries = {entry["id"]: entry for entry in map(json.loads, (folder / "out" / "manifest.jsonl").read_text().splitlines())}
    return [(scipy.io.wavfile.read(folder / "out" / f"{i}.wav")[1] / 32768, entries[str(i)]) for i in range(len(lines))]


def teach(work, speaker, lines):
    """[samples] of the lines by a teacher."""
    with tempfile.TemporaryDirectory() as folder:
        spoken = synthesize.speak(speaker, lines, pathlib.Path(folder), work.resolve())
    return [synthesize.trim(synthesize.resample(s, rate, speaker.warp), [(p, end / speaker.warp, w) for p, end, w in marks])[0]
            for rate, s, marks in spoken]


def words_of(text):
    return re.sub(r"[^a-z' ]", "", text.lower().replace("-", " ")).split()


@functools.cache
def recognizer():
    """A function from samples to the words in them, numbers also in words."""
    from faster_whisper import WhisperModel
    model = WhisperModel(os.environ.get("WHISPER_MODEL", "base"), device="cpu", compute_type="int8")
    tokenizer = model.hf_tokenizer
    numerals = [token for token in range(tokenizer.get_vocab_size()) if set(tokenizer.decode([token])) & set("0123456789%$")]

    def recognize(samples):
        loud = samples / max(.05, np.abs(samples).max()) * .7
        segments, _ = model.transcribe(loud.astype(np.float32), language="en", suppress_tokens=[-1, *numerals])
        return words_of("".join(segment.text for segment in segments))
    return recognize


def edits(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


def word_errors(expected, spoken, show=False):
    recognize = recognizer()
    wrong = total = 0
    for text, samples in zip(expected, spoken):
        wanted, heard = words_of(text), recognize(samples)
        wrong, total = wrong + edits(wanted, heard), total + len(wanted)
        if show:
            print(f"{edits(wanted, heard)}/{len(wanted)} {text} -> {' '.join(heard)}")
    return f"{100 * wrong / total:.1f} % word errors ({wrong} of {total})"


def at_teachers_size(speaker, sounds):
    """[samples] without the speaker's warp: a recognizer knows grown-up speakers only."""
    return [synthesize.resample(s, features.SAMPLE_RATE, 1 / speaker.warp) for s in sounds]


def whole_frames(samples):
    return samples[:len(samples) // features.FRAME * features.FRAME]


def spectral_distance(a, b):
    """Mean distance (dB) of the log-mel spectra of two signals along their best alignment."""
    x, y = (features.log_mel(torch.from_numpy(whole_frames(s)).float()).numpy() * 8.686 for s in (a, b))
    distance = np.sqrt(((x[:, None] - y[None]) ** 2).mean(2))
    cost = np.full((len(x) + 1, len(y) + 1, 2), np.inf)
    cost[0, 0] = 0
    for i in range(1, len(x) + 1):
        for j in range(1, len(y) + 1):
            best = min(cost[i - 1, j - 1], cost[i - 1, j], cost[i, j - 1], key=lambda c: c[0])
            cost[i, j] = best[0] + distance[i - 1, j - 1], best[1] + 1
    return cost[-1, -1, 0] / cost[-1, -1, 1]


def words(options):
    held_back = texts.sentences()[1][:options.count or 200]
    spoken = [s for s, _ in speak(options, [{"text": t} for t in held_back])]
    print(word_errors(held_back, spoken, options.show))
    own = teach(options.work, speakers.CATALOGUE[0], held_back[:40])
    print(f"{np.mean([spectral_distance(a, b) for a, b in zip(spoken, own)]):.2f} dB from the teacher")


def numbers(options):
    rng = random.Random(5)
    pairs = []
    for _ in range(options.count or 100):
        n, small, hour, minute = rng.randint(21, 9999), rng.randint(2, 60), rng.randint(1, 12), rng.choice([15, 30, 45, 20])
        month, day = rng.choice(texts.MONTHS), rng.randint(1, 28)
        place, thing = rng.choice(texts.PLACES), rng.choice(texts.THINGS)
        pairs.append(rng.choice([
            (f"There are {n} {thing} in {place}.", f"There are {texts.number(n)} {thing} in {place}."),
            (f"The train leaves at {hour}:{minute}.", f"The train leaves at {texts.number(hour)} {texts.number(minute)}."),
            (f"It costs ${small}.", f"It costs {texts.number(small)} dollars."),
            (f"The meeting is on {month} {day}.", f"The meeting is on {month} {texts.ordinal(day)}."),
            (f"About {small}% of the {thing} are gone.", f"About {texts.number(small)} percent of the {thing} are gone."),
            (f"We waited {small} minutes for the second bus.", f"We waited {texts.number(small)} minutes for the second bus."),
        ]))
    spoken = [s for s, _ in speak(options, [{"text": written} for written, _ in pairs], "--normalize")]
    print(word_errors([said for _, said in pairs], spoken, options.show))


def stops(options):
    lines = texts.sentences()[0][-(options.count or 500):]
    spoken = speak(options, [{"text": t} for t in lines], "--no-retry-badcase")
    ended = np.mean([entry["end"] == "stop" for _, entry in spoken])
    ratios = np.array([len(a) / len(b) for (a, _), b in zip(spoken, teach(options.work, speakers.CATALOGUE[0], lines))])
    low, high = np.percentile(ratios, [1, 99])
    print(f"{100 * ended:.1f} % end by themselves; length beside the teacher's {np.median(ratios):.2f}, 1 % below {low:.2f}, 1 % above {high:.2f}, "
          f"{np.sum((ratios < .7) | (ratios > 1.5))} of {len(lines)} outside 0.7 to 1.5")
    for ratio, line in sorted(zip(ratios, lines))[:5] + sorted(zip(ratios, lines))[-5:]:
        print(f"{ratio:.2f} {line}")


def prompts_of_voices(options, every, folder):
    """Fields of a request with two sentences of each speaker as prompt, and all twenty sounds of each."""
    prompts, sounds = [], []
    for speaker in every:
        said = chunks.held_back(options.work, speaker)
        sounds.append([u.sound.numpy() / 32768 for u in said])
        path = folder / f"{speaker.name}.wav"
        scipy.io.wavfile.write(path, features.SAMPLE_RATE, (np.concatenate(sounds[-1][:2]) * 32767).astype(np.int16))
        prompts.append({"promptAudio": str(path), "promptText": " ".join(u.text for u in said[:2])})
    return prompts, sounds


def sheet(options):
    from matplotlib import pyplot
    every = [speakers.CATALOGUE[0], speakers.CATALOGUE[6], speakers.HELD_OUT]
    lines = texts.sentences()[1][:len(every)]
    prompts, _ = prompts_of_voices(options, every, pathlib.Path(tempfile.mkdtemp()))
    prompts[0] = {}
    rows = {"teacher": [teach(options.work, speaker, [line])[0] for speaker, line in zip(every, lines)]}
    for model in filter(None, [options.model, options.beside]):
        own = argparse.Namespace(**vars(options) | {"model": model})
        rows[pathlib.Path(model).stem] = [s for s, _ in speak(own, [{"text": t, **p} for t, p in zip(lines, prompts)])]
    figure, axes = pyplot.subplots(len(rows), len(every), figsize=(15, 2.3 * len(rows)), squeeze=False, layout="constrained")
    for (name, sounds), row in zip(rows.items(), axes):
        for samples, axis, speaker, line in zip(sounds, row, every, lines):
            axis.specgram(samples, NFFT=512, noverlap=384, Fs=features.SAMPLE_RATE / 1000, vmin=-120, vmax=-30, cmap="magma")
            axis.set_xlim(0, 1000 * max(len(s[every.index(speaker)]) for s in rows.values()) / features.SAMPLE_RATE)
            axis.set_title(f"{name}, {speaker.name}{'' if speaker is every[0] else ', prompted'}: {textwrap.shorten(line, 40)}", fontsize=8)
            axis.tick_params(labelsize=7)
    figure.supxlabel("ms", fontsize=8)
    figure.supylabel("kHz", fontsize=8)
    figure.savefig(options.output, dpi=80)


def median_pitch(signals):
    """Hz, of the voiced frames of signals at SAMPLE_RATE."""
    import parselmouth
    tracks = [parselmouth.Sound(s.astype(float), features.SAMPLE_RATE).to_pitch(pitch_floor=50, pitch_ceiling=400) for s in signals]
    heights = np.concatenate([track.selected_array["frequency"] for track in tracks])
    return np.median(heights[heights > 0])


def voices(options):
    from resemblyzer import VoiceEncoder, preprocess_wav
    encoder = VoiceEncoder("cpu", verbose=False)
    embed = lambda samples: encoder.embed_utterance(preprocess_wav(samples.astype(np.float32), features.SAMPLE_RATE))
    every = [*speakers.CATALOGUE, speakers.HELD_OUT]
    held_back = texts.sentences()[1][60:60 + (options.count or 10)]
    prompts, sounds = prompts_of_voices(options, every, pathlib.Path(tempfile.mkdtemp()))
    own = [np.mean([embed(s) for s in said], 0) for said in sounds]
    pitches = [median_pitch(said) for said in sounds]
    spoken = speak(options, [{"text": t, **prompt} for prompt in prompts for t in held_back])
    right, table = 0, []
    for i, speaker in enumerate(every):
        made = [s for s, _ in spoken[i * len(held_back):(i + 1) * len(held_back)]]
        likeness = np.array([[np.dot(embed(s), o) / np.linalg.norm(o) for o in own] for s in made])
        correct = int((likeness.argmax(1) == i).sum())
        right += correct
        height = median_pitch(made)
        others = np.delete(likeness, i, 1)
        table.append(f"{speaker.name:9} nearest {correct} of {len(made)}, likeness {likeness[:, i].mean():.3f} (others {others.mean():.3f}), "
                     f"pitch {height:.0f} Hz, prompt {pitches[i]:.0f} Hz ({100 * (height / pitches[i] - 1):+.0f} %), "
                     f"{word_errors(held_back, at_teachers_size(speaker, made))}")
    print("\n".join(table))
    print(f"{100 * right / len(spoken):.1f} % nearest to the right voice")


def teacher(options):
    held_back = texts.sentences()[1][:options.count or 200]
    for speaker in [*speakers.CATALOGUE, speakers.HELD_OUT]:
        own = at_teachers_size(speaker, teach(options.work, speaker, held_back))
        print(speaker.name, speaker.teacher, word_errors(held_back, own))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["words", "numbers", "stops", "voices", "teacher", "sheet"])
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--model", default="models/demo.gguf")
    parser.add_argument("--svc", default="svc")
    parser.add_argument("--count", type=int, help="sentences, instead of all")
    parser.add_argument("--beside", help="another model file on the sheet")
    parser.add_argument("--output", default="sheet.png")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    globals()[options.what](options)


if __name__ == "__main__":
    main()
