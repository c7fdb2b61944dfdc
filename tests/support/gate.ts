export interface Gate {
  readonly passed: Promise<void>;
  open(): void;
}

/** A promise that is resolved from outside. */
export function createGate(): Gate {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}
