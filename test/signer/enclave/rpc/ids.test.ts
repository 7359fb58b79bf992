import t from "tap"
import { Refusal } from "../../../../signer/core/refusal.ts"
import { ApiClient } from "../../../harness/api-client.ts"
import { InProcessBoundary } from "../../../harness/boundary.ts"
import { fingerprintOf } from "../../../harness/stamper.ts"
import { signerHandlers } from "../../../../signer/enclave/rpc/index.ts"

const { getOrganizationHead, readArchive } = signerHandlers

const UNBORN = "00000000-0000-4000-8000-000000000000"
const strange = [
  "acme",
  "\0",
  `${UNBORN}/`,
  `{${UNBORN}}`,
  UNBORN.replaceAll("-", ""),
  UNBORN.replace("0", "g"),
  UNBORN.replace("0", "\u0130"),
  "x".repeat(1_000_000),
]

const nonce = new Uint8Array(16)

async function refusalOf(call: () => Promise<unknown>): Promise<Refusal> {
  try {
    await call()
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
  throw new Error("not refused")
}

t.test("malformed ids are refused and not repeated", async (t) => {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const { signer } = boundary
  const { organizationId } = await new ApiClient(boundary).createOrganization()
  const head = (id: string) => () => getOrganizationHead({ organizationId: id, nonce } as never, signer)
  const archive = (id: string, afterRecordId = "") => {
    return () => readArchive({ organizationId: id, afterRecordId, activityFingerprints: [] } as never, signer)
  }
  for (const id of strange) {
    const calls: [call: () => Promise<unknown>, field: string][] = [
      [head(id), "organizationId"],
      [archive(id), "organizationId"],
      [archive(organizationId, id), "afterRecordId"],
      [() => boundary.recover(id), "organizationId"],
      [() => boundary.recover("", id), "after"],
    ]
    for (const [call, field] of calls)
      t.match(await refusalOf(call), { code: "REQUEST_INVALID", field, message: `${field} must be a UUID` })
  }
  for (const call of [head(""), archive("")]) t.equal((await refusalOf(call)).code, "REQUEST_INVALID")
  for (const call of [head(UNBORN), archive(UNBORN)])
    t.equal((await refusalOf(call)).code, "ORGANIZATION_UNKNOWN")
  await head(organizationId.toUpperCase())()
  t.ok((await archive(organizationId.toUpperCase())()) !== undefined)
})

t.test("a malformed acknowledgement is ignored, a well-formed one is carried out", async (t) => {
  const boundary = new InProcessBoundary()
  t.teardown(() => boundary.close())
  const client = new ApiClient(boundary)
  const { organizationId, root } = await client.createOrganization()
  const body = client.body("ACTIVITY_TYPE_CREATE_WALLET", organizationId, { walletName: "One", accounts: [] })
  await client.send(body, root)
  const fingerprint = fingerprintOf(body)
  const waiting = async () => (await boundary.recover(organizationId)).outcomes.length
  const before = await waiting()
  for (const id of ["", ...strange]) await client.acknowledge(id, fingerprint, root.publicKeyHex)
  for (const hex of ["", fingerprint.slice(2), `${fingerprint}00`])
    await client.acknowledge(organizationId, hex, root.publicKeyHex)
  for (const key of [
    "",
    "\0",
    `${root.publicKeyHex}/`,
    root.publicKeyHex.toUpperCase(),
    "0".repeat(1_000_000),
  ])
    await client.acknowledge(organizationId, fingerprint, key)
  t.equal(await waiting(), before)
  await client.acknowledge(organizationId, fingerprint, root.publicKeyHex)
  t.equal(await waiting(), before - 1)
})
