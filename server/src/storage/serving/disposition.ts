/** `Content-Disposition` for saving under a name (RFC 6266): plain ASCII for old clients, UTF-8 for the others. */
export const attachmentDisposition = (fileName: string): string => {
  const name = fileName.toWellFormed().replace(/[\p{Cc}\p{Cf}/\\]/gu, '_')
  const plain = name.replace(/[^ -~]|["%]/g, '_')
  const exact = encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
  return plain === name
    ? `attachment; filename="${plain}"`
    : `attachment; filename="${plain}"; filename*=UTF-8''${exact}`
}
