/**
 * SSML 1.1: the subset that Azure, Google and Amazon Polly share. Elements that change the sound in ways a model can't follow
 * are read through with a warning. The parser knows the five entities of XML and no others, so nothing expands.
 */
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import type { SvcError } from '../../errors.ts';
import { xmlProblem } from '../../formats/xml-problem.ts';
import { listed, shorten, show } from '../../messages.ts';
import { requestError } from '../../validation.ts';
import { meaningOf } from '../../word-lists.ts';
import { modelPhonemes } from '../text/model-tags.ts';
import { longestPause, type Manner, type Segment, structurePauses } from './passage.ts';
import { sayAs } from './say-as.ts';
import { voiceOf } from './tags.ts';

interface SsmlOptions {
  /** Names of the voices that the request gives. */
  readonly voices: readonly string[];
  readonly warn: (warning: string) => void;
}

/** As Azure's documentation gives them, in seconds. */
const breakStrengths = new Map(
  Object.entries({ none: 0, 'x-weak': 0.25, weak: 0.5, medium: 0.75, strong: 1, 'x-strong': 1.25 }),
);
const mediumBreak = 0.75;

const rates = new Map(Object.entries({ 'x-slow': 0.5, slow: 0.75, medium: 1, default: 1, fast: 1.25, 'x-fast': 1.5 }));
/** Beyond these, time-stretching is no speech any more. */
const slowest = 0.25;
const fastest = 4;

/** Pauses around elements whose words are apart from others. */
const aroundElements = meaningOf({ paragraph: 'p', sentence: 's par seq media mstts:dialog mstts:turn' });
const silent = new Set(['metadata', 'desc', 'title']);
const ignored = new Set(
  'meta lexicon token w lookup speak backgroundaudio mstts:backgroundaudio lang emphasis'.split(' '),
);
const charactersPerStep = 2048;
/** Stands for a recording that can't be played, in seconds. */
const audioSilence = 1;

interface Open {
  readonly name: string;
  readonly manner: Manner;
  /** Takes the text of `say-as`, `sub`, `phoneme` as a whole; undefined where text is spoken as it comes. */
  readonly collected?: string[] | undefined;
  readonly finish?: ((text: string) => string) | undefined;
  readonly isSilent: boolean;
}

/**
 * Yields undefined where other work may go first.
 *
 * @param ssml a document with `<speak>` as its root
 * @throws SvcError INVALID_REQUEST, with line and column, where it is not well-formed
 */
export function* ssmlSegments(ssml: string, options: SsmlOptions): Generator<Segment | undefined, void, undefined> {
  const document = new SsmlDocument(ssml, options);
  const written = ssml.replace(/^\uFEFF/, '');
  for (let start = 0; start < written.length; start += charactersPerStep) {
    yield* document.write(written.slice(start, start + charactersPerStep));
    yield;
  }
  yield* document.write(null);
}

class SsmlDocument {
  readonly #options: SsmlOptions;
  readonly #parser = new SaxesParser({ xmlns: false, position: true });
  readonly #stack: Open[] = [];
  readonly #warned = new Set<string>();
  /** Silence to come at the end of the open voice, or of the document, in seconds. */
  readonly #trailing: number[] = [];
  /** Remedy of the most frequent mistake. */
  readonly #hint: string;
  readonly #segments: Segment[] = [];
  #sawRoot = false;

  constructor(ssml: string, options: SsmlOptions) {
    this.#options = options;
    // The parser takes an ampersand alone for the beginning of an entity and notices at the end of the document.
    this.#hint = /&(?!#\d+;|#x[\da-f]+;|\w+;)/i.test(ssml) ? ' (write & as &amp;)' : '';
    const parser = this.#parser;
    parser.on('error', (error) => {
      throw this.#malformed(xmlProblem(error));
    });
    // Entities are declared between brackets; a name and an address alone declare nothing.
    parser.on('doctype', (declaration) => {
      if (declaration.includes('[') || !/^\s*(?:ssml:)?speak(?:\s|$)/i.test(declaration))
        throw this.#malformed('a document type declaration is not allowed');
    });
    parser.on('opentag', (tag) => this.#begin(tag));
    parser.on('closetag', () => this.#end());
    parser.on('text', (text) => this.#text(text));
    parser.on('cdata', (text) => this.#text(text));
  }

  /** The segments that end in this piece of the document, or with null at its end. */
  write(piece: string | null): readonly Segment[] {
    this.#parser.write(piece);
    return this.#segments.splice(0);
  }

  #place(): string {
    return `at line ${this.#parser.line}, column ${this.#parser.column + 1}`;
  }

  #voiceOf(name: string): string | undefined {
    return voiceOf(name, this.#options.voices, () => `${this.#place()} of the script`);
  }

  #malformed(problem: string): SvcError {
    return requestError(`the SSML is not valid ${this.#place()}: ${problem}${this.#hint}`, 'text');
  }

  #pause(seconds: number, from: 'author' | 'structure'): void {
    this.#segments.push({ kind: 'pause', seconds, from });
  }

  #pauseAround(element: string): void {
    const kind = aroundElements.get(element);
    if (kind !== undefined) this.#pause(structurePauses[kind], 'structure');
  }

