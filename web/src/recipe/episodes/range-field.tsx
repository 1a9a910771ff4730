import { useId, useState } from 'react'
import { readRanges, writeRanges } from '../../data/recipe/index-ranges.ts'
import { Field } from '../../parts/controls.tsx'
import { formatCount } from '../../parts/formats.ts'
import '../steps.css'

interface RangeFieldProps {
  label: string
  indices: readonly number[] | null
  total: number
  /** What stands in it and cannot be read. */
  unread: string | undefined
  onUnread(text: string | undefined): void
  onChange(indices: number[] | null): void
}

/** A list of episodes as text. It is taken when the field is left, and on Enter; what cannot be read stays until it is corrected. */
export function RangeField({ label, indices, total, unread, onUnread, onChange }: RangeFieldProps) {
  const [typed, setTyped] = useState<{ text: string; over: readonly number[] | null }>()
  const faultId = useId()
  const text = unread ?? (typed?.over === indices ? typed.text : undefined) ?? writeRanges(indices ?? [])
  const take = () => {
    const read = readRanges(text, total)
    if (!read || typed?.over !== indices) return
    setTyped(undefined)
    if (writeRanges(read) !== writeRanges(indices ?? [])) onChange(read.length > 0 ? read : null)
  }
  return (
    <div className="range-field">
      <Field
        label={label}
        showLabel
        placeholder="0-10, 15"
        value={text}
        aria-invalid={unread !== undefined}
        {...(unread === undefined ? {} : { 'aria-describedby': faultId })}
        onChange={({ target }) => {
          setTyped({ text: target.value, over: indices })
          onUnread(readRanges(target.value, total) ? undefined : target.value)
        }}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === 'Enter') take()
        }}
      />
      {unread !== undefined && (
        <p id={faultId} className="text-flag small above-4" role="status">
          Numbers from 0 to {formatCount(total - 1)}, such as 0-10, 15.
        </p>
      )}
    </div>
  )
}
