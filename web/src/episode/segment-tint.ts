/** One colour per label, in the order in which the labels come. */
export const segmentTint = (segments: readonly { label: string }[], segment: { label: string }): string => {
  const labels = [...new Set(segments.map(({ label }) => label))]
  return `var(--seg-${(labels.indexOf(segment.label) % 6) + 1})`
}
