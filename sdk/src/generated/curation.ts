// GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
import type { CallOptions, OperationTable } from '../operation.ts'
import type { AnnotationSet, DatasetRobot, EpisodeFlag, OpenedAnnotationSet, OpenedReview, Review, Robot } from './records.ts'

export interface ListFlagsInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  episode_index?: number | undefined
  reason?: 'idle' | 'shaky' | 'failed' | 'tracking' | 'camera' | 'task' | 'other' | undefined
  /** The revision the dataset shows when absent. */
  revision_number?: number | undefined
}

export type ListFlagsAnswer = {
  items: EpisodeFlag[]
  next_cursor: string | null
}

export interface PutFlagsInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  /** The revision the dataset shows when absent. */
  revision_number?: number | undefined
  body: {
    items: {
      episode_index: number
      reason: 'idle' | 'shaky' | 'failed' | 'tracking' | 'camera' | 'task' | 'other'
      note?: string | null | undefined
      start_frame?: number | null | undefined
      end_frame?: number | null | undefined
    }[]
  }
}

export type PutFlagsAnswer = {
  items: EpisodeFlag[]
  created_ids: string[]
}

export interface DeleteFlagInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  flag_id: string
}

export type DeleteFlagAnswer = {
  item: EpisodeFlag
}

export interface DeleteFlagsInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  body: {
    ids: string[]
  }
}

export type DeleteFlagsAnswer = {
  items: EpisodeFlag[]
}

export interface CopyFlagsInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  body: {
    from_revision: number
    /** The revision the dataset shows when absent. */
    to_revision?: number | undefined
  }
}

export type CopyFlagsAnswer = {
  item: {
    from_revision: number
    to_revision: number
    copied: number
    /** Flags that already existed. */
    present: number
    changed_episodes: number[]
  }
}

export interface ListAnnotationSetsInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  /** The revision the dataset shows when absent. */
  revision_number?: number | undefined
}

export type ListAnnotationSetsAnswer = {
  items: AnnotationSet[]
  next_cursor: string | null
}

export interface CreateAnnotationSetInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  /** The revision the dataset shows when absent. */
  revision_number?: number | undefined
  body: {
    name: string
    /** Why this version was made. */
    message?: string | undefined
    episodes?: {
      episode_index: number
      task?: string | null | undefined
      success?: boolean | null | undefined
      tags?: string[] | null | undefined
      note?: string | null | undefined
      segments?: {
        label: string
        start_frame: number
        /** Exclusive. */
        end_frame: number
      }[] | null | undefined
    }[] | undefined
  }
}

export type CreateAnnotationSetAnswer = {
  item: OpenedAnnotationSet
}

export interface GetAnnotationSetInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  set_id: string
  /** The newest when absent. */
  version?: number | undefined
  episode_index?: number | undefined
}

export type GetAnnotationSetAnswer = {
  item: OpenedAnnotationSet
}

export interface PutAnnotationSetInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  set_id: string
  body: {
    episodes: {
      episode_index: number
      task?: string | null | undefined
      success?: boolean | null | undefined
      tags?: string[] | null | undefined
      note?: string | null | undefined
      segments?: {
        label: string
        start_frame: number
        /** Exclusive. */
        end_frame: number
      }[] | null | undefined
    }[]
    merge?: boolean | undefined
    base_version?: number | undefined
    /** Why this version was made. */
    message?: string | undefined
  }
}

export type PutAnnotationSetAnswer = {
  item: OpenedAnnotationSet
}

export interface DeleteAnnotationSetInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  set_id: string
}

export type DeleteAnnotationSetAnswer = {
  item: AnnotationSet
}

export interface CopyAnnotationSetInput {
  org_slug: string
  project_slug: string
  dataset_slug: string
  set_id: string
  body: {
    /** The revision the dataset shows when absent. */
    to_revision?: number | undefined
    version?: number | undefined
    name?: string | undefined
  }
}

export type CopyAnnotationSetAnswer = {
  item: OpenedAnnotationSet
  changed_episodes: number[]
}

export interface ListVersionFlagsInput {
  org_slug: string
  version_id: string
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  episode_index?: number | undefined
  reason?: 'idle' | 'shaky' | 'failed' | 'tracking' | 'camera' | 'task' | 'other' | undefined
}

export type ListVersionFlagsAnswer = {
  items: EpisodeFlag[]
  next_cursor: string | null
}

