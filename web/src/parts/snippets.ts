/** What the console gives people to paste into a shell, all of it: `e2e/snippets.test.ts` and `.ci/python-door` run each of these. */

interface HubDataset {
  org: string
  project: string
  slug: string
  /** A tag such as `version-2`; the newest without it. */
  revision?: string | undefined
  isPublic: boolean
}

/** Loads a dataset or a version with an unmodified lerobot, through the Hub door. */
export const loadLines = (origin: string, { org, project, slug, revision, isPublic }: HubDataset): string =>
  `export HF_ENDPOINT=${origin}/hf${isPublic ? '' : ' HF_TOKEN=nmp_…'}
python -c "
from lerobot.datasets.lerobot_dataset import LeRobotDataset
dataset = LeRobotDataset('${org}/${project}.${slug}'${revision ? `, revision='${revision}'` : ''})
print(dataset[0].keys())"`

/** The files of a dataset, by the command line of somebody who is signed in with it. */
export const downloadLine = (datasetId: string): string => `nmp download ${datasetId}`

/** For whoever runs the program, in its folder: the link that a mail would have brought. */
export const inviteLine = (org: string, email: string): string => `npm run -s admin -- invite-link ${org} ${email}`

/** Works as it is, with the whole token. */
export const tryLine = (origin: string, secret: string): string =>
  `NMP_BASE_URL=${origin} NMP_TOKEN=${secret} nmp datasets ls`
