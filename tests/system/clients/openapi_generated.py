"""A client that openapi-python-client has generated: lists, uploads, speaks. Prints what it got as one JSON object."""

import io
import json
import sys

url, key, package, recording = sys.argv[1:]
sys.path.insert(0, package)

from svc_http_api_client import AuthenticatedClient
from svc_http_api_client.api.service import get_v1_models
from svc_http_api_client.api.speech import post_v1_audio_speech, post_v1_audio_speech_playback
from svc_http_api_client.api.voices import delete_v1_voices_id, get_v1_voices, post_v1_audio_voices
from svc_http_api_client.models import PostV1AudioSpeechBody, PostV1AudioSpeechPlaybackBody, PostV1AudioVoicesBody
from svc_http_api_client.types import File

client = AuthenticatedClient(base_url=url, token=key)
speech = PostV1AudioSpeechBody.from_dict({"input": "Hello there.", "voice": "kim", "response_format": "wav"})
with open(recording, "rb") as file:
    sample = File(payload=io.BytesIO(file.read()), file_name="kim.wav", mime_type="audio/wav")
added = post_v1_audio_voices.sync(
    client=client, body=PostV1AudioVoicesBody(audio_sample=sample, name="kim", ref_text="What Kim says.")
)
spoken = post_v1_audio_speech.sync_detailed(client=client, body=speech)
# Operations with several kinds of bodies, such as `POST /tts`, are not used: in 0.29.1 of the generator, they do not import.
played = post_v1_audio_speech_playback.sync(
    client=client, body=PostV1AudioSpeechPlaybackBody.from_dict({"input": "Hello there."})
)
wrong = post_v1_audio_speech.sync(
    client=client, body=PostV1AudioSpeechBody.from_dict({"input": "Hello there.", "voice": "nobody"})
)
print(
    json.dumps(
        {
            "models": [model.id for model in get_v1_models.sync(client=client).data],
            "added": added.id,
            "voices": [voice.id for voice in get_v1_voices.sync(client=client).data],
            "spoken": [int(spoken.status_code), spoken.headers["content-type"], len(spoken.content)],
            "played": played.status,
            "wrong": wrong.error.code,
            "deleted": delete_v1_voices_id.sync(id="kim", client=client).deleted,
        }
    )
)
