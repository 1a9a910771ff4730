import type { DerivedDatasetVersion as Version } from '@nmp/sdk/generated/records'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { refresh } from '../../data/refresh.ts'
import { renameVersion, versionQuery } from '../../data/versions.ts'
import { Button, Field } from '../../parts/controls.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { showToast } from '../../parts/toasts.tsx'
import { useChange } from '../../parts/use-change.ts'

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

interface Renaming {
  next: string
  before: string
}

function RenameDialog({ version, onClose }: { version: Version; onClose(): void }) {
  const cache = useQueryClient()
  const [name, setName] = useState(version.name)
  const { org_slug: org, id } = version
  const send = async ({ next }: Renaming) => {
    const { item } = await renameVersion(org, id, next)
    cache.setQueryData(versionQuery(org, id).queryKey, item)
    void refresh.version(id)
  }
  const takeBack = useChange(send)
  const rename = useChange(send, {
    showsFault: true,
    onDone: (_, { next, before }) => {
      onClose()
      showToast(`Renamed to ${next}`, () => takeBack.mutate({ next: before, before: next }))
    },
  })
  return (
    <Dialog title={`Rename ${version.name}`} open onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          rename.mutate({ next: name.trim(), before: version.name })
        }}
      >
        <Field
          label="Name"
          showLabel
          autoFocus
          value={name}
          maxLength={200}
          fault={rename.error?.message}
          onChange={(event) => setName(event.target.value)}
        />
        <p className="small mid above-8">
          Its short name stays <span className="mono">{version.slug}</span>, so what loads it goes on working.
        </p>
        <Button
          type="submit"
          look="primary"
          className="above-12"
          disabled={!name.trim() || name.trim() === version.name}
        >
          Rename
        </Button>
      </form>
    </Dialog>
  )
}
