import { missingRepository, modelsNotHere } from './hub-answer.ts'
import type { HubRequest, HubRoute } from './hub-request.ts'

const bareName =
  'Dataset names have two parts, ORG/NAME or ORG/PROJECT.NAME; this name has only one. `nmp datasets` lists yours.'

const noSpaces = 'Spaces are not stored here; only datasets and models are.'

const refuse = (id: string, address: RegExp, sentence: string): HubRoute => ({
  id,
  method: 'any',
  address,
  credentials: 'optional',
  handle: async (_call: HubRequest) => {
    throw missingRepository(sentence)
  },
})

/** Tried last: repositories that cannot be here, in the words that the clients turn into `RepositoryNotFoundError`. */
export const foreignRoutes: readonly HubRoute[] = [
  refuse('hub.refuseModel', /^\/api\/models\/[^/]+(\/.+)?$/, modelsNotHere),
  refuse('hub.refuseModelFile', /^\/(?!datasets\/|spaces\/|api\/|lfs\/|xet\/)[^/]+\/(resolve|raw)\/.+$/, modelsNotHere),
  refuse('hub.refuseSpace', /^\/api\/spaces\/.+$/, noSpaces),
  refuse('hub.refuseSpaceFile', /^\/spaces\/[^/]+\/[^/]+(\.git\/|\/(resolve|raw)\/).+$/, noSpaces),
  refuse(
    'hub.refuseBareName',
    /^\/api\/datasets\/[^/]+(\/(revision|tree|paths-info|commits|preupload|commit|tag|branch)\/.+)?$/,
    bareName,
  ),
  refuse('hub.refuseBareFile', /^\/datasets\/[^/]+\/(resolve|raw)\/.+$/, bareName),
]
