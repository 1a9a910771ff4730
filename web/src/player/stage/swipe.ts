import { useRef } from 'react'

interface Swipe {
  onStart?(): void
  /** Pixels to the right since the finger came down. */
  onMove?(dx: number): void
  /** Once, when the finger leaves. */
  onEnd?(dx: number): void
}

/** So far sideways before it is a swipe and no tap. */
const startPixels = 12

/** A finger drawn sideways over an element; the page keeps scrolling when it goes up or down. */
export function useSwipe({ onStart, onMove, onEnd }: Swipe): React.HTMLAttributes<HTMLElement> {
  const finger = useRef<{ id: number; x: number; y: number; isSwipe: boolean }>(undefined)
  const isClickSpent = useRef(false)
  const leave = (event: React.PointerEvent, isDone: boolean) => {
    const { current } = finger
    if (current?.id !== event.pointerId) return
    finger.current = undefined
    isClickSpent.current = current.isSwipe
    if (current.isSwipe && isDone) onEnd?.(event.clientX - current.x)
  }
  return {
    style: { touchAction: 'pan-y' },
    onPointerDown: (event) => {
      if (event.pointerType !== 'touch' || !event.isPrimary) return
      isClickSpent.current = false
      finger.current = { id: event.pointerId, x: event.clientX, y: event.clientY, isSwipe: false }
    },
    onPointerMove: (event) => {
      const { current } = finger
      if (current?.id !== event.pointerId) return
      const dx = event.clientX - current.x
      if (!current.isSwipe) {
        if (Math.abs(dx) < startPixels || Math.abs(dx) < Math.abs(event.clientY - current.y)) return
        current.isSwipe = true
        onStart?.()
      }
      onMove?.(dx)
    },
    onPointerUp: (event) => leave(event, true),
    onPointerCancel: (event) => leave(event, false),
    onClickCapture: (event) => {
      // The click that ends a swipe picks no camera.
      if (isClickSpent.current) event.stopPropagation()
      isClickSpent.current = false
    },
  }
}
