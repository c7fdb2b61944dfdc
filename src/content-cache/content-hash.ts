/** A key that only the same bytes have; undefined without HTTPS in browsers, and for memory that threads share. */
export async function hashContent(bytes: ArrayBufferView): Promise<string | undefined> {
  const subtle = (globalThis.crypto as Partial<typeof globalThis.crypto> | undefined)?.subtle;
  try {
    const digest = await subtle?.digest('SHA-256', bytes as ArrayBufferView<ArrayBuffer>);
    return digest && String.fromCharCode(...new Uint8Array(digest));
  } catch {
    return undefined;
  }
}
