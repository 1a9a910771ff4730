import type { DerivedDatasetVersion as Version } from '@nmp/sdk/generated/records'
import { useState } from 'react'
import { Button } from '../../parts/controls.tsx'
import { CopyDialog, useCopyTargets } from '../../version/copy-version.tsx'

/** A version as a dataset of its own, where the person may write. */
export function CopySection({ version }: { version: Version }) {
  const targets = useCopyTargets(version)
  const [isOpen, setOpen] = useState(false)
  return (
    <section>
      <h2>Copy</h2>
      <p className="mid above-4 below-8">
        As a dataset of a project: it can be extended, edited and published on its own, and no longer depends on its
        source.
      </p>
      <Button icon="copy" disabled={!targets || targets.length === 0} onClick={() => setOpen(true)}>
        Copy as a dataset
      </Button>
      {targets?.length === 0 && (
        <p className="small dim above-4">Copying needs a project in which you are an editor or admin.</p>
      )}
      {isOpen && targets && <CopyDialog version={version} targets={targets} onClose={() => setOpen(false)} />}
    </section>
  )
}
