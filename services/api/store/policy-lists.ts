import type { Outcome } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { PolicyOutcome } from "../../../proto/gen/countersign/api/v1/resources_pb.ts"
import type { Decision } from "../../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { policyListDigest, unpackOutcomes } from "../../../signer/core/policy/outcome-list.ts"
import { RecentlyUsed } from "../../../signer/core/recently-used.ts"
import type { Database } from "../../database/database.ts"
import { getOrganization } from "./organizations.ts"
import { hex } from "./activity-row.ts"
import { StoredOrganization } from "./stored-organization.ts"
import type { StoredVote } from "./stored-vote.ts"
import { LOWEST_UUID } from "./uuid.ts"

/** Smallest number of policies of a stored list. Fewer outcomes are stored with each vote: their ids take few bytes. */
export const MIN_LISTED = 16

/** Most ids of policies in memory, of all organizations together. */
const MAX_CACHED_IDS = 1_000_000

/** Pause between two records of a list's use, milliseconds. In between its ids are not sent again. */
const USE_RECORDED_MS = 3_600_000

type PolicyList = {
  readonly digest: Buffer
  readonly policyIds: readonly string[]
  readonly recordedMs: number
}

/**
 * The lists of policies that stored outcomes refer to. An organization has the same list until a policy is created or
 * deleted. A thousand ids are therefore sent and stored once, and not with every vote.
 */
export class PolicyLists {
  readonly #sql: Database
  readonly #now: () => number
  /** The list of each organization's newest outcome that this process has stored. */
  readonly #newest = new RecentlyUsed<string, PolicyList>(MAX_CACHED_IDS)

  constructor(sql: Database, now: () => number = Date.now) {
    this.#sql = sql
    this.#now = now
  }

  /** Digest of a list that is stored: the signer leaves its ids out. Empty: this process has recorded no use of one lately. */
  held(organizationId: string): Uint8Array {
    return this.#recorded(organizationId)?.digest ?? NONE
  }

