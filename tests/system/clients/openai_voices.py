"""`audio.voices` of the `openai` package. Prints what it got as one JSON object."""

import json
import sys

import openai

base_url, key, recording = sys.argv[1:]
client = openai.OpenAI(base_url=base_url, api_key=key, max_retries=0)
text = "Hello there, how are you today?"
with open(recording, "rb") as sample:
    consent = client.audio.voice_consents.create(
        recording=("consent.wav", sample, "audio/wav"), language="en-us", name="Kim consents"
    )
renamed = client.audio.voice_consents.update(consent.id, name="Kim").name
retrieved = client.audio.voice_consents.retrieve(consent.id)
listed = [each.id for each in client.audio.voice_consents.list(limit=1)]
with open(recording, "rb") as sample:
    voice = client.audio.voices.create(
        audio_sample=("kim.wav", sample, "audio/wav"),
        consent=consent.id,
        name="Kim",
        extra_body={"ref_text": "The words of the recording."},
    )
speech = client.audio.speech.create(model="tts-1", voice={"id": voice.id}, input=text, response_format="wav")
try:
    with open(recording, "rb") as sample:
        client.audio.voices.create(audio_sample=sample, consent="cons_1234", name="Kim")
    taken = None
except openai.ConflictError as error:
    taken = error.code
print(
    json.dumps(
        {
            "voice": [voice.id, voice.object, voice.name, type(voice.created_at).__name__],
            "bytes": len(speech.content),
            "taken": taken,
            "consent": [consent.object, consent.language, renamed, retrieved.name, listed == [consent.id]],
            "consent_deleted": client.audio.voice_consents.delete(consent.id).deleted,
            "deleted": client.audio.voices.delete(voice.id).deleted,
        }
    )
)
