import { DropdownMenu as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

interface MenuProps {
  /** A button. */
  trigger: ReactNode
  children: ReactNode
  align?: 'start' | 'end'
  open?: boolean
  onOpenChange?(open: boolean): void
}

export const Menu = ({ trigger, children, align = 'start', ...control }: MenuProps) => (
  <Radix.Root modal={false} {...control}>
    <Radix.Trigger asChild>{trigger}</Radix.Trigger>
    <Radix.Portal>
      <Radix.Content className="popover menu" align={align} sideOffset={4}>
        {children}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
)

interface ItemProps {
  children: ReactNode
  onSelect?(): void
  disabled?: boolean
  asChild?: boolean
}

export const MenuItem = ({ children, onSelect, disabled = false, asChild = false }: ItemProps) => (
  <Radix.Item className="menu-item" disabled={disabled} asChild={asChild} onSelect={() => onSelect?.()}>
    {children}
  </Radix.Item>
)

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <Radix.Label className="menu-label">{children}</Radix.Label>
)

export const MenuLine = () => <Radix.Separator className="menu-line" />

interface CheckItemProps {
  checked: boolean
  onChange(checked: boolean): void
  disabled?: boolean
  children: ReactNode
}

/** Stays open, so that several can be chosen. */
export const MenuCheck = ({ checked, onChange, disabled = false, children }: CheckItemProps) => (
  <Radix.CheckboxItem
    className="menu-item"
    checked={checked}
    disabled={disabled}
    onCheckedChange={onChange}
    onSelect={(event) => event.preventDefault()}
  >
    <span className="inline-block width-12 align-center" aria-hidden="true">
      {checked ? '✓' : ''}
    </span>
    {children}
  </Radix.CheckboxItem>
)
