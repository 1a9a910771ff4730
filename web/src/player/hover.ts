/** The frame under the pointer, told to the lanes without a rendering: it changes with every move of the mouse. */
export class HoverFrame {
  frame: number | undefined
  readonly #listeners = new Set<() => void>()

  set(frame: number | undefined): void {
    if (this.frame === frame) return
    this.frame = frame
    for (const listener of this.#listeners) listener()
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
