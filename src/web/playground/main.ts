/** The playground. Each module wires up its own part of the page; this one connects it to the server. */
import './languages.ts';
import './create.ts';
import './speak.ts';
import './spoken.ts';
import './history.ts';
import { clearError, showError } from '../shared/announce.ts';
import { offerFormats } from '../shared/audio-card.ts';
import { block } from '../shared/dom.ts';
import { ApiError, loadServer } from './api.ts';
import { keyAccepted } from './key.ts';
import { offerModels } from './models.ts';
import { refreshVoices } from './voices.ts';

async function connect(): Promise<void> {
  clearError();
  try {
    const [server] = await Promise.all([loadServer(), refreshVoices()]);
    const { model, models = [], device, local_page: hasLocalPage, playback } = server;
    block('local').hidden = !hasLocalPage;
    offerModels(server);
    // Null until known, shortly after the server has started.
    block('server-play').hidden = playback === false;
    keyAccepted();
    showServer('ready', models.length > 1 || device === null ? models.join(', ') : `${model} on ${device}`);
  } catch (thrown) {
    const keyMissing = thrown instanceof ApiError && thrown.status === 401;
    showServer('down', keyMissing ? 'API key required' : 'Server unavailable');
    // The key dialog shows it already.
    if (!keyMissing) showError(thrown);
  }
}

function showServer(state: 'ready' | 'down', label: string): void {
  block('server').dataset.state = state;
  block('server-text').textContent = label;
}

const encoded = { mp3: 'MP3', flac: 'FLAC', opus: 'Opus', ogg: 'Ogg Opus', aac: 'AAC' };
offerFormats({ ...encoded, srt: 'SRT', vtt: 'WebVTT', json: 'Times of words' });
document.addEventListener('keychange', () => void connect());
void connect();