export interface PutVersionFlagsInput {
  org_slug: string
  version_id: string
  body: {
    items: {
      episode_index: number
      reason: 'idle' | 'shaky' | 'failed' | 'tracking' | 'camera' | 'task' | 'other'
      note?: string | null | undefined
      start_frame?: number | null | undefined
      end_frame?: number | null | undefined
    }[]
  }
}

export type PutVersionFlagsAnswer = {
  items: EpisodeFlag[]
  created_ids: string[]
}

export interface DeleteVersionFlagInput {
  org_slug: string
  version_id: string
  flag_id: string
}

export type DeleteVersionFlagAnswer = {
  item: EpisodeFlag
}

export interface DeleteVersionFlagsInput {
  org_slug: string
  version_id: string
  body: {
    ids: string[]
  }
}

export type DeleteVersionFlagsAnswer = {
  items: EpisodeFlag[]
}

export interface ListVersionAnnotationSetsInput {
  org_slug: string
  version_id: string
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
}

export type ListVersionAnnotationSetsAnswer = {
  items: AnnotationSet[]
  next_cursor: string | null
}

export interface CreateVersionAnnotationSetInput {
  org_slug: string
  version_id: string
  body: {
    name: string
    /** Why this version was made. */
    message?: string | undefined
    episodes?: {
      episode_index: number
      task?: string | null | undefined
      success?: boolean | null | undefined
      tags?: string[] | null | undefined
      note?: string | null | undefined
      segments?: {
        label: string
        start_frame: number
        /** Exclusive. */
        end_frame: number
      }[] | null | undefined
    }[] | undefined
  }
}

export type CreateVersionAnnotationSetAnswer = {
  item: OpenedAnnotationSet
}

export interface GetVersionAnnotationSetInput {
  org_slug: string
  version_id: string
  set_id: string
  /** The newest when absent. */
  version?: number | undefined
  episode_index?: number | undefined
}

export type GetVersionAnnotationSetAnswer = {
  item: OpenedAnnotationSet
}

export interface PutVersionAnnotationSetInput {
  org_slug: string
  version_id: string
  set_id: string
  body: {
    episodes: {
      episode_index: number
      task?: string | null | undefined
      success?: boolean | null | undefined
      tags?: string[] | null | undefined
      note?: string | null | undefined
      segments?: {
        label: string
        start_frame: number
        /** Exclusive. */
        end_frame: number
      }[] | null | undefined
    }[]
    merge?: boolean | undefined
    base_version?: number | undefined
    /** Why this version was made. */
    message?: string | undefined
  }
}

export type PutVersionAnnotationSetAnswer = {
  item: OpenedAnnotationSet
}

export interface DeleteVersionAnnotationSetInput {
  org_slug: string
  version_id: string
  set_id: string
}

export type DeleteVersionAnnotationSetAnswer = {
  item: AnnotationSet
}

export interface ListReviewsInput {
  org_slug: string
  project_slug: string
  limit?: number | undefined
  /** The `next_cursor` of the previous page. */
  cursor?: string | undefined
  dataset_id: string
}

export type ListReviewsAnswer = {
  items: Review[]
  next_cursor: string | null
}

export interface CreateReviewInput {
  org_slug: string
  project_slug: string
  body: {
    dataset_id: string
    name: string
    episodes: number[]
    /** Ids of editors of the project, between whom the queue is dealt: the first gets every first of n episodes, and so on. Empty: whoever comes. */
    people?: string[] | undefined
  }
}

export type CreateReviewAnswer = {
  item: OpenedReview
}

export interface GetReviewInput {
  org_slug: string
  project_slug: string
  review_id: string
}

export type GetReviewAnswer = {
  item: OpenedReview
}

export interface ChangeReviewInput {
  org_slug: string
  project_slug: string
  review_id: string
  body: {
    name?: string | undefined
    /** Ids of editors of the project, between whom the queue is dealt: the first gets every first of n episodes, and so on. Empty: whoever comes. */
    people?: string[] | undefined
  }
}

export type ChangeReviewAnswer = {
  item: Review
}

export interface DeleteReviewInput {
  org_slug: string
  project_slug: string
  review_id: string
}

export type DeleteReviewAnswer = {
  item: Review
}

export interface DecideReviewInput {
  org_slug: string
  project_slug: string
  review_id: string
  body: {
    items: {
      episode_index: number
      verdict: 'keep' | 'leave_out' | 'flag' | null
    }[]
  }
}

export type DecideReviewAnswer = {
  item: Review
}

export interface ListRobotsInput {
  org_slug: string
  project_slug: string
}

