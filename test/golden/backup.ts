// A backup of all parts that a release made, with what its deployment must still do.
import { createPrivateKey } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { publicHexOf } from "../../signer/core/backup/keys.ts"
import { ethereumAccount } from "../harness/api-client.ts"
import type { CreatedOrganization, Json, System } from "../harness/system.ts"
import type { TestKey } from "../harness/stamper.ts"

/** `madeAtMs`: Unix time of the ledger's copy. `key`: private key of the root user, PKCS #8 in PEM. `fetcher`: its public keys. */
export type GoldenBackup = {
  release: string
  madeAtMs: number
  organizationId: string
  key: string
  address: string
  signature: { r: string; s: string }
  activities: number
  fetcher: string
  proxyKey: string
}

/** Root user of a golden backup. */
export function rootOf({ key }: GoldenBackup): TestKey {
  const privateKey = createPrivateKey(key)
  return { publicKeyHex: publicHexOf(privateKey), privateKey }
}

const resultOf = (activity: Json) => Object.values(activity["result"] as Json)[0] as Json

export async function createWallet(system: System, acme: CreatedOrganization): Promise<string> {
  const parameters = { walletName: "Kept", accounts: [ethereumAccount(0)] }
  const body = system.body("CREATE_WALLET", acme.organizationId, parameters)
  return (resultOf(await system.submit("create_wallet", body, acme.root))["addresses"] as string[])[0]!
}

/** r and s, which are those of key and payload. */
export async function sign(
  system: System,
  { organizationId, root }: Pick<CreatedOrganization, "organizationId" | "root">,
  signWith: string,
  atMs = Date.now(),
): Promise<GoldenBackup["signature"]> {
  const parameters = {
    signWith,
    payload: "ab".repeat(32),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  }
  const body = system.body("SIGN_RAW_PAYLOAD_V2", organizationId, parameters, atMs)
  const { r, s } = resultOf(await system.submit("sign_raw_payload", body, root))
  return { r: String(r), s: String(s) }
}

/** Number of activities that the API shows. */
export async function countActivities(
  system: System,
  { organizationId, root }: Pick<CreatedOrganization, "organizationId" | "root">,
): Promise<number> {
  const { json } = await system.post("query/list_activities", JSON.stringify({ organizationId }), root)
  return (json["activities"] as Json[]).length
}

/** The auth proxy's key on a host that is a folder. */
export function writeProxyKey(directory: string, pem: string): void {
  mkdirSync(join(directory, "auth-proxy"), { mode: 0o700 })
  writeFileSync(join(directory, "auth-proxy", "key"), pem, { mode: 0o600 })
}
