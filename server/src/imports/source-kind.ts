/** What people import from; a copy of a version is asked for elsewhere. */
export const sentKinds = ['huggingface', 'hdf5', 'lerobot'] as const
export const sourceKinds = [...sentKinds, 'version'] as const
export type SourceKind = (typeof sourceKinds)[number]