export type ListRobotsAnswer = {
  items: Robot[]
}

export interface CreateRobotInput {
  org_slug: string
  project_slug: string
  body: {
    name: string
    upload_id: string
  }
}

export type CreateRobotAnswer = {
  item: Robot
}

export interface GetRobotFileInput {
  org_slug: string
  project_slug: string
  robot_id: string
}

export type GetRobotFileAnswer = Response

export interface DeleteRobotInput {
  org_slug: string
  project_slug: string
  robot_id: string
}

export type DeleteRobotAnswer = {
  item: Robot
}

export interface GetDatasetRobotInput {
  org_slug: string
  project_slug: string
  dataset_id: string
}

export type GetDatasetRobotAnswer = {
  item: DatasetRobot | null
}

export interface PutDatasetRobotInput {
  org_slug: string
  project_slug: string
  dataset_id: string
  body: {
    robot_id: string | null
    joints: {
      /** As the URDF names it. */
      joint: string
      /** Which number of the state turns it. */
      dimension: number
      /** Of that number. */
      unit: 'rad' | 'deg' | 'm' | 'mm'
    }[]
  }
}

export type PutDatasetRobotAnswer = {
  item: DatasetRobot | null
}

export interface UseNamedRobotInput {
  org_slug: string
  project_slug: string
  dataset_id: string
}

export type UseNamedRobotAnswer = {
  item: Robot
}

