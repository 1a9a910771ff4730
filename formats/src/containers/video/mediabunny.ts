import { createRequire } from 'node:module'

/** mediabunny in its one-file form: 16 ms of CPU at the start of every process that reads video, where its 70 modules take 90. */
export const mediabunny: typeof import('mediabunny') = createRequire(import.meta.url)('mediabunny')
