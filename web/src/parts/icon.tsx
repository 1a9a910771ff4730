/** Drawn for this product on a grid of 16 with a stroke of 1.5; filled ones end in a mark. */
const paths = {
  search: 'M7 2.8a4.2 4.2 0 1 1 0 8.4 4.2 4.2 0 0 1 0-8.4M10.2 10.2 14 14',
  down: 'm4 6.2 4 4 4-4',
  right: 'm6 3.5 4.5 4.5L6 12.5',
  left: 'M10 3.5 5.5 8l4.5 4.5',
  up: 'm4 9.8 4-4 4 4',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  close: 'm4 4 8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  flag: 'M4 14V2.5M4 3h7.5L9.8 6l1.7 3H4',
  bell: 'M3.5 11.5h9l-1.2-1.8V7a3.3 3.3 0 0 0-6.6 0v2.7zM6.8 13.6h2.4',
  person: 'M8 2.9a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2M2.8 13.5c.6-2.6 2.6-4 5.2-4s4.6 1.4 5.2 4',
  lock: 'M4 7.2h8v6.3H4zM5.6 7.2V5a2.4 2.4 0 0 1 4.8 0v2.2',
  key: 'M5 5.4a2.6 2.6 0 1 1 0 5.2 2.6 2.6 0 0 1 0-5.2M7.6 8h6.6M12 8v2.4',
  table: 'M3.5 3h9a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1h-9a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1M2.5 6.3h11M2.5 9.7h11M6.2 6.3V13',
  picture: 'M3 3h10a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1M2.5 11.5 6 8l2.5 2.5 2-2 3 3',
  noPicture: 'M3 3h10a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1M2 2l12 12',
  folder: 'M2.5 12.5v-9h4l1.5 2h5.5v7z',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  grid: 'M2.5 2.5h4.5v4.5H2.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5H2.5zM9 9h4.5v4.5H9z',
  list: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  filter: 'M2 3.5h12L9.5 8.5v4l-3 1v-5z',
  download: 'M8 2.5v8M4.5 7.5 8 11l3.5-3.5M3 13.5h10',
  upload: 'M8 11V3M4.5 6 8 2.5 11.500 6M3 13.5h10',
  link: 'M6.5 9.5 9.5 6.5M7 4.5l1.5-1.5a3 3 0 0 1 4.3 4.3L11.3 8.8M9 11.5 7.5 13a3 3 0 0 1-4.3-4.3L4.7 7.2',
  copy: 'M6.5 5.5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1M10.5 5.5v-3h-8v8h3',
  again: 'M13 8a5 5 0 1 1-1.6-3.7M13 2v3h-3',
  loop: 'M3 7.5a4 4 0 0 1 4-4h5M10 1.5l2 2-2 2M13 8.5a4 4 0 0 1-4 4H4M6 14.5l-2-2 2-2',
  expand: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  camera: 'M2.8 4.2h6.4a1 1 0 0 1 1 1v5.6a1 1 0 0 1-1 1H2.8a1 1 0 0 1-1-1V5.200a1 1 0 0 1 1-1m7.400 3 4-2v5.6l-4-2',
  first: 'M4 3v10M12.5 3.5 7 8l5.5 4.5',
  last: 'M12 3v10M3.5 3.5 9 8l-5.5 4.5',
  clock: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11M8 5v3.200l2.200 1.300',
  more: 'M3.5 8h.01M8 8h.01M12.5 8h.01',
  loss: 'M8 2.500a5.500 5.500 0 1 1 0 11 5.500 5.500 0 0 1 0-11M5.200 8h5.600',
  people:
    'M6 3.500a2.200 2.200 0 1 1 0 4.400 2.200 2.200 0 0 1 0-4.400M1.800 13c.4-2.300 2-3.500 4.200-3.500s3.800 1.200 4.200 3.500M10.500 3.800a2 2 0 0 1 0 3.900M12 9.800c1.300.5 2.100 1.600 2.300 3.200',
  database:
    'M2.500 4c0-1 2.500-1.700 5.500-1.700s5.500.7 5.500 1.700-2.500 1.700-5.500 1.700S2.500 5 2.500 4v8c0 1 2.500 1.700 5.500 1.700s5.500-.7 5.500-1.700V4M2.500 8c0 1 2.500 1.700 5.500 1.700s5.500-.7 5.500-1.700',
  sun: 'M8 5.200a2.800 2.800 0 1 1 0 5.600 2.800 2.800 0 0 1 0-5.600M8 1.500v1.200M8 13.300v1.200M1.500 8h1.200M13.300 8h1.200M3.400 3.400l.8.8M11.800 11.800l.8.8M12.600 3.400l-.8.8M4.200 11.800l-.8.8',
  out: 'M6.500 2.500h-4v11h4M6 8h7.500M10.500 5l3 3-3 3',
} as const

const filled = {
  play: 'M5 3.2v9.6l7.5-4.8z',
  pause: 'M4.500 3.200h2.500v9.600H4.500zM9 3.200h2.500v9.600H9z',
  frameBack: 'M12 3.5v9L6.5 8zM3.700 3.500h1v9h-1z',
  frameForward: 'M4 3.5v9l5.500-4.5zM11.300 3.500h1v9h-1z',
} as const

export type IconName = keyof typeof paths | keyof typeof filled

export function Icon({ name, small = false }: { name: IconName; small?: boolean }) {
  const isFilled = name in filled
  const d = isFilled ? filled[name as keyof typeof filled] : paths[name as keyof typeof paths]
  return (
    <svg className={small ? 'icon small' : 'icon'} viewBox="0 0 16 16" aria-hidden="true">
      <path d={d} fill={isFilled ? 'currentColor' : 'none'} />
    </svg>
  )
}

export const Logo = () => (
  <svg viewBox="0 0 18 18" fill="none" aria-hidden="true">
    <path d="M2 6V2h4M12 2h4v4M16 12v4h-4M6 16H2v-4" stroke="currentColor" strokeWidth="2" />
    <path d="M9 5.5v7" stroke="var(--pick)" strokeWidth="3" />
  </svg>
)
