"""Reads each file with the packages that most programs use; prints what they find as JSON."""

import io
import json
import sys
import urllib.request
import wave

import librosa
import soundfile


def speech(url: str, body: dict) -> bytes:
    request = urllib.request.Request(
        f"{url}/audio/speech",
        data=json.dumps({"input": "Hello there.", "seed": 1, **body}).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        data = response.read()
        assert int(response.headers["Content-Length"]) == len(data)
        return data


def read(data: bytes, form: str) -> dict:
    with soundfile.SoundFile(io.BytesIO(data)) as file:
        found = {"rate": file.samplerate, "stated": file.frames, "read": len(file.read())}
    samples, rate = librosa.load(io.BytesIO(data), sr=None)
    found["librosa"] = [len(samples), int(rate)]
    if form == "wav":
        with wave.open(io.BytesIO(data)) as file:
            found["wave"] = [file.getnframes(), len(file.readframes(file.getnframes())) // 2]
    return found


def main() -> None:
    _, url, _ = sys.argv
    answers = {"short": {}, "requested": {"stream": False, "input": "Hello there. " * 20}}
    print(
        json.dumps(
            {
                f"{name} {form}": read(speech(url, {"response_format": form, **body}), form)
                for name, body in answers.items()
                for form in ("wav", "flac")
            }
        )
    )


main()
