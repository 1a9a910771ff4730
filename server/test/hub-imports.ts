import { sweepPushes } from '../src/hub/push/push-sweep.ts'
import type { Json } from './hub-door.ts'
import { waitForImport } from './import-dataset.ts'
import type { TestProgram } from './program.ts'

interface Pushed {
  org: string
  project: string
  slug: string
}

export async function listImportsOf(program: TestProgram, bearer: string, pushed: Pushed): Promise<Json[]> {
  const path = `/api/v1/orgs/${pushed.org}/projects/${pushed.project}/imports?limit=100`
  const { body } = await program.call('GET', path, { bearer })
  return body.items.filter((item: Json) => item.dataset_slug === pushed.slug)
}

/** Runs imports until every one of a name has ended and no head waits. */
export async function finishImportsOf(program: TestProgram, bearer: string, pushed: Pushed): Promise<Json[]> {
  const list = () => listImportsOf(program, bearer, pushed)
  const worker = program.startWorker()
  try {
    for (let count = -1; ; ) {
      const imports = await list()
      for (const { id } of imports) await waitForImport(program, bearer, pushed, id)
      await sweepPushes(program.context)
      if ((await list()).length === imports.length && count === imports.length) return await list()
      count = imports.length
    }
  } finally {
    await worker.stop(0)
  }
}
