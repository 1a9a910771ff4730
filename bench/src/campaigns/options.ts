export interface CampaignOptions {
  seed: number
  /** 1 is the full campaign; a smaller one runs that share of it and says so in its result. */
  scale: number
  /** Some of it, by a pattern; of those campaigns that have parts. */
  only: string | undefined
  /** Ends it early; of those campaigns that may. */
  seconds: number | undefined
  /** The tests that the clients bring, instead of ours. */
  suites: boolean
}
