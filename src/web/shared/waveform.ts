/** The audio as a row of bars, with the part already played in another color. The style sheet sets the colors. */

const barWidth = 3;
const gap = 2;
/** Seconds that the picture spans at least, so that the first piece of audio does not fill it. */
const leastSpan = 3;

export interface Picture {
  /** Loudest sample of each hundredth of a second. */
  readonly peaks: readonly number[];
  /** Seconds played. */
  readonly position: number;
  /** Whether more audio will come. */
  readonly growing: boolean;
}

/** Seconds from the left edge to the right one. */
export const spanOf = ({ peaks, growing }: Pick<Picture, 'peaks' | 'growing'>): number =>
  growing ? Math.max(leastSpan, (peaks.length / 100) * 1.1) : Math.max(0.01, peaks.length / 100);

export function drawWaveform(canvas: HTMLCanvasElement, picture: Picture): void {
  const { width, height } = canvas.getBoundingClientRect();
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  if (!context || width === 0) return;
  context.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const [rest = '', played = '', ahead = ''] = ['--wave-rest', '--wave-played', '--wave-ahead'].map((name) =>
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
    const isPlayed = position > 0 && (bar / bars) * span < position;
    context.fillStyle = there ? (isPlayed ? played : ahead) : rest;
    context.globalAlpha = there || growing || peaks.length === 0 ? 1 : 0;
    context.beginPath();
    context.roundRect(bar * (barWidth + gap), (height - length) / 2, barWidth, length, barWidth / 2);
    context.fill();
  }
}
