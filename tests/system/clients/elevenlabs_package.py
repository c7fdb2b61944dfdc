"""The `elevenlabs` package as its documentation uses it, over HTTPS. Prints what it got as one JSON object."""

import base64
import functools
import json
import sys

import elevenlabs.realtime_tts
from elevenlabs import VoiceSettings
from elevenlabs.client import ElevenLabs
from elevenlabs.core.api_error import ApiError

base_url, key = sys.argv[1].removesuffix("/v1"), sys.argv[2]
# A slow machine is no failure: the package gives up a connection after 10 s, and an answer after 240 s.
patient = functools.partial(elevenlabs.realtime_tts.connect, open_timeout=None, ping_timeout=None)
elevenlabs.realtime_tts.connect = patient
client = ElevenLabs(base_url=base_url, api_key=key, timeout=3600)
stranger = ElevenLabs(base_url=base_url, api_key="another")
speech = {
    "voice_id": "default",
    "text": "Hello there, how are you today?",
    "model_id": "eleven_flash_v2_5",
    "voice_settings": VoiceSettings(stability=0.5, speed=1.0),
}
formats = ["mp3_44100_128", "mp3_22050_32", "pcm_16000", "pcm_44100", "wav_16000", "opus_48000_64", "ulaw_8000", "alaw_8000"]


def bytes_of(method, **options):
    return len(b"".join(method(**{**speech, **options})))


def realtime(**options):
    words = (f"{word} " for word in speech["text"].split())
    return b"".join(client.text_to_speech.convert_realtime(**{**speech, "text": words, **options}))


def aligned(answer):
    return {
        "bytes": len(base64.b64decode(answer.audio_base_64)),
        "text": "".join(answer.alignment.characters) if answer.alignment else "",
        "end": answer.alignment.character_end_times_seconds[-1] if answer.alignment else 0,
    }


def error_of(call):
    try:
        call()
    except ApiError as error:
        detail = error.body.get("detail") if isinstance(error.body, dict) else error.body
        status = detail.get("status") if isinstance(detail, dict) else "list" if isinstance(detail, list) else "text"
        return [error.status_code, status]
    return None


tts = client.text_to_speech
print(
    json.dumps(
        {
            "convert": {name: bytes_of(tts.convert, output_format=name) for name in formats},
            "stream": {name: bytes_of(tts.stream, output_format=name) for name in formats},
            "realtime": {name: len(realtime(output_format=name)) for name in formats},
            "timed": aligned(tts.convert_with_timestamps(**speech, output_format="pcm_16000")),
            "lines": [aligned(line) for line in tts.stream_with_timestamps(**speech, output_format="pcm_16000")],
            "models": [model.model_id for model in client.models.list()],
            "voices": len(client.voices.get_all().voices),
            "found": client.voices.search(search="nobody").total_count,
            "errors": {
                "key": error_of(lambda: stranger.voices.get_all()),
                "voice": error_of(lambda: bytes_of(tts.convert, voice_id="nobody")),
                "text": error_of(lambda: bytes_of(tts.convert, text="")),
                "format": error_of(lambda: bytes_of(tts.convert, output_format="mp3_8000_8")),
                "realtime": error_of(lambda: realtime(voice_id="nobody")),
            },
        }
    )
)
