/** Where the console shows a version. */
export const viewerRoute = ({ org_slug: org, id }: { org_slug: string; id: string }): string =>
  `/orgs/${org}/versions/${id}`
