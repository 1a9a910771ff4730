import type { Loss } from './writer.ts'

/** For targets that have files of their own kind only; of a dataset, or of what is known of one. */
export const listSidecarLosses = ({ sidecars }: { readonly sidecars?: Pick<ReadonlySet<string>, 'keys'> }): Loss[] =>
  [...(sidecars?.keys() ?? [])].map((path) => ({
    feature: path,
    reason: 'The target has no place for files beside the data.',
  }))
