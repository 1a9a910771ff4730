/** Shorter words that differ by a letter are other words: on and in, cup and cap, left and lift. */
const longWord = 5
/** From here on two letters may differ. */
const veryLongWord = 8

/** Whether two texts mean the same to a reader who does not look closely. Numbers and single letters name things. */
export function differBySpelling(one: string, other: string): boolean {
  if (one === other) return false
  const [a, b] = [listWords(one), listWords(other)]
  if (a.join('') === b.join('')) return true
  if (a.length !== b.length) return false
  const different = a.map((word, at) => [word, b[at] as string] as const).filter(([word, its]) => word !== its)
  return different.length === 1 && different.every(([word, its]) => isSlip(word, its))
}

const listWords = (text: string): string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{Letter}\p{Number}]+/u)
    .filter((word) => word !== '')

function isSlip(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length)
  if (shorter < longWord || /\p{Number}/u.test(a + b)) return false
  // One and several are a difference.
  if (a === `${b}s` || b === `${a}s`) return false
  return countSlips(a, b) <= (shorter >= veryLongWord ? 2 : 1)
}

/** Letters that are missing, spare, wrong, or swapped with the next. */
function countSlips(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let least = Math.min(
        (row[j - 1] as number) + 1,
        (last[j] as number) + 1,
        (last[j - 1] as number) + (isSame ? 0 : 1),
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        least = Math.min(least, (before[j - 2] as number) + 1)
      row.push(least)
    }
    ;[before, last] = [last, row]
  }
  return last[b.length] as number
}
