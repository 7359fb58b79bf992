import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { closeDatabase, connectDatabase, type Database } from "../../services/database/database.ts"
import { type Child, startChild } from "../child.ts"
import { inOwnDirectory } from "../own-directory.ts"
import type { LoadAnswer, LoadQuestion, Target } from "../load/target.ts"
import { StampingClient } from "../suborgs/caller.ts"
import { newStampKey } from "../suborgs/documents.ts"
import { startEmbedded } from "../system/database-server.ts"
import { startSystem } from "../system/system.ts"
import { submitted } from "../webhooks/endpoints.ts"
import { growthOf, type Sizes, sizesOf } from "./sizes.ts"
import { type GrowthPlace, THINGS } from "./things.ts"

export type GrowthPlan = { signatures: number; others: number; connections: number; seconds: number }

export const FULL_PLAN: GrowthPlan = { signatures: 100_000, others: 200, connections: 16, seconds: 5 }
export const SHORT_PLAN: GrowthPlan = { signatures: 500, others: 2, connections: 4, seconds: 0.3 }

/** Name of the thing that a load generator makes. */
export const SIGNATURE = "signature"

export type GrowthRun = { things: { name: string; count: number; growth: Sizes }[] }

export function measureGrowth(plan: GrowthPlan, say: (line: string) => void): Promise<GrowthRun> {
  return inOwnDirectory(async ({ directory, interruption, stops, started }) => {
    const load = started(await startChild(new URL("../load/main.ts", import.meta.url)))
    await mkdir(join(directory, "service"), { mode: 0o755 })
    const database = started(await startEmbedded(join(directory, "service", "postgres")))
    const home = join(directory, "service", "system")
    const system = started(await startSystem({ directory: home, database, wire: "unix" }))
    const { target } = system
    const sql = connectDatabase({ url: database.url }, { max: 1 })
    stops.push(() => closeDatabase(sql))
    const place = await makePlace(target)
    stops.push(
      () => place.root.close(),
      () => place.powerless.forEach((caller) => caller.close()),
    )

    const things: GrowthRun["things"] = []
    const measure = async (name: string, make: () => Promise<number>) => {
      interruption.check()
      say(name)
      const before = await sizesOf(sql, home)
      const count = await make()
      things.push({ name, count, growth: growthOf(before, await sizesOf(sql, home), count) })
    }
    await measure(SIGNATURE, () => sign(sql, load, target, plan))
    for (const [name, make] of Object.entries(THINGS))
      await measure(name, async () => {
        for (let number = 0; number < plan.others; number++) await make(place, number)
        return plan.others
      })
    return { things }
  })
}

/** 8 MiB of denied bodies of 40 kB, kept twice as text, are a hundred of one user a day. */
const POWERLESS = 8

async function makePlace(target: Target): Promise<GrowthPlace> {
  const { organizationId, signWith } = target
  const root = new StampingClient(target, target)
  const keys = Array.from({ length: POWERLESS }, newStampKey)
  const users = keys.map(({ publicKeyHex: publicKey }, number) => {
    const apiKeys = [{ apiKeyName: "key", publicKey, curveType: "API_KEY_CURVE_P256" }]
    return { userName: `powerless ${number}`, userTags: [], apiKeys, authenticators: [], oauthProviders: [] }
  })
  await submitted(root, "create_users", "CREATE_USERS_V3", organizationId, { users })
  return { organizationId, signWith, root, powerless: keys.map((key) => new StampingClient(target, key)) }
}

/** Signs until so many signatures are stored; returns how many. */
async function sign(sql: Database, load: Child, target: Target, plan: GrowthPlan): Promise<number> {
  const stored = async () => {
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from activities`
    return row?.count ?? 0
  }
  const before = await stored()
  for (;;) {
    const count = (await stored()) - before
    if (count >= plan.signatures) return count
    const { connections, seconds } = plan
    const asked = { series: SIGNATURE, connections, seconds, warmUpSeconds: 0 }
    await load.ask({ ask: "begin", target: { ...target, signs: "payload" }, ...asked } satisfies LoadQuestion)
    const { requests } = (await load.ask({ ask: "finish" } satisfies LoadQuestion)) as LoadAnswer
    if (requests === 0) throw new Error("nothing was signed")
  }
}
