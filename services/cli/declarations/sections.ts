import type { Declaration } from "./command.ts"

const deployment = () => import("./deployment.ts")
const host = () => import("./host.ts")
const policy = () => import("./policies.ts")
const request = () => import("./requests.ts")

/**
 * Every command but `help`, by sections, in the order in which help lists them. A section is loaded when one of its commands is named: the
 * list of all commands, which each start needs, is in top-words.ts.
 */
export const SECTIONS = {
  development: async () => (await host()).development,
  organizations: async () => (await import("./organizations.ts")).organizations,
  resources: async () => (await import("./resources.ts")).resources,
  templatePreview: async () => [(await policy()).templatePreview],
  requests: async () => (await request()).requests,
  collection: async () => [(await host()).collection],
  activities: async () => (await request()).activities,
  transactions: async () => (await import("./transactions.ts")).transactions,
  policies: async () => (await policy()).policies,
  config: async () => (await import("./config.ts")).config,
  seals: async () => (await deployment()).seals,
  verifications: async () => (await deployment()).verifications,
  releaseVerification: async () => [(await deployment()).releaseVerification],
  walletSecrets: async () => (await deployment()).walletSecrets,
  pins: async () => (await deployment()).pins,
  dashboard: async () => [(await host()).dashboard],
  webhooks: async () => (await import("./webhooks.ts")).webhooks,
  doctor: async () => [(await host()).doctor],
  profiles: async () => (await import("./profiles.ts")).profiles,
  completion: async () => [(await host()).completion],
} satisfies { readonly [section: string]: () => Promise<readonly Declaration[]> }

export type CommandSection = keyof typeof SECTIONS

/** A first word of commands, as the program's help lists it. */
export type TopWord = {
  name: string
  /** The word with its alias, options and arguments, as help prints them. */
  term: string
  about: string
  sections: readonly CommandSection[]
}
