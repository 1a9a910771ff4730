import type { DerivedDatasetVersion as Version } from '@nmp/sdk/generated/records'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { renameVersion } from '../../data/versions.ts'
import { Button, Field } from '../../parts/controls.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { showToast } from '../../parts/toasts.tsx'

/** The name is for people; the short name, by which programs ask for it, stays. */
export function RenameVersion({ version }: { version: Version }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>Rename</Button>
      {isOpen && <RenameDialog version={version} onClose={() => setOpen(false)} />}
    </>
  )
}

function RenameDialog({ version, onClose }: { version: Version; onClose(): void }) {
  const cache = useQueryClient()
  const [name, setName] = useState(version.name)
  const [fault, setFault] = useState<string>()
  const rename = async (next: string) => {
    const { item } = await renameVersion(version.org_slug, version.id, next)
    cache.setQueryData(['version', version.id], item)
    void cache.invalidateQueries({ queryKey: ['versions'] })
  }
  return (
    <Dialog title={`Rename ${version.name}`} open onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          rename(name.trim()).then(
            () => {
              onClose()
              showToast(`Renamed to ${name.trim()}`, () => void rename(version.name))
            },
            (error: Error) => setFault(error.message),
          )
        }}
      >
        <Field
          label="Name"
          showLabel
          autoFocus
          value={name}
          maxLength={200}
          fault={fault}
          onChange={(event) => setName(event.target.value)}
        />
        <p className="sm mid mt-2">
          Its short name stays <span className="mono">{version.slug}</span>, so what loads it goes on working.
        </p>
        <Button type="submit" look="primary" className="mt-3" disabled={!name.trim() || name.trim() === version.name}>
          Rename
        </Button>
      </form>
    </Dialog>
  )
}
