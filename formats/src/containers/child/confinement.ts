/**
 * Whether this process is in a sandbox itself. What native code parses, DuckDB and libvips, is parsed right here then; any other process
 * hands it to a child.
 */
let isConfined = false

/** Called first thing by the entries of processes that are started in a sandbox. */
export function parseHere(): void {
  isConfined = true
}

export const parsesHere = (): boolean => isConfined
