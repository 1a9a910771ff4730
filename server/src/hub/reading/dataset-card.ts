import type { RevisionSummary } from '../../datasets/revision-summary.ts'

/**
 * README.md of a repository that has no card of its own: versions and datasets from before there were cards. It depends on the content
 * only, so that a commit always gives the same bytes. The `configs` block is what keeps `datasets` from taking the tables under meta/
 * for data.
 */
export const writeDatasetCard = (
  facts: Pick<RevisionSummary, 'robot_type' | 'fps' | 'camera_keys'> | undefined,
): Uint8Array =>
  Buffer.from(
    [
      '---',
      'task_categories:',
      '- robotics',
      'tags:',
      '- LeRobot',
      'configs:',
      '- config_name: default',
      '  data_files: data/*/*.parquet',
      '---',
      '',
      'A LeRobot v3.0 dataset, served by nmp.',
      '',
      ...(facts
        ? [
            `- robot: ${facts.robot_type ?? 'not stated'}`,
            `- ${facts.fps} frames per second`,
            `- cameras: ${facts.camera_keys.join(', ') || 'none'}`,
            '',
          ]
        : []),
    ].join('\n'),
  )
