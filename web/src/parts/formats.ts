/** How numbers are written: true minus, commas, a space before the unit. */
const counts = new Intl.NumberFormat('en-US')

export const formatCount = (value: number): string => counts.format(value).replace('-', '−')

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`

export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return '–'
  if (bytes < 1000) return `${bytes} B`
  const units = ['kB', 'MB', 'GB', 'TB', 'PB']
  let value = bytes / 1000
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${value < 10 ? value.toFixed(value < 9.95 ? 1 : 0) : Math.round(value)} ${units[unit]}`
}

/** A recording's length: 8.80 s, 32 min 17 s, 10.4 h. */
export function formatDuration(seconds: number): string {
  if (seconds < 59.95) return `${seconds.toFixed(seconds < 9.995 ? 2 : 1)} s`
  if (seconds < 3599.5) {
    const whole = Math.round(seconds)
    return `${Math.floor(whole / 60)} min${whole % 60 ? ` ${whole % 60} s` : ''}`
  }
  return `${(seconds / 3600).toFixed(seconds < 360_000 ? 1 : 0)} h`
}

export function formatShortDuration(seconds: number): string {
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`
  if (seconds < 3570) return `${Math.round(seconds / 60)} min`
  return `${(seconds / 3600).toFixed(1)} h`
}

/** 00:06.20 */
export function formatTimecode(seconds: number): string {
  const hundredths = Math.max(0, Math.round(seconds * 100))
  const minutes = Math.floor(hundredths / 6000)
  return `${String(minutes).padStart(2, '0')}:${((hundredths % 6000) / 100).toFixed(2).padStart(5, '0')}`
}

/** A measured value in as many digits as its range asks for. */
export function formatValue(value: number | null | undefined, range = Math.abs(value ?? 0)): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–'
  const digits = range >= 1000 ? 0 : range >= 100 ? 1 : range >= 10 ? 2 : 3
  return value.toFixed(digits).replace('-', '−')
}

export const formatSigned = (value: number, range?: number): string =>
  (value >= 0 ? '+' : '') + formatValue(value, range)

export const formatPercent = (share: number, digits = 1): string => `${(share * 100).toFixed(digits)} %`

/** 11th, 22nd. */
export function formatOrdinal(n: number): string {
  const tens = n % 100
  const suffix = tens >= 11 && tens <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')
  return `${n}${suffix}`
}

/** The last part of a feature's name is what people call it. */
export const shortName = (key: string): string => key.split('.').at(-1) ?? key
