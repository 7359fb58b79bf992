import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { credentials } from "@grpc/grpc-js"
import type { Test } from "tap"
import { type Hex, recoverAddress } from "viem"
import { SignerService } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import { clientFor } from "../../proto/grpc-client.ts"
import { ethereumAccount, signParams, solanaAccount } from "../harness/api-client.ts"
import { patienceMs } from "../harness/patience.ts"
import type { CreatedOrganization, System } from "../harness/system.ts"

export async function wallet(
  system: System,
  { organizationId, root }: CreatedOrganization,
  walletName: string,
): Promise<string> {
  const parameters = { walletName, accounts: [ethereumAccount(0)] }
  const body = system.body("CREATE_WALLET", organizationId, parameters)
  const { result } = await system.submit("create_wallet", body, root)
  return (result as { createWalletResult: { addresses: [string] } }).createWalletResult.addresses[0]
}

/** Addresses of a new wallet's Solana accounts. */
export async function solanaAccounts(
  system: System,
  { organizationId, root }: CreatedOrganization,
  count: number,
): Promise<string[]> {
  const accounts = Array.from({ length: count }, (_, index) => solanaAccount(index))
  const body = system.body("CREATE_WALLET", organizationId, { walletName: "Solana", accounts })
  const { result } = await system.submit("create_wallet", body, root)
  return (result as { createWalletResult: { addresses: string[] } }).createWalletResult.addresses
}

export async function signs(
  t: Test,
  system: System,
  { organizationId, root }: CreatedOrganization,
  address: string,
  when = "",
) {
  const hash: Hex = `0x${"5a".repeat(32)}`
  const body = system.body("SIGN_RAW_PAYLOAD_V2", organizationId, signParams(address, hash.slice(2)))
  const { status, json } = await system.post("submit/sign_raw_payload", body, root)
  if (status !== 200) throw new Error(`${when}: ${status} ${JSON.stringify(json)}`)
  const { result } = json["activity"] as {
    result: { signRawPayloadResult: { r: string; s: string; v: string } }
  }
  const { r, s, v } = result.signRawPayloadResult
  const signature = { r: `0x${r}`, s: `0x${s}`, yParity: Number.parseInt(v, 16) } as const
  t.equal(await recoverAddress({ hash, signature }), address, `${when} ${address} signs`)
}

/** Addresses of all accounts, by pages. */
export async function allAddresses(
  system: System,
  { organizationId, root }: CreatedOrganization,
): Promise<string[]> {
  const addresses: string[] = []
  for (let after: string | undefined; ; ) {
    const paginationOptions = { limit: "100", ...(after && { after }) }
    const { json } = await system.query("list_wallet_accounts", { organizationId, paginationOptions }, root)
    const accounts = json["accounts"] as { address: string; walletAccountId: string }[]
    addresses.push(...accounts.map((account) => account.address))
    after = accounts.at(-1)?.walletAccountId
    if (accounts.length < 100) return addresses
  }
}

/** Waits until so many outcomes are decided and not acknowledged. */
export async function untilDecided(system: System, count: number): Promise<void> {
  const { call, close } = clientFor(SignerService, {
    address: `unix:${join(system.directory, "signer", "signer.sock")}`,
    credentials: credentials.createInsecure(),
    deadlineMs: patienceMs(30_000),
  })
  try {
    for (let waitedMs = 0; waitedMs < patienceMs(60_000); waitedMs += 20) {
      if ((await call.recover({ organizationId: "" })).outcomes.length === count) return
      await pause(20)
    }
    throw new Error(`there are never ${count} outcomes`)
  } finally {
    close()
  }
}
