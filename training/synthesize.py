"""Lets the teachers speak: `synthesize.py --work DIR [--chunks N]` writes DIR/chunks/0000.npz and on, each of one speaker.

A chunk holds the sound (16 kHz), the features, and for each 20 ms the phone and the place in the text. Chunks that are
there are kept, so the program goes on where it was stopped.
"""
import argparse
import json
import multiprocessing
import os
import pathlib
import subprocess
import tempfile

import numpy as np
import scipy.io.wavfile
import scipy.signal
import torch

import features
import speakers
import texts

HERE = pathlib.Path(__file__).parent
LINES_OF_CHUNK = 40
PHONES = """pau aa ae ah ao aw ax ay b ch d dh eh er ey f g hh ih iy jh k l m n ng ow oy p r s sh t th uh uw v w y z
zh""".split()
OTHER_NAMES = {"axr": "er", "el": "l", "em": "m", "en": "n", "nx": "n", "dx": "d", "h#": "pau", "brth": "pau", "sil": "pau", "ssil": "pau"}
LEAD, TAIL = 0.06, 0.14  # seconds of silence kept around the speech
LEVEL = 0.08             # root mean square of speech


def speak(speaker, lines, folder, work):
    """[(samples, [(phone, end in seconds, word)])] of the lines, as the teacher says them."""
    if speaker.teacher in speakers.FLITE:
        rows = subprocess.run([work / "flite_speech", speaker.teacher, f"{speaker.stretch:.4f}"], cwd=folder, check=True,
                              input="\n".join(lines) + "\n", text=True, stdout=subprocess.PIPE).stdout
    else:
        quoted = [f"(speak {i} {json.dumps(line)})" for i, line in enumerate(lines)]
        (folder / "lines.scm").write_text("\n".join(quoted))
        start = f'(begin (set! teacher "{speakers.FESTIVAL[speaker.teacher]}") (set! stretch {speaker.stretch:.4f}))'
        rows = subprocess.run(["festival", "-b", start, HERE / "festival_speech.scm"], cwd=folder, check=True, text=True,
                              stdout=subprocess.PIPE).stdout
    spoken = []
    for i, row in enumerate(rows.strip("\n").split("\n")):
        rate, samples = scipy.io.wavfile.read(folder / f"{i}.wav")
        segments = [part.split(" ", 2) for part in row.strip().split("\t") if part]
        spoken.append((rate, samples.astype(np.float64) / 32768, [(p, float(end), word) for p, end, word in segments]))
    if len(spoken) != len(lines):
        raise RuntimeError(f"{speaker.teacher} spoke {len(spoken)} of {len(lines)} lines")
    return spoken


def resample(samples, rate, warp):
    """At 16 kHz, with pitch and formants `warp` times as high."""
    up, down = round(features.SAMPLE_RATE / warp / 20), round(rate / 20)
    return scipy.signal.resample_poly(samples, up, down)


def trim(samples, segments):
    """The speech with LEAD and TAIL of silence around it; the ends of the segments move along."""
    spoken = [i for i, s in enumerate(segments) if s[0] != "pau"]
    start = max(0, (segments[spoken[0] - 1][1] if spoken[0] else 0) - LEAD)
    end = min(segments[spoken[-1]][1] + TAIL, len(samples) / features.SAMPLE_RATE)
    cut = samples[int(start * features.SAMPLE_RATE):int(end * features.SAMPLE_RATE)]
    fade = min(320, len(cut))
    cut[-fade:] *= np.linspace(1, 0, fade)
    return cut, [(phone, at - start, word) for phone, at, word in segments]


