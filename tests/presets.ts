/** Names of the voices that come with svc. */
export const presets: readonly string[] = [
  'alma',
  'bruno',
  'celia',
  'dylan',
  'emil',
  'flora',
  'george',
  'hugo',
  'iris',
  'jonas',
];
