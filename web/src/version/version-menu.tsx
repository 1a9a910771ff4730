import type { DerivedDatasetVersion as Version } from '@nmp/sdk/generated/records'
import { useState } from 'react'
import { IconButton } from '../parts/controls.tsx'
import { Menu, MenuItem } from '../parts/menu.tsx'
import { useChange } from '../parts/use-change.ts'
import { PublishDialog } from '../publishing/publish-dialog.tsx'
import { CopyDialog, useCopyTargets } from './copy-version.tsx'
import { useVisibility, versionAlsoSeen } from './visibility.tsx'

/** What is done with a version in a list of them, as on its own page. */
export function VersionMenu({ version, isAdmin }: { version: Version; isAdmin: boolean }) {
  const targets = useCopyTargets(version) ?? []
  const change = useVisibility(version)
  const withdrawal = useChange(() => change('private'))
  const [open, setOpen] = useState<'copy' | 'publish'>()
  const name = `${version.slug} ${version.version}`
  const close = () => setOpen(undefined)
  return (
    <>
      <Menu align="end" trigger={<IconButton icon="more" label={`Commands for ${name}`} look="ghost" small />}>
        {version.visibility === 'public' ? (
          <MenuItem disabled={!isAdmin} onSelect={() => withdrawal.mutate()}>
            Make private
          </MenuItem>
        ) : (
          <MenuItem disabled={!isAdmin} onSelect={() => setOpen('publish')}>
            Publish in the catalog
          </MenuItem>
        )}
        <MenuItem disabled={targets.length === 0} onSelect={() => setOpen('copy')}>
          Copy as a dataset
        </MenuItem>
      </Menu>
      {open === 'publish' && (
        <PublishDialog
          title={version.name}
          alsoSeen={versionAlsoSeen}
          onPublish={() => change('public')}
          onClose={close}
        />
      )}
      {open === 'copy' && <CopyDialog version={version} targets={targets} onClose={close} />}
    </>
  )
}
