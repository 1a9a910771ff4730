import { campaignBackups } from './campaigns/backups.ts'
import { campaignChecks } from './campaigns/checks.ts'
import { campaignClients } from './campaigns/clients.ts'
import { campaignExports } from './campaigns/exports.ts'
import { campaignFleet } from './campaigns/fleet.ts'
import { campaignFloods } from './campaigns/floods.ts'
import { campaignFuzz } from './campaigns/fuzz.ts'
import { campaignHostile } from './campaigns/hostile.ts'
import { campaignImports } from './campaigns/imports.ts'
import { campaignKubernetes } from './campaigns/kubernetes.ts'
import { campaignLeases } from './campaigns/leases.ts'
import type { CampaignOptions } from './campaigns/options.ts'
import { campaignServers } from './campaigns/servers.ts'
import { campaignStandouts } from './campaigns/standouts.ts'
import { campaignTables } from './campaigns/tables.ts'
import { campaignTargets } from './campaigns/targets.ts'

/** Long fault campaigns by name: `npm run campaign -- NAME [--seed N] [--scale 0.1]`. */
const campaigns: Record<string, (options: CampaignOptions) => Promise<boolean>> = {
  imports: campaignImports,
  leases: campaignLeases,
  exports: campaignExports,
  floods: campaignFloods,
  fuzz: campaignFuzz,
  hostile: campaignHostile,
  standouts: campaignStandouts,
  tables: campaignTables,
  checks: campaignChecks,
  clients: campaignClients,
  backups: campaignBackups,
  targets: campaignTargets,
  kubernetes: campaignKubernetes,
  fleet: campaignFleet,
  servers: campaignServers,
}

const readNumber = (words: string[], name: string, fallback: number): number => {
  const at = words.indexOf(name)
  const value = at < 0 ? fallback : Number(words[at + 1])
  if (!Number.isFinite(value)) throw new Error(`${name} needs a number.`)
  return value
}

const [name = '', ...words] = process.argv.slice(2)
const campaign = campaigns[name]
if (!campaign) {
  console.error(`There is no campaign ${JSON.stringify(name)}. There are: ${Object.keys(campaigns).join(', ')}.`)
  process.exit(2)
}
const passed = await campaign({
  seed: readNumber(words, '--seed', Math.floor(Math.random() * 2 ** 31)),
  scale: readNumber(words, '--scale', 1),
  only: words.includes('--only') ? words[words.indexOf('--only') + 1] : undefined,
  seconds: readNumber(words, '--seconds', 0) || undefined,
  suites: words.includes('--suites'),
})
process.exitCode = passed ? 0 : 1
