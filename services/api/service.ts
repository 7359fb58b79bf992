import type { RequestListener } from "node:http"
import type { Logger } from "../common/logger.ts"
import type { IpBlock } from "../../signer/core/organization/ip-block.ts"
import { Turns } from "../common/turns.ts"
import type { ActivityTimes } from "./resources/activity-times.ts"
import { createApp } from "./http/app.ts"
import { Archive } from "./signer/archive.ts"
import { BootProofs } from "./signer/boot-proofs.ts"
import { Holders } from "./authentication/credential-store.ts"
import type { Fetcher } from "./signer/fetcher.ts"
import { IpGate } from "./http/ip-gate.ts"
import { Organizations } from "./authentication/organization-store.ts"
import { pagesRouter } from "./http/pages.ts"
import { createReadiness } from "./signer/readiness.ts"
import { operationRoutes } from "./http/routes.ts"
import { Sessions } from "./authentication/session-store.ts"
import type { Signer } from "./signer/signer.ts"
import { ActivityBatcher } from "./store/activities.ts"
import type { Database } from "./store/database.ts"
import { Executor } from "./submit/executor.ts"
import { Healer } from "./signer/healing.ts"
import { OutcomeStore } from "./submit/outcome-store.ts"
import { Recovery } from "./signer/recovery.ts"

export type ServiceParts = {
  sql: Database
  signer: Signer
  fetcher: Pick<Fetcher, "fetch">
  log: Logger
  activityTimes: ActivityTimes
  bodyLimitBytes: number
  /** Whose X-Forwarded-For is believed. */
  trustedProxies?: readonly IpBlock[]
  now?: () => number
  /** Until outcomes that could not be stored are tried again. */
  recoverAgainMs?: number
}

export type Service = {
  handler: RequestListener
  /** Goes once over what the signer decided before this process started; to be tried until it succeeds. */
  recover(): Promise<void>
  /** Begins nothing by itself any more, and waits for what is being written. */
  close(): Promise<void>
}

/** Puts the parts of the API tier together; whoever calls owns database and signer and closes them. */
export function createService(parts: ServiceParts): Service {
  const { sql, signer, fetcher, log, activityTimes, bodyLimitBytes, now = Date.now, recoverAgainMs } = parts
  const organizations = new Organizations(sql)
  const gate = new IpGate({ organizations, trustedProxies: parts.trustedProxies ?? [] })
  const holders = new Holders(new Sessions(sql))
  const batcher = new ActivityBatcher(sql)
  const bootProofs = new BootProofs({ sql, signer, log })
  const outcomes = new OutcomeStore({ sql, batcher, organizations, bootProofs })
  const recovery = new Recovery({ signer, outcomes, log, againMs: recoverAgainMs })
  const healing = new Healer({ signer, sql, organizations, recovery, log })
  const archive = new Archive({ signer, healing })
  organizations.useArchive(archive)
  holders.useArchive(archive)
  const executor = new Executor({ signer, fetcher, sql, organizations, healing })
  let isRecovered = false
  const readiness = createReadiness({ sql, signer, isRecovered: () => isRecovered })
  const operations = operationRoutes({
    sql,
    organizations,
    holders,
    bootProofs,
    executor,
    outcomes,
    signer,
    activityTimes,
    bodyLimitBytes,
    gate,
    now,
    turns: new Turns(),
  })
  const app = createApp(operations, pagesRouter(readiness, signer), log)
  const handle = app.callback()
  return {
    // Koa answers every error itself: what it promises is only that it is done.
    handler: (request, response) => void handle(request, response),
    recover: async () => {
      await recovery.pass("")
      isRecovered = true
    },
    close: async () => {
      await recovery.close()
      await batcher.idle()
    },
  }
}
