import { Link, useNavigate } from '@tanstack/react-router'
import { Icon } from '../parts/icon.tsx'
import { Menu, MenuItem, MenuLabel, MenuLine } from '../parts/menu.tsx'
import { rememberWorkspace, useMe, type Workspace } from '../session/workspace.ts'

/** Organization and project, and the way to the others. */
export function ProjectMenu({ workspace }: { workspace: Workspace }) {
  const me = useMe()
  const navigate = useNavigate()
  const orgs = me.data?.org_slugs ?? []
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="crumb desktop-only"
          aria-label={`Project ${workspace.org} / ${workspace.project}, change`}
        >
          <span className="clip max-width-120">{workspace.org}</span>
          <i>/</i>
          <b className="clip max-width-140">{workspace.project}</b>
          <Icon name="down" small />
        </button>
      }
    >
      {orgs.map((org) => (
        <div key={org}>
          <MenuLabel>{org}</MenuLabel>
          {me.data?.projects
            .filter((project) => project.org_slug === org)
            .map((project) => (
              <MenuItem
                key={project.project_slug}
                onSelect={() => {
                  rememberWorkspace(org, project.project_slug)
                  void navigate({
                    to: '/orgs/$org/projects/$project/datasets',
                    params: { org, project: project.project_slug },
                  })
                }}
              >
                <span className="fill">{project.project_slug}</span>
                <span className="dim small">{project.role}</span>
              </MenuItem>
            ))}
        </div>
      ))}
      <MenuLine />
      <MenuItem asChild>
        <Link to="/orgs/$org/projects/$project/members" params={{ org: workspace.org, project: workspace.project }}>
          Members of {workspace.project}
        </Link>
      </MenuItem>
      <MenuItem asChild>
        <Link to="/orgs/$org/members" params={{ org: workspace.org }}>
          {workspace.org}: members, projects, audit
        </Link>
      </MenuItem>
    </Menu>
  )
}
