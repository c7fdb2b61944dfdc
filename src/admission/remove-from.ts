/** Removes an entry from a list, if it is there. */
export function removeFrom<Entry>(list: Entry[], entry: Entry): void {
  const index = list.indexOf(entry);
  if (index >= 0) list.splice(index, 1);
}
