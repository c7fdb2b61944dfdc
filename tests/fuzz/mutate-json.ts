import { pick, type Random } from './random.ts';

const strangeValues: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1, 1.5, 2, 31, 32, 65_536, 1_000_000, 2 ** 24, 2 ** 31, 2 ** 53, 1e308, '', 'x'],
  ...['../../../etc/passwd', '/dev/zero', 'a'.repeat(100_000), [], {}, [[[[]]]], [0, 1, 2]],
];

interface Place {
  readonly path: string;
  readonly holder: Record<string, unknown> | unknown[];
  readonly key: string;
}

function placesOf(value: unknown, path = ''): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  // Long arrays and objects have mostly similar items.
  return Object.keys(holder)
    .slice(0, 40)
    .flatMap((key) => [{ path: `${path}.${key}`, holder, key }, ...placesOf(holder[key], `${path}.${key}`)]);
}

/** Replaces, removes, nests or duplicates one value of a JSON text. */
export function mutateJson(text: string, random: Random): { readonly text: string; readonly change: string } {
  const root = { value: JSON.parse(text) as unknown };
  const place = pick(random, placesOf(root));
  const holder = place.holder as Record<string, unknown>;
  const old = holder[place.key];
  let change = `${place.path}: `;
  switch (random(6)) {
    case 0:
      delete holder[place.key];
      change += 'removed';
      break;
    case 1:
      holder[place.key] = Array.from({ length: 1 + random(2000) }, () => old);
      change += 'repeated in a list';
      break;
    case 2:
      holder[place.key] = typeof old === 'number' ? old * pick(random, [-1, 0.5, 2, 3, 1024]) : String(old);
      change += `became ${String(holder[place.key]).slice(0, 40)}`;
      break;
    default:
      holder[place.key] = pick(random, strangeValues);
      change += `became ${JSON.stringify(holder[place.key])?.slice(0, 40)}`;
  }
  // Undefined if everything was removed.
  return { text: JSON.stringify(root.value) ?? 'null', change };
}
