/** The audio as a row of bars, with what has been heard in another colour. Takes its colours from the style sheet. */

const barWidth = 3;
const gap = 2;
/** Seconds that the picture spans at least, so that the first piece of audio does not fill it. */
const leastSpan = 3;

/**
 * @typedef {object} Picture
 * @property {readonly number[]} peaks loudest sample of each hundredth of a second
 * @property {number} position seconds heard
 * @property {boolean} growing whether more audio will come
 */

/** Seconds from the left edge to the right one. @param {Pick<Picture, 'peaks' | 'growing'>} picture */
export const spanOf = ({ peaks, growing }) =>
  growing ? Math.max(leastSpan, (peaks.length / 100) * 1.1) : Math.max(0.01, peaks.length / 100);

/** @param {HTMLCanvasElement} canvas @param {Picture} picture */
export function drawWaveform(canvas, picture) {
  const { width, height } = canvas.getBoundingClientRect();
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  if (!context || width === 0) return;
  context.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const [rest, heard, ahead] = ['--wave-rest', '--wave-heard', '--wave-ahead'].map((name) =>
    style.getPropertyValue(name),
  );
  const { peaks, position, growing } = picture;
  const span = spanOf(picture);
  // Quiet voices fill the picture too, but silence does not become noise.
  const loudest = peaks.reduce((most, peak) => Math.max(most, peak), 0.1);
  const bars = Math.floor((width + gap) / (barWidth + gap));
  for (let bar = 0; bar < bars; bar++) {
    const from = Math.floor((bar / bars) * span * 100);
    const to = Math.max(from + 1, Math.floor(((bar + 1) / bars) * span * 100));
    const there = peaks.length > 0 && from < peaks.length;
    const peak = there ? Math.max(...peaks.slice(from, to)) / loudest : 0;
    const length = Math.max(barWidth, peak * (height - 8));
    context.fillStyle = (there ? ((bar / bars) * span < position && position > 0 ? heard : ahead) : rest) ?? '';
    context.globalAlpha = there || growing || peaks.length === 0 ? 1 : 0;
    context.beginPath();
    context.roundRect(bar * (barWidth + gap), (height - length) / 2, barWidth, length, barWidth / 2);
    context.fill();
  }
}
