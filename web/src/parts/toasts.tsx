import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useKeys } from '../session/keys.ts'
import { createStore, useStore } from '../session/store.ts'
import { Button, IconButton } from './controls.tsx'
import { nameCommand } from './key-names.ts'

interface Toast {
  message: ReactNode
  undo?: (() => void) | undefined
  isFault: boolean
}

const current = createStore<Toast | undefined>(undefined)

/** One at a time, bottom left; `undo` gives every action its way back. */
export function showToast(message: ReactNode, undo?: () => void): void {
  current.set({ message, undo, isFault: false })
}

export function showFault(message: string): void {
  current.set({ message, isFault: true })
}

const showSeconds = 8

/** Eight seconds, which stop while the pointer or the focus is on it. */
export function Toasts() {
  const toast = useStore(current)
  const [held, setHeld] = useState(false)
  const left = useRef(0)
  useEffect(() => {
    left.current = toast ? showSeconds : 0
  }, [toast])
  useEffect(() => {
    if (!toast || held) return
    const timer = setInterval(() => {
      left.current -= 0.5
      if (left.current <= 0) current.set(undefined)
    }, 500)
    return () => clearInterval(timer)
  }, [toast, held])
  const undo = () => {
    toast?.undo?.()
    current.set(undefined)
  }
  useKeys({ 'mod+z': undo }, toast?.undo !== undefined)
  return (
    <div aria-live="polite">
      {toast && (
        // biome-ignore lint/a11y/noStaticElementInteractions: resting on it only stops its clock
        <div
          className="toast"
          role={toast.isFault ? 'alert' : 'status'}
          onPointerEnter={() => setHeld(true)}
          onPointerLeave={() => setHeld(false)}
          onFocus={() => setHeld(true)}
          onBlur={() => setHeld(false)}
        >
          {toast.isFault ? (
            <span className="callout fill">{toast.message}</span>
          ) : (
            <span className="fill">{toast.message}</span>
          )}
          {toast.undo && (
            <Button small shortcut={nameCommand('Z')} onClick={undo}>
              Undo
            </Button>
          )}
          <IconButton icon="close" label="Dismiss" look="ghost" small onClick={() => current.set(undefined)} />
        </div>
      )}
    </div>
  )
}
