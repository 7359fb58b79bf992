import type { Test } from "tap"
import { requireError } from "../contract/replies.ts"
import { apiKey, ethereumAccount, signParams } from "../harness/api-seat.ts"
import { freshDatabase } from "../harness/database.ts"
import { newKey } from "../harness/stamper.ts"
import { type Reply, System } from "../harness/system.ts"

/** How a bad request is answered. */
export type Expected = {
  status: number
  code: number
  publicCode?: string
  message: RegExp
  field?: string
  reason?: string
}
export type Refusals = { [name: string]: [() => Promise<Reply>, Expected] }

export const GRPC_INVALID = 3
export const GRPC_UNAUTHENTICATED = 16
export const NIL = "00000000-0000-4000-8000-000000000000"

/** A running system with an organization that has a wallet and a key about to expire. */
export async function scene(t: Test) {
  const { url: databaseUrl, sql } = await freshDatabase(t)
  const system = await System.start(databaseUrl)
  t.teardown(() => system.stop())
  const { organizationId, root, rootUserId } = await system.found()
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

  async function rows(): Promise<string> {
    const counts = await sql`select (select count(*)::int from organizations) as organizations,
      (select count(*)::int from identities) as identities, (select count(*)::int from records) as records,
      (select count(*)::int from activities) as activities,
      (select sum(version)::text from organizations) as versions`
    return JSON.stringify(counts)
  }

  return {
    system,
    organizationId,
    root,
    solana,
    brief,
    rows,
    /** Resolves when the brief key has expired. */
    untilBriefIsOver: () =>
      new Promise<void>((resolve) => setTimeout(resolve, Math.max(0, briefEndsMs - Date.now()))),
    sign: (change: object = {}, timestampMs?: number) =>
      system.body("SIGN_RAW_PAYLOAD_V2", organizationId, { ...signParams(ethereum), ...change }, timestampMs),
    wallet: (walletName = "New") =>
      system.body("CREATE_WALLET", organizationId, { walletName, accounts: [] }),
    stamped: (path: string, body: string, key = root) => system.post(path, body, key),
    /** Each case by its name, in order; nothing of them is stored. */
    refusals(title: string, cases: Refusals): void {
      t.test(title, async (t) => {
        const before = await rows()
        for (const [name, [attempt, expected]] of Object.entries(cases)) {
          const { status, headers, json } = await attempt()
          t.equal(status, expected.status, `${name}: ${expected.status}`)
          t.equal(headers.get("content-type"), "application/json", `${name}: JSON without charset`)
          requireError(json, expected.code)
          t.match(json["message"], expected.message, `${name}: says why`)
          if (expected.publicCode)
            t.equal(json["turnkeyErrorCode"], expected.publicCode, `${name}: public code`)
          if (expected.field)
            t.match(JSON.stringify(json["details"]), `"field":"${expected.field}"`, `${name}: says where`)
          if (expected.reason)
            t.match(JSON.stringify(json["details"]), `"reason":"${expected.reason}"`, `${name}: its code`)
        }
        t.equal(await rows(), before, "nothing is stored")
      })
    },
  }
}

export function unauthenticated(publicCode: string, message: RegExp): Expected {
  return { status: 401, code: GRPC_UNAUTHENTICATED, publicCode, message }
}

export function invalid(
  message: RegExp,
  field?: string,
  publicCode = "REQUEST_INVALID",
  reason?: string,
): Expected {
  return {
    status: 400,
    code: GRPC_INVALID,
    publicCode,
    message,
    ...(field && { field }),
    ...(reason && { reason }),
  }
}
