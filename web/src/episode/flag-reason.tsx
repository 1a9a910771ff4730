import { useSyncExternalStore } from 'react'
import { type FlagReason, flagReasons } from '../data/flags.ts'
import { Button } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import { Menu, MenuCheck } from '../parts/menu.tsx'

/** The reason that F gives, the same on every tab and in the player. */
let current: FlagReason = 'failed'
const listeners = new Set<() => void>()

export function setFlagReason(reason: FlagReason): void {
  current = reason
  for (const listener of listeners) listener()
}

export const useFlagReason = (): FlagReason =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )

/** Keys 1 to 6. */
export const reasonKeys = Object.fromEntries(flagReasons.map((one, at) => [String(at + 1), () => setFlagReason(one)]))

export function FlagReasonMenu() {
  const reason = useFlagReason()
  return (
    <Menu
      align="end"
      trigger={
        <Button>
          <span className="kbd desk" aria-hidden="true">
            F
          </span>
          <span className="dim">flags as</span> {reason}
          <Icon name="down" small />
        </Button>
      }
    >
      {flagReasons.map((one, at) => (
        <MenuCheck key={one} checked={one === reason} onChange={() => setFlagReason(one)}>
          <span className="row">
            {one}
            <span className="kbd end" aria-hidden="true">
              {at + 1}
            </span>
          </span>
        </MenuCheck>
      ))}
    </Menu>
  )
}
