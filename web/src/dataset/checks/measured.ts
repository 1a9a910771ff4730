import { formatCutOff } from '../../data/recipe/cut-off.ts'

/** A value with its unit, where that is short. */
export function formatMeasured(value: number, unit: string): string {
  if (unit === 'seconds') return `${formatCutOff(value, 3)} s`
  if (unit.startsWith('share')) return `${(value * 100).toFixed(1)} %`
  return formatCutOff(value, 3)
}
