import { signsProbe } from "./probe.ts"
import type { Signer } from "./signer.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import type { Database } from "../store/database.ts"
import { type DeploymentCheck, DatabaseForeign } from "./deployment-check.ts"
import { getOrganization } from "../store/organizations.ts"

/** Results are reused this long, because /readyz needs no stamp. */
const REUSED_MS = 500
const TIMEOUT_MS = 3000
const UNUSED_ID = "00000000-0000-0000-0000-000000000000"

export type Readiness = { ready: boolean; database: string; signer: string; recovery: string }
type ReadinessDeps = {
  sql: Database
  signer: Pick<Signer, "getPins" | "probe">
  deployment: Pick<DeploymentCheck, "run">
  /** Whether the outcomes of earlier processes are stored. */
  isRecovered: () => boolean
}

/** Checks whether requests can be served: the database answers and is the signer's, and the signer signs. */
export function createReadiness(deps: ReadinessDeps): () => Promise<Readiness> {
  let known: { at: number; readiness: Promise<Readiness> } | undefined
  const forgetIfNotReady = async (check: NonNullable<typeof known>) => {
    const { ready } = await check.readiness
    if (!ready && known === check) known = undefined
  }
  return () => {
    if (known === undefined || performance.now() - known.at > REUSED_MS) {
      const check = { at: performance.now(), readiness: checkAll(deps) }
      known = check
      // At start callers poll until the service is ready, so "not ready" is not reused.
      void forgetIfNotReady(check)
    }
    return known.readiness
  }
}

async function checkAll({ sql, signer, deployment, isRecovered }: ReadinessDeps): Promise<Readiness> {
  const [answering, owner, signing] = await Promise.all([
    withinTimeout(getOrganization(sql, UNUSED_ID).then(() => "ok")),
    withinTimeout(deployment.run().then(() => "ok")),
    withinTimeout(signsProbe(signer).then((signs) => (signs ? "ok" : "wrong signature"))),
  ])
  // Only a signer that answers can say whether the database is its own.
  const database = answering === "ok" && signing === "ok" ? owner : answering
  const recovery = isRecovered() ? "ok" : "under way"
  return {
    ready: [database, signing, recovery].every((part) => part === "ok"),
    database,
    signer: signing,
    recovery,
  }
}

async function withinTimeout(check: Promise<string>): Promise<string> {
  const timeout = new Promise<never>((_, reject) => setTimeout(reject, TIMEOUT_MS, new Error()).unref())
  try {
    return await Promise.race([check, timeout])
  } catch (error) {
    if (error instanceof Refusal) return `${error.code}: ${error.message}`
    return error instanceof DatabaseForeign ? `${error.reason}: ${error.message}` : "no answer"
  }
}