  #begin({ name: written, attributes, isSelfClosing }: SaxesTagPlain): void {
    const name = written.toLowerCase().replace(/^ssml:/, '');
    const outer = this.#stack.at(-1);
    if (outer === undefined) {
      if (this.#sawRoot || name !== 'speak') throw this.#malformed('the root element must be <speak>');
      this.#sawRoot = true;
    }
    const language = attributes['xml:lang'];
    const manner = { ...outer?.manner, ...(language !== undefined && { language }) };
    const isSilent = outer?.isSilent === true || silent.has(name);
    // Text inside an element that is taken as a whole belongs to it.
    const open: Open = { name, manner, isSilent, collected: outer?.collected };
    this.#stack.push(this.#element(open, attributes, isSelfClosing));
  }

  /** Does what an element means, or leaves it to its end. */
  #element(open: Open, attributes: Readonly<Record<string, string>>, isSelfClosing: boolean): Open {
    const { name, manner } = open;
    if (open.isSilent) return open;
    this.#pauseAround(name);
    switch (name) {
      case 'break':
        this.#pause(this.#breakSeconds(attributes), 'author');
        return open;
      case 'mark':
      case 'bookmark': {
        const mark = attributes[name === 'mark' ? 'name' : 'mark'];
        if (mark !== undefined) this.#segments.push({ kind: 'mark', name: mark });
        return open;
      }
      case 'mstts:silence':
        return this.#silence(open, attributes);
      case 'mstts:audioduration':
        this.#warnOnce(name, 'the element <mstts:audioduration> is ignored; use <prosody rate="…">');
        return open;
      case 'audio':
        this.#warnOnce('audio', 'the element <audio> is not supported; it is replaced by silence or by its text');
        if (isSelfClosing) this.#pause(audioSilence, 'author');
        return open;
      case 'prosody':
        for (const name of ['pitch', 'range', 'contour', 'volume', 'duration'].filter((own) => own in attributes))
          this.#warnOnce(`prosody ${name}`, `the attribute ${name} of <prosody> is ignored; rate is supported`);
        return { ...open, manner: this.#withRate(manner, attributes.rate) };
      case 'voice':
        return { ...open, manner: this.#withVoice(manner, attributes) };
      case 'sub':
        return collecting(open, (content) => attributes.alias ?? content);
      case 'say-as':
        return collecting(open, (content) => this.#said(content, attributes, manner));
      case 'phoneme':
        return collecting(open, (content) => this.#phonemes(content, attributes));
      case 'mstts:turn':
        return { ...open, manner: this.#turn(manner, attributes) };
      default:
        if (!aroundElements.has(name) && !ignored.has(name))
          this.#warnOnce(name, `unknown SSML element ${show(name)}; its text is read`);
        return open;
    }
  }

  #end(): void {
    const open = this.#stack.pop() as Open;
    if (open.isSilent) return;
    this.#pauseAround(open.name);
    if (open.name === 'voice' || open.name === 'speak') {
      for (const seconds of this.#trailing.splice(0)) this.#pause(seconds, 'author');
    }
    if (open.finish !== undefined) this.#text(open.finish((open.collected ?? []).join('')));
  }

  /** As Azure has it: silence in front of the text of a voice, or behind it. */
  #silence(open: Open, { type = '', value = '' }: Readonly<Record<string, string>>): Open {
    const seconds = secondsOf(value);
    if (!(seconds <= longestPause)) {
      this.#warnOnce(
        `silence ${value}`,
        `the value ${show(value)} of <mstts:silence> is not one of up to ${longestPause} s, such as 200ms`,
      );
    } else if (/^leading/i.test(type)) this.#pause(seconds, 'author');
    else if (/^tailing/i.test(type)) this.#trailing.push(seconds);
    else
      this.#warnOnce(`silence ${type}`, `the type ${show(type)} of <mstts:silence> is ignored; use Leading or Tailing`);
    return open;
  }

  #turn(manner: Manner, { speaker = '' }: Readonly<Record<string, string>>): Manner {
    if (this.#options.voices.some((voice) => voice.toLowerCase() === speaker.trim().toLowerCase()))
      return { ...manner, voice: this.#voiceOf(speaker) };
    this.#warnOnce(
      `turn ${speaker}`,
      `<mstts:turn> names the unknown voice ${show(speaker)}; its text is read in the voice around it`,
    );
    return manner;
  }

  #said(content: string, attributes: Readonly<Record<string, string>>, { language }: Manner): string {
    const interpretAs = attributes['interpret-as'] ?? '';
    const spoken = sayAs(content, { interpretAs, format: attributes.format, language });
    if (spoken === undefined) {
      this.#warnOnce(
        `say-as ${interpretAs} ${content}`,
        `cannot read ${show(content.trim())} as ${show(interpretAs)}; it is read as text`,
      );
    }
    return spoken ?? content;
  }

