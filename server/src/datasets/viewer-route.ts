/** Where the console shows a version. */
export const viewerRoute = ({ orgSlug, id }: { orgSlug: string; id: string }): string =>
  `/orgs/${orgSlug}/versions/${id}`