  #recorded(organizationId: string): PolicyList | undefined {
    const newest = this.#newest.get(organizationId)
    return newest && this.#now() - newest.recordedMs < USE_RECORDED_MS ? newest : undefined
  }

  /** Stores a list, unless this process has recorded its use lately. The caller stores what refers to it afterwards. */
  async keep(organizationId: string, policyIds: readonly string[]): Promise<Buffer> {
    const digest = policyListDigest(policyIds)
    const known = this.#recorded(organizationId)
    if (known?.digest.equals(digest) === true) return known.digest
    const ids = Buffer.from(policyIds.join("").replaceAll("-", ""), "hex")
    const recordedMs = this.#now()
    await this.#sql`
      insert into policy_lists as list (organization_id, digest, policy_ids, last_used_ms)
      values (${organizationId}, ${digest}, ${ids}, ${recordedMs})
      on conflict (organization_id, digest) do update set last_used_ms = greatest(list.last_used_ms, excluded.last_used_ms)`
    this.#newest.set(organizationId, { digest, policyIds, recordedMs }, policyIds.length)
    return digest
  }

  /** The outcomes of a decision with their ids; empty if neither this process nor the database has its list. */
  async outcomesOf(
    organizationId: string,
    { policyOutcomes, policyList, packedOutcomes }: Decision,
  ): Promise<readonly PolicyOutcome[]> {
    if (packedOutcomes.length === 0) return policyOutcomes
    const digest = hex(policyList)
    const newest = this.#newest.get(organizationId)
    const lists = newest?.digest.equals(policyList)
      ? new Map([[digest, newest.policyIds]])
      : await getPolicyLists(this.#sql, organizationId, [digest])
    const outcomes = outcomesIn([digest, hex(packedOutcomes)], lists) ?? []
    return outcomes.map(([policyId, outcome]) => {
      return { $typeName: "countersign.api.v1.PolicyOutcome", policyId, outcome }
    })
  }

  /**
   * Stores the list of an outcome that the ledger kept, if an older database was restored meanwhile. The ids are those of the
   * organization's present policies; if these have changed, the list stays lost.
   */
  async restore(organizationId: string, { policyList }: Decision): Promise<void> {
    const digest = hex(policyList)
    if (digest === "" || (await getPolicyLists(this.#sql, organizationId, [digest])).has(digest)) return
    const organization = await getOrganization(this.#sql, organizationId)
    if (organization === undefined) return
    const { policies } = new StoredOrganization(organization.document).document
    await this.keep(
      organizationId,
      policies.map(({ policyId }) => policyId),
    )
  }
}

/**
 * The votes of an activity, each with the outcomes of policies beside their ids. A vote whose list is lost stays as it is
 * stored: an older database was restored.
 */
export async function withPolicyIds(
  sql: Database,
  { organizationId, votes }: { organizationId: string; votes: readonly StoredVote[] },
): Promise<StoredVote[]> {
  const digests = votes.flatMap(({ listedOutcomes }) => listedOutcomes?.[0] ?? [])
  const lists = await getPolicyLists(sql, organizationId, digests)
  return votes.map((vote) => {
    const { listedOutcomes, ...rest } = vote
    const policyOutcomes = listedOutcomes && outcomesIn(listedOutcomes, lists)
    return policyOutcomes === undefined ? vote : { ...rest, policyOutcomes }
  })
}

/** The outcomes of a vote with their ids; undefined if the list is lost. */
function outcomesIn(
  [digest, packed]: readonly [list: string, packed: string],
  lists: ReadonlyMap<string, readonly string[]>,
): [policyId: string, outcome: Outcome][] | undefined {
  const policyIds = lists.get(digest)
  if (policyIds === undefined) return undefined
  const outcomes = unpackOutcomes(Buffer.from(packed, "hex"), policyIds.length)
  return outcomes.map((outcome, index) => [policyIds[index] ?? "", outcome])
}

/** The ids of stored lists, by digest in hexadecimal. A list that is not what its digest says counts as lost. */
async function getPolicyLists(
  sql: Database,
  organizationId: string,
  digests: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (digests.length === 0) return new Map()
  const rows = await sql<{ digest: string; policyIds: Uint8Array }[]>`
    select encode(digest, 'hex') as digest, policy_ids as "policyIds" from policy_lists
    where organization_id = ${organizationId}
      and digest in (select decode(value, 'hex') from jsonb_array_elements_text(${JSON.stringify(digests)}::text::jsonb))`
  const lists = rows.map(({ digest, policyIds }) => [digest, idsIn(policyIds)] as const)
  return new Map(
    lists.filter(([digest, policyIds]) => policyListDigest(policyIds).toString("hex") === digest),
  )
}

/** Longest delay of a recorded use, and largest difference between the clocks of signer and API, milliseconds. */
const OVERLAP_MS = 24 * 3600 * 1000

/** Lists that one statement reads: it has a bound on its time. */
const READ_AT_ONCE = 1_000

type ListKey = { organizationId: string; digest: Uint8Array }

/**
 * Removes the lists that no stored vote refers to: their last use is older than the oldest activity of their organization.
 * The time of an activity is in its id (RFC 9562 §5.7).
 *
 * @returns number of removed lists
 */
export async function removeUnusedPolicyLists(sql: Database, nowMs: number): Promise<number> {
  let removed = 0
  let last: ListKey | undefined = { organizationId: LOWEST_UUID, digest: NONE }
  while (last !== undefined) {
    const [page]: (ListKey & { removed: number })[] = await sql<(ListKey & { removed: number })[]>`
      with page as materialized (
        select organization_id, digest from policy_lists
        where (organization_id, digest) > (${last.organizationId}::uuid, ${last.digest}::bytea)
        order by organization_id, digest limit ${READ_AT_ONCE}
      ), gone as (
        delete from policy_lists as list using page
        where list.organization_id = page.organization_id and list.digest = page.digest
          and last_used_ms + ${OVERLAP_MS}::bigint < coalesce((
            select ('x0000' || left(replace(id::text, '-', ''), 12))::bit(64)::bigint from activities
            where activities.organization_id = list.organization_id order by id limit 1
          ), ${nowMs}::bigint)
        returning list.digest
      )
      select organization_id as "organizationId", digest, (select count(*)::int from gone) as removed from page
      order by organization_id desc, digest desc limit 1`
    removed += page?.removed ?? 0
    last = page
  }
  return removed
}

const NONE = new Uint8Array(0)
const UUID_BYTES = 16

function idsIn(bytes: Uint8Array): string[] {
  const digits = hex(bytes)
  return Array.from({ length: Math.ceil(bytes.length / UUID_BYTES) }, (_, index) => {
    const id = digits.slice(2 * UUID_BYTES * index, 2 * UUID_BYTES * (index + 1))
    return id.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
  })
}
