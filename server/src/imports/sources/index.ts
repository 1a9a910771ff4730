import type { Context } from '../../context.ts'
import { openHuggingFace } from './huggingface.ts'
import type { OpenedSource, SourceRequest } from './source.ts'
import { transferLimits } from './transfer-limits.ts'
import { openUrl } from './url.ts'

/** REGISTRY: where data is brought in from. A new kind of source is its file, its request in source.ts, and a line here. */
export const openSource = (
  context: Pick<Context, 'config'>,
  request: SourceRequest,
  signal: AbortSignal,
  limits = transferLimits,
): Promise<OpenedSource> => {
  switch (request.kind) {
    case 'huggingface':
      return openHuggingFace(context, request, signal, limits)
    case 'url':
      return openUrl(context, request, signal, limits)
  }
}
