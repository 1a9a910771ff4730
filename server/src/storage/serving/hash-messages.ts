/** What the thread of hash-thread.ts is asked; all but `copy` and `close` is answered. */
export type HashQuestion = { id: number } & (
  | { kind: 'update'; buffer: SharedArrayBuffer; start: number; length: number }
  | { kind: 'read'; fd: number; start: number; length: number }
  | { kind: 'digest' }
  | { kind: 'copy'; from: number }
  | { kind: 'close' }
)

/** The sha256 in hexadecimal digits, or nothing for what was taken in. */
export type HashAnswer = string | { error: string }
