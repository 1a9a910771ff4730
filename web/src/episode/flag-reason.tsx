import { type FlagReason, flagReasons } from '../data/flags.ts'
import { Button } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import { Menu, MenuCheck } from '../parts/menu.tsx'
import { createStore, useStore } from '../session/store.ts'

/** The reason that F gives, the same on every tab and in the player. */
const flagReason = createStore<FlagReason>('failed')

export const setFlagReason = flagReason.set
export const useFlagReason = (): FlagReason => useStore(flagReason)

/** Keys 1 to 6. */
export const reasonKeys = Object.fromEntries(flagReasons.map((one, at) => [String(at + 1), () => setFlagReason(one)]))

export function FlagReasonMenu() {
  const reason = useFlagReason()
  return (
    <Menu
      align="end"
      trigger={
        <Button>
          <span className="kbd desktop-only" aria-hidden="true">
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
