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

/**
 * IP allowlists by public key. They come after creations and deletions, so that a list of a new key follows it. The signer
 * refuses one that excludes the address of this command.
 */
export function planAllowlists(context: PlanContext): Part {
  const { file, live, prune } = context
  const { ipAllowlists: wanted } = file
  if (wanted === undefined) return { activities: [] }
  const subjects = subjectsOf(context)
  const subjectOf = (publicKey: string | undefined) => subjects.get(publicKey) ?? `API key ${publicKey}`
  const activities = wanted.flatMap((list) => {
    const before = live.ipAllowlists.find(({ publicKey }) => publicKey === list.publicKey)
    return setting(list, before, subjectOf(list.publicKey), needsOf(list, context))
  })
  const extra = live.ipAllowlists.filter(
    (one) => !wanted.some(({ publicKey }) => publicKey === one.publicKey),
  )
  if (!prune)
    return { activities, kept: extra.map(({ publicKey }) => `IP allowlist of ${subjectOf(publicKey)}`) }
  const removed = extra.map(({ publicKey }) => {
    const gained = [`requests of ${subjectOf(publicKey)} may come from any address`]
    const words = change("delete", "IP allowlist", publicKey ?? "", { gained })
    return planned("REMOVE_IP_ALLOWLIST", Stage.access, [words], publicKey === undefined ? {} : { publicKey })
  })
  return { activities: [...activities, ...removed] }
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
  const words = change(before === undefined ? "create" : "update", "IP allowlist", publicKey ?? "", {
    members,
    lost,
  })
  const parameters = { ...(publicKey && { publicKey }), enabled, onEvaluationError, rules }
  return [planned("SET_IP_ALLOWLIST", Stage.access, [words], parameters, needs)]
}

/** One line a block, in an order of its own: the order of rules has no meaning. */
function linesOf(rules: readonly { cidr: string; label?: string | undefined }[]): string {
  const lines = rules.map(({ cidr, label = "" }) => `${cidr} ${label}`.trim())
  return [...new Set(lines)].toSorted().join("\n")
}
