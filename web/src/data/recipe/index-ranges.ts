/** Episode numbers as people write them: "0-10, 15". */
export function writeRanges(indices: readonly number[]): string {
  const sorted = [...indices].sort((a, b) => a - b)
  const parts: string[] = []
  for (let start = 0; start < sorted.length; ) {
    let end = start
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end++
    parts.push(start === end ? String(sorted[start]) : `${sorted[start]}-${sorted[end]}`)
    start = end + 1
  }
  return parts.join(', ')
}

/** Undefined when it cannot be read. */
export function readRanges(text: string, total: number): number[] | undefined {
  const found = new Set<number>()
  for (const part of text.split(/[\s,;]+/).filter(Boolean)) {
    const match = /^(\d+)(?:[-–](\d+))?$/.exec(part)
    if (!match) return undefined
    const first = Number(match[1])
    const last = Number(match[2] ?? match[1])
    if (first >= total || last >= total || last < first) return undefined
    for (let index = first; index <= last; index++) found.add(index)
  }
  return [...found].sort((a, b) => a - b)
}
