import { join } from "node:path"
import type { Test } from "tap"
import { requireError } from "../contract/replies.ts"
import { closeDatabase, connectDatabase } from "../../services/database/database.ts"
import { apiKey, ethereumAccount, signParams } from "../harness/api-client.ts"
import { atEnd } from "../harness/at-end.ts"
import { freshDatabase } from "../harness/database.ts"
import { newKey } from "../harness/stamper.ts"
import { databaseContent, ledgerContent } from "../harness/store-content.ts"
import { type Json, type Reply, System } from "../harness/system.ts"

/** Expected reply to a malformed request; `reason` is google.rpc.ErrorInfo's, a code of docs/ERRORS.md. */
export type Expected = {
  status: number
  code: number
  publicCode: string
  reason: string
  message: RegExp
  field?: string
}
export type Refusals = { [name: string]: [() => Promise<Reply>, Expected] }

export const GRPC_INVALID = 3
export const GRPC_UNAUTHENTICATED = 16
export const NIL = "00000000-0000-4000-8000-000000000000"

let shared: Promise<System> | undefined

/** Starts the system that the importers of this file share. No other test may use it: they compare everything that it stores. */
async function start(): Promise<System> {
  const { url } = await freshDatabase({ teardown: atEnd })
  const system = await System.start(url)
  system.unref()
  atEnd(() => system.stop())
  return system
}

/** A running system, and an organization in it that has a wallet and a key about to expire. */
export async function setup(t: Test) {
  const system = await (shared ??= start())
  // One connection for each test, closed at its end: an open one would keep this process running.
  const sql = connectDatabase({ url: system.databaseUrl }, { max: 1 })
  t.teardown(() => closeDatabase(sql))
  const { organizationId, root, rootUserId } = await system.createOrganization()
  const solanaAccount = {
    curve: "CURVE_ED25519",
    path: "m/44'/501'/0'",
    addressFormat: "ADDRESS_FORMAT_SOLANA",
  }
  const accounts = [ethereumAccount(0), { ...ethereumAccount(0), ...solanaAccount }]
  const first = system.body("CREATE_WALLET", organizationId, { walletName: "First", accounts })
  const { result } = await system.submit("create_wallet", first, root)
  const { addresses } = (result as { createWalletResult: { addresses: [string, string] } }).createWalletResult
  const [ethereum, solana] = addresses
  const brief = newKey()
  const keys = { userId: rootUserId, apiKeys: [apiKey(brief, "brief", "1")] }
  await system.submit("create_api_keys", system.body("CREATE_API_KEYS_V2", organizationId, keys), root)
  const briefEndsMs = Date.now() + 1000

  /** Stored state of both tiers: a refused request changes none of it. */
  const stored = async () => ({
    database: await databaseContent(sql),
    ledger: await ledgerContent(join(system.directory, "signer", "ledger")),
  })

  return {
    system,
    organizationId,
    root,
    solana,
    brief,
    stored,
    /** Resolves when the brief key has expired. */
    untilBriefExpires: () =>
      new Promise<void>((resolve) => setTimeout(resolve, Math.max(0, briefEndsMs - Date.now()))),
    sign: (change: object = {}, timestampMs?: number) =>
      system.body("SIGN_RAW_PAYLOAD_V2", organizationId, { ...signParams(ethereum), ...change }, timestampMs),
    wallet: (walletName = "New") =>
      system.body("CREATE_WALLET", organizationId, { walletName, accounts: [] }),
    stamped: (path: string, body: string, key = root) => system.post(path, body, key),
    /** Each case by its name, in order; nothing of them is stored. */
    refusals(title: string, cases: Refusals): void {
      t.test(title, async (t) => {
        const before = await stored()
        for (const [name, [attempt, expected]] of Object.entries(cases)) {
          const { status, headers, json } = await attempt()
          t.equal(status, expected.status, `${name}: ${expected.status}`)
          t.equal(headers.get("content-type"), "application/json", `${name}: JSON without charset`)
          requireError(json, expected.code)
          t.match(json["message"], expected.message, `${name}: says why`)
          t.equal(json["turnkeyErrorCode"], expected.publicCode, `${name}: public code`)
          t.equal(reasonOf(json), expected.reason, `${name}: reason`)
          t.same(fieldsOf(json), expected.field === undefined ? [] : [expected.field], `${name}: says where`)
        }
        t.same(await stored(), before, "nothing is stored")
      })
    },
  }
}

export function unauthenticated(publicCode: string, reason: string, message: RegExp): Expected {
  return { status: 401, code: GRPC_UNAUTHENTICATED, publicCode, reason, message }
}

/** Refusal of an invalid member, or of an otherwise invalid request. */
export function invalid(message: RegExp, field?: string, reason = "REQUEST_INVALID"): Expected {
  const publicCode = PUBLIC_CODES[reason] ?? "REQUEST_INVALID"
  return { status: 400, code: GRPC_INVALID, publicCode, reason, message, ...(field && { field }) }
}

/** Reasons of a 400 that have their own public code. */
const PUBLIC_CODES: { [reason: string]: string } = {
  INVALID_ORGANIZATION_ID: "INVALID_ORGANIZATION_ID",
  ORGANIZATION_UNKNOWN: "ORGANIZATION_NOT_FOUND",
  REQUEST_FROM_FUTURE: "INVALID_TIME",
  REQUEST_STALE: "INVALID_TIME",
}

function reasonOf(error: Json): unknown {
  const info = (error["details"] as Json[]).find((detail) => String(detail["@type"]).endsWith("ErrorInfo"))
  return info?.["reason"]
}

/** Members of the request that the error names. */
function fieldsOf(error: Json): unknown[] {
  return (error["details"] as { fieldViolations?: { field: string }[] }[]).flatMap(
    ({ fieldViolations = [] }) => fieldViolations.map(({ field }) => field),
  )
}
