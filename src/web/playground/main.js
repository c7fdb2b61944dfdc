/** The playground. Every part wires itself up; here it is connected to the server. */
import './create.js';
import './speak.js';
import { clearError, showError } from './announce.js';
import { ApiError } from './api.js';
import { block } from './dom.js';
import { keyAccepted } from './key.js';
import { loadServer } from './server.js';
import { refreshVoices } from './voices.js';

async function connect() {
  clearError();
  try {
    const [server] = await Promise.all([loadServer(), refreshVoices()]);
    const { model, device, local_page: hasLocalPage, fixed_voice: hasFixedVoice, playback } = server;
    block('local').hidden = !hasLocalPage;
    block('fixed-voice').hidden = !hasFixedVoice;
    // Unknown for a moment after the start of the server.
    block('server-play').hidden = playback === false;
    keyAccepted();
    showServer('ready', `${model} on ${device}`);
  } catch (thrown) {
    const keyMissing = thrown instanceof ApiError && thrown.status === 401;
    showServer('down', keyMissing ? 'Needs an API key' : 'Not available');
    // The dialog that asks for the key says it already.
    if (!keyMissing) showError(thrown);
  }
}

/** @param {'ready' | 'down'} state @param {string} label */
function showServer(state, label) {
  block('server').dataset.state = state;
  block('server-text').textContent = label;
}

document.addEventListener('keychange', () => void connect());
void connect();