  /** In the models' own notation, `{HH AH0 L OW1}` and `{ni3}`. */
  #phonemes(content: string, { alphabet = '', ph = '' }: Readonly<Record<string, string>>): string {
    const notation = modelPhonemes(alphabet, ph);
    if (notation !== undefined) return notation;
    this.#warnOnce(
      `phoneme ${alphabet}`,
      `the phonetic alphabet ${show(alphabet)} is not supported, use x-arpabet or x-pinyin; the text is read instead`,
    );
    return content;
  }

  #withVoice(manner: Manner, { name, ...others }: Readonly<Record<string, string>>): Manner {
    if (name !== undefined && name.trim() !== '') return { ...manner, voice: this.#voiceOf(name) };
    this.#warnOnce(
      'voice',
      `<voice> without a name is ignored (${listed(Object.keys(others).map((name) => shorten(name))) || 'no attributes'})`,
    );
    return manner;
  }

  #withRate(manner: Manner, given: string | undefined): Manner {
    if (given === undefined) return manner;
    const rate = rateOf(given.trim());
    if (rate === undefined) {
      this.#warnOnce(
        `rate ${given}`,
        `the rate ${show(given)} of <prosody> is ignored; use a number, a percentage or a name such as slow`,
      );
      return manner;
    }
    const total = Math.min(fastest, Math.max(slowest, (manner.rate ?? 1) * rate));
    const { rate: _, ...others } = manner;
    return total === 1 ? others : { ...others, rate: total };
  }

  #breakSeconds({ time, strength }: Readonly<Record<string, string>>): number {
    if (time !== undefined) {
      const seconds = secondsOf(time);
      if (seconds <= longestPause) return seconds;
      this.#warnOnce(
        `break ${time}`,
        `the time ${show(time)} of <break> is not one of up to ${longestPause} s, such as 1.5s or 300ms`,
      );
      return Number.isNaN(seconds) ? mediumBreak : longestPause;
    }
    return breakStrengths.get(strength ?? 'medium') ?? mediumBreak;
  }

  #text(given: string): void {
    const open = this.#stack.at(-1);
    if (open === undefined || open.isSilent) return;
    const spoken = given.replace(/\s+/gu, ' ');
    if (open.collected !== undefined) open.collected.push(spoken);
    else this.#segments.push({ kind: 'text', text: spoken, ...open.manner });
  }

  #warnOnce(what: string, warning: string): void {
    if (this.#warned.has(what)) return;
    this.#warned.add(what);
    this.#options.warn(`${warning} (line ${this.#parser.line})`);
  }
}

/** NaN for what is no duration. */
function secondsOf(text: string): number {
  const [, amount, unit] = /^\s*\+?(\d{1,6}(?:\.\d{0,6})?|\.\d{1,6})\s*(ms|s)\s*$/i.exec(text) ?? [];
  return Number(amount) / (unit?.toLowerCase() === 'ms' ? 1000 : 1);
}

/** An element within one that collects is read through. */
const collecting = (open: Open, finish: (text: string) => string): Open =>
  open.collected === undefined ? { ...open, collected: [], finish } : open;

function rateOf(text: string): number | undefined {
  const named = rates.get(text.toLowerCase());
  if (named !== undefined) return named;
  const [, sign, amount, percent] = /^([+-]?)(\d{1,4}(?:\.\d{1,6})?)(%?)$/.exec(text) ?? [];
  if (amount === undefined) return undefined;
  const share = percent === '%' ? Number(amount) / 100 : Number(amount);
  if (sign !== '') return percent === '%' || share < 1 ? 1 + (sign === '+' ? share : -share) : undefined;
  return share > 0 ? share : undefined;
}
