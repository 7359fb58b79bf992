// Makes test/golden/state-<format>.json: run by hand when a release brings a new format, never for an old one.
//
//     node test/golden/make-state.ts > test/golden/state-1.json
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { ApiClient, apiKey, ethereumAccount, outcomeOf, signParams, valueOf } from "../harness/api-client.ts"
import { InProcessBoundary } from "../harness/boundary.ts"
import { fingerprintOf, type TestKey } from "../harness/stamper.ts"
import type { GoldenState } from "./state.ts"

const FILES = ["root-seed", "ledger/ledger.sqlite", "ledger/ledger.witness"]
const SIGN = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"
const SUB_ORGANIZATION = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7"

const boundary = new InProcessBoundary()
const client = new ApiClient(boundary)
const acme = await client.createOrganization()
const { organizationId, root } = acme
const { address } = await client.wallet(acme)
const [dan, eva, gus] = [
  await client.user(acme, "dan"),
  await client.user(acme, "eva"),
  await client.user(acme, "gus"),
]
const parameters = signParams(address)
const signed = async (by: TestKey) =>
  valueOf(await client.submit(by, SIGN, organizationId, parameters), "signRawPayloadResult")

const approvedBy = ({ userId }: { userId: string }) => `approvers.any(u, u.id == '${userId}')`
const policies = [
  {
    policyName: "wallets",
    condition: "activity.resource == 'WALLET'",
    consensus: `${approvedBy(eva)} && ${approvedBy(dan)}`,
  },
  { policyName: "signatures", condition: "activity.action == 'SIGN'", consensus: approvedBy(dan) },
]
for (const policy of policies) {
  const added = { effect: "EFFECT_ALLOW", notes: "", ...policy }
  await client.submit(root, "ACTIVITY_TYPE_CREATE_POLICY_V3", organizationId, added)
}
const session = await client.login(acme, dan.key)

const customer = {
  subOrganizationName: "Customer",
  rootQuorumThreshold: 1,
  wallet: { walletName: "Customer", accounts: [ethereumAccount(0)] },
  rootUsers: [{ userName: "root", apiKeys: [apiKey(eva.key)], authenticators: [], oauthProviders: [] }],
}
const created = await client.submit(root, SUB_ORGANIZATION, organizationId, customer)
const { subOrganizationId, wallet } = valueOf(created, "createSubOrganizationResultV7")

const olderDocument = client.documents.get(organizationId)!
await client.submit(root, "ACTIVITY_TYPE_DELETE_USERS", organizationId, { userIds: [gus.userId] })

const [acknowledgedBody, unacknowledgedBody, pendingBody] = ["Second", "Third", "Pending"].map((walletName) =>
  client.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, { walletName, accounts: [] }),
) as [string, string, string]
outcomeOf(await client.send(acknowledgedBody, root))
await client.acknowledge(organizationId, fingerprintOf(acknowledgedBody), root.publicKeyHex)
const third = valueOf(outcomeOf(await client.send(unacknowledgedBody, root)), "createWalletResult")
outcomeOf(await client.send(pendingBody, dan.key))
const { r, s, v } = await signed(root)

await boundary.signer.close()
const files = FILES.map((file) => [
  file,
  gzipSync(readFileSync(join(boundary.directory, "signer", file)), { level: 9 }).toString("base64"),
])
const golden: GoldenState = {
  dangerouslyRevealedFiles: Object.fromEntries(files) as { [path: string]: string },
  nowMs: boundary.clock.wallMs(),
  organizationId,
  rootUserId: acme.rootUserId,
  keys: {
    root: pem(root),
    dan: pem(dan.key),
    eva: pem(eva.key),
    gus: pem(gus.key),
    session: pem(session.key),
  },
  documents: hexOf(client.documents),
  records: hexOf(client.records),
  olderDocument: Buffer.from(olderDocument).toString("hex"),
  address,
  signature: { r, s, v },
  subOrganization: { organizationId: subOrganizationId, address: wallet!.addresses[0]! },
  acknowledgedBody,
  unacknowledgedBody,
  unacknowledgedWalletId: third.walletId,
  pendingBody,
}
console.log(JSON.stringify(golden, undefined, 2))
await boundary.close()

function pem({ privateKey }: TestKey): string {
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString()
}

function hexOf(bytes: ReadonlyMap<string, Uint8Array>): { [id: string]: string } {
  return Object.fromEntries([...bytes].map(([id, value]) => [id, Buffer.from(value).toString("hex")]))
}
