interface SelectProps<T extends string> {
  label: string
  /** The label is drawn above; otherwise it is for screen readers only. */
  showLabel?: boolean
  value: T
  options: readonly { value: T; label: string }[]
  onChange(value: T): void
  disabled?: boolean
  className?: string
}

/** One of several, by the list that the system draws. */
export function Select<T extends string>(props: SelectProps<T>) {
  const { label, showLabel = false, value, options, onChange, disabled = false, className = '' } = props
  return (
    <label className={`block ${className}`}>
      <span className={showLabel ? 'label' : 'visually-hidden'}>{label}</span>
      <span className="field">
        <select
          value={value}
          disabled={disabled}
          onChange={(event) => {
            const chosen = options.find((one) => one.value === event.target.value)
            if (chosen) onChange(chosen.value)
          }}
        >
          {options.map((one) => (
            <option key={one.value} value={one.value}>
              {one.label}
            </option>
          ))}
        </select>
      </span>
    </label>
  )
}
