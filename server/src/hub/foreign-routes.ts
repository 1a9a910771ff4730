import { missingRepository, modelsNotHere } from './hub-answer.ts'
import type { HubRequest, HubRoute } from './hub-request.ts'

const bareName =
  'Dataset names have two parts, ORG/NAME or ORG/PROJECT.NAME; this name has only one. `nmp datasets` lists yours.'

const noSpaces = 'Spaces are not stored here; only datasets and models are.'

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const
const refuse = (address: RegExp, sentence: string): HubRoute[] =>
  methods.map((method) => ({
    method,
    address,
    handle: async (_call: HubRequest) => {
      throw missingRepository(sentence)
    },
  }))

/** Tried last: repositories that cannot be here, in the words that the clients turn into `RepositoryNotFoundError`. */
export const foreignRoutes: readonly HubRoute[] = [
  ...refuse(/^\/api\/models\/[^/]+(\/.+)?$/, modelsNotHere),
  ...refuse(/^\/(?!datasets\/|spaces\/|api\/|lfs\/|xet\/)[^/]+\/(resolve|raw)\/.+$/, modelsNotHere),
  ...refuse(/^\/api\/spaces\/.+$/, noSpaces),
  ...refuse(/^\/spaces\/[^/]+\/[^/]+(\.git\/|\/(resolve|raw)\/).+$/, noSpaces),
  ...refuse(
    /^\/api\/datasets\/[^/]+(\/(revision|tree|paths-info|commits|preupload|commit|tag|branch)\/.+)?$/,
    bareName,
  ),
  ...refuse(/^\/datasets\/[^/]+\/(resolve|raw)\/.+$/, bareName),
]
