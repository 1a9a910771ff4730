import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { organizationQuery } from '../data/organization.ts'
import { refresh } from '../data/refresh.ts'
import { Switch } from '../parts/controls.tsx'
import { Failure, Skeleton } from '../parts/states.tsx'
import { showToast } from '../parts/toasts.tsx'
import { useChange } from '../parts/use-change.ts'
import { client } from '../session/client.ts'

const routeApi = getRouteApi('/signed-in/orgs/$org/security')

export function OrganizationSecuritySection() {
  const { org } = routeApi.useParams()
  const organization = useQuery(organizationQuery(org))
  const change = useChange(
    (isRequired: boolean) =>
      client.projects.renameOrganization({ org_slug: org, body: { require_two_step: isRequired } }),
    {
      showsFault: true,
      onDone: (_, isRequired) => {
        void refresh.organization(org)
        showToast(isRequired ? 'Two-step sign-in is required now' : 'Two-step sign-in is no longer required')
      },
    },
  )
  if (organization.error) return <Failure error={organization.error} what="The organization did not load" />
  if (!organization.data) return <Skeleton rows={2} />
  const { role, require_two_step: isRequired } = organization.data
  return (
    <div className="max-width-620">
      <h2 className="title">Security</h2>
      <div className="row above-12">
        <b>Require two-step sign-in</b>
        <span className="end">
          <Switch
            label="Require two-step sign-in"
            checked={isRequired}
            disabled={role !== 'admin' || change.isPending}
            onChange={(checked) => change.mutate(checked)}
          />
        </span>
      </div>
      <p className="mid above-4">
        Members need a passkey or an app of codes. Until they have signed in with it, and made new tokens, they are
        refused on everything of {org} that is not public.
      </p>
      {change.error && <Failure error={change.error} what="Not changed" />}
      {role !== 'admin' && <p className="small mid above-8">Admins of the organization can change this.</p>}
    </div>
  )
}
