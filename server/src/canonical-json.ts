/** RFC 8785: keys sorted by UTF-16 code units, numbers and strings as ECMAScript writes them. For values that came from JSON. */
export const writeCanonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(writeCanonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${entries.map(([key, field]) => `${JSON.stringify(key)}:${writeCanonicalJson(field)}`).join(',')}}`
}
