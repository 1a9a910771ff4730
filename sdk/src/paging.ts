import type { CallOptions, Operation } from './operation.ts'
import type { Input, Transport } from './transport.ts'

interface CursorPage {
  items: unknown[]
  next_cursor?: string | null
}

interface OffsetPage {
  item: { offset: number; total: number; items: unknown[] }
}

/** Every item of every page; a page is asked for when the one before is used up. */
export async function* iteratePages(
  transport: Transport,
  operation: Operation,
  input: Input = {},
  options?: CallOptions,
): AsyncGenerator<unknown> {
  if (operation.paging === 'offset') {
    for (let offset = Number(input.offset ?? 0); ; ) {
      const { item } = (await transport.call(operation, { ...input, offset }, options)) as OffsetPage
      yield* item.items
      offset += item.items.length
      if (item.items.length === 0 || offset >= item.total) return
    }
  }
  for (let cursor = input.cursor; ; ) {
    const page = (await transport.call(operation, { ...input, cursor }, options)) as CursorPage
    yield* page.items
    if (!page.next_cursor) return
    cursor = page.next_cursor
  }
}
