import { useEffect, useRef } from 'react'
import '../inspector.css'

/** One thin mark per episode, the present one in ink. Drawn on a canvas: there may be a hundred thousand. */
export function Rug({ values, value }: { values: readonly number[]; value: number }) {
  const ref = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const draw = () => {
      const canvas = ref.current
      const paint = canvas?.getContext('2d')
      if (!canvas || !paint) return
      const scale = devicePixelRatio
      const width = canvas.clientWidth
      const height = 12
      canvas.width = width * scale
      canvas.height = height * scale
      paint.scale(scale, scale)
      const style = getComputedStyle(document.documentElement)
      let low = Number.POSITIVE_INFINITY
      let high = Number.NEGATIVE_INFINITY
      for (const one of values) {
        if (one < low) low = one
        if (one > high) high = one
      }
      const place = (one: number) => ((one - low) / (high - low || 1)) * (width - 2)
      paint.fillStyle = style.getPropertyValue('--bars')
      paint.globalAlpha = values.length > 400 ? 0.15 : 0.55
      for (const one of values) paint.fillRect(place(one), 5, 1, 7)
      paint.globalAlpha = 1
      paint.fillStyle = style.getPropertyValue('--ink')
      paint.fillRect(place(value), 0, 2, 12)
    }
    draw()
    window.addEventListener('nmp-theme', draw)
    return () => window.removeEventListener('nmp-theme', draw)
  }, [values, value])
  return <canvas ref={ref} className="rug" />
}
