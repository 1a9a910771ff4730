import { writers } from '../writers/index.ts'
import { describeOptions } from '../writers/target-options.ts'

/** For programs: every target, with the JSON Schema of its options. */
export const listTargets = () =>
  writers.map(({ name, artifactKey, title, readers, options }) => ({
    name,
    artifact_key: artifactKey ?? null,
    title,
    readers,
    options: describeOptions(options),
  }))

/** For people. */
export const formatTargets = (): string =>
  writers
    .map(({ name, title, readers, options }) => {
      const lines = Object.entries(options).map(
        ([key, { description, default: usual }]) => `  --set ${key}=${JSON.stringify(usual)}\n      ${description}`,
      )
      return [`${name}: ${title}`, `  ${readers}`, ...lines].join('\n')
    })
    .join('\n\n')
