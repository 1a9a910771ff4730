import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { newestDatasetsQuery } from '../data/project.ts'
import { Poster } from '../episode/poster.tsx'
import { Time } from '../parts/time.tsx'
import { useSession } from '../session/sign-in.ts'
import { useMe } from '../session/workspace.ts'
import './own-projects.css'

const mostShown = 6

/** One's own work before everybody's: the projects, each with its newest datasets. */
export function OwnProjects() {
  const isSignedOut = useSession() === 'signed-out'
  const projects = useMe().data?.projects
  // Until it is known whose they are, their place is kept: the catalog below does not jump.
  if (isSignedOut || projects?.length === 0) return null
  return (
    <nav aria-label="Your projects">
      <h2 className="label">Your projects</h2>
      <div className="own-projects">
        {projects === undefined && <div className="own-project-awaited" />}
        {projects?.slice(0, mostShown).map(({ org_slug: org, project_slug: project }) => (
          <OwnProject key={`${org}/${project}`} org={org} project={project} />
        ))}
      </div>
      <h2 className="label">Public datasets</h2>
    </nav>
  )
}

function OwnProject({ org, project }: { org: string; project: string }) {
  const { data } = useQuery(newestDatasetsQuery(org, project))
  const datasets = data?.items.filter(({ deletion_at }) => !deletion_at) ?? []
  return (
    <div className="own-project">
      <Link className="own-project-name clip" to="/orgs/$org/projects/$project/datasets" params={{ org, project }}>
        <span className="dim">{org} /</span> <b>{project}</b>
      </Link>
      <span className="own-project-pictures">
        {datasets
          .slice(0, 3)
          .map((dataset) =>
            dataset.camera_keys[0] ? (
              <Poster
                key={dataset.id}
                dataset={dataset}
                episode={0}
                camera={dataset.camera_keys[0]}
                frame={0}
                className="thumb"
              />
            ) : (
              <span className="thumb" key={dataset.id} title={dataset.title} />
            ),
          )}
        <span className="dim small clip">
          {data === undefined ? null : datasets[0] ? (
            <>
              {datasets[0].title}, <Time at={datasets[0].updated_at} />
            </>
          ) : (
            'nothing in it yet'
          )}
        </span>
      </span>
    </div>
  )
}
