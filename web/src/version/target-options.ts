/** Options of an export's form, by the JSON Schema that the API gives. */
export interface TargetOption {
  name: string
  type: 'integer' | 'boolean' | 'string' | 'array'
  description: string
  choices: readonly string[] | undefined
  minimum: number | undefined
  maximum: number | undefined
  /** As it is written in a field. */
  usual: string
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const numberOrNone = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

export function listOptions(schema: Record<string, unknown>): TargetOption[] {
  if (!isRecord(schema.properties)) return []
  return Object.entries(schema.properties).flatMap(([name, one]): TargetOption[] => {
    if (!isRecord(one)) return []
    const { type, description, enum: choices, minimum, maximum, default: usual } = one
    if (type !== 'integer' && type !== 'boolean' && type !== 'string' && type !== 'array') return []
    return [
      {
        name,
        type,
        description: String(description ?? ''),
        choices: Array.isArray(choices) ? choices.map(String) : undefined,
        minimum: numberOrNone(minimum),
        maximum: numberOrNone(maximum),
        usual: Array.isArray(usual) ? usual.join(', ') : String(usual ?? ''),
      },
    ]
  })
}

/** What was typed as the API takes it; a sentence where it cannot be that. */
function readOption(option: TargetOption, text: string): { value: unknown } | { fault: string } {
  const { type, minimum, maximum } = option
  if (type === 'boolean') return { value: text === 'true' }
  if (type === 'string') return { value: text }
  if (type === 'integer') {
    const value = Number(text)
    const isIn =
      text.trim() !== '' && Number.isInteger(value) && value >= (minimum ?? value) && value <= (maximum ?? value)
    return isIn ? { value } : { fault: `A whole number from ${minimum} to ${maximum}.` }
  }
  const entries = text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
  const values = entries.map((one) => (one === 'true' ? true : one === 'false' ? false : Number(one)))
  const isList = values.every((one) => typeof one === 'boolean' || Number.isInteger(one))
  return isList ? { value: values } : { fault: 'Whole numbers, or true and false, between commas.' }
}

/** Options that differ from the usual, or the first fault. */
export function readOptions(
  options: readonly TargetOption[],
  typed: Readonly<Record<string, string>>,
): { values: Record<string, unknown>; faults: Record<string, string> } {
  const values: Record<string, unknown> = {}
  const faults: Record<string, string> = {}
  for (const option of options) {
    const text = typed[option.name] ?? option.usual
    if (text === option.usual) continue
    const read = readOption(option, text)
    if ('fault' in read) faults[option.name] = read.fault
    else values[option.name] = read.value
  }
  return { values, faults }
}
