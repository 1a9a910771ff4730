/**
 * How many processor seconds a step of reading may take: some for whatever it is, and more for each megabyte. A file that is
 * honest uses a hundredth of it; one that was made to keep a reader busy is stopped, and the report says so.
 */
export interface Effort {
  readonly baseSeconds: number
  readonly secondsPerMegabyte: number
}

/** Listing the packets of a video from its index. */
export const indexEffort: Effort = { baseSeconds: 20, secondsPerMegabyte: 10 }

export function findCpuSeconds({ baseSeconds, secondsPerMegabyte }: Effort, sizeBytes: number): number {
  return Math.ceil(baseSeconds + (secondsPerMegabyte * sizeBytes) / 1e6)
}

export function describeEffort(cpuSeconds: number, sizeBytes: number): string {
  return `took more than the ${cpuSeconds} processor seconds that ${sizeBytes} bytes are given`
}
