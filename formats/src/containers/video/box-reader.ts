/** Boxes of an MP4 index that lies in memory. */
export interface Box {
  readonly type: string
  readonly start: number
  readonly bodyStart: number
  readonly end: number
}

/** Far more than an index has, and few enough that a list of them is no burden. */
const maxBoxes = 100_000

export function findBox(bytes: Uint8Array, parent: Box, type: string): Box | undefined {
  return listBoxes(bytes, parent.bodyStart, parent.end).find((box) => box.type === type)
}

export function listBoxes(bytes: Uint8Array, start: number, end: number): Box[] {
  const view = viewOf(bytes)
  const boxes: Box[] = []
  let position = start
  while (position + 8 <= end) {
    const small = view.getUint32(position)
    const size = small === 1 ? Number(view.getBigUint64(position + 8)) : small === 0 ? end - position : small
    if (size < 8 || position + size > end) break
    if (boxes.length >= maxBoxes) throw new RangeError(`more than ${maxBoxes} boxes in one`)
    const bodyStart = position + (small === 1 ? 16 : 8)
    boxes.push({ type: readType(view, position + 4), start: position, bodyStart, end: position + size })
    position += size
  }
  return boxes
}

export function readType(view: DataView, position: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(position + index)))
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
