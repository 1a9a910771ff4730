import { useEffect, useState } from 'react'
import { Field } from './controls.tsx'

interface NumberFieldProps {
  label: string
  value: number | null
  /** With every key that makes it a number; null when it is emptied. */
  onChange(value: number | null): void
  step?: number | 'any'
  min?: number
  max?: number
  unit?: string
  placeholder?: string
  fault?: string | undefined
  /** An empty field means nothing here. */
  isRequired?: boolean
}

/** Keeps what is typed while it is typed ("0.", "-", ""), and tells of every number on the way. */
export function NumberField({ label, value, onChange, fault, isRequired = false, unit, ...rest }: NumberFieldProps) {
  const [text, setText] = useState(value === null ? '' : String(value))
  const typed = text.trim() === '' ? null : Number(text)
  useEffect(() => {
    setText((old) => (readNumber(old) === value ? old : value === null ? '' : String(value)))
  }, [value])
  const isUnread = typed !== null && !Number.isFinite(typed)
  return (
    <Field
      label={label}
      showLabel
      type="text"
      inputMode="decimal"
      role="spinbutton"
      aria-valuenow={value ?? undefined}
      aria-valuemin={rest.min}
      aria-valuemax={rest.max}
      placeholder={rest.placeholder}
      {...(unit ? { unit } : {})}
      value={text}
      fault={isUnread ? 'This is not a number.' : fault}
      onChange={(event) => {
        setText(event.target.value)
        const next = readNumber(event.target.value)
        if (next === undefined || (next === null && isRequired)) return
        onChange(next)
      }}
      onBlur={() => setText(value === null ? '' : String(value))}
      onKeyDown={(event) => {
        const direction = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0
        if (direction === 0 || typeof rest.step !== 'number') return
        event.preventDefault()
        const next = (value ?? 0) + direction * rest.step * (event.shiftKey ? 10 : 1)
        const bound = Math.max(
          rest.min ?? Number.NEGATIVE_INFINITY,
          Math.min(rest.max ?? Number.POSITIVE_INFINITY, next),
        )
        onChange(Number(bound.toFixed(6)))
      }}
    />
  )
}

/** Undefined: not a number yet. */
function readNumber(text: string): number | null | undefined {
  const plain = text.trim().replace(',', '.').replace('−', '-')
  if (plain === '') return null
  const value = Number(plain)
  return Number.isFinite(value) ? value : undefined
}
