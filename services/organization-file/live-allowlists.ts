import { type Querying, query } from "../terminal-client/api-client.ts"

export type LiveIpAllowlist = {
  /** Absent: the list of the organization. */
  publicKey?: string
  enabled: boolean
  onEvaluationError: string
  rules: { cidr: string; label?: string }[]
}

/** Lists that are asked for at the same time. */
const AT_A_TIME = 16

/**
 * The IP allowlists of the organization and of its users' keys. The API lists them for one key at a time. A list that is not
 * enforced and has no rule is as good as none.
 */
export async function readAllowlists(
  querying: Querying,
  users: readonly { apiKeys: readonly { credential: { publicKey: string } }[] }[],
): Promise<LiveIpAllowlist[]> {
  const keys = users.flatMap(({ apiKeys }) => apiKeys.map(({ credential }) => credential.publicKey))
  const wanted = [{}, ...keys.map((publicKey) => ({ publicKey }))]
  const found: LiveIpAllowlist[] = []
  for (let at = 0; at < wanted.length; at += AT_A_TIME) {
    const replies = await Promise.all(
      wanted
        .slice(at, at + AT_A_TIME)
        .map((parameters) => query<{ allowlist: LiveIpAllowlist }>(querying, "get_ip_allowlist", parameters)),
    )
    found.push(...replies.map(({ allowlist }) => allowlist))
  }
  return found.filter(({ enabled, rules }) => enabled || rules.length > 0)
}
