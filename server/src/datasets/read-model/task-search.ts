/** Texts in lower case, one behind the other, as bytes: searched by one native pass instead of a string per text. */
export interface FoldedTexts {
  bytes: Buffer
  starts: Uint32Array
}

export function foldTexts(text: Uint8Array, starts: Uint32Array): FoldedTexts {
  const whole = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
  // Of ASCII the length does not change with the case, so it is folded in one piece.
  if (isAscii(whole)) return { bytes: Buffer.from(whole.toString('latin1').toLowerCase(), 'latin1'), starts }
  const folded: Buffer[] = []
  const foldedStarts = new Uint32Array(starts.length)
  for (let at = 0; at + 1 < starts.length; at++) {
    const piece = Buffer.from(whole.toString('utf8', starts[at], starts[at + 1]).toLowerCase())
    folded.push(piece)
    foldedStarts[at + 1] = (foldedStarts[at] as number) + piece.byteLength
  }
  return { bytes: Buffer.concat(folded), starts: foldedStarts }
}

/** 1 for each text that holds the words, in any case. */
export function markTexts({ bytes, starts }: FoldedTexts, q: string): Uint8Array {
  const marks = new Uint8Array(Math.max(0, starts.length - 1))
  const needle = Buffer.from(q.trim().toLowerCase())
  if (needle.byteLength === 0) return marks.fill(1)
  for (let from = 0; ; ) {
    const hit = bytes.indexOf(needle, from)
    if (hit === -1) return marks
    const text = findText(starts, hit)
    const end = starts[text + 1] as number
    // A match that runs into the next text does not count.
    const isInside = hit + needle.byteLength <= end
    if (isInside) marks[text] = 1
    from = isInside ? end : hit + 1
  }
}

/** The text that holds the byte: the last that starts at or before it and is not empty there. */
function findText(starts: Uint32Array, byte: number): number {
  let [low, high] = [0, starts.length - 1]
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if ((starts[middle] as number) <= byte) low = middle
    else high = middle
  }
  return low
}

const isAscii = (bytes: Uint8Array): boolean => bytes.every((byte) => byte < 0x80)
