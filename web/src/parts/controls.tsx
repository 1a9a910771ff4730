import type { ButtonHTMLAttributes, InputHTMLAttributes, ReactNode, Ref } from 'react'
import { useEffect, useId, useRef } from 'react'
import { Icon, type IconName } from './icon.tsx'

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: 'default' | 'primary' | 'ghost' | 'danger'
  small?: boolean
  icon?: IconName
  /** The key that does the same, shown on the button. */
  shortcut?: string
  ref?: Ref<HTMLButtonElement>
}

const looks = { default: '', primary: ' primary', ghost: ' ghost', danger: ' danger' }

export function Button({ look = 'default', small, icon, shortcut, children, className = '', ...rest }: ButtonProps) {
  return (
    <button type="button" className={`button${looks[look]}${small ? ' small' : ''} ${className}`} {...rest}>
      {icon && <Icon name={icon} small />}
      {children}
      {shortcut && (
        <span className="kbd desktop-only" aria-hidden="true">
          {shortcut}
        </span>
      )}
    </button>
  )
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: IconName
  label: string
  look?: 'default' | 'primary' | 'ghost'
  small?: boolean
  ref?: Ref<HTMLButtonElement>
}

export const IconButton = ({ icon, label, look = 'default', small, className = '', ...rest }: IconButtonProps) => (
  <button
    type="button"
    className={`button square${looks[look]}${small ? ' small' : ''} ${className}`}
    aria-label={label}
    title={label}
    {...rest}
  >
    <Icon name={icon} small={small ?? false} />
  </button>
)

export const Kbd = ({ children }: { children: ReactNode }) => <kbd className="kbd">{children}</kbd>

interface FieldProps extends InputHTMLAttributes<HTMLInputElement> {
  label: string
  /** The label is drawn above; otherwise it is for screen readers only. */
  showLabel?: boolean
  icon?: IconName
  hint?: ReactNode
  fault?: string | undefined
  unit?: string
  ref?: Ref<HTMLInputElement>
}

export function Field({
  label,
  showLabel = false,
  icon,
  hint,
  fault,
  unit,
  className = '',
  style,
  ...rest
}: FieldProps) {
  const faultId = useId()
  return (
    <div className={`block ${className}`} style={style}>
      <label className="block">
        <span className={showLabel ? 'label' : 'visually-hidden'}>{label}</span>
        <span className="field" data-invalid={fault ? 'true' : undefined}>
          {icon && <Icon name={icon} small />}
          <input aria-invalid={fault ? true : undefined} aria-describedby={fault ? faultId : undefined} {...rest} />
          {unit && <span className="dim small">{unit}</span>}
          {hint}
        </span>
      </label>
      {fault && (
        <span id={faultId} className="text-flag small above-4 block">
          {fault}
        </span>
      )}
    </div>
  )
}

interface SegmentedProps<T extends string> {
  label: string
  value: T
  options: readonly { value: T; label: ReactNode; title?: string }[]
  onChange(value: T): void
  small?: boolean
}

/** One of a few, as radio buttons: arrows move, the chosen one is in ink. */
export function Segmented<T extends string>({ label, value, options, onChange, small }: SegmentedProps<T>) {
  const move = (event: React.KeyboardEvent, at: number) => {
    const step =
      event.key === 'ArrowRight' || event.key === 'ArrowDown'
        ? 1
        : event.key === 'ArrowLeft' || event.key === 'ArrowUp'
          ? -1
          : 0
    if (step === 0) return
    event.preventDefault()
    event.stopPropagation()
    const next = options[(at + step + options.length) % options.length]
    if (!next) return
    onChange(next.value)
    const sibling = event.currentTarget.parentElement?.children[(at + step + options.length) % options.length]
    if (sibling instanceof HTMLElement) sibling.focus()
  }
  return (
    <div className={small ? 'segmented small' : 'segmented'} role="radiogroup" aria-label={label}>
      {options.map((option, at) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === value}
          tabIndex={option.value === value ? 0 : -1}
          title={option.title}
          onClick={() => onChange(option.value)}
          onKeyDown={(event) => move(event, at)}
        >
          {option.label}
        </button>
      ))}
    </div>
  )
}

interface CheckProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> {
  /** Rows are yellow; filters and forms are ink. */
  kind?: 'row' | 'ink'
  indeterminate?: boolean
}

export function Check({ kind = 'ink', indeterminate = false, className = '', ...rest }: CheckProps) {
  const ref = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (ref.current) ref.current.indeterminate = indeterminate
  }, [indeterminate])
  return (
    <input ref={ref} type="checkbox" className={`checkbox ${kind === 'ink' ? 'ink' : ''} ${className}`} {...rest} />
  )
}

interface SwitchProps {
  label: string
  checked: boolean
  onChange(checked: boolean): void
  disabled?: boolean
}

export const Switch = ({ label, checked, onChange, disabled = false }: SwitchProps) => (
  <button
    type="button"
    role="switch"
    className="switch"
    aria-checked={checked}
    aria-label={label}
    disabled={disabled}
    onClick={(event) => {
      event.stopPropagation()
      onChange(!checked)
    }}
  />
)
