import { RecentlyUsed } from "../../../signer/core/recently-used.ts"
import type { Database } from "../../database/database.ts"
import { type ActivityRow, shownLength } from "./activity-row.ts"
import { LOWEST_UUID } from "./uuid.ts"

/** Denials of one user that are stored on one day (UTC), and the characters of their texts. */
export const MAX_STORED_DENIALS = 500
export const MAX_STORED_CHARACTERS = 8 * 1024 * 1024

/** Users who are remembered as having reached the bound, about 200 bytes each. Denials of others are counted, and refused as well. */
const MAX_SPENT = 50_000

const DAY_MS = 86_400_000

type Waiting = {
  /** Denials and characters of the tally with this one. */
  denials: number
  characters: number
  resolve: (isStored: boolean) => void
  reject: (error: unknown) => void
}

/** Denials of one user since the last statement. */
type Tally = {
  organizationId: string
  userId: string
  day: number
  denials: number
  characters: number
  waiting: Waiting[]
}

type Counted = { organizationId: string; userId: string; denials: bigint; characters: bigint }

/**
 * Counts denials in the database, for all processes, and decides which are stored: a user without any right could otherwise
 * fill it. One statement at a time counts all denials that came meanwhile, so a flood takes one connection. Once a user has
 * reached the bound, their denials are not stored until the next day.
 */
export class DenialQuota {
  readonly #sql: Database
  #tallies = new Map<string, Tally>()
  /** Users who have reached the bound, with the day. */
  readonly #spent: RecentlyUsed<string, number>
  #running: Promise<void> | undefined

  constructor(sql: Database, { maxSpent = MAX_SPENT } = {}) {
    this.#sql = sql
    this.#spent = new RecentlyUsed(maxSpent)
  }

  /** Number of users who are remembered as having reached the bound. */
  get spent(): number {
    return this.#spent.size
  }

  /** Counts a denial; true if it is to be stored. */
  async admits(row: ActivityRow): Promise<boolean> {
    const { organizationId, userId, createdMs } = row
    const day = Math.floor(createdMs / DAY_MS)
    const key = `${organizationId}/${userId}`
    const isSpent = this.#spent.get(key) === day
    const counted = new Promise<boolean>((resolve, reject) => {
      const tally = this.#tallyOf(key, { organizationId, userId, day })
      tally.denials++
      tally.characters += shownLength(row)
      const { denials, characters } = tally
      if (isSpent) resolve(false)
      else tally.waiting.push({ denials, characters, resolve, reject })
    })
    this.#running ??= this.#count()
    return counted
  }

  /** Resolves when every denial is counted. */
  async idle(): Promise<void> {
    await this.#running
  }

  #tallyOf(
    key: string,
    { organizationId, userId, day }: Pick<Tally, "organizationId" | "userId" | "day">,
  ): Tally {
    const known = this.#tallies.get(key)
    if (known !== undefined) return known
    const tally = { organizationId, userId, day, denials: 0, characters: 0, waiting: [] }
    this.#tallies.set(key, tally)
    return tally
  }

  /** Never rejects: the promises of the waiting denials are rejected instead. */
  async #count(): Promise<void> {
    while (this.#tallies.size > 0) {
      const tallies = this.#tallies
      this.#tallies = new Map()
      try {
        for (const counted of await add(this.#sql, [...tallies.values()]))
          this.#answer(tallies.get(`${counted.organizationId}/${counted.userId}`), counted)
      } catch (error) {
        for (const { waiting } of tallies.values()) for (const { reject } of waiting) reject(error)
      }
    }
    this.#running = undefined
  }

  #answer(tally: Tally | undefined, { organizationId, userId, ...after }: Counted): void {
    if (tally === undefined) return
    const before = {
      denials: Number(after.denials) - tally.denials,
      characters: Number(after.characters) - tally.characters,
    }
    for (const { denials, characters, resolve } of tally.waiting)
      resolve(isWithin(before.denials + denials, before.characters + characters))
    if (!isWithin(Number(after.denials) + 1, Number(after.characters)))
      this.#spent.set(`${organizationId}/${userId}`, tally.day)
  }
}

/** Counts that one statement reads: it has a bound on its time. */
const READ_AT_ONCE = 1_000

type CountKey = { organizationId: string; userId: string }

/** Removes counts of days before a time; those of the bound are today's. */
export async function removeOldDenialCounts(sql: Database, beforeMs: number): Promise<void> {
  const day = Math.floor(beforeMs / DAY_MS)
  let last: CountKey | undefined = { organizationId: LOWEST_UUID, userId: LOWEST_UUID }
  while (last !== undefined) {
    const [next]: CountKey[] = await sql<CountKey[]>`
      with page as materialized (
        select organization_id, user_id from denial_counts
        where (organization_id, user_id) > (${last.organizationId}::uuid, ${last.userId}::uuid)
        order by organization_id, user_id limit ${READ_AT_ONCE}
      ), gone as (
        delete from denial_counts using page where denial_counts.organization_id = page.organization_id
          and denial_counts.user_id = page.user_id and day < ${day}
      )
      select organization_id as "organizationId", user_id as "userId" from page
      order by organization_id desc, user_id desc limit 1`
    last = next
  }
}

function isWithin(denials: number, characters: number): boolean {
  return denials <= MAX_STORED_DENIALS && characters <= MAX_STORED_CHARACTERS
}

/** Adds tallies to the counts of their day, and returns these. In order of their keys, so that processes lock alike. */
async function add(sql: Database, tallies: readonly Tally[]): Promise<Counted[]> {
  const list = tallies.map(({ waiting: _waiting, ...tally }) => tally)
  return sql<Counted[]>`
    insert into denial_counts as known (organization_id, user_id, day, denials, characters)
    select "organizationId", "userId", day, denials, characters
    from jsonb_to_recordset(${JSON.stringify(list)}::text::jsonb)
      as given ("organizationId" uuid, "userId" uuid, day integer, denials bigint, characters bigint)
    order by 1, 2
    on conflict (organization_id, user_id) do update set
      day = greatest(known.day, excluded.day),
      denials = excluded.denials + case when known.day >= excluded.day then known.denials else 0 end,
      characters = excluded.characters + case when known.day >= excluded.day then known.characters else 0 end
    returning organization_id as "organizationId", user_id as "userId", denials, characters`
}
