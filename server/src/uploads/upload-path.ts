const maxPathBytes = 1024
const maxComponentBytes = 255
const maxComponents = 64
// biome-ignore lint/suspicious/noControlCharactersInRegex: the point is to refuse them
const forbidden = /[\u0000-\u001f\u007f\\]/

/** What is wrong with a name as a relative path, in words; undefined when nothing is. The path is data: no file is ever opened by it. */
export const findPathFault = (path: string): string | undefined => {
  if (path === '') return 'it is empty'
  if (!path.isWellFormed() || path.includes('\ufffd')) return 'it is not well-formed Unicode'
  if (path !== path.normalize('NFC')) return 'its letters are not composed (Unicode NFC)'
  if (Buffer.byteLength(path) > maxPathBytes) return `it is longer than ${maxPathBytes} bytes`
  if (forbidden.test(path)) return 'it contains a control character or a backslash'
  const components = path.split('/')
  if (components.length > maxComponents) return `it has more than ${maxComponents} folders`
  for (const component of components) {
    if (component === '') return 'it begins or ends with a slash, or has two in a row'
    if (component === '.' || component === '..') return 'it has a component that is . or ..'
    if (Buffer.byteLength(component) > maxComponentBytes) return `a component is longer than ${maxComponentBytes} bytes`
  }
  return undefined
}