def align(text, segments, count):
    """(phone [count], place in the text [count]) for each 20 ms."""
    words, at = [], 0
    for i, (phone, end, word) in enumerate(segments):
        if word == "-":
            words.append(None)
        elif i and segments[i - 1][2] == word and words[-1] and not (phone == segments[i - 1][0]):
            words.append(words[-1])
        else:
            found = text.lower().find(word.lower(), at)
            if found < 0:
                words.append(words[-1] if words and words[-1] else (at, at + 1))
                continue
            at = found + len(word)
            words.append((found, at))
    places = []
    for i, span in enumerate(words):
        if span is None:
            before = next((words[j][1] for j in range(i - 1, -1, -1) if words[j]), 0)
            places.append(float(before))
        else:
            same = [j for j in range(len(words)) if words[j] == span]
            places.append(span[0] + (same.index(i) + .5) / len(same) * (span[1] - span[0]))
    phones, place = np.zeros(count, np.uint8), np.zeros(count, np.float32)
    index = 0
    for k in range(count):
        while index < len(segments) - 1 and segments[index][1] <= (k + .5) * .02:
            index += 1
        name = segments[index][0]
        phones[k], place[k] = PHONES.index(OTHER_NAMES.get(name, name)), places[index]
    return phones, place


def make_chunk(job):
    number, lines, work, speaker, path = job
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        spoken = speak(speaker, lines, pathlib.Path(folder), work)
    sounds, marks = [], []
    for (rate, samples, segments), line in zip(spoken, lines):
        factor = 1 / speaker.warp
        samples, segments = trim(resample(samples, rate, speaker.warp), [(p, end * factor, w) for p, end, w in segments])
        length = -(-len(samples) // (2 * features.FRAME)) * 2 * features.FRAME
        sounds.append(np.pad(samples, (0, length - len(samples))))
        marks.append(align(line, segments, length // features.HALF))
    loud = np.concatenate(sounds)
    blocks = np.sqrt((loud.reshape(-1, features.HALF) ** 2).mean(1))
    gain = LEVEL / np.sqrt((blocks[blocks > .1 * blocks.max()] ** 2).mean())
    sounds = [torch.from_numpy(np.clip(s * gain, -.99, .99).astype(np.float32)) for s in sounds]
    middle = features.usual_pitch(sounds)
    seen = [features.features(s, middle) for s in sounds]
    partial = path.with_suffix(".part.npz")
    np.savez(partial, speaker=json.dumps([speaker.name, speaker.teacher, speaker.warp, speaker.stretch, middle]),
             texts=np.array(lines), lengths=np.array([len(s) for s in sounds]),
             sound=(torch.cat(sounds) * 32767).round().to(torch.int16).numpy(),
             features=torch.cat(seen).half().numpy(),
             phones=np.concatenate([p for p, _ in marks]), places=np.concatenate([c for _, c in marks]))
    os.replace(partial, path)
    return sum(len(s) for s in sounds) / features.SAMPLE_RATE


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--chunks", type=int, default=700)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    folder = options.work / "chunks"
    folder.mkdir(parents=True, exist_ok=True)
    work = options.work.resolve()
    if not (work / "flite_speech").exists():
        libraries = [f"-lflite_cmu_us_{v}" for v in speakers.FLITE] + ["-lflite_usenglish", "-lflite_cmulex", "-lflite", "-lm"]
        subprocess.run(["gcc", "-O2", HERE / "flite_speech.c", "-o", work / "flite_speech", *libraries], check=True)
    lines, held_back = texts.sentences()
    # Sentences held back from the training, by each voice: prompts, previews and references of the evaluation.
    jobs = [(n, held_back[20 * n:20 * n + 20] if n < len(speakers.CATALOGUE) else held_back[:20], work, speaker, folder / f"held-back-{speaker.name}.npz")
            for n, speaker in enumerate([*speakers.CATALOGUE, speakers.HELD_OUT])]
    jobs += [(n, lines[n * LINES_OF_CHUNK:(n + 1) * LINES_OF_CHUNK], work, speakers.speaker_of_chunk(n), folder / f"{n:04}.npz")
             for n in range(options.chunks)]
    jobs = [job for job in jobs if job[1] and not job[4].exists()]
    hours = 0.0
    with multiprocessing.Pool(options.processes) as pool:
        for done, seconds in enumerate(pool.imap(make_chunk, jobs), 1):
            hours += seconds / 3600
            print(f"{done} of {len(jobs)} chunks, {hours:.2f} h", flush=True)


if __name__ == "__main__":
    main()
