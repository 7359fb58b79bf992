import { signsProbe } from "./probe.ts"
import type { Signer } from "./signer.ts"
import type { Database } from "../store/database.ts"
import { getOrganization } from "../store/organizations.ts"

/** What was found out a moment ago still holds: anybody may ask, and asking must stay cheap. */
const REMEMBERED_MS = 500
const PATIENCE_MS = 3000
const NOBODY = "00000000-0000-0000-0000-000000000000"

export type Readiness = { ready: boolean; database: string; signer: string; recovery: string }
export type ReadinessDeps = {
  sql: Database
  signer: Pick<Signer, "getPins" | "probe">
  /** Whether outcomes of before this start are stored. */
  isRecovered: () => boolean
}

/** Tells whether requests can be served: the database answers, and the signer signs. */
export function createReadiness(deps: ReadinessDeps): () => Promise<Readiness> {
  let known: { at: number; readiness: Promise<Readiness> } | undefined
  const forgetUnready = async (looking: NonNullable<typeof known>) => {
    const { ready } = await looking.readiness
    if (!ready && known === looking) known = undefined
  }
  return () => {
    if (known === undefined || performance.now() - known.at > REMEMBERED_MS) {
      const looking = { at: performance.now(), readiness: look(deps) }
      known = looking
      // A start is waited for: that something is not there yet is not worth remembering.
      void forgetUnready(looking)
    }
    return known.readiness
  }
}

async function look({ sql, signer, isRecovered }: ReadinessDeps): Promise<Readiness> {
  const [database, signing] = await Promise.all([
    tried(getOrganization(sql, NOBODY).then(() => "ok")),
    tried(signsProbe(signer).then((signs) => (signs ? "ok" : "wrong signature"))),
  ])
  const recovery = isRecovered() ? "ok" : "under way"
  return {
    ready: [database, signing, recovery].every((part) => part === "ok"),
    database,
    signer: signing,
    recovery,
  }
}

async function tried(attempt: Promise<string>): Promise<string> {
  const late = new Promise<never>((_, reject) => setTimeout(reject, PATIENCE_MS, new Error()).unref())
  try {
    return await Promise.race([attempt, late])
  } catch {
    return "no answer"
  }
}
