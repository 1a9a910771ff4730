/**
 * Whether this process is in a sandbox itself. What native code parses, DuckDB and libvips, is parsed right here then; any other process
 * hands it to a child.
 */
let isConfined = false
let isReadOnly = false

/** Called first thing by the entries of processes that are started in a sandbox. One that may write nothing says so, and makes no temporary file. */
export function parseHere(given: { isReadOnly?: boolean } = {}): void {
  isConfined = true
  isReadOnly = given.isReadOnly ?? false
}

export const writesNothing = (): boolean => isReadOnly

export const parsesHere = (): boolean => isConfined