export interface CurationOperations {
  /**
   * List the flags of a dataset.
   *
   * Sorted by episode. The items can be sent to `putFlags` unchanged, here or on another installation.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/flags` · session, or token with workspace:read
   */
  listFlags(input: ListFlagsInput, options?: CallOptions): Promise<ListFlagsAnswer>
  /** Every item of every page of `listFlags`. */
  iterateFlags(input: ListFlagsInput, options?: CallOptions): AsyncGenerator<ListFlagsAnswer['items'][number]>
  /**
   * Flag episodes.
   *
   * All or none are saved. An episode has one flag per reason and range of frames; sending it again changes its note. `created_ids` lists the new ones: delete them to undo the request. The other editors of the dataset get one notification per request.
   *
   * `PUT /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/flags` · session, or token with datasets:write
   */
  putFlags(input: PutFlagsInput, options?: CallOptions): Promise<PutFlagsAnswer>
  /**
   * Take a flag away.
   *
   * Returns the deleted flag; send it to `putFlags` to undo.
   *
   * `DELETE /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/flags/{flag_id}` · session, or token with datasets:write
   */
  deleteFlag(input: DeleteFlagInput, options?: CallOptions): Promise<DeleteFlagAnswer>
  /**
   * Delete several flags.
   *
   * Returns the flags that were deleted; unknown ids are ignored.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/flags/delete` · session, or token with datasets:write
   */
  deleteFlags(input: DeleteFlagsInput, options?: CallOptions): Promise<DeleteFlagsAnswer>
  /**
   * Copy the flags of an older revision.
   *
   * Copies flags of episodes that are the same in both revisions, whatever their numbers: same length, tasks and statistics of every feature and camera. `changed_episodes` lists the others by their old numbers.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/flags/copy` · session, or token with datasets:write
   */
  copyFlags(input: CopyFlagsInput, options?: CallOptions): Promise<CopyFlagsAnswer>
  /**
   * List the annotation sets of a dataset.
   *
   * Sets of one revision, by default of the revision that the dataset shows.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets` · session, or token with workspace:read
   */
  listAnnotationSets(input: ListAnnotationSetsInput, options?: CallOptions): Promise<ListAnnotationSetsAnswer>
  /** Every item of every page of `listAnnotationSets`. */
  iterateAnnotationSets(input: ListAnnotationSetsInput, options?: CallOptions): AsyncGenerator<ListAnnotationSetsAnswer['items'][number]>
  /**
   * Create an annotation set.
   *
   * Task text, success, tags, note and labelled ranges of frames per episode. It belongs to one revision; a recipe that names it replaces the task texts and exports the rest in a separate file. The answer of `getAnnotationSet` can be sent here unchanged.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets` · session, or token with datasets:write
   */
  createAnnotationSet(input: CreateAnnotationSetInput, options?: CallOptions): Promise<CreateAnnotationSetAnswer>
  /**
   * One annotation set with its episodes.
   *
   * By default at its newest version.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets/{set_id}` · session, or token with workspace:read
   */
  getAnnotationSet(input: GetAnnotationSetInput, options?: CallOptions): Promise<GetAnnotationSetAnswer>
  /**
   * Make the next version of an annotation set.
   *
   * Versions never change. With `merge`, episodes that are not sent stay, and an episode sent empty is removed. With `base_version`, the request is a 409 if someone else has made a version in the meantime.
   *
   * `PUT /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets/{set_id}` · session, or token with datasets:write
   */
  putAnnotationSet(input: PutAnnotationSetInput, options?: CallOptions): Promise<PutAnnotationSetAnswer>
  /**
   * Delete an annotation set.
   *
   * Derived versions that use it keep working.
   *
   * `DELETE /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets/{set_id}` · session, or token with datasets:write
   */
  deleteAnnotationSet(input: DeleteAnnotationSetInput, options?: CallOptions): Promise<DeleteAnnotationSetAnswer>
  /**
   * Copy an annotation set to another revision.
   *
   * Copies episodes whose rows and pictures are the same in both revisions, under their new numbers. `changed_episodes` lists the others by their old numbers.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets/{set_id}/copy` · session, or token with datasets:write
   */
  copyAnnotationSet(input: CopyAnnotationSetInput, options?: CallOptions): Promise<CopyAnnotationSetAnswer>
  /**
   * List the flags of a derived version.
   *
   * Sorted by episode, in the version's own numbers. The items can be sent to `putVersionFlags` unchanged.
   *
   * `GET /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/flags` · session, or token with workspace:read
   */
  listVersionFlags(input: ListVersionFlagsInput, options?: CallOptions): Promise<ListVersionFlagsAnswer>
  /** Every item of every page of `listVersionFlags`. */
  iterateVersionFlags(input: ListVersionFlagsInput, options?: CallOptions): AsyncGenerator<ListVersionFlagsAnswer['items'][number]>
  /**
   * Flag episodes of a derived version.
   *
   * Works like `putFlags`: all or none are saved, and the other editors of the project get one notification.
   *
   * `PUT /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/flags` · session, or token with datasets:write
   */
  putVersionFlags(input: PutVersionFlagsInput, options?: CallOptions): Promise<PutVersionFlagsAnswer>
  /**
   * Delete a flag of a derived version.
   *
   * Returns the deleted flag; send it to `putVersionFlags` to undo.
   *
   * `DELETE /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/flags/{flag_id}` · session, or token with datasets:write
   */
  deleteVersionFlag(input: DeleteVersionFlagInput, options?: CallOptions): Promise<DeleteVersionFlagAnswer>
  /**
   * Delete several flags of a derived version.
   *
   * Returns the flags that were deleted; unknown ids are ignored.
   *
   * `POST /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/flags/delete` · session, or token with datasets:write
   */
  deleteVersionFlags(input: DeleteVersionFlagsInput, options?: CallOptions): Promise<DeleteVersionFlagsAnswer>
  /**
   * List the annotation sets of a derived version.
   *
   * In the episode numbers of the version itself.
   *
   * `GET /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/annotation-sets` · session, or token with workspace:read
   */
  listVersionAnnotationSets(input: ListVersionAnnotationSetsInput, options?: CallOptions): Promise<ListVersionAnnotationSetsAnswer>
  /** Every item of every page of `listVersionAnnotationSets`. */
  iterateVersionAnnotationSets(input: ListVersionAnnotationSetsInput, options?: CallOptions): AsyncGenerator<ListVersionAnnotationSetsAnswer['items'][number]>
  /**
   * Create an annotation set of a derived version.
   *
   * As for a dataset, in the version's own episode numbers; `revision_number` is the number of the version. Recipes of versions that are derived from it can name it.
   *
   * `POST /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/annotation-sets` · session, or token with datasets:write
   */
  createVersionAnnotationSet(input: CreateVersionAnnotationSetInput, options?: CallOptions): Promise<CreateVersionAnnotationSetAnswer>
  /**
   * One annotation set of a derived version with its episodes.
   *
   * By default at its newest version.
   *
   * `GET /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/annotation-sets/{set_id}` · session, or token with workspace:read
   */
  getVersionAnnotationSet(input: GetVersionAnnotationSetInput, options?: CallOptions): Promise<GetVersionAnnotationSetAnswer>
  /**
   * Make the next version of an annotation set of a derived version.
   *
   * Works like `putAnnotationSet`.
   *
   * `PUT /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/annotation-sets/{set_id}` · session, or token with datasets:write
   */
  putVersionAnnotationSet(input: PutVersionAnnotationSetInput, options?: CallOptions): Promise<PutVersionAnnotationSetAnswer>
  /**
   * Delete an annotation set of a derived version.
   *
   * Versions that use it keep working.
   *
   * `DELETE /api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/annotation-sets/{set_id}` · session, or token with datasets:write
   */
  deleteVersionAnnotationSet(input: DeleteVersionAnnotationSetInput, options?: CallOptions): Promise<DeleteVersionAnnotationSetAnswer>
  /**
   * List the reviews of a dataset or version.
   *
   * Queues of episodes that people go through, newest first, of the revision that the dataset shows.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/reviews` · session, or token with workspace:read
   */
  listReviews(input: ListReviewsInput, options?: CallOptions): Promise<ListReviewsAnswer>
  /** Every item of every page of `listReviews`. */
  iterateReviews(input: ListReviewsInput, options?: CallOptions): AsyncGenerator<ListReviewsAnswer['items'][number]>
  /**
   * Start a review.
   *
   * A queue of episodes in the order given, of the revision that the dataset shows, dealt between `people`. What is said of an episode (`decideReview`) changes nothing else: the episodes that are left out become a version by a recipe.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/reviews` · session, or token with datasets:write
   */
  createReview(input: CreateReviewInput, options?: CallOptions): Promise<CreateReviewAnswer>
  /**
   * One review with its episodes and verdicts.
   *
   * Also one of an earlier revision: its numbers are that revision’s.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/reviews/{review_id}` · session, or token with workspace:read
   */
  getReview(input: GetReviewInput, options?: CallOptions): Promise<GetReviewAnswer>
  /**
   * Rename a review, or deal it anew.
   *
   * Its name, or the people among whom its episodes are dealt; verdicts stay.
   *
   * `PATCH /api/v1/orgs/{org_slug}/projects/{project_slug}/reviews/{review_id}` · session, or token with datasets:write
   */
  changeReview(input: ChangeReviewInput, options?: CallOptions): Promise<ChangeReviewAnswer>
  /**
   * Delete a review.
   *
   * With its verdicts; flags and recipes that came of it stay. Returns the review as it was.
   *
   * `DELETE /api/v1/orgs/{org_slug}/projects/{project_slug}/reviews/{review_id}` · session, or token with datasets:write
   */
  deleteReview(input: DeleteReviewInput, options?: CallOptions): Promise<DeleteReviewAnswer>
  /**
   * Say what becomes of episodes of a review.
   *
   * All or none are saved. An episode has one verdict, the last; `null` takes it back. Everybody who follows the events of the project gets a `review` event.
   *
   * `PUT /api/v1/orgs/{org_slug}/projects/{project_slug}/reviews/{review_id}/verdicts` · session, or token with datasets:write
   */
  decideReview(input: DecideReviewInput, options?: CallOptions): Promise<DecideReviewAnswer>
  /**
   * List the robot models of a project.
   *
   * URDF files, alone or in a zip with their meshes, by name.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/robots` · session, or token with workspace:read
   */
  listRobots(input: ListRobotsInput, options?: CallOptions): Promise<ListRobotsAnswer>
  /**
   * Add a robot model.
   *
   * Of a finished upload: a URDF, or a zip of one with its mesh files, 64 MB at most. It is stored as it is; only browsers that draw it read it.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/robots` · session, or token with datasets:write
   */
  createRobot(input: CreateRobotInput, options?: CallOptions): Promise<CreateRobotAnswer>
  /**
   * The file of a robot model.
   *
   * As it was uploaded, always as a download: nothing in it is run or shown by the server.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/robots/{robot_id}/file` · session, or token with workspace:read
   */
  getRobotFile(input: GetRobotFileInput, options?: CallOptions): Promise<GetRobotFileAnswer>
  /**
   * Delete a robot model.
   *
   * Datasets that had it are drawn without one. Returns the model as it was.
   *
   * `DELETE /api/v1/orgs/{org_slug}/projects/{project_slug}/robots/{robot_id}` · session, or token with datasets:write
   */
  deleteRobot(input: DeleteRobotInput, options?: CallOptions): Promise<DeleteRobotAnswer>
  /**
   * The robot model of a dataset or version.
   *
   * `item` is null where nobody chose one: the model whose name is the `robot_type` counts then, and joints are found by their names.
   *
   * `GET /api/v1/orgs/{org_slug}/projects/{project_slug}/robot-choices/{dataset_id}` · session, or token with workspace:read
   */
  getDatasetRobot(input: GetDatasetRobotInput, options?: CallOptions): Promise<GetDatasetRobotAnswer>
  /**
   * Choose the robot model of a dataset or version.
   *
   * With which number of the state turns which joint, and in which unit that number is. A `robot_id` of null takes the choice back.
   *
   * `PUT /api/v1/orgs/{org_slug}/projects/{project_slug}/robot-choices/{dataset_id}` · session, or token with datasets:write
   */
  putDatasetRobot(input: PutDatasetRobotInput, options?: CallOptions): Promise<PutDatasetRobotAnswer>
  /**
   * Use the robot model that a dataset names.
   *
   * Fetches the URDF, or zip of one, at the `robot_description_uri` of a dataset or version within a minute, adds it to the project and chooses it. Addresses are checked as those of imports are. A model of the same content that the project has is chosen instead of a second one.
   *
   * `POST /api/v1/orgs/{org_slug}/projects/{project_slug}/robot-choices/{dataset_id}/named` · session, or token with datasets:write
   */
  useNamedRobot(input: UseNamedRobotInput, options?: CallOptions): Promise<UseNamedRobotAnswer>
}

