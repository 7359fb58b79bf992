import type { FileIpAllowlist } from "../file-access.ts"
import type { LiveIpAllowlist } from "../live-allowlists.ts"
import {
  change,
  differing,
  listText,
  planned,
  type PlannedActivity,
  type Part,
  type PlanContext,
  Stage,
} from "./change.ts"
import { planSection } from "./section.ts"

const KIND = "IP allowlist"

/**
 * IP allowlists by public key. They come after creations and deletions, so that a list of a new key follows it. The signer
 * refuses one that excludes the address of this command.
 */
export function planAllowlists(context: PlanContext): Part {
  const { file, live, prune } = context
  const subjects = subjectsOf(context)
  const subjectOf = (publicKey: string | undefined) => subjects.get(publicKey) ?? `API key ${publicKey}`
  const set = (list: FileIpAllowlist, before?: LiveIpAllowlist) =>
    setting(list, before, subjectOf(list.publicKey), needsOf(list, context))
  return planSection(
    {
      kind: KIND,
      wanted: file.ipAllowlists,
      there: live.ipAllowlists,
      nameOf: ({ publicKey = "" }) => publicKey,
      titleOf: ({ publicKey }) => `IP allowlist of ${subjectOf(publicKey)}`,
      create: (list) => set(list),
      update: (list, before) => ({ activities: set(list, before) }),
      effectOf: ({ publicKey }) => ({
        gained: [`requests of ${subjectOf(publicKey)} may come from any address`],
      }),
      remove: ({ publicKey }, words) =>
        planned("REMOVE_IP_ALLOWLIST", Stage.access, words, publicKey === undefined ? {} : { publicKey }),
    },
    prune,
  )
}

/** Owners of lists in words: `API key laptop of user alice`. The API's names go before those of the file. */
function subjectsOf({ file, live }: PlanContext): Map<string | undefined, string> {
  const ofFile = (file.users ?? []).flatMap(({ userName, apiKeys = [] }) =>
    apiKeys.map(({ publicKey, apiKeyName }) => ({ userName, publicKey, apiKeyName })),
  )
  const ofLive = live.users.flatMap(({ userName, apiKeys }) =>
    apiKeys.map(({ apiKeyName, credential: { publicKey } }) => ({ userName, publicKey, apiKeyName })),
  )
  return new Map<string | undefined, string>([
    [undefined, "the organization"],
    ...[...ofFile, ...ofLive].map(
      ({ userName, publicKey, apiKeyName }) =>
        [publicKey, `API key ${apiKeyName} of user ${userName}`] as const,
    ),
  ])
}

/** The key of a list, if no user has it yet. */
function needsOf({ publicKey }: FileIpAllowlist, { live }: PlanContext): string[] {
  const isKnown = live.users.some(({ apiKeys }) =>
    apiKeys.some(({ credential }) => credential.publicKey === publicKey),
  )
  return publicKey === undefined || isKnown ? [] : [`API key ${publicKey}`]
}

function setting(
  { publicKey, enabled, onEvaluationError, rules }: FileIpAllowlist,
  before: LiveIpAllowlist | undefined,
  subject: string,
  needs: readonly string[],
): PlannedActivity[] {
  const members = differing({
    enabled: [before?.enabled, enabled],
    onEvaluationError: [before?.onEvaluationError, onEvaluationError],
    rules: [before && linesOf(before.rules), linesOf(rules)],
  })
  const isNone = before === undefined && !enabled && rules.length === 0
  if (members.length === 0 || isNone) return []
  const blocks = rules.map(({ cidr }) => cidr)
  const from = blocks.length === 0 ? "any address" : `addresses outside ${listText(blocks)}`
  const lost = enabled ? [`requests of ${subject} from ${from} are refused`] : []
  const action = before === undefined ? "create" : "update"
  const words = change(action, KIND, publicKey ?? "", { members, lost })
  const parameters = { ...(publicKey && { publicKey }), enabled, onEvaluationError, rules }
  return [planned("SET_IP_ALLOWLIST", Stage.access, words, parameters, needs)]
}

/** One line a block, in an order of its own: the order of rules has no meaning. */
function linesOf(rules: readonly { cidr: string; label?: string | undefined }[]): string {
  const lines = rules.map(({ cidr, label = "" }) => `${cidr} ${label}`.trim())
  return [...new Set(lines)].toSorted().join("\n")
}
