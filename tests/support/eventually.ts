/** Just under the time limit of a test, in milliseconds, so that the error says what never happened. */
const patience = 550_000;

/** Waits until a condition holds, however slow the machine; the error names it. For what sends no event. */
export async function eventually(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + patience;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
