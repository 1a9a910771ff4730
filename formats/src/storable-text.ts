/** Texts of a source end up in a database, which keeps no NUL: the sign for what cannot be shown, U+FFFD, stands in its place. */
export const toStorableText = (text: string): string => text.replaceAll('\0', '\ufffd')
