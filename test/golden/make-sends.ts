// Makes test/golden/sends-<format>.json: run by hand when a release brings a new format, never for an old one.
//
//     node test/golden/make-sends.ts > test/golden/sends-1.json
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { signerHandlers } from "../../signer/enclave/rpc/index.ts"
import { ApiClient, outcomeOf, valueOf } from "../harness/api-client.ts"
import { InProcessBoundary } from "../harness/boundary.ts"
import { hexOf, sentBy, transferOf } from "../harness/sends.ts"
import { COSTLY, limits, SPONSORING } from "../harness/sponsorship.ts"
import type { GoldenSends } from "./sends.ts"

const FILES = ["root-seed", "ledger/ledger.sqlite", "ledger/ledger.witness"]
const SEND = "ACTIVITY_TYPE_ETH_SEND_TRANSACTION"

const boundary = new InProcessBoundary(undefined, SPONSORING)
const client = new ApiClient(boundary)
client.chain = () => COSTLY
const acme = await client.createOrganization()
const { organizationId, root } = acme
const { address } = await client.wallet(acme)
const config = await client.submit(
  root,
  "ACTIVITY_TYPE_UPSERT_GAS_USAGE_CONFIG",
  organizationId,
  limits("500", "300", "120"),
)
const parameters = transferOf({ address }, { sponsor: true, gasStationNonce: "3" })
await client.submit(root, SEND, organizationId, parameters)
await boundary.pass(60 * 60_000)
const unacknowledgedBody = client.body(SEND, organizationId, parameters)
const { raw } = sentBy(outcomeOf(await client.send(unacknowledgedBody, root)))
const usage = await signerHandlers.readGasUsage({ organizationId } as never, boundary.signer)
const { windowLimitMicroUsd, usageMicroUsd } = usage as {
  windowLimitMicroUsd: bigint
  usageMicroUsd: bigint
}

await boundary.signer.close()
const files = FILES.map((file) => [
  file,
  gzipSync(readFileSync(join(boundary.directory, "signer", file)), { level: 9 }).toString("base64"),
])
const golden: GoldenSends = {
  dangerouslyRevealedFiles: Object.fromEntries(files) as { [path: string]: string },
  nowMs: boundary.clock.wallMs(),
  organizationId,
  root: root.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  documents: hexesOf(client.documents),
  records: hexesOf(client.records),
  address,
  gasUsageConfigId: valueOf(config, "upsertGasUsageConfigResult").gasUsageConfigId,
  limitMicroUsd: String(windowLimitMicroUsd),
  usedMicroUsd: String(usageMicroUsd),
  unacknowledgedBody,
  raw: hexOf(raw),
}
console.log(JSON.stringify(golden, undefined, 2))
await boundary.close()

function hexesOf(bytes: ReadonlyMap<string, Uint8Array>): { [id: string]: string } {
  return Object.fromEntries([...bytes].map(([id, value]) => [id, hexOf(value).slice(2)]))
}
