/** Contents and licenses of packages that their `package.json` doesn't state. */

export interface Content {
  /** Name of an npm package, or the prefix of several. */
  readonly package: string;
  /** Software compiled into it, with licenses. */
  readonly contains: string;
  /** Location of the sources; `VERSION` is replaced by the package's version. */
  readonly sources: string;
}

export const contents: readonly Content[] = [
  {
    package: '@libav.js/variant-obsolete',
    contains:
      'FFmpeg (LGPL-2.1-or-later), LAME (LGPL-2.0-or-later), Opus, Ogg and Vorbis (BSD-3-Clause), parts of Emscripten (MIT), as WebAssembly',
    sources: 'https://github.com/Yahweasel/libav.js/releases/tag/vVERSION.0',
  },
  {
    package: '@mediabunny/aac-encoder',
    contains: "FFmpeg's libavcodec and libavutil (LGPL-2.1-or-later), as WebAssembly",
    sources:
      'https://github.com/Vanilagy/mediabunny/tree/vVERSION/packages/aac-encoder (how it is built), https://ffmpeg.org',
  },
  {
    package: 'onnxruntime-',
    contains: 'onnxruntime (MIT) and what its ThirdPartyNotices.txt names, compiled',
    sources: 'https://github.com/microsoft/onnxruntime/blob/vVERSION/ThirdPartyNotices.txt',
  },
  {
    package: '@node-llama-cpp/',
    contains: 'ggml and llama.cpp (MIT), compiled',
    sources: 'https://github.com/ggml-org/ggml, https://github.com/ggml-org/llama.cpp',
  },
  {
    package: '@libsql/',
    contains: 'libSQL (MIT) with SQLite (public domain), compiled',
    sources: 'https://github.com/tursodatabase/libsql',
  },
];

/** Packages whose files are copied: the viewer of the API reference. */
export const copied: readonly string[] = ['swagger-ui-dist'];

/** Packages whose data is in our modules: the abbreviations of `src/engine/text/generated/cldr-abbreviations.ts`. */
export const extracted: readonly string[] = ['cldr-segments-full'];

/** Licenses of packages without a license file. */
export const missingTexts: Readonly<Record<string, string>> = {
  'gearhash-jit': mit('Hugging Face'),
  'onnxruntime-web': mit('Microsoft Corporation'),
  saxes: isc('Louis-Dominique Dubeau'),
  'wav-encoder': mit('Nao Yonamine'),
};

/** Licenses missing from the lock file, since older packages name them in another field. */
export const licenses: Readonly<Record<string, string>> = { busboy: 'MIT', streamsearch: 'MIT' };

function mit(holder: string): string {
  return `MIT License

Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
}

function isc(holder: string): string {
  return `ISC License

Copyright (c) ${holder}

Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`;
}