export const curationOperations: OperationTable = {
  listFlags: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/flags', query: ['limit', 'cursor', 'episode_index', 'reason', 'revision_number'], paging: 'cursor', repeatable: true },
  putFlags: { method: 'PUT', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/flags', query: ['revision_number'], hasBody: true, repeatable: true },
  deleteFlag: { method: 'DELETE', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/flags/{flag_id}', repeatable: true },
  deleteFlags: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/flags/delete', hasBody: true },
  copyFlags: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/flags/copy', hasBody: true },
  listAnnotationSets: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets', query: ['limit', 'cursor', 'revision_number'], paging: 'cursor', repeatable: true },
  createAnnotationSet: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets', query: ['revision_number'], hasBody: true },
  getAnnotationSet: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets/{set_id}', query: ['version', 'episode_index'], repeatable: true },
  putAnnotationSet: { method: 'PUT', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets/{set_id}', hasBody: true },
  deleteAnnotationSet: { method: 'DELETE', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets/{set_id}', repeatable: true },
  copyAnnotationSet: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets/{set_id}/copy', hasBody: true },
  listVersionFlags: { method: 'GET', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/flags', query: ['limit', 'cursor', 'episode_index', 'reason'], paging: 'cursor', repeatable: true },
  putVersionFlags: { method: 'PUT', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/flags', hasBody: true, repeatable: true },
  deleteVersionFlag: { method: 'DELETE', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/flags/{flag_id}', repeatable: true },
  deleteVersionFlags: { method: 'POST', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/flags/delete', hasBody: true },
  listVersionAnnotationSets: { method: 'GET', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/annotation-sets', query: ['limit', 'cursor'], paging: 'cursor', repeatable: true },
  createVersionAnnotationSet: { method: 'POST', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/annotation-sets', hasBody: true },
  getVersionAnnotationSet: { method: 'GET', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/annotation-sets/{set_id}', query: ['version', 'episode_index'], repeatable: true },
  putVersionAnnotationSet: { method: 'PUT', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/annotation-sets/{set_id}', hasBody: true },
  deleteVersionAnnotationSet: { method: 'DELETE', path: '/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/annotation-sets/{set_id}', repeatable: true },
  listReviews: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/reviews', query: ['limit', 'cursor', 'dataset_id'], paging: 'cursor', repeatable: true },
  createReview: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/reviews', hasBody: true },
  getReview: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/reviews/{review_id}', repeatable: true },
  changeReview: { method: 'PATCH', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/reviews/{review_id}', hasBody: true },
  deleteReview: { method: 'DELETE', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/reviews/{review_id}', repeatable: true },
  decideReview: { method: 'PUT', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/reviews/{review_id}/verdicts', hasBody: true, repeatable: true },
  listRobots: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/robots', repeatable: true },
  createRobot: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/robots', hasBody: true },
  getRobotFile: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/robots/{robot_id}/file', answersBytes: true, repeatable: true },
  deleteRobot: { method: 'DELETE', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/robots/{robot_id}', repeatable: true },
  getDatasetRobot: { method: 'GET', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/robot-choices/{dataset_id}', repeatable: true },
  putDatasetRobot: { method: 'PUT', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/robot-choices/{dataset_id}', hasBody: true, repeatable: true },
  useNamedRobot: { method: 'POST', path: '/api/v1/orgs/{org_slug}/projects/{project_slug}/robot-choices/{dataset_id}/named' },
}
