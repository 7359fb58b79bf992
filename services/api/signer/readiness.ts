import { signsProbe } from "./probe.ts"
import type { Signer } from "./signer.ts"
import { Refusal } from "../../../signer/core/refusal.ts"
import { type Database, isReadOnly } from "../../database/database.ts"
import { databaseFault } from "../../database/faults.ts"
import { type DeploymentCheck, DatabaseForeign } from "./deployment-check.ts"
import type { FetcherClient } from "./fetcher.ts"
import type { Link, LinkedProcess } from "./links.ts"

/** Results are reused this long, because /readyz needs no stamp. */
const REUSED_MS = 500
const TIMEOUT_MS = 3000

/** `fetcher`: the fetcher's fault. It does not affect readiness, because most requests need no fetcher. */
export type ApiReadiness = {
  ready: boolean
  database: string
  signer: string
  recovery: string
  fetcher: string
}
type ReadinessDeps = {
  sql: Database
  signer: Pick<Signer, "getPins" | "probe">
  fetcher: Pick<FetcherClient, "isPaired">
  deployment: Pick<DeploymentCheck, "run">
  /** "ok" once the database is as new as the ledger. */
  recovery: () => string
  /** Refused certificates of the connections; absent: they are sockets of this host. */
  links?: { readonly [peer in LinkedProcess]?: Pick<Link, "fault"> | undefined } | undefined
}

/** Checks whether requests can be served: the database answers and is the signer's, and the signer signs. */
export function createReadiness(deps: ReadinessDeps): () => Promise<ApiReadiness> {
  let known: { at: number; readiness: Promise<ApiReadiness> } | undefined
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

async function checkAll(deps: ReadinessDeps): Promise<ApiReadiness> {
  const { sql, signer, fetcher, deployment, recovery: recoveryOf, links } = deps
  const [answering, owner, signing, pairing] = await Promise.all([
    withinTimeout(isReadOnly(sql).then((readOnly) => (readOnly ? "read-only" : "ok"))),
    withinTimeout(deployment.run().then(() => "ok")),
    withinTimeout(
      signsProbe(signer).then((signs) => (signs ? "ok" : "wrong signature")),
      () => links?.signer?.fault,
    ),
    withinTimeout(pairingState(signer, fetcher), () => links?.signer?.fault ?? links?.fetcher?.fault),
  ])
  // Only a signer that answers can say whether the database is its own.
  const database = answering === "ok" && signing === "ok" ? owner : answering
  const recovery = recoveryOf()
  return {
    ready: [database, signing, recovery].every((part) => part === "ok"),
    database,
    signer: signing,
    recovery,
    // The signer says with which fetcher it is paired: without its answer the fetcher may be well. A refusal of both calls is the signer's.
    fetcher: signing !== "ok" && [NO_ANSWER, signing].includes(pairing) ? UNKNOWN_PAIRING : pairing,
  }
}

const NO_ANSWER = "no answer"
const UNKNOWN_PAIRING = "not known while the signer does not answer"

async function pairingState(
  signer: Pick<Signer, "getPins">,
  fetcher: Pick<FetcherClient, "isPaired">,
): Promise<string> {
  const { pins } = await signer.getPins()
  if (!pins?.fetcherPublicKey)
    return "the signer is paired with no fetcher: COUNTERSIGN_SIGNER_FETCHER_PUBLIC_KEY"
  if (await fetcher.isPaired()) return "ok"
  return "the fetcher is paired with no signer: COUNTERSIGN_FETCHER_NOTARIZER_PUBLIC_KEY"
}

/** @param linkFault of the connection that the check uses */
async function withinTimeout(check: Promise<string>, linkFault?: () => string | undefined): Promise<string> {
  const timeout = new Promise<never>((_, reject) => setTimeout(reject, TIMEOUT_MS, new Error()).unref())
  try {
    return await Promise.race([check, timeout])
  } catch (error) {
    if (error instanceof Refusal) return `${error.code}: ${error.message}`
    if (error instanceof DatabaseForeign) return `${error.reason}: ${error.message}`
    return linkFault?.() ?? databaseFault(error) ?? NO_ANSWER
  }
}
