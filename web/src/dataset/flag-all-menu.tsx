import { useEffect } from 'react'
import { type FlagReason, flagReasons } from '../data/flags.ts'
import { Button } from '../parts/controls.tsx'
import { Menu, MenuItem, MenuLabel } from '../parts/menu.tsx'

interface FlagAllMenuProps {
  open: boolean
  onOpenChange(open: boolean): void
  onFlag(reason: FlagReason): void
}

/** Why all that is selected is flagged: F, then a number. */
export function FlagAllMenu({ open, onOpenChange, onFlag }: FlagAllMenuProps) {
  useEffect(() => {
    if (!open) return
    const onKey = (event: KeyboardEvent) => {
      const reason = flagReasons[Number(event.key) - 1]
      if (!reason || event.altKey || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      event.stopPropagation()
      onOpenChange(false)
      onFlag(reason)
    }
    // Before the menu, which would look for an item that begins with the number.
    window.addEventListener('keydown', onKey, { capture: true })
    return () => window.removeEventListener('keydown', onKey, { capture: true })
  })
  return (
    <Menu
      align="end"
      open={open}
      onOpenChange={onOpenChange}
      trigger={
        <Button icon="flag" shortcut="F">
          Flag all
        </Button>
      }
    >
      <MenuLabel>Reason</MenuLabel>
      {flagReasons.map((reason, at) => (
        <MenuItem key={reason} onSelect={() => onFlag(reason)}>
          {reason}
          <span className="kbd end" aria-hidden="true">
            {at + 1}
          </span>
        </MenuItem>
      ))}
    </Menu>
  )
}
