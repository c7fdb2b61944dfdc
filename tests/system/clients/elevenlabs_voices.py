"""Voices, account and dialogues of the `elevenlabs` package. Prints what it got as one JSON object."""

import json
import sys
from pathlib import Path

from elevenlabs import DialogueInput
from elevenlabs.client import ElevenLabs
from elevenlabs.core.api_error import ApiError

base_url, key, recording = sys.argv[1].removesuffix("/v1"), sys.argv[2], sys.argv[3]
client = ElevenLabs(base_url=base_url, api_key=key)
sample = Path(recording).read_bytes()


def status_of(call):
    try:
        call()
    except ApiError as error:
        return [error.status_code, error.body["detail"]["status"]]
    return None


added = client.voices.ivc.create(name="Kim B", files=[sample], description="warm", remove_background_noise=False)
voice_id = added.voice_id
spoken = b"".join(client.text_to_speech.convert(voice_id=voice_id, text="Hello there.", output_format="pcm_16000"))
inputs = [DialogueInput(text="Good evening!", voice_id=voice_id), DialogueInput(text="Hello.", voice_id="alma")]
first = client.voices.search(page_size=2)
print(
    json.dumps(
        {
            "added": [voice_id, added.requires_verification],
            "bytes": len(spoken),
            "dialogue": len(b"".join(client.text_to_dialogue.convert(inputs=inputs, output_format="pcm_16000"))),
            "stream": len(b"".join(client.text_to_dialogue.stream(inputs=inputs, output_format="pcm_16000"))),
            "voice": client.voices.get(voice_id).category,
            "own": client.voices.get("default").voice_id,
            "edited": client.voices.update(voice_id, name=voice_id, files=[sample]).status,
            "cloned": [voice.voice_id for voice in client.voices.search(category="cloned").voices],
            "pages": [len(first.voices), first.has_more, first.next_page_token],
            "speed": client.voices.settings.get(voice_id).speed,
            "default": client.voices.settings.get_default().speed,
            "user": client.user.get().subscription.status,
            "clones": client.user.subscription.get().can_use_instant_voice_cloning,
            "languages": [language.language_id for language in client.models.list()[0].languages],
            "missing": status_of(lambda: client.voices.get("nobody")),
            "deleted": client.voices.delete(voice_id).status,
        }
    )
)
