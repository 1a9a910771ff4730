import { useEffect, useState } from 'react'
import { Field, Segmented } from '../parts/controls.tsx'
import type { SourceReady } from './source-ready.ts'

interface UrlSourceProps {
  address: string
  fault: string | undefined
  onReady(source: SourceReady | undefined): void
  onName(name: string): void
}

export function UrlSource({ address, fault, onReady, onName }: UrlSourceProps) {
  const [url, setUrl] = useState(address)
  const [kind, setKind] = useState(() => guessKindOf(address))
  // biome-ignore lint/correctness/useExhaustiveDependencies: the callback is new each time and means the same
  useEffect(() => {
    onReady(/^https?:\/\/\S+\.\S+/.test(url) ? { source_kind: kind, source_uri: url.trim() } : undefined)
  }, [url, kind])
  return (
    <div className="row items-end">
      <Field
        label="Address of an HDF5 file or an archive"
        showLabel
        className="fill"
        type="url"
        placeholder="https://data.example.org/run_0042.hdf5"
        value={url}
        fault={fault}
        onChange={(event) => {
          setUrl(event.target.value)
          setKind(guessKindOf(event.target.value))
        }}
        onBlur={() => onName(nameFile(url).replace(/\.\w+$/, ''))}
      />
      <Segmented
        label="It is"
        value={kind}
        onChange={(next: 'hdf5' | 'lerobot') => setKind(next)}
        options={[
          { value: 'hdf5', label: 'HDF5' },
          { value: 'lerobot', label: 'LeRobot' },
        ]}
      />
    </div>
  )
}

const nameFile = (url: string): string => url.split('?')[0]?.split('/').at(-1) ?? ''

const guessKindOf = (url: string): 'hdf5' | 'lerobot' =>
  url === '' || /\.(hdf5|h5|hdf)$/i.test(nameFile(url)) ? 'hdf5' : 'lerobot'
