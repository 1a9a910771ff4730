type Call = (
  who: string,
  method: string,
  path: string,
  body?: unknown,
) => Promise<{ body: { item?: { id: string; revision?: number } | null } }>

interface Place {
  projectPath(): string
  getDatasetId(): Promise<string>
  /** `oadm` is an admin of the organization. */
  call: Call
}

/** Requests for reviews and drafts of recipes that would succeed, for the table of permissions. */
export function makeReviewRequests({ projectPath, getDatasetId, call }: Place) {
  const newReview = async () => ({ dataset_id: await getDatasetId(), name: 'A look', episodes: [1, 0] })
  const ofReview = async (body?: unknown) => {
    const made = await call('oadm', 'POST', `${projectPath()}/reviews`, await newReview())
    return { params: { review_id: made.body.item?.id ?? '' }, ...(body === undefined ? {} : { body }) }
  }
  const draftPath = async () => `/api/v1/users/me/recipe-drafts/${await getDatasetId()}`
  const givenDraft = { slug: 'draft', name: 'Draft', recipe: { first_n_episodes: 2 } }
  const countChanges = async (who: string) => (await call(who, 'GET', await draftPath())).body.item?.revision ?? 0
  const saveDraft = async () =>
    (await call('oadm', 'PUT', await draftPath(), { ...givenDraft, revision: await countChanges('oadm') })).body.item
  return {
    listReviews: async () => ({ query: `dataset_id=${await getDatasetId()}` }),
    createReview: async () => ({ body: await newReview() }),
    getReview: () => ofReview(),
    changeReview: () => ofReview({ name: 'Another look' }),
    decideReview: () => ofReview({ items: [{ episode_index: 1, verdict: 'leave_out' }] }),
    deleteReview: () => ofReview(),
    getRecipeDraft: async () => ({ params: { dataset_id: await getDatasetId() } }),
    putRecipeDraft: async (who: string) => ({
      params: { dataset_id: await getDatasetId() },
      body: { ...givenDraft, revision: await countChanges(who) },
    }),
    getSharedRecipeDraft: async () => ({ params: { draft_id: (await saveDraft())?.id ?? '' } }),
  }
}
