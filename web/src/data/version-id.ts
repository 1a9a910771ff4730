/** The catalog's routes and pages take versions where they take datasets; the id says which it is. */
export const isVersionId = (id: string): boolean => id.startsWith('ver_')
