import { randomUUID } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import type { Test } from "tap"
import { canonicalChain } from "../../../services/chains/chains.ts"
import { createLogger } from "../../../services/common/logger.ts"
import type { Database, Transaction } from "../../../services/database/database.ts"
import { Jobs } from "../../../services/database/jobs.ts"
import { freePort } from "../../harness/free-port.ts"
import { patienceMs } from "../../harness/patience.ts"
import { Program } from "../../harness/program.ts"

/** A signed transaction for the worker, as the API stores it. */
export type StoredSend = {
  organizationId: string
  id: string
  caip2: string
  account: string
  nonce: bigint
  raw: Uint8Array
  hash: string
  lastValidBlockHeight?: bigint
  gasStationNonce?: bigint
  /** By default now. */
  createdMs?: number
}

type Row = { status: string; failure: string | null; broadcastMs: bigint | null }
export type SendState = {
  status: string
  failure: { [member: string]: unknown } | undefined
  broadcastMs: number
}

const PATIENCE_MS = patienceMs(60_000)
const POLL_MS = 100

/** Starts the worker as a process and waits until it is ready. `options`: of Node. */
export async function startWorker(
  t: Test,
  environment: NodeJS.ProcessEnv,
  options: readonly string[] = [],
): Promise<Program & { url: string }> {
  const port = await freePort()
  const program = new Program({
    options,
    file: "services/worker/main.ts",
    environment: {
      COUNTERSIGN_WORKER_LISTEN: `localhost:${port}`,
      COUNTERSIGN_WORKER_STOP_GRACE_SECONDS: "0",
      ...environment,
    },
  })
  t.teardown(() => program.stop())
  const url = `http://localhost:${port}`
  const isReady = async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true
  await until(isReady, () => program.output)
  return Object.assign(program, { url })
}

/** Stores signed transactions and enqueues them, as the API does it in one transaction. */
export function senderInto(t: Test, { sql, url }: { sql: Database; url: string }) {
  const jobs = new Jobs({ url }, { log: createLogger("test", "silent"), supervise: false })
  t.teardown(() => jobs.close())
  return async (sends: readonly StoredSend[]) => {
    const [first] = sends
    if (first === undefined) return
    await jobs.prepare(canonicalChain(first.caip2))
    await sql.begin(async (tx) => {
      await storeSends(tx, sends)
      await jobs.enqueue(tx, canonicalChain(first.caip2), sends)
    })
  }
}

/** Stores signed transactions without a job. */
export async function storeSends(tx: Transaction, sends: readonly StoredSend[]): Promise<void> {
  for (const send of sends) {
    const { organizationId, id, caip2, account, nonce, raw, hash, lastValidBlockHeight = 0n } = send
    const createdMs = send.createdMs ?? Date.now()
    const gasStationNonce = send.gasStationNonce === undefined ? null : String(send.gasStationNonce)
    await tx`
      insert into sends (organization_id, id, activity_id, caip2, chain, account, nonce, raw, hash,
        last_valid_block_height, gas_station_nonce, status, created_ms, updated_ms)
      values (${organizationId}, ${id}, ${randomUUID()}, ${caip2}, ${canonicalChain(caip2)}, ${account},
        ${String(nonce)}, ${raw}, ${hash}, ${String(lastValidBlockHeight)}, ${gasStationNonce},
        'INITIALIZED', ${createdMs}, ${createdMs})`
  }
}

export async function stateOf(sql: Database, { id }: Pick<StoredSend, "id">): Promise<SendState> {
  const [row] = await sql<Row[]>`
    select status, failure, broadcast_ms as "broadcastMs" from sends where id = ${id}`
  if (row === undefined) throw new Error(`no send ${id}`)
  const failure = row.failure === null ? undefined : (JSON.parse(row.failure) as SendState["failure"])
  return { status: row.status, failure, broadcastMs: Number(row.broadcastMs ?? 0) }
}

/** Polls until the send is in one of these states. */
export async function untilState(
  sql: Database,
  send: Pick<StoredSend, "id">,
  isReached: (state: SendState) => boolean,
): Promise<SendState> {
  let state: SendState | undefined
  await until(
    async () => isReached((state = await stateOf(sql, send))),
    () => JSON.stringify(state),
  )
  return state as SendState
}

export const hasEnded = ({ status }: SendState) => status === "INCLUDED" || status === "FAILED"

export async function until(isReached: () => Promise<boolean>, explain: () => string): Promise<void> {
  const giveUp = performance.now() + PATIENCE_MS
  while (!(await isReached())) {
    if (performance.now() > giveUp) throw new Error(`not reached: ${explain()}`)
    await pause(POLL_MS)
  }
}
